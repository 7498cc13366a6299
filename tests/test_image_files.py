"""Images of users: every kind is converted, and every bad file is an error that names it."""

from __future__ import annotations

import contextlib
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gym_clinic import TaskError
from gym_clinic.images import MAX_PIXELS, open_image

Image = pytest.importorskip("PIL.Image")

RED, BLUE = (200, 30, 30), (30, 30, 200)


def half_and_half(mode: str = "RGB") -> Image.Image:
    """Red on the left, blue on the right, wider than high."""
    image = Image.new("RGB", (40, 20), RED)
    image.paste(BLUE, (20, 0, 40, 20))
    return image.convert(mode)


def is_near(pixel: tuple[int, ...], colour: tuple[int, ...]) -> bool:
    return all(abs(one - other) < 40 for one, other in zip(pixel, colour, strict=True))


@pytest.mark.parametrize(
    ("mode", "name"),
    [("RGB", "a.png"), ("P", "a.gif"), ("CMYK", "a.jpg"), ("CMYK", "a.tif"), ("RGBA", "a.png"),
     ("YCbCr", "a.jpg"), ("RGB", "a.bmp"), ("RGB", "a.webp")],
)  # fmt: skip
def test_every_mode_becomes_rgb(mode: str, name: str, tmp_path: Path) -> None:
    half_and_half(mode).save(tmp_path / name)
    image = open_image(tmp_path / name)
    assert (image.mode, image.size) == ("RGB", (40, 20))
    assert is_near(image.getpixel((5, 10)), RED)
    assert is_near(image.getpixel((35, 10)), BLUE)


@pytest.mark.parametrize(
    ("kind", "name"),
    [(np.uint16, "deep.png"), (np.uint16, "deep.tif"), (np.int32, "deep.tif"),
     (np.float32, "deep.tif")],
)  # fmt: skip
def test_deep_grey_is_scaled_to_its_range(kind: type, name: str, tmp_path: Path) -> None:
    values = (np.arange(100).reshape(10, 10) * 20 + 700).astype(kind)
    Image.fromarray(values).save(tmp_path / name)
    grey = np.asarray(open_image(tmp_path / name))[..., 0]
    assert (grey.min(), grey.max()) == (0, 255)
    assert (np.diff(grey.ravel().astype(int)) >= 0).all()


def test_one_grey_everywhere_is_no_error(tmp_path: Path) -> None:
    Image.fromarray(np.full((9, 9), 4000, np.uint16)).save(tmp_path / "flat.png")
    assert open_image(tmp_path / "flat.png").getextrema() == ((0, 0),) * 3


def test_what_is_transparent_is_black(tmp_path: Path) -> None:
    image = half_and_half("RGBA")
    image.putalpha(0)
    image.save(tmp_path / "clear.png")
    assert open_image(tmp_path / "clear.png").getextrema() == ((0, 0),) * 3


def test_a_photograph_is_turned_as_its_exif_says(tmp_path: Path) -> None:
    image = half_and_half()
    exif = image.getexif()
    exif[0x0112] = 6  # to be turned by a quarter, clockwise
    image.save(tmp_path / "phone.jpg", exif=exif)
    turned = open_image(tmp_path / "phone.jpg")
    assert turned.size == (20, 40)
    assert is_near(turned.getpixel((10, 5)), RED)
    assert is_near(turned.getpixel((10, 35)), BLUE)


@pytest.mark.parametrize("name", ["film.gif", "film.webp", "film.png", "film.tif"])
def test_of_an_animation_the_first_frame_is_taken(name: str, tmp_path: Path) -> None:
    frames = [Image.new("RGB", (8, 8), colour) for colour in (RED, BLUE)]
    frames[0].save(tmp_path / name, save_all=True, append_images=frames[1:])
    assert is_near(open_image(tmp_path / name).getpixel((4, 4)), RED)


def bomb(width: int, height: int) -> bytes:
    """A PNG of a few hundred bytes that claims a size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = b""
    for kind, data in ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")):
        body = kind + data
        chunks += struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
    return b"\x89PNG\r\n\x1a\n" + chunks


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (bomb(60_000, 60_000), "pixels"),
        (bomb(10_000, 10_000), "pixels"),
        (bomb(1, 500), "1 x 500 pixels"),
        (bomb(400, 400), "damaged"),
        (b"", "no image that can be read"),
        (b"GIF89a", "damaged|no image that can be read"),
        (b"not an image at all", "no image that can be read"),
    ],
)
def test_bad_files_are_named(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(content)
    with pytest.raises(TaskError, match=rf"bad\.png.*({says})"):
        open_image(tmp_path / "bad.png")
    assert 10_000**2 > MAX_PIXELS > 4_096**2


def test_half_a_file_is_damaged(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    noise = Image.fromarray(rng.integers(0, 255, (64, 64, 3), np.uint8))
    for name in ("cut.png", "cut.jpg", "cut.tif"):
        noise.save(tmp_path / name)
        whole = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(TaskError, match=rf"{name}"):
            open_image(tmp_path / name)


@given(data=st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_damage_crashes(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    name = data.draw(st.sampled_from(["x.png", "x.jpg", "x.gif", "x.tif", "x.bmp", "x.webp"]))
    half_and_half().save(folder / name)
    content = bytearray((folder / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    (folder / name).write_bytes(content)
    with contextlib.suppress(TaskError):
        assert open_image(folder / name).mode == "RGB"


def test_paths_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    inside, outside = tmp_path / "images", tmp_path / "secret.png"
    inside.mkdir()
    half_and_half().save(outside)
    half_and_half().save(inside / "own.png")
    (inside / "link.png").symlink_to(outside)
    (inside / "fine.png").symlink_to(inside / "own.png")
    (inside / "ring.png").symlink_to(inside / "ring.png")
    assert open_image("own.png", inside).size == open_image("fine.png", inside).size
    for name in ("link.png", "../secret.png", str(outside)):
        with pytest.raises(TaskError, match=r"png.* leads out of its folder"):
            open_image(name, inside)
    for name in ("nowhere.png", ".", "ring.png", "a\0b.png"):
        with pytest.raises(TaskError, match="image"):
            open_image(name, inside)
    assert open_image(outside).mode == "RGB"


def test_a_file_is_decoded_once_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "one.png"
    half_and_half().save(path)
    first = open_image(path)
    assert open_image(path) is first
    Image.new("RGB", (9, 9)).save(path)
    assert open_image(path).size == (9, 9)
