"""The rasterizer against a slow twin that looks at every pixel and every job."""

from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views.raster import jobs as raster
from views.theme.palette import FIRST

WHITE = 0xFFFFFFFF
FAINTEST = 90 / 256


class Boxed(NamedTuple):
    """A job: when it runs, on which rows (first, count), and its colour."""

    start: int
    end: int
    boxes: tuple[tuple[float, float], ...]
    colour: int


def draw(jobs: list[Boxed], window: tuple, rows: float, width: int, height: int) -> np.ndarray:
    jobs = sorted(jobs, key=lambda job: job.start)
    end = np.array([job.end for job in jobs], np.int64)
    boxes = [box for job in jobs for box in job.boxes]
    offset = np.concatenate(([0], np.cumsum([len(job.boxes) for job in jobs]))).astype(np.int32)
    cover = raster.strips(
        offset,
        np.array([first for first, _ in boxes], np.float64),
        np.array([count for _, count in boxes], np.float64),
        (0.0, rows),
        height,
    )
    return raster.rectangles(
        np.array([job.start for job in jobs], np.int64),
        end,
        np.maximum.accumulate(end) if len(end) else end,
        np.array([job.colour for job in jobs], np.uint32),
        cover,
        (float(window[0]), float(window[1])),  # as charts have it: code for whole seconds is other code
        width,
        WHITE,
    )


def overlap(a0: float, a1: float, b0: float, b1: float) -> float:
    return max(0.0, min(a1, b1) - max(a0, b0))


def shares(jobs: list[Boxed], window: tuple, rows: float, width: int, height: int) -> np.ndarray:
    """What each job covers of each pixel, shape (jobs, height, width)."""
    wide, tall = (window[1] - window[0]) / width, rows / height
    found = np.zeros((len(jobs), height, width))
    for k, job in enumerate(jobs):
        for y in range(height):
            for x in range(width):
                seconds = overlap(job.start, job.end, window[0] + x * wide, window[0] + (x + 1) * wide)
                deep = sum(overlap(f, f + c, y * tall, (y + 1) * tall) for f, c in job.boxes)
                found[k, y, x] = seconds / wide * deep / tall
    return found


def channels(pixel: int) -> np.ndarray:
    return np.array([pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255], float)


def is_right(pixel: int, of_jobs: np.ndarray, jobs: list[Boxed]) -> bool:
    """Whether a job that covers as much as any, but for roundings, gives this pixel its colour."""
    if of_jobs.max(initial=0) <= 0:
        return pixel == WHITE
    first = [bool(job.colour & FIRST) for job in jobs]
    seen = of_jobs > 0
    if any(seen & first):
        seen &= first
    strong = FAINTEST + (1 - FAINTEST) * min(of_jobs.sum(), 1.0)
    best = of_jobs[seen].max()
    for job, share in zip(jobs, of_jobs, strict=True):
        if share >= best - 2e-3 and share > 0:
            wanted = channels(WHITE) + (channels(job.colour) - channels(WHITE)) * strong
            if np.abs(wanted - channels(pixel)).max() <= 3:
                return True
    return best < 1e-3  # too little for the roundings of shares: the background may stay


@st.composite
def schedules(draw: st.DrawFn) -> tuple[list[Boxed], int]:
    """Jobs on rows, one after the other where they share one."""
    rows = draw(st.integers(1, 9))
    free = [0] * rows
    jobs = []
    # A job begins when all of its rows are free, so that rows hold one job at a time.
    for k in range(draw(st.integers(0, 8))):
        mine = sorted(draw(st.sets(st.integers(0, rows - 1), min_size=1)))
        start = max(free[r] for r in mine) + draw(st.integers(0, 5))
        end = start + draw(st.integers(1, 40))
        for r in mine:
            free[r] = end
        boxes: list[tuple[float, float]] = []
        # Neighbouring rows make one box.
        for r in mine:
            if boxes and sum(boxes[-1]) == r:
                boxes[-1] = (boxes[-1][0], boxes[-1][1] + 1)
            else:
                boxes.append((r, 1))
        # Colours differ in all channels, and half of the jobs go before others.
        bit = FIRST if draw(st.booleans()) else 0
        jobs.append(Boxed(start, end, tuple(boxes), bit | 0x7F000000 | (0x203040 + 0x0B1D2F * k) & 0xFFFFFF))
    return jobs, rows


