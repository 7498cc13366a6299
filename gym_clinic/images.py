"""Images in text: one ``<image>`` mark in the text for each image, in order."""

from __future__ import annotations

import base64
import hashlib
import io
import mimetypes
import os
import struct
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import ref

from gym_clinic.errors import ConfigError, TaskError

if TYPE_CHECKING:
    from PIL.Image import Image as PillowImage

    Image = str | os.PathLike[str] | PillowImage

MARK = "<image>"
"""Where an image stands in a text; the mark that verl and most vision models' data use."""

MAX_PIXELS = 2**25
"""Pixels of the largest image that is decoded: 96 MiB in memory."""

MAX_BYTES = 2**27
"""Bytes of the largest file that is decoded."""

MIN_SIDE = 2
"""Pixels of the shortest side of an image."""

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


class DeferredIllustrated(Illustrated):
    """A text with one image that is made when it is asked for, so that the text alone is cheap.

    Args:
        text: The text, with one ``<image>`` mark.
        make: Returns the image; the same one each time.
    """

    __slots__ = ("_make",)
    _make: Callable[[], Image]

    def __init__(self, text: str, make: Callable[[], Image]) -> None:
        if text.count(MARK) != 1:
            raise TypeError(f"the text has {text.count(MARK)} {MARK} marks for 1 image")
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "_make", make)

    @property
    def images(self) -> tuple[Image, ...]:
        """The image, made now."""
        return (self._make(),)

    def __reduce__(self) -> tuple[type[Illustrated], tuple[str, tuple[Image, ...]]]:
        """Pickle with the image itself: what makes it may be a closure."""
        return Illustrated, (self.text, self.images)


def plain(text: str) -> str:
    """Return a text without images, in which nothing looks like the mark of one."""
    return text.replace(MARK, _WRITTEN) if MARK in text else text


def open_image(path: str | os.PathLike[str], folder: str | os.PathLike[str] = "") -> PillowImage:
    """Return the image of a file as 8-bit RGB, decoded once a process.

    Pixels of 16 and 32 bits are scaled from their darkest to their brightest, CMYK and palettes
    are converted, what is transparent becomes black, photographs are turned as their EXIF says, and
    of an animation the first frame is taken. The image is shared: copy it before drawing on it.

    Args:
        path: The file, absolute or relative to the folder.
        folder: Where the file must lie; links and ``..`` that lead out of it are refused. Empty
            for anywhere.

    Raises:
        TaskError: If the file is missing, outside its folder, no image, damaged, or too large.
        ConfigError: If pillow is not installed.
    """
    file = Path(folder) / path
    home = str(Path(folder).resolve()) if folder != "" else ""
    return _decoded(file, _changed(_inside(file, home)))


def shared(image: PillowImage) -> PillowImage:
    """Return an image marked as read-only, so that its data URL is made once."""
    image.readonly = 1
    return image


def _inside(file: Path, home: str) -> Path:
    """Return a file, which must be one, within its home."""
    try:
        real = file.resolve()
        is_file = real.is_file()
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in the name, a ring of links
        raise TaskError(f"no image {str(file)!r:.300}: {error}") from None
    if home and not real.is_relative_to(home):
        raise TaskError(f"image {str(file)!r} leads out of its folder {home!r}")
    if not is_file:
        why = "it is no file" if real.exists() else "No such file or directory"
        raise TaskError(f"no image {str(file)!r:.300}: {why}")
    return file


@lru_cache(maxsize=256)
def _decoded(path: Path, changed: int) -> PillowImage:
    try:
        from PIL import Image, ImageOps, UnidentifiedImageError
    except ImportError:
        raise ConfigError('images need pillow: pip install "gym_clinic[images]"') from None
    if (size := path.stat().st_size) > MAX_BYTES:
        raise TaskError(f"image {str(path)!r} has {size:,} bytes; at most {MAX_BYTES:,} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large or slightly broken files; checked here
            with Image.open(path) as opened:
                width, height = opened.size
                if width * height > MAX_PIXELS:
                    raise TaskError(f"image {str(path)!r} has {width:,} x {height:,} pixels; at "
                                    f"most {MAX_PIXELS:,} are decoded")  # fmt: skip
                if min(width, height) < MIN_SIDE:
                    raise TaskError(f"image {str(path)!r} has {width} x {height} pixels")
                opened.seek(0)
                opened.load()
                return shared(_as_rgb(ImageOps.exif_transpose(opened)))
    except Image.DecompressionBombError:
        raise TaskError(f"image {str(path)!r} has more than {MAX_PIXELS:,} pixels") from None
    except UnidentifiedImageError:
        raise TaskError(f"image {str(path)!r} is no image that can be read") from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError,
            OverflowError, MemoryError, struct.error, zlib.error) as error:  # fmt: skip
        # Pillow's decoders of damaged files raise all of these.
        raise TaskError(f"image {str(path)!r} is damaged: {error}") from None


def _as_rgb(image: PillowImage) -> PillowImage:
    """Return an image with three channels of 8 bits."""
    if image.mode.startswith(("I", "F")):
        import numpy as np
        from PIL import Image

        grey = np.nan_to_num(np.asarray(image, dtype=np.float64))
        scaled = (grey - grey.min()) * (255.0 / max(float(np.ptp(grey)), 1e-12))
        return Image.fromarray(scaled.astype(np.uint8)).convert("RGB")
    if "transparency" in image.info or image.mode in ("RGBA", "LA", "PA", "RGBa", "La"):
        shown = image.convert("RGBA")
        black = shown.copy()
        black.paste((0, 0, 0, 255), (0, 0, *shown.size))
        black.alpha_composite(shown)
        return black.convert("RGB")
    return image.convert("RGB") if image.mode != "RGB" else image.copy()


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
    if not image.readonly:
        return _png_url(image)
    # Many episodes show one shared image. Drawing on a read-only image makes it writable.
    kept = _SHARED_URLS.get(id(image))
    if kept is None or kept[0]() is not image:
        forget = partial(_SHARED_URLS.pop, id(image))
        kept = ref(image, lambda _: forget(None)), _png_url(image)
        _SHARED_URLS[id(image)] = kept
    return kept[1]


_SHARED_URLS: dict[int, tuple[ref[PillowImage], str]] = {}
"""Identity of a read-only image -> the image, weakly, and its data URL."""


def _png_url(image: PillowImage) -> str:
    written = io.BytesIO()
    image.save(written, format="PNG", compress_level=1)
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
