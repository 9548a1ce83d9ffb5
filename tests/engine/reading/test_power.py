from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.machine.cluster import parse_cluster
from engine.machine.power import SWITCHED, NodePower
from engine.reading.options import OptionError, Reading
from engine.reading.power import determination, least_squares, read_power, weekly
from engine.reading.read import read_log_as
from engine.trace import Pieces, Trace
from tests.engine.logs.lines import line, write_log
from tests.traces import make_trace, with_zone

TWO = parse_cluster("2x4c+1x8c2gpu")


def read(tmp_path: Path, text: str, trace: Trace | None = None):
    path = tmp_path / "power.toml"
    path.write_text(text, "utf-8")
    trace = make_trace([0, 3600], [10, 10], cluster=TWO) if trace is None else trace
    return read_power(str(path), trace, trace.cluster)


def test_groups_by_their_spelling_and_others(tmp_path: Path) -> None:
    model, notes = read(
        tmp_path,
        "energy = 'above-idle'\n[[nodes]]\nidle_w = 100\ncore_w = 8.5\n"
        "[[nodes]]\ngroup = '8c2gpu'\nidle_w = 200\ngpu_w = 250\noff_w = 9\nboot_s = 60\n",
    )
    assert model.groups == (
        NodePower(100, 8.5, unknown=SWITCHED),
        NodePower(200, 0, 250, 9, "8c2gpu", boot_s=60, unknown=("boot_w",)),
    )
    assert model.means == "above-idle"
    assert (model.price, model.carbon) == (None, None)
    assert not notes


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "there is no table [[nodes]]"),
        ("nodes = 3", "there is no table [[nodes]]"),
        ("[[nodes]]\nidle_w = 1\n[[nodes]]\ncore_w = 2", "two tables [[nodes]] are about all nodes"),
        ("[[nodes]]\ngroup = '8c2gpu'\nidle_w = 1\n" * 2, "two tables [[nodes]] are about group '8c2gpu'"),
        ("[[nodes]]\ngpu_w = 1", "a table [[nodes]] needs idle_w or core_w"),
        ("[[nodes]]\nidle_w = -1", "idle_w is a number of W from 0 to 10,000,000, not -1"),
        ("[[nodes]]\nidle_w = nan", "idle_w is a number of W"),
        ("[[nodes]]\nidle_w = true", "idle_w is a number of W"),
        ("[[nodes]]\nidle_w = 1\nboot_s = 'x'", "boot_s is a number of s"),
        ("[[nodes]]\nidel_w = 1", "has no 'idel_w'; did you mean 'idle_w'?"),
        ("[[nodes]]\ngroup = '8c'\nidle_w = 1", "has no group '8c'; did you mean '8c2gpu'?"),
        ("[[nodes]]\nidle_w = 1\n[prices]\n", "the file has no 'prices'; did you mean 'price'?"),
        ("price = 3\n[[nodes]]\nidle_w = 1", "price is a table"),
        ("[[nodes]]\nidle_w = 1\n[price]\n", "[price] needs per_kwh"),
        ("[[nodes]]\nidle_w = 1\n[price]\nper_kwh = [1, 2]", "[price] per_kwh has 2 numbers"),
        ("[[nodes]]\nidle_w = 1\n[price]\nper_kwh = inf", "inf is not a usable number"),
        (
            "[[nodes]]\nidle_w = 1\n[carbon]\nper_kwh = 1",
            "'per_kwh'; did you mean 'g_per_kwh'?",
        ),
        ("[[nodes]]\nidle_w = 1\n[carbon]\ng_per_kwh = 'none.csv'", "none.csv: "),
        ("energy = 3\n[[nodes]]\nidle_w = 1", "energy is one of nodes, above-idle, ignored"),
        ("[[nodes", "this is no TOML"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert str(tmp_path / "power.toml") in str(error.value)
    assert complaint in str(error.value)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("when,value\n", "prices.csv:1: expected the columns time,value"),
        ("time,value\n", "prices.csv: there is no row below the header"),
        ("time,value\n0,1,2\n", "prices.csv:2: expected time,value"),
        ("time,value\n0,x\n", "prices.csv:2: cannot read the row '0,x'"),
        ("time,value\nsoon,1\n", "prices.csv:2: cannot read the row 'soon,1'"),
        ("time,value\n0,inf\n", "prices.csv:2: inf is not a usable number"),
        ("time,value\n99999999999999999999,1\n", "prices.csv:2: no log lasts until 99999999999999999999"),
        ("time,value\n5,1\n5,2\n", "prices.csv:3: times ascend; this is not after the row before"),
    ],
)
def test_what_is_wrong_in_a_series_is_said(tmp_path: Path, rows: str, complaint: str) -> None:
    (tmp_path / "prices.csv").write_text(rows, "utf-8")
    with pytest.raises(InputError, match=complaint):
        read(tmp_path, "[[nodes]]\nidle_w = 1\n[price]\nper_kwh = 'prices.csv'")


