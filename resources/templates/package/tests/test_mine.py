"""The policy, the metric and the reader of this package, on a log of four jobs."""

from batchscope_mine import reader

import batchscope

TEXT = """job=1 user=ann submit=0 start=0 end=3600 cores=4
job=2 user=bob submit=10 start=3600 end=7300 cores=4
job=3 user=bob submit=20 start=7300 end=7400 cores=1
job=4 user=ann submit=30 start=7300 end=7400 cores=3
"""


def test_the_reader_knows_its_logs(tmp_path):
    """It reads the lines of its format, and no others."""
    assert reader.recognises(TEXT.encode())
    assert not reader.recognises(b"; Version: 2.2")
    assert reader.read(TEXT).procs.tolist() == [4, 4, 1, 3]
    path = tmp_path / "jobs.log"
    path.write_text(TEXT)
    assert len(batchscope.read(path, machine="4c").trace) == 4


def test_the_policy_and_the_metric_stand_beside_others():
    """Three of the four jobs wait for more than half an hour."""
    log = batchscope.read(reader.read(TEXT), machine="4c")
    runs = batchscope.compare(log, ["easy", "mine-wfp:alpha=1"], metrics=["mine-late:hours=0.5"])
    assert runs.metrics.loc["mine-late:hours=0.5", "easy"] == 75.0
