"""What every host must keep: a suite for ours and for yours.

    @pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
    def test_host(check, tmp_path):
        check(HostCase(open=MyHost, file_name="store.xyz", sample=SAMPLE, empty=EMPTY, kept=KEPT, secret="Quill"), tmp_path)

Each check takes a case and an empty folder, and raises AssertionError with what is wrong. It is for hosts in files.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memfold.errors import DuplicateId, MemfoldError, ReadOnlyStore, StoreChanged, StoreFull
from memfold.protocols import Host, Snapshot
from memfold.types import Entry

_KILLED = """
import os, signal, sys
from memfold.hosts import open_host
host = open_host(sys.argv[1])
old = host.read()
new = host.render(old.entries[1:], old)
real = os.replace
def stopped(*names):
    if sys.argv[2] == "after":
        real(*names)
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = stopped
host.replace(old, new)
"""


@dataclass(frozen=True, slots=True)
class HostCase:
    """A host to try.

    :param sample: a file with at least four entries, two of them in one home next to each other.
    :param empty: a file of the kind without entries.
    :param kept: what stands in `sample` outside the entries and must outlive them all.
    :param secret: a word that stands in `sample` in fields that the host can erase, and in no entry's text.
    """

    open: Callable[[Path], Host]
    file_name: str
    sample: bytes
    empty: bytes
    kept: Sequence[bytes] = ()
    secret: str = ""

    def written(self, folder: Path, content: bytes | None = None) -> tuple[Host, Path]:
        """The host on a new file."""
        path = folder / self.file_name
        path.write_bytes(self.sample if content is None else content)
        return self.open(path), path

    def reread(self, folder: Path, raw: bytes) -> Snapshot:
        """What the host finds in these bytes."""
        inner = folder / "again"
        inner.mkdir(exist_ok=True)
        return self.written(inner, raw)[0].read()


def reads_the_same_twice(case: HostCase, folder: Path) -> None:
    """Entries have unique ids; reading is repeatable; the fingerprint follows the content."""
    host, path = case.written(folder)
    base = host.read()
    assert len(base.entries) >= 4
    assert len({(entry.namespace, entry.id) for entry in base.entries}) == len(base.entries)
    assert base == case.open(path).read() == host.parse(case.sample)
    assert base.raw == case.sample
    assert case.reread(folder, case.empty).fingerprint != base.fingerprint
    assert case.reread(folder, case.empty).entries == ()
    assert str(path) in host.location


def renders_itself(case: HostCase, folder: Path) -> None:
    """A store with its own entries is the same bytes; nothing is written by rendering."""
    for content in (case.sample, case.empty):
        host, path = case.written(folder, content)
        base = host.read()
        same = host.render(base.entries, base)
        assert same.raw == content
        assert same.entries == base.entries
        assert same.fingerprint == base.fingerprint
        assert path.read_bytes() == content


def deletes(case: HostCase, folder: Path) -> None:
    """Any one entry goes alone; all may go; what is not an entry stays."""
    host, _ = case.written(folder)
    base = host.read()
    for gone in base.entries:
        live = [entry for entry in base.entries if entry is not gone]
        state = host.render(live, base)
        _reads_as(case, folder, state, live)
    nothing = host.render((), base)
    assert case.reread(folder, nothing.raw).entries == ()
    for piece in case.kept:
        assert piece in nothing.raw, f"lost with the entries: {piece!r}"


def replaces_in_place(case: HostCase, folder: Path) -> None:
    """A changed text stands where the old one stood, and the others' bytes stay."""
    host, _ = case.written(folder)
    base = host.read()
    for n, entry in enumerate(base.entries):
        changed = host.combine(entry, entry, replace(entry, text='Ünlike anything \\ with "quotes" and ümlauts 日本'))
        changed = replace(changed, id=entry.id)
        live = [*base.entries[:n], changed, *base.entries[n + 1 :]]
        state = host.render(live, base)
        _reads_as(case, folder, state, live)
        for piece in case.kept:
            assert piece in state.raw, f"lost by a change: {piece!r}"
        assert host.render(base.entries, base).raw == case.sample


