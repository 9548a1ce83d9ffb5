"""A reader of logs of lines like `job=7 user=ann submit=0 start=60 end=3660 cores=16`."""

import pandas as pd

_NAMES = {"job": "job_id", "cores": "procs"}


def recognises(head):
    """Whether a log that begins with these bytes is of this format."""
    return head.startswith(b"job=")


def read(text):
    """A row for each job, with the columns of a CSV of jobs, times in s."""
    lines = [line for line in text.splitlines() if line.strip()]
    frame = pd.DataFrame([dict(word.split("=", 1) for word in line.split()) for line in lines])
    numbers = [name for name in frame if name != "user"]
    frame[numbers] = frame[numbers].astype("int64")
    return frame.rename(columns=_NAMES)
