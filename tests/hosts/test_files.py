"""Atomic replacement, encodings and what a disk can do to us."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from memfold.errors import NotAStore, ReadOnlyStore, StoreChanged, StoreError, StoreFull
from memfold.hosts.files import decode, encode, fingerprint, read_bytes, replace_file

OLD, NEW = b"old\n", b"new and longer\n"


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "m.jsonl"
    path.write_bytes(OLD)
    return path


def only(path: Path) -> bool:
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_replaces_and_leaves_nothing(path):
    replace_file(path, fingerprint(OLD), NEW)
    assert path.read_bytes() == NEW
    assert only(path)


def test_the_same_bytes_are_not_written(path):
    before = path.stat()
    replace_file(path, fingerprint(OLD), OLD)
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_what_a_killed_run_left_is_removed(path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", lambda *_: os._exit)
        patched.setattr(Path, "unlink", lambda *_, **__: None)
        replace_file(path, fingerprint(OLD), NEW)  # the rename did nothing: the temporary file is left
    assert not only(path)
    replace_file(path, fingerprint(OLD), NEW)
    assert only(path)
    assert path.read_bytes() == NEW


@pytest.mark.parametrize(
    ("call", "code", "error"),
    [
        ("open", errno.EACCES, ReadOnlyStore),
        ("open", errno.EROFS, ReadOnlyStore),
        ("fsync", errno.ENOSPC, StoreFull),
        ("fsync", errno.EDQUOT, StoreFull),
        ("fsync", errno.EIO, StoreError),
        ("replace", errno.EPERM, ReadOnlyStore),
        ("chown", errno.EPERM, ReadOnlyStore),
    ],
)
def test_errors_of_the_system(path, monkeypatch, call, code, error):
    real = getattr(os, call)

    def fail(target, *rest, **named):
        if call == "open" and not (rest and rest[0] & os.O_WRONLY):
            return real(target, *rest, **named)
        raise OSError(code, os.strerror(code), os.fspath(target) if call == "open" else None)

    if call == "chown":
        _pretend_another_owner(monkeypatch, path)
    monkeypatch.setattr(os, call, fail)
    with pytest.raises(error) as caught:
        replace_file(path, fingerprint(OLD), NEW)
    monkeypatch.undo()
    assert type(caught.value) is error
    assert str(path) in str(caught.value)
    assert path.read_bytes() == OLD
    assert only(path)


def _pretend_another_owner(monkeypatch, path):
    real = Path.stat

    def stat(self, **named):
        found = real(self, **named)
        return os.stat_result((*found[:4], found.st_uid + 1, *found[5:])) if self.name == path.name else found

    monkeypatch.setattr(Path, "stat", stat)


def test_a_full_disk(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)], capture_output=True).returncode:
        pytest.skip("needs the right to mount")
    try:
        path = small / "m.jsonl"
        path.write_bytes(OLD)
        with pytest.raises(StoreFull):
            replace_file(path, fingerprint(OLD), b"x" * 200_000)
        assert path.read_bytes() == OLD
        assert only(path)
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_link_in_another_folder_keeps_pointing(path, tmp_path):
    folder = tmp_path / "links"
    folder.mkdir()
    link = folder / "here"
    link.symlink_to(path)
    replace_file(link, fingerprint(OLD), NEW)
    assert link.readlink() == path
    assert path.read_bytes() == NEW
    assert only(link)


def test_two_writers_of_one_state(path):
    """Of many that replace the same old state exactly one succeeds."""
    results: list[str] = []

    def write(n: int) -> None:
        try:
            replace_file(path, fingerprint(OLD), b"%d\n" % n)
            results.append(str(n))
        except StoreChanged:
            results.append("")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [each for each in results if each]
    assert len(results) == 8
    assert path.read_text() == winners[0] + "\n"
    assert len(winners) == 1
    assert only(path)


def test_two_processes_add_and_lose_nothing(path):
    path.write_bytes(b"0")
    code = """
import sys
from pathlib import Path
from memfold.errors import StoreChanged
from memfold.hosts.files import fingerprint, replace_file
path = Path(sys.argv[1])
for _ in range(30):
    while True:
        old = path.read_bytes()
        try:
            replace_file(path, fingerprint(old), str(int(old) + 1).encode())
            break
        except StoreChanged:
            pass
"""
    runs = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [run.wait() for run in runs] == [0, 0]
    assert path.read_bytes() == b"60"


def test_missing_and_folder(tmp_path):
    with pytest.raises(NotAStore, match="no such file"):
        read_bytes(tmp_path / "none")
    with pytest.raises(NotAStore, match="folder"):
        read_bytes(tmp_path)
    with pytest.raises(NotAStore):
        read_bytes(Path("a\0b"))


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ("Tea é".encode("utf-16"), "UTF-16; convert it: iconv -f UTF-16"),
        ("Tea".encode("utf-16-le"), "UTF-16LE"),
        ("Tea".encode("utf-16-be"), "UTF-16BE"),
        ("Tea".encode("utf-32"), "UTF-32"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"PK\x03\x04..", "zip"),
        (b"SQLite format 3\x00", "SQLite"),
        (b"abc\0\0\0abc", "NUL bytes"),
        (b'{"text": "ok"}\n{"text": "caf\xe9"}\n', "byte 0xe9 in line 2; convert it, for example: iconv -f WINDOWS-1252"),
    ],
)
def test_what_is_no_utf8(raw, says):
    with pytest.raises(NotAStore, match=says.replace("(", r"\(")):
        decode(raw, "m.jsonl")


def test_byte_order_mark_is_kept():
    raw = b"\xef\xbb\xbf{}\n"
    assert decode(raw, "m") == (True, "{}\n")
    assert encode("{}\n", True) == raw
