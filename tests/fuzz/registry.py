"""All fuzzers, by the names that `python -m tests.fuzz` knows them by."""

from __future__ import annotations

from tests.fuzz.fuzzer import Fuzzer
from tests.fuzz.traces import try_swf

FUZZERS: dict[str, Fuzzer] = {
    "swf": Fuzzer("logs in the Standard Workload Format, plain and packed", try_swf),
}
