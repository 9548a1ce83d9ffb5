"""Words that stand behind a count of jobs."""

from __future__ import annotations

import pytest

from engine.words import of_count


@pytest.mark.parametrize(
    ("text", "of_one"),
    [
        ("jobs that run longer than 4h: 7", "job that runs longer than 4h: 7"),
        ("jobs with a walltime over 4h, cut to that", "job with a walltime over 4h, cut to that"),
        ("jobs whose RAM was cut to that", "job whose RAM was cut to that"),
        ("jobs ran while recorded use", "job ran while recorded use"),
        ("jobs of 2 clusters are taken for jobs of one", "jobs of 2 clusters are taken for jobs of one"),
        ("jobs whose Elapsed is shorter: they ran for it", "jobs whose Elapsed is shorter: they ran for it"),
    ],
)  # fmt: skip
def test_a_single_job_has_words_for_one(text: str, of_one: str) -> None:
    assert of_count(1, text) == of_one
    assert of_count(2, text) == of_count(0, text) == text