@pytest.mark.parametrize("dense", [-1, 10**9], ids=["by columns", "by rows"])
@given(
    schedules(),
    st.floats(-10, 100),
    st.floats(1, 200),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_each_pixel_shows_what_covers_it_most(
    dense: int, made: tuple, start: float, span: float, width: int, height: int
) -> None:
    jobs, rows = made
    window = (start, start + span)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(raster, "DENSE", dense)
        pixels = draw(jobs, window, rows, width, height)
    assert pixels.shape == (height, width)
    assert pixels.flags.c_contiguous
    found = shares(jobs, window, rows, width, height)
    for y in range(height):
        for x in range(width):
            assert is_right(int(pixels[y, x]), found[:, y, x], jobs), (y, x, hex(pixels[y, x]))


@given(st.integers(1, 20), st.integers(1, 20), st.randoms(use_true_random=False))
def test_only_what_nothing_covers_is_hatched(width: int, height: int, chance: Random) -> None:
    pixels = np.array([[chance.choice((WHITE, RED)) for _ in range(width)] for _ in range(height)], np.uint32)
    plain, striped = (np.array([base + c for c in range(width)], np.uint32) for base in (1000, 2000))
    before = pixels.copy()
    raster.hatch(pixels, WHITE, plain, striped)
    for y in range(height):
        for x in range(width):
            hatched = (striped if (x + y) % 8 < 2 else plain)[x]
            assert pixels[y, x] == (hatched if before[y, x] == WHITE else RED)


@given(st.integers(1, 30), st.integers(1, 30), st.randoms(use_true_random=False))
def test_what_nothing_covers_is_hatched_as_far_as_another_picture_is_white(
    width: int, height: int, chance: Random
) -> None:
    pixels = np.array([[chance.choice((WHITE, RED)) for _ in range(width)] for _ in range(height)], np.uint32)
    share = np.array([[chance.randrange(256) for _ in range(width)] for _ in range(height)])
    cover = (0xFF000000 | share << 16 | share << 8 | share).astype(np.uint32)
    before = pixels.copy()
    raster.hatch_where(pixels, cover, WHITE, BLUE, 50, 150)
    for y in range(height):
        for x in range(width):
            if before[y, x] == RED or not share[y, x]:
                assert pixels[y, x] == before[y, x]
                continue
            part = (150 if (y - x) % 8 < 2 else 50) * int(share[y, x]) // 255 / 256
            for shift in (0, 8, 16):
                under, over, found = (int(colour) >> shift & 0xFF for colour in (WHITE, BLUE, pixels[y, x]))
                assert abs(found - (under + (over - under) * part)) <= 0.51


RED, BLUE = 0xFFFF0000, 0xFF0000FF


def test_a_job_that_fills_its_pixels_has_just_its_colour() -> None:
    pixels = draw([Boxed(0, 10, ((0, 2),), RED), Boxed(10, 20, ((0, 4),), BLUE)], (0, 20), 4, 4, 4)
    assert (pixels[:2, :2] == RED).all()
    assert (pixels[2:, :2] == WHITE).all()
    assert (pixels[:, 2:] == BLUE).all()


def test_pieces_of_a_job_count_together() -> None:
    jobs = [Boxed(0, 10, ((0, 3), (6, 3)), RED), Boxed(0, 10, ((3, 3), (9, 2)), BLUE)]
    (pixel,) = draw(jobs, (0, 10), 12, 1, 1).ravel()
    assert pixel >> 16 & 255 > pixel & 255


def test_moving_by_whole_pixels_moves_the_picture() -> None:
    rng = np.random.default_rng(1)
    start, length = np.cumsum(rng.integers(1, 9, 60)), rng.integers(1, 5, 60)
    colour = rng.integers(0, 1 << 24, 60) | 0xFF000000
    jobs = [Boxed(int(start[k]), int(start[k] + length[k]), ((k % 5, 1),), int(colour[k])) for k in range(60)]
    here = draw(jobs, (0, 160), 5, 20, 7)
    there = draw(jobs, (24, 184), 5, 20, 7)
    assert (here[:, 3:] == there[:, :-3]).all()


def test_what_stands_back_gives_way_however_much_it_covers() -> None:
    behind = Boxed(0, 90, ((0, 1),), 0x7F00FF00)
    pixels = draw([behind, Boxed(90, 100, ((0, 1),), RED)], (0, 100), 1, 1, 1)
    assert pixels[0, 0] == RED


def test_the_shortest_job_of_a_year_is_seen() -> None:
    pixels = draw([Boxed(1000, 1001, ((500, 1),), RED)], (0, 365 * 86_400), 100_000, 100, 50)
    assert (pixels != WHITE).sum() == 1


def test_jobs_drawn_over_one_another_by_the_thousand_do_no_harm() -> None:
    pixels = draw([Boxed(0, 10, ((0, 1),), RED)] * 5000, (0, 10), 1, 2, 2)
    assert (pixels == RED).all()


def test_working_arrays_are_left_clean() -> None:
    draw([Boxed(0, 10, ((0, 4),), RED)], (0, 20), 4, 4, 4)
    assert (draw([], (0, 20), 4, 4, 4) == WHITE).all()


def test_outside_the_window_nothing_is_drawn() -> None:
    jobs = [Boxed(0, 10, ((0, 1),), RED), Boxed(30, 40, ((0, 1),), BLUE)]
    assert (draw(jobs, (10, 30), 1, 5, 5) == WHITE).all()