def test_a_series_of_rows_with_dates_gaps_and_negative_prices(tmp_path: Path) -> None:
    rows = "time,value\n1970-01-01T01:00,-0.02\n7200,\n\n10800,0.3\n"
    (tmp_path / "prices.csv").write_text(rows, "utf-8")
    model, _ = read(tmp_path, "[[nodes]]\nidle_w = 1\n[price]\nper_kwh = 'prices.csv'")
    assert model.price is not None
    assert model.price.time.tolist() == [3600, 7200, 10_800]
    assert model.price.value.tolist() == pytest.approx([-0.02, np.nan, 0.3], nan_ok=True)


def test_a_profile_by_hour_of_the_week_on_the_machine_s_clock() -> None:
    # The clocks in Prague went forward on Sunday, 31 March 2013, at 02:00.
    trace = with_zone(make_trace([0, 86_400], [10, 10]), "Europe/Prague", 1_364_598_000)
    rates = weekly(np.arange(168.0), trace)

    def at(seconds: int) -> float:
        return float(rates.over(np.array([seconds]), np.array([seconds + 1]))[0])

    assert at(0) == 5 * 24 + 0  # Saturday, 00:00 there
    assert at(86_400 + 3600) == 6 * 24 + 1
    assert at(86_400 + 2 * 3600) == 6 * 24 + 3, "there is no hour from 02:00"
    assert at(86_400 + 23 * 3600) == 0, "Monday"
    assert np.isnan(at(10 * 366 * 86_400)), "beyond the span it is not known"


def whole_nodes(watts: tuple[int, int], jobs: int = 12) -> Trace:
    """Jobs of 1 to 4 cores on one or two nodes, with energy by exactly these watts a node and a core."""
    cores = np.arange(jobs) % 4 + 1
    nodes = np.arange(jobs) % 2 + 1
    runtime = 100 + np.arange(jobs)
    trace = make_trace(range(jobs), runtime, cores * nodes, cluster=parse_cluster("4x4c"))
    offset = np.concatenate(([0], np.cumsum(nodes)))
    places = Pieces(offset, {"node": np.arange(offset[-1]) % 4, "cpus": np.repeat(cores, nodes)})
    energy = (watts[0] * nodes + watts[1] * cores * nodes) * runtime
    return replace(trace, energy=energy, recorded_nodes=places)


def test_power_learned_from_the_energy_of_jobs() -> None:
    trace = whole_nodes((90, 7))
    model, (note,) = read_power("log", trace, trace.cluster)
    (entry,) = model.groups
    assert (entry.idle_w, entry.core_w, entry.gpu_w) == pytest.approx((90, 7, 0))
    assert entry.unknown == SWITCHED
    assert note.count == 12
    assert note.text == "jobs that tell an energy; by least squares idle_w 90, core_w 7, gpu_w 0 (R² 1)"


def test_where_nothing_can_be_learned_that_is_said() -> None:
    trace = whole_nodes((90, 7))
    for other, complaint in (
        (replace(trace, energy=None), "the log does not tell the energy of its jobs"),
        (replace(trace, energy=np.where(np.arange(12) < 9, 5, -1)), "the energy of 9 jobs that ran"),
        (
            replace(trace, cluster=parse_cluster("16c")),
            "do not tell the power of idle nodes",
        ),
    ):
        with pytest.raises(InputError, match=complaint):
            read_power("log", other, other.cluster)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(-20, 60)),
        min_size=3,
        max_size=9,
    )
)
def test_no_coefficients_of_at_least_0_come_nearer(rows: list[tuple[int, int, int, int]]) -> None:
    table = np.array(rows, np.float64)
    amounts, total = table[:, :3], table[:, 3]
    found = least_squares(amounts, total)
    assert (found >= 0).all()
    # At the minimum each slope is 0, or upwards where the coefficient is 0 (Karush, Kuhn and Tucker).
    slope = amounts.T @ (amounts @ found - total)
    assert (slope >= -1e-6).all()
    assert np.abs(slope * found).max() < 1e-6
    assert determination(amounts, total, found) <= 1 + 1e-12


def test_a_log_is_read_with_the_power_of_its_machine(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.swf", "; MaxProcs: 8", line(job=1), line(job=2, submit=50))
    power = tmp_path / "power.toml"
    power.write_text("[[nodes]]\ngroup = '2x4c'\nidle_w = 100\n", "utf-8")
    with pytest.raises(OptionError, match=r"--power .*the machine 8c has no group '2x4c'"):
        read_log_as(log, Reading(power=str(power)))
    found = read_log_as(log, Reading(power=str(power), machine="2x4c"))
    assert found.trace.cluster.power is not None
    assert found.trace.cluster == parse_cluster("8c"), "its own machine is what it was"
