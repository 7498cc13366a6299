"""Packed files: gzip, bzip2, xz, or a zip file that holds one file.

How a file is packed shows in its first bytes, never in its name. What unpacks it loads when such a
file is met. Whatever is wrong with a packed file is an `OSError` where it is read.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import IO, Any, BinaryIO, cast

from gym_clinic.errors import ConfigError, TaskError

PACKED: dict[str, bytes] = {
    ".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ\x00", ".zip": b"PK\x03\x04",
}  # fmt: skip
"""Suffix of a packed file -> its first bytes."""

CHUNK = 1 << 16
"""Bytes that are read at once, at most."""


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading its bytes, unpacked.

    Raises:
        ConfigError: If it cannot be opened, or is a folder.
        TaskError: For a zip file that does not hold exactly one file.
    """
    if path.is_dir():
        raise ConfigError(f"cannot read {path}: it is a folder; expected a file")
    try:
        file = path.open("rb")
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    return unpacked(file, str(path))


def unpacked(file: IO[bytes], place: str) -> BinaryIO:
    """Return the content of a packed file; any other file as it is.

    Args:
        file: The file, open at its beginning.
        place: Its name, for errors.

    Raises:
        TaskError: For a zip file that does not hold exactly one file.
    """
    longest = max(map(len, PACKED.values()))
    buffered: Any = file if hasattr(file, "peek") else io.BufferedReader(cast(Any, file))
    head = buffered.peek(longest)[:longest]
    for suffix, first in PACKED.items():
        if head.startswith(first):
            opened = (
                _only_member(buffered, place) if suffix == ".zip" else _opened(buffered, suffix)
            )
            return stream(_sound(opened), opened, buffered)
    return cast(BinaryIO, buffered)


def is_hidden(path: PurePath) -> bool:
    """Whether a relative path is hidden, or is what macOS adds to archives."""
    return any(part.startswith(".") or part == "__MACOSX" for part in path.parts)


def is_member(name: str) -> bool:
    """Whether a name in an archive is that of a file that is not hidden."""
    return not name.endswith("/") and not is_hidden(PurePath(name))


def plain_name(path: Path) -> Path:
    """Return a path without the suffix of packing: "hp.json" for "hp.json.gz"."""
    return path.with_suffix("") if path.suffix.lower() in PACKED else path


def plain_or_packed(path: Path) -> Path:
    """Return a file, or that file packed ("hp.json.gz") if only that one exists."""
    packed = (path.with_name(f"{path.name}{suffix}") for suffix in PACKED)
    return path if path.exists() else next((file for file in packed if file.exists()), path)


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file; of a damaged one, all before the damage."""
    read: Any = getattr(file, "read1", file.read)
    while chunk := read(CHUNK):
        yield chunk


def stream(pieces: Iterator[bytes], *sources: IO[bytes]) -> BinaryIO:
    """Return pieces of bytes as a file, which closes what they come from."""
    return cast(BinaryIO, io.BufferedReader(_Pieces(pieces, sources), CHUNK))


def _opened(file: IO[bytes], suffix: str) -> IO[bytes]:
    import bz2
    import gzip
    import lzma

    openers: dict[str, Any] = {".bz2": bz2.BZ2File, ".xz": lzma.LZMAFile}
    return cast(IO[bytes], openers.get(suffix, lambda packed: gzip.GzipFile(fileobj=packed))(file))


def _only_member(file: IO[bytes], place: str) -> IO[bytes]:
    import zipfile

    try:
        archive = zipfile.ZipFile(file)
        names = [name for name in archive.namelist() if is_member(name)]
        if len(names) == 1:
            return archive.open(names[0])
    except (zipfile.BadZipFile, RuntimeError, OSError) as error:  # RuntimeError: of a password
        raise TaskError(f"{place}: {error}; expected a whole zip file without a password") from None
    raise TaskError(f"{place}: a zip file of {len(names)} files; expected one (unpack it first)")


def _sound(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of a packed file.

    Raises:
        OSError: If it is cut off or damaged.
    """
    import lzma
    import zipfile
    import zlib

    try:
        yield from chunks(file)
    except (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise OSError(str(error)) from None


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes], sources: tuple[IO[bytes], ...]) -> None:
        self.pieces = pieces
        self.sources = sources
        self.left = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.left:
            piece = next(self.pieces, None)
            if piece is None:
                return 0
            self.left = piece
        length = min(len(buffer), len(self.left))
        buffer[:length] = self.left[:length]
        self.left = self.left[length:]
        return length

    def close(self) -> None:
        for source in () if self.closed else self.sources:
            source.close()
        super().close()