def places_a_merged_entry(case: HostCase, folder: Path) -> None:
    """A merge leaves one entry of the two sides' home, read back with its text."""
    host, _ = case.written(folder)
    base = host.read()
    n = _neighbours(base.entries)
    a, b = base.entries[n : n + 2]
    merged = host.combine(a, b, Entry("merged-1", f"{a.text} and more", namespace=a.namespace, created_at=b.time))
    assert (merged.id, merged.home, merged.namespace) == ("merged-1", a.home, a.namespace)
    live = [*base.entries[:n], merged, *base.entries[n + 2 :]]
    state = host.render(live, base)
    _reads_as(case, folder, state, live)
    moved = host.render([*base.entries[:n], *base.entries[n + 2 :], merged], base)
    assert sorted(entry.id for entry in moved.entries) == sorted(entry.id for entry in live)
    back = host.render(base.entries, base)
    assert back.raw == case.sample


def restores(case: HostCase, folder: Path) -> None:
    """What was deleted comes back: byte for byte on the old base, in order and in its home on the reduced one."""
    host, _ = case.written(folder)
    base = host.read()
    for live in (base.entries[::2], base.entries[1::2], ()):
        reduced = case.reread(folder, host.render(live, base).raw)
        assert host.render(base.entries, base).raw == case.sample
        back = host.render(base.entries, reduced)
        assert _by_home(back.entries) == _by_home(base.entries)
        assert _by_home(case.reread(folder, back.raw).entries) == _by_home(base.entries)


def renders_idempotently(case: HostCase, folder: Path) -> None:
    """A rendered state renders to itself, under the ids of the caller and under those read back."""
    host, _ = case.written(folder)
    base = host.read()
    state = host.render(base.entries[1:], base)
    assert host.render(state.entries, state) == state
    fresh = case.reread(folder, state.raw)
    assert host.render(fresh.entries, fresh).raw == state.raw


def refuses_a_repeated_id(case: HostCase, folder: Path) -> None:
    """Two living entries with one id are a mistake of the caller."""
    host, _ = case.written(folder)
    base = host.read()
    with _raises(DuplicateId):
        host.render([*base.entries, replace(base.entries[0], text="another")], base)


def writes_atomically(case: HostCase, folder: Path) -> None:
    """The new bytes are on the disk, alone; mode and a link to the file are kept; nothing else is left in the folder."""
    host, path = case.written(folder)
    path.chmod(0o640)
    link = folder / f"link-{case.file_name}"
    link.symlink_to(path.name)
    base = host.read()
    state = host.render(base.entries[1:], base)
    case.open(link).replace(base, state)
    assert path.read_bytes() == link.read_bytes() == state.raw
    assert link.is_symlink()
    assert path.stat().st_mode & 0o7777 == 0o640
    assert _names(folder) == sorted((path.name, link.name))
    host.replace(state, base)
    assert path.read_bytes() == case.sample


def refuses_a_changed_file(case: HostCase, folder: Path) -> None:
    """Somebody else's change is never overwritten, nor a file that is gone brought back."""
    host, path = case.written(folder)
    base = host.read()
    state = host.render(base.entries[1:], base)
    path.write_bytes(case.empty)
    with _raises(StoreChanged):
        host.replace(base, state)
    assert path.read_bytes() == case.empty
    path.unlink()
    with _raises(StoreChanged):
        host.replace(base, state)
    assert _names(folder) == []


def survives_a_kill(case: HostCase, folder: Path) -> None:
    """Killed just before the rename the file is old, just after it is new; the next run cleans up."""
    host, path = case.written(folder)
    base = host.read()
    state = host.render(base.entries[1:], base)
    for when, expected in (("before", base.raw), ("after", state.raw)):
        path.write_bytes(base.raw)
        run = subprocess.run([sys.executable, "-c", _KILLED, f"{host.name}:{path}", when], capture_output=True, text=True)
        assert run.returncode == -signal.SIGKILL, run.stderr
        assert path.read_bytes() == expected
    path.write_bytes(base.raw)
    host.replace(base, state)
    assert _names(folder) == [path.name]


