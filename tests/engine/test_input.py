"""What is opened never waits for ever, and never has no end."""

import os
import threading
import time
from pathlib import Path

import pytest

from engine import input as engine_input
from engine.errors import InputError
from engine.input import exists, naming, open_input, read_text

LONG = "a" * 300


def problem(path: Path, limit: int = 100) -> str:
    begin = time.thread_time()
    with pytest.raises(InputError) as caught:
        read_text(path, limit)
    assert time.thread_time() - begin < 2
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(engine_input, "WRITER_SECONDS", 0.3)
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_that_nobody_writes_to(pipe: Path) -> None:
    assert problem(pipe) == ": this is a pipe without a writer"


def test_a_pipe_is_not_read_twice(pipe: Path) -> None:
    writer = threading.Thread(target=pipe.write_text, args=("one\n",))
    writer.start()
    assert read_text(pipe, 100) == "one\n"
    writer.join()
    assert problem(pipe) == (
        ": this pipe was read to its end, and cannot be read again; write it to a file first"
    )


def test_a_pipe_is_read_as_it_is_written(pipe: Path) -> None:
    def write() -> None:
        with pipe.open("wb", buffering=0) as file:
            for part in (b"one\n", b"two\n"):
                time.sleep(0.5)  # longer than a pipe waits for a writer
                file.write(part)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_text(pipe, 100) == "one\ntwo\n"
    writer.join()


def test_waiting_for_a_pipe_can_be_cancelled(pipe: Path) -> None:
    def cancel() -> None:
        raise KeyboardInterrupt

    writer = os.open(pipe, os.O_RDWR)  # a writer that never writes
    with pytest.raises(KeyboardInterrupt), open_input(pipe, cancel) as file:
        file.read()
    os.close(writer)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/urandom"])
def test_a_device_is_not_read(device: str) -> None:
    assert "a device, not a file" in problem(Path(device))


def test_an_error_in_the_middle_of_a_file() -> None:
    assert ": cannot read this file: Input/output error" in problem(Path("/proc/self/mem"))


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    assert "File name too long" in problem(tmp_path / LONG)
    assert not exists(tmp_path / LONG)
    assert not exists(tmp_path / "a\0b")


def test_a_text_over_the_limit_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_text("x" * 101)
    assert problem(path) == ": this file is over the limit of 100 bytes"
    assert len(read_text(path, 101)) == 101


def test_a_text_that_is_none_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"a\nb\n\xe9\n")
    assert problem(path).startswith(":3: this is not UTF-8 text")


def test_a_file_that_does_not_fit_into_memory_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="log: not enough memory"), naming(tmp_path / "log"):
        raise MemoryError
