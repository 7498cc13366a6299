"""The files of a folder, a zip file or a tar file, without hidden ones."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from gym_clinic.errors import ConfigError, TaskError
from gym_clinic.reading.packed import is_hidden, is_member, open_bytes, plain_name
from gym_clinic.reading.text import read_text, text_of

_TAR_MARK, _TAR_MARK_AT = b"ustar", 257


def visible_files(folder: Path, *suffixes: str, deep: bool = True) -> list[Path]:
    """Return the files of a folder in the order of their paths, without hidden ones.

    Args:
        folder: The folder.
        suffixes: Suffixes of the files, such as ".json", which may be packed; all without any.
        deep: Whether the folders in it are searched.
    """
    every = folder.rglob("*") if deep else folder.iterdir()
    return sorted(
        file
        for file in every
        if not is_hidden(file.relative_to(folder))
        and (not suffixes or plain_name(file).suffix.lower() in suffixes)
        and file.is_file()
    )


def texts(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    """Read a file, or the files with a suffix in a folder, a zip file or a tar file.

    Args:
        path: The file or folder.
        suffix: Suffix of the files in a folder or an archive; they may be packed.

    Yields:
        Name and text of each file, in the order of the names, as `read_text` gives it.

    Raises:
        ConfigError: If a file cannot be opened, or a folder or an archive holds none.
        TaskError: If a file is cut off or damaged.
    """
    found = False
    for name, data in _texts(path, suffix):
        found = True
        yield name, data
    if not found:
        raise ConfigError(f"{path} holds no {suffix} file; expected some")


def _texts(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        yield from ((str(file), read_text(file)) for file in visible_files(path, suffix))
    elif (path.suffix == ".zip" and path.exists()) or (path.is_file() and zipfile.is_zipfile(path)):
        yield from _of_zip(path, suffix)
    elif _is_tar(path):
        yield from _of_tar(path, suffix)
    else:
        yield str(path), read_text(path)


def _of_zip(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(filter(is_member, archive.namelist()))
            if len(names) > 1:  # a zip file of one file is that file, packed
                names = [name for name in names if _ends(name, suffix)]
            for name in names:
                place = f"{path}/{name}"
                yield place, text_of(archive.read(name), place)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError) as error:
        raise TaskError(f"{path}: {error}; expected a whole zip file without a password") from None


def _is_tar(path: Path) -> bool:
    with open_bytes(path) as file:
        try:
            return file.read(512)[_TAR_MARK_AT:].startswith(_TAR_MARK)
        except OSError as error:
            raise TaskError(f"{path}: cut off or damaged: {error}") from None


def _of_tar(path: Path, suffix: str) -> Iterator[tuple[str, bytes]]:
    found = {}
    try:
        with open_bytes(path) as file, tarfile.open(fileobj=file, mode="r|") as archive:
            for member in archive:
                if (
                    is_member(member.name)
                    and _ends(member.name, suffix)
                    and (content := archive.extractfile(member))
                ):
                    found[member.name] = content.read()
    except (tarfile.TarError, OSError) as error:
        raise TaskError(f"{path}: {error}; expected a whole tar file") from None
    for name, data in sorted(found.items()):
        yield f"{path}/{name}", text_of(data, f"{path}/{name}")


def _ends(name: str, suffix: str) -> bool:
    return plain_name(Path(name)).suffix.lower() == suffix
