"""Reading a file and replacing it atomically: old or new, never half of one, never over somebody else's change."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import blake2b, sha256
from pathlib import Path

from memfold.errors import NotAStore, ReadOnlyStore, StoreChanged, StoreError, StoreFull
from memfold.types import JSON

BOM = b"\xef\xbb\xbf"

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ETXTBSY}
_NO_LOCKS_HERE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.EBADF, errno.ENOSYS}

_MAGIC = (
    (b"\x1f\x8b", "gzip data", "unpack it: gunzip -k FILE"),
    (b"PK\x03\x04", "a zip archive", "unpack it: unzip FILE"),
    (b"\x28\xb5\x2f\xfd", "zstandard data", "unpack it: unzstd FILE"),
    (b"\xfd7zXZ\x00", "xz data", "unpack it: unxz -k FILE"),
    (b"BZh", "bzip2 data", "unpack it: bunzip2 -k FILE"),
    (b"SQLite format 3\x00", "an SQLite database", "if it is Memfold's, give its path alone; else export its memories as JSONL"),
    (b"%PDF-", "a PDF document", "give a file with one JSON object a line"),
    (b"PAR1", "a Parquet file", "export it as JSONL, one JSON object a line"),
    (b"\x93NUMPY", "a NumPy array", "give a file with one JSON object a line"),
)
_WIDE = ((b"\xff\xfe\x00\x00", "UTF-32"), (b"\x00\x00\xfe\xff", "UTF-32"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


def fingerprint(raw: bytes) -> str:
    """SHA-256 of the bytes, hexadecimal."""
    return sha256(raw).hexdigest()


def read_bytes(path: Path) -> bytes:
    """The file's bytes; a symbolic link is followed.

    :raises NotAStore: no file there. :raises StoreError: it cannot be read.
    """
    with reading(path):
        return path.read_bytes()


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turns the operating system's errors on reading into ours."""
    try:
        yield
    except StoreError:
        raise
    except FileNotFoundError as error:
        raise NotAStore(f"{path}: no such file; check the path") from error
    except IsADirectoryError as error:
        raise NotAStore(f"{path} is a folder, not a memory file; give the file in it") from error
    except PermissionError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}; ask its owner for the right to read it") from error
    except (OSError, ValueError) as error:  # ValueError: a path with a NUL byte
        raise NotAStore(f"{path} cannot be read: {error}") from error


def refuse_binary(raw: bytes, where: str) -> None:
    """Look at the first bytes of a file (or at a line of it).

    :raises NotAStore: they are no UTF-8 text; the message says what they look like and the cure.
    """
    for magic, what, cure in _MAGIC:
        if raw.startswith(magic):
            raise NotAStore(f"{where} is {what}, not a text file; {cure}")
    for mark, encoding in _WIDE:
        if raw.startswith(mark):
            raise NotAStore(f"{where} is written in {encoding}; {_iconv(encoding)}")
    if b"\0" in raw:
        pairs = raw[:64]
        if len(pairs) >= 4 and (not any(pairs[1::2]) or not any(pairs[::2])):
            encoding = "UTF-16LE" if not any(pairs[1::2]) else "UTF-16BE"
            raise NotAStore(f"{where} looks like {encoding}; {_iconv(encoding)}")
        raise NotAStore(f"{where} holds NUL bytes: it is binary, not a text file; give a file with one JSON object a line")


def decode(raw: bytes, where: str, first_line: int = 1) -> tuple[bool, str]:
    """Whether a byte-order mark stands at the start, and the text without it. `first_line` numbers the lines of `raw`.

    :raises NotAStore: not UTF-8: where, and the cure.
    """
    if first_line == 1 or b"\0" in raw:
        refuse_binary(raw, where)
    bom = raw.startswith(BOM)
    try:
        return bom, raw[len(BOM) if bom else 0 :].decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + error.object.count(b"\n", 0, error.start)
        byte = error.object[error.start]
        cure = f"convert it, for example: {_command('WINDOWS-1252')} (or ISO-8859-1, or what it was written in)"
        raise NotAStore(f"{where} is not UTF-8: byte 0x{byte:02x} in line {line}; {cure}") from error


