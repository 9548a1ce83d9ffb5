from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.trace.generate import SessionModel, session_log, write_log
from engine.trace.generate.fit import FEWEST, fit_model
from engine.trace.generate.likeness import likenesses
from engine.trace.trace import Trace
from tests.paths import SHARED, needs

KTH = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
MODEL = SessionModel(jobs=40_000, load=0.7, users=50, session=1.0)


def written(model: SessionModel, folder: Path, seed: int = 1) -> Trace:
    write_log(session_log(seed, model), folder / "log.swf")
    return read_trace(folder / "log.swf")


def test_the_parameters_of_a_generated_log_are_found(tmp_path: Path) -> None:
    model = fit_model(written(MODEL, tmp_path))
    assert model.cluster.spelling == MODEL.cluster.spelling
    assert (model.jobs, model.users) == (40_000, 50)
    assert model.load == pytest.approx(0.7, rel=0.01)
    assert model.zipf == pytest.approx(1.0, abs=0.15)
    assert model.session == pytest.approx(1.0, abs=0.1)
    lublin, fitted = MODEL.lublin, model.lublin
    assert fitted.serial == pytest.approx(lublin.serial, abs=0.01)
    assert lublin.powers - 0.01 < fitted.powers < lublin.powers + 0.06  # 2^x is rounded to some of them, too
    assert fitted.short[0] * fitted.short[1] == pytest.approx(4.2 * 0.94, rel=0.1)
    assert fitted.long[0] * fitted.long[1] == pytest.approx(312 * 0.03, rel=0.05)
    assert fitted.day[0] * fitted.day[1] == pytest.approx(lublin.day[0] * lublin.day[1], rel=0.1)


def test_a_log_like_another_is_like_it(tmp_path: Path) -> None:
    first = written(MODEL, tmp_path)
    second = written(fit_model(first), tmp_path, seed=2)
    values = {likeness.name: likeness.distance for likeness in likenesses(first, second)}
    assert max(values.values()) < 0.12, values
    other = written(replace(MODEL, lublin=replace(MODEL.lublin, serial=0.9, powers=0.05)), tmp_path)
    far = {likeness.name: likeness.distance for likeness in likenesses(first, other)}
    assert far["processors"] > 0.5


@needs(KTH)
def test_a_real_log_is_fitted(tmp_path: Path) -> None:
    first = read_trace(KTH)
    second = written(fit_model(first), tmp_path)
    values = {likeness.name: likeness.distance for likeness in likenesses(first, second)}
    assert values["processors"] < 0.1
    assert values["runtime"] < 0.1
    assert max(values.values()) < 0.3, values


def test_logs_that_are_too_short_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"{FEWEST} jobs"):
        fit_model(written(replace(MODEL, jobs=FEWEST - 1), tmp_path))


def test_equal_logs_have_no_distance(tmp_path: Path) -> None:
    trace = written(replace(MODEL, jobs=500), tmp_path)
    assert [likeness.distance for likeness in likenesses(trace, trace)] == [0.0] * 5
    assert all(
        first == second
        for likeness in likenesses(trace, trace)
        for _, first, second in likeness.percentiles()
    )
