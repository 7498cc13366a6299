"""Images in text: one ``<image>`` mark in the text for each image, in order."""

from __future__ import annotations

import base64
import hashlib
import io
import mimetypes
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gym_clinic.errors import TaskError

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    Image = str | os.PathLike[str] | PillowImage

MARK = "<image>"
"""Where an image stands in a text; the mark that verl and most vision models' data use."""

_WRITTEN = "[image]"  # what a mark without an image becomes


@dataclass(frozen=True, slots=True)
class Illustrated:
    """A text with images, as a tool or a ticket may return it.

    Put the agent's own words, such as an argument that the text repeats, through :func:`plain`:
    a mark that the agent wrote stands for no image.

    Args:
        text: The text, with one ``<image>`` mark for each image.
        images: Paths or PIL images, in the order of the marks; paths are kept as text.

    Raises:
        TypeError: If there are not as many marks as images.
    """

    text: str
    images: tuple[Image, ...]

    def __post_init__(self) -> None:
        images = (os.fspath(one) if isinstance(one, os.PathLike) else one for one in self.images)
        object.__setattr__(self, "images", tuple(images))
        marks = self.text.count(MARK)
        if marks != len(self.images):
            raise TypeError(
                f"the text has {marks} {MARK} marks for {len(self.images)} images; "
                "write one mark where each image belongs, and put an agent's words through plain"
            )


def plain(text: str) -> str:
    """Return a text without images, in which nothing looks like the mark of one."""
    return text.replace(MARK, _WRITTEN) if MARK in text else text


def image_reference(image: Image) -> dict[str, str]:
    """Return what a trace keeps of an image.

    Returns:
        ``sha256``, of the file's bytes or of a PIL image's pixels, and ``path`` for a file.

    Raises:
        TaskError: If the file cannot be read.
    """
    if isinstance(image, str | os.PathLike):
        path = Path(image)
        return {"path": str(path), "sha256": _file_hash(path, _changed(path))}
    shape = f"{image.mode} {image.size}".encode()
    return {"sha256": hashlib.sha256(shape + image.tobytes()).hexdigest()}


def content_parts(text: str, images: Sequence[Image]) -> list[dict[str, Any]]:
    """Return a text with images as OpenAI content parts, the images as data URLs.

    Raises:
        TaskError: If a file cannot be read.
    """
    parts: list[dict[str, Any]] = []
    for number, words in enumerate(text.split(MARK)):
        if number:
            url = _data_url(images[number - 1])
            parts.append({"type": "image_url", "image_url": {"url": url}})
        if words:
            parts.append({"type": "text", "text": words})
    return parts


def text_of(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the text of a message's content; an image becomes its mark."""
    if isinstance(content, str):
        return content
    return "".join(str(part["text"]) if part["type"] == "text" else MARK for part in content)


def _data_url(image: Image) -> str:
    if isinstance(image, str | os.PathLike):
        path = Path(image)
        return _file_url(path, _changed(path))
    written = io.BytesIO()
    image.save(written, format="PNG")
    return _as_url("image/png", written.getvalue())


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError as error:
        raise TaskError(f"no image {str(path)!r}: {error.strerror}") from None


@lru_cache(maxsize=256)
def _file_hash(path: Path, changed: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=32)
def _file_url(path: Path, changed: int) -> str:
    kind = mimetypes.guess_type(path.name)[0] or ""
    if not kind.startswith("image/"):
        raise TaskError(f"{str(path)!r} is not named as an image; expected .png, .jpg or the like")
    return _as_url(kind, path.read_bytes())


def _as_url(kind: str, data: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"
