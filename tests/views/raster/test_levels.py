"""Frames of levels against a slow twin, which looks at what each job covers of each column of a level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.views.raster.test_jobs import (
    FAINTEST,
    RED,
    WHITE,
    Boxed,
    channels,
    overlap,
    schedules,
    shares,
)
from views.raster import levels
from views.raster.jobs import strips
from views.raster.levels import Drawn, Frames, level_frame, make_level
from views.raster.request import RenderRequest
from views.theme.palette import FIRST


def drawn(jobs: list[Boxed], rows: float, height: int) -> Drawn:
    """Jobs, ascending by start, as the rasterizers take them."""
    boxes = [box for job in jobs for box in job.boxes]
    offset = np.concatenate(([0], np.cumsum([len(job.boxes) for job in jobs]))).astype(np.int32)
    first, count = (np.array([box[k] for box in boxes], np.float64) for k in (0, 1))
    end = np.array([job.end for job in jobs], np.int64)
    return Drawn(
        np.array([job.start for job in jobs], np.int64),
        end,
        np.maximum.accumulate(end) if jobs else end,
        np.array([job.colour for job in jobs], np.uint32),
        strips(offset, first, count, (0.0, rows), height),
    )


def paint(jobs: Drawn, frames: Frames, window: tuple[float, float], width: int) -> np.ndarray:
    return frames.paint(jobs, RenderRequest(window, width, jobs.cover.height, 1.0), WHITE)


def colours_of(
    jobs: list[Boxed], in_columns: np.ndarray, parts: list[tuple[int, float]], row: int
) -> list[np.ndarray]:
    """The colours that a pixel may have whose `parts` are (column of the level, share of the pixel)."""
    shown: list[tuple[bool, float, int]] = []  # may stand in front, the share of the pixel, the job
    total = 0.0
    for column, part in parts:
        of_jobs = in_columns[:, row, column]
        total += part * min(of_jobs.sum(), 1.0)
        seen = of_jobs > 0
        first = np.array([job.colour & FIRST != 0 for job in jobs], np.bool_)
        if (seen & first).any():
            seen &= first
        for k in np.flatnonzero(seen):
            if of_jobs[k] >= of_jobs[seen].max() - 2e-3:
                shown.append((bool(first[k]), part * of_jobs[k], int(k)))
    if not shown:
        return [channels(WHITE)]
    faint = max(share for _, share, _ in shown) < 2e-3  # so little may be lost by rounding
    front = [shown_item for shown_item in shown if shown_item[0] and shown_item[1] > 2e-3] or shown
    best = max(share for _, share, _ in front)
    strong = FAINTEST + (1 - FAINTEST) * min(total, 1.0)
    near = [k for in_front, share, k in shown if share >= best - 4e-3 or (in_front and share <= 2e-3)]
    white = channels(WHITE)
    found = [white + (channels(jobs[k].colour) - white) * strong for k in near]
    return [*found, white] if faint else found


@given(
    schedules(), st.floats(-10, 100), st.floats(1, 200), st.integers(1, 9), st.integers(1, 9), st.floats(0, 1)
)
def test_a_frame_shows_what_the_columns_of_its_level_show(
    made: tuple, start: float, span: float, width: int, height: int, moved: float
) -> None:
    jobs, rows = made
    if not jobs:
        return  # which has no level
    jobs = sorted(jobs, key=lambda job: job.start)
    level = make_level(drawn(jobs, rows, height), (start, start + span), width)
    assert 2 * level.wide <= span / width * (1 + 1e-9) < 4 * level.wide * (1 + 1e-6)
    left = start + (moved - 0.5) * span * levels.BESIDE
    window = (left, left + span)
    pixels = level_frame(level, window, width, WHITE)
    assert pixels.shape == (height, width)
    assert pixels.flags.c_contiguous
    right = level.left + level.wide * level.columns
    none = np.zeros((len(jobs), height, 0))
    in_columns = shares(jobs, (level.left, right), rows, level.columns, height) if level.columns else none
    wide = span / width
    for x in range(width):
        t0 = window[0] + x * wide
        parts = [
            (c, overlap(level.left + c * level.wide, level.left + (c + 1) * level.wide, t0, t0 + wide) / wide)
            for c in range(level.columns)
        ]
        parts = [(c, part) for c, part in parts if part > 0]
        for y in range(height):
            allowed = colours_of(jobs, in_columns, parts, y)
            seen = channels(int(pixels[y, x]))
            assert any(np.abs(seen - frame).max() <= 3 for frame in allowed), (y, x, seen, allowed)


@pytest.fixture
def dense(monkeypatch: pytest.MonkeyPatch) -> Drawn:
    """Jobs that levels are made of, however few they are."""
    monkeypatch.setattr(levels, "MANY", 0)
    rng = np.random.default_rng(3)
    start = np.sort(rng.integers(0, 1000, 80))
    return drawn([Boxed(int(s), int(s) + 7, ((k % 4, 1),), RED - 40 * k) for k, s in enumerate(start)], 4, 8)


def test_the_second_of_two_frames_alike_is_of_a_level_and_moving_keeps_it(dense: Drawn) -> None:
    frames = Frames()
    frame = paint(dense, frames, (200.0, 600.0), 25)
    assert frames.level is None
    two = paint(dense, frames, (200.0, 600.0), 25)
    level = frames.level
    assert level is not None
    assert (frame != WHITE).sum() == pytest.approx((two != WHITE).sum(), rel=0.1)
    moved = paint(dense, frames, (232.0, 632.0), 25)  # by two pixels, of two columns each
    assert frames.level is level
    assert (moved[:, :-2] == two[:, 2:]).all()


@pytest.mark.parametrize(
    "window", [(0.0, 1000.0), (300.0, 400.0), (700.0, 1000.0)], ids=["out", "in", "away"]
)
def test_what_a_level_does_not_serve_has_another_made(dense: Drawn, window: tuple[float, float]) -> None:
    frames = Frames()
    for _ in range(2):
        paint(dense, frames, (200.0, 500.0), 25)
    before = frames.level
    paint(dense, frames, window, 25)
    assert frames.level is not None
    assert frames.level is not before
    assert frames.level.serves(dense, window, 25)


def test_other_colours_are_drawn_from_the_jobs_at_once(dense: Drawn) -> None:
    frames = Frames()
    for _ in range(2):
        paint(dense, frames, (200.0, 600.0), 25)
    dense = dense._replace(colour=np.full_like(dense.colour, RED))
    pixels = paint(dense, frames, (200.0, 600.0), 25)
    assert frames.level is None
    assert (pixels == paint(dense, Frames(), (200.0, 600.0), 25)).all()