def keeps_the_file_when_it_cannot_write(case: HostCase, folder: Path) -> None:
    """A full disk and a read-only file have their own errors; the file is as before and nothing is left."""
    host, path = case.written(folder)
    base = host.read()
    state = host.render(base.entries[1:], base)
    with _failing("fsync", OSError(28, "No space left on device")), _raises(StoreFull):
        host.replace(base, state)
    with _failing("replace", OSError(30, "Read-only file system")), _raises(ReadOnlyStore):
        host.replace(base, state)
    path.chmod(0o444)
    with _raises(ReadOnlyStore):
        host.replace(base, state)
    assert path.read_bytes() == base.raw
    assert _names(folder) == [path.name]


def erases(case: HostCase, folder: Path) -> None:
    """A word outside the entries' texts goes from the bytes, in any case, and with it nothing of the entries."""
    host, _ = case.written(folder)
    base = host.read()
    untouched, count = host.erase("no such word", base)
    assert (untouched.raw, count) == (base.raw, 0)
    assert untouched.entries == base.entries
    if case.secret:
        assert case.secret.encode() in base.raw
        state, count = host.erase(case.secret.upper(), base)
        assert count == 0
        assert case.secret.lower().encode() not in state.raw.lower()
        assert [(entry.id, entry.text) for entry in state.entries] == [(entry.id, entry.text) for entry in base.entries]
        _reads_as(case, folder, state, state.entries)


def measures_what_goes(case: HostCase, folder: Path) -> None:
    """The size of an entry is what the file loses without it, give or take how the file writes spaces and escapes."""
    host, _ = case.written(folder)
    base = host.read()
    for n, entry in enumerate(base.entries):
        lost = len(base.raw) - len(host.render([*base.entries[:n], *base.entries[n + 1 :]], base).raw)
        assert 0.5 * lost - 8 <= host.size(entry) <= 2 * lost + 8, (entry, lost, host.size(entry))


CHECKS: dict[str, Callable[[HostCase, Path], None]] = {
    check.__name__: check
    for check in (
        reads_the_same_twice,
        renders_itself,
        deletes,
        replaces_in_place,
        places_a_merged_entry,
        restores,
        measures_what_goes,
        renders_idempotently,
        refuses_a_repeated_id,
        writes_atomically,
        refuses_a_changed_file,
        survives_a_kill,
        keeps_the_file_when_it_cannot_write,
        erases,
    )
}
"""All checks, by name."""


def _reads_as(case: HostCase, folder: Path, state: Snapshot, live: Sequence[Entry]) -> None:
    """The bytes read back say what the state says, in its order."""
    assert [(entry.id, entry.text) for entry in state.entries] == [(entry.id, entry.text) for entry in live]
    fresh = case.reread(folder, state.raw)
    assert [(entry.namespace, entry.home, entry.text) for entry in fresh.entries] == [(e.namespace, e.home, e.text) for e in live]


def _by_home(entries: Sequence[Entry]) -> dict[tuple[str, str], list[str]]:
    out: dict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in entries:
        out[entry.namespace, entry.home].append(entry.text)
    return out


def _neighbours(entries: Sequence[Entry]) -> int:
    for n, (a, b) in enumerate(zip(entries, entries[1:], strict=False)):
        if (a.namespace, a.home) == (b.namespace, b.home):
            return n
    raise AssertionError("the sample has no two entries of one home next to each other")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "again")


@contextmanager
def _raises(expected: type[MemfoldError]) -> Generator[None]:
    try:
        yield
    except expected as error:
        said = str(error)
    else:
        raise AssertionError(f"no {expected.__name__} was raised")
    assert len(said) > 20, f"says too little: {said}"


@contextmanager
def _failing(name: str, error: OSError) -> Generator[None]:
    """One function of `os` fails."""
    real = getattr(os, name)

    def fail(*_: object, **__: object) -> None:
        raise error

    setattr(os, name, fail)
    try:
        yield
    finally:
        setattr(os, name, real)