def encode(text: str, bom: bool) -> bytes:
    """The inverse of `decode`."""
    return (BOM if bom else b"") + text.encode("utf-8")


def json_bytes(value: JSON) -> int:
    """UTF-8 length of a value's JSON without ASCII escapes."""
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _iconv(encoding: str) -> str:
    return f"convert it: {_command(encoding)}"


def _command(encoding: str) -> str:
    return f"iconv -f {encoding} -t UTF-8 FILE > FILE.utf8"


def replace_file(path: Path, expected: str, data: bytes) -> None:
    """Give the file new bytes, all or nothing, if its fingerprint is still `expected`.

    A temporary file beside it is written, synchronised and renamed over it; a symbolic link keeps pointing to the
    file; mode, owner and extended attributes are kept. Two processes that both go through here never interleave.

    :raises StoreChanged: the file is no longer what was read. :raises ReadOnlyStore: it, or its folder, cannot be
        written, or its owner cannot be kept. :raises StoreFull: the disk is full. In each case the file is as before.
    """
    with writing(path):
        target = path.resolve()
        with _folder_locked(target.parent):
            _refuse_changed(target, expected)
            refuse_read_only(target)
            if fingerprint(data) != expected:
                _swap(target, expected, data)


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turns the operating system's errors on writing into ours."""
    try:
        yield
    except StoreError:
        raise
    except (OSError, ValueError) as error:
        code = error.errno if isinstance(error, OSError) else None
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        if code in _FULL:
            raise StoreFull(f"no room left while writing {path} ({reason}): it is as before; free some space and run again") from error
        if code in _READ_ONLY:
            cure = "a new file is written beside it and renamed over it, so the folder must be writable too"
            raise ReadOnlyStore(f"{path} cannot be written ({reason}): it is as before; {cure}") from error
        raise StoreError(f"{path} could not be written: {reason}") from error


@contextmanager
def _folder_locked(folder: Path) -> Generator[None]:
    """A lock on the folder itself, so that no lock file is left; on systems without such locks there is none."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
        yield
    finally:
        os.close(handle)


def _refuse_changed(target: Path, expected: str) -> None:
    try:
        current = target.read_bytes()
    except FileNotFoundError as error:
        raise StoreChanged(f"{target} is gone since it was read; nothing was written") from error
    if fingerprint(current) != expected:
        raise StoreChanged(f"{target} was changed by somebody else since it was read; nothing was written; run again on its new state")


def refuse_read_only(path: Path) -> None:
    """Refuse a file that is marked read-only, which a rename would silently replace.

    :raises ReadOnlyStore: it, or its folder, cannot be written.
    """
    target = path.resolve()
    if not os.access(target.parent, os.W_OK):
        raise ReadOnlyStore(f"the folder of {target} cannot be written; a new file is written beside it and renamed over it")
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK):
        raise ReadOnlyStore(f"{target} is read-only: nothing was written; make it writable (chmod u+w) or work on a copy")


def _swap(target: Path, expected: str, data: bytes) -> None:
    tag = blake2b(os.fsencode(target.name), digest_size=8).hexdigest()
    temporary = target.with_name(f".memfold-{tag}.tmp")  # one name a target: what a killed run left is found and removed
    temporary.unlink(missing_ok=True)
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _keep_owner_and_mode(target, temporary)
        _refuse_changed(target, expected)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _keep_owner_and_mode(target: Path, temporary: Path) -> None:
    old, new = target.stat(), temporary.stat()
    if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except PermissionError as error:
            cure = "run as its owner, or work on a copy"
            raise ReadOnlyStore(f"{target} belongs to another user or group, which a new file could not keep; {cure}") from error
    shutil.copystat(target, temporary)  # after chown, which may clear mode bits; brings the extended attributes as well
    os.utime(temporary)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            raise
    finally:
        os.close(handle)
