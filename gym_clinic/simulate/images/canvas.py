"""Drawing primitives: soft shapes, noise and lettering on arrays of floats from 0 to 1.

Everything is elementwise numpy on a fixed grid and drawn from PCG64, without BLAS, FFT or a font of
the system, so that a seed gives the same pixels in every process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gym_clinic.simulate.images.tables import glyphs

Field = NDArray[np.float64]
Rng = np.random.Generator
Point = tuple[float, float]

SIZE = 240
"""Width and height of every image, in pixels."""


MAX_TRIES = 60
"""Places tried before one that is nearer to another than it should be is taken."""


def stream(seed: int, layer: str) -> Rng:
    """Return the random source of one layer of an image.

    Each layer has its own, so that a finding that is added or removed changes no other layer.
    """
    digest = hashlib.blake2b(f"{seed}:{layer}".encode(), digest_size=8).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))


@lru_cache(maxsize=1)
def grid() -> tuple[Field, Field]:
    """Return the x and y coordinates of all pixels, in pixels from the upper left corner."""
    y, x = np.mgrid[0:SIZE, 0:SIZE].astype(np.float64)
    x.setflags(write=False)
    y.setflags(write=False)
    return x, y


def blank(value: float = 0.0) -> Field:
    """Return a grey image of one value."""
    return np.full((SIZE, SIZE), value)


def coloured(colour: Sequence[float]) -> Field:
    """Return a colour image, SIZE x SIZE x 3, of one colour."""
    image: Field = np.empty((SIZE, SIZE, 3))
    image[:] = colour
    return image


def mix(image: Field, colour: float | Sequence[float] | Field, alpha: Field | float) -> Field:
    """Return an image covered by a colour, as far as alpha (0 to 1) says.

    Args:
        image: Grey or in colour.
        colour: A grey value, red, green and blue, or a field of either.
        alpha: How much of the image is covered, for all or for each pixel.
    """
    paint = np.asarray(colour, dtype=np.float64)
    cover = np.asarray(alpha, dtype=np.float64)
    if cover.ndim < 2:
        return np.asarray(image + (paint - image) * cover)
    rows = np.nonzero(cover.any(axis=tuple(range(1, cover.ndim))))[0]
    columns = np.nonzero(cover.any(axis=(0, *range(2, cover.ndim))))[0]
    mixed: Field = image.copy()
    if not len(rows):
        return mixed
    # Most shapes cover a small part of the image.
    window = (slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1))
    if paint.ndim > 1:
        paint = paint[window]
    cover, part = cover[window], mixed[window]
    if image.ndim == 3:
        cover = cover[..., None] if cover.ndim == 2 else cover
        paint = paint[..., None] if paint.ndim == 2 else paint
    part += (paint - part) * cover
    return mixed


def soft(distance: Field, softness: float = 1.0) -> Field:
    """Return alpha of a shape from the signed distance to its edge, positive inside."""
    return np.clip(distance / softness + 0.5, 0.0, 1.0)


def ellipse(
    centre: Point, radii: Point, angle: float = 0.0, softness: float = 1.5,
    wobble: Field | None = None,
) -> Field:  # fmt: skip
    """Return alpha of an ellipse.

    Args:
        centre: Its middle, in pixels.
        radii: Its half axes, in pixels.
        angle: Its turn, in radians.
        softness: Width of its edge, in pixels.
        wobble: Harmonics from :func:`harmonics`, for an irregular outline.
    """
    alpha = blank()
    stamp(alpha, centre, radii, angle, softness=softness, wobble=wobble)
    return alpha


def turned(centre: Point, angle: float) -> tuple[Field, Field]:
    """Return the coordinates of all pixels about a centre, turned by an angle."""
    x, y = grid()
    dx, dy = x - centre[0], y - centre[1]
    if angle == 0.0:
        return dx, dy
    cosine, sine = np.cos(angle), np.sin(angle)
    return dx * cosine + dy * sine, dy * cosine - dx * sine


def harmonics(random: Rng, size: float, count: int = 5) -> Field:
    """Draw the harmonics of an irregular outline: sine and cosine parts, 2 x count.

    Args:
        random: Random source.
        size: Relative amplitude; .1 is slightly irregular.
        count: Number of harmonics, from the second on.
    """
    fall = 1.0 / np.sqrt(np.arange(1, count + 1))
    parts: Field = size * fall * random.standard_normal((2, count)) / np.sqrt(2.0)
    return parts


def radial(cosine: Field, sine: Field, wobble: Field) -> Field:
    """Return the relative change of radius in each direction.

    Args:
        cosine: Cosine of the direction.
        sine: Its sine.
        wobble: Harmonics from :func:`harmonics`.
    """
    total = np.zeros_like(cosine)
    across, down = cosine, sine
    for number in range(wobble.shape[1]):
        across, down = across * cosine - down * sine, down * cosine + across * sine
        total += wobble[0, number] * down + wobble[1, number] * across
    return np.clip(total, -0.6, 0.8)


def stamp(
    alpha: Field, centre: Point, radii: Point, angle: float = 0.0, strength: float = 1.0,
    softness: float = 1.2, wobble: Field | None = None,
) -> None:  # fmt: skip
    """Draw an ellipse into alpha in place; arguments as for :func:`ellipse`."""
    reach = max(radii) * (1.0 if wobble is None else 1.8) + softness + 1
    # The edge has its width across the shorter axis, so it is wider along the longer one.
    reach += softness * (max(radii) / min(radii) - 1)
    left, right = int(max(centre[0] - reach, 0)), int(min(centre[0] + reach + 2, SIZE))
    top, bottom = int(max(centre[1] - reach, 0)), int(min(centre[1] + reach + 2, SIZE))
    if left >= right or top >= bottom:
        return
    x, y = grid()
    dx, dy = x[top:bottom, left:right] - centre[0], y[top:bottom, left:right] - centre[1]
    cosine, sine = np.cos(angle), np.sin(angle)
    u, v = (dx * cosine + dy * sine) / radii[0], (dy * cosine - dx * sine) / radii[1]
    distance = np.sqrt(u * u + v * v)
    if wobble is not None:
        away = np.maximum(distance, 1e-9)
        distance = distance / (1.0 + radial(u / away, v / away, wobble))
    window = alpha[top:bottom, left:right]
    np.maximum(window, strength * soft((1.0 - distance) * min(radii), softness), out=window)


def polyline(
    points: Sequence[Point], widths: float | Sequence[float], softness: float = 1.0
) -> Field:
    """Return alpha of a line through points.

    Args:
        points: At least two points, in pixels.
        widths: Width in pixels, one or one for each point.
        softness: Width of its edge, in pixels.
    """
    alpha = blank()
    x, y = grid()
    wide = [widths] * len(points) if isinstance(widths, int | float) else list(widths)
    for (x0, y0), (x1, y1), width, later in zip(
        points[:-1], points[1:], wide[:-1], wide[1:], strict=True
    ):
        reach = max(width, later) / 2 + softness + 1
        left, right = int(max(min(x0, x1) - reach, 0)), int(min(max(x0, x1) + reach + 1, SIZE))
        top, bottom = int(max(min(y0, y1) - reach, 0)), int(min(max(y0, y1) + reach + 1, SIZE))
        if left >= right or top >= bottom:
            continue
        px, py = x[top:bottom, left:right] - x0, y[top:bottom, left:right] - y0
        dx, dy = x1 - x0, y1 - y0
        along = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-9), 0.0, 1.0)
        away = np.sqrt((px - along * dx) ** 2 + (py - along * dy) ** 2)
        part = soft((width + (later - width) * along) / 2 - away, softness)
        window = alpha[top:bottom, left:right]
        np.maximum(window, part, out=window)
    return alpha


def curve(controls: Sequence[Point], count: int = 24) -> list[Point]:
    """Return points on the Bezier curve of three or four control points."""
    t = np.linspace(0.0, 1.0, count)
    if len(controls) == 3:
        weights = [(1 - t) ** 2, 2 * t * (1 - t), t**2]
    else:
        weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3]
    xs = sum(weight * point[0] for weight, point in zip(weights, controls, strict=True))
    ys = sum(weight * point[1] for weight, point in zip(weights, controls, strict=True))
    return list(zip(np.asarray(xs).tolist(), np.asarray(ys).tolist(), strict=True))


def clouds(random: Rng, scale: float, octaves: int = 3) -> Field:
    """Draw smooth noise of mean about 0 and deviation about 1.

    Args:
        random: Random source.
        scale: Size of the largest structures, in pixels.
        octaves: How often finer structures of half the size and strength are added.
    """
    total, power = blank(), 0.0
    for number in range(octaves):
        total += 0.5**number * _value_noise(random, max(scale / 2**number, 1.0))
        power += 0.25**number
    total /= np.sqrt(power) * 0.62  # interpolation takes about 38% of the deviation
    return total


def _value_noise(random: Rng, scale: float) -> Field:
    cells = int(SIZE / scale) + 2
    corner = random.standard_normal((cells + 1, cells + 1))
    place = np.arange(SIZE) / scale
    cell = place.astype(np.int64)
    part = place - cell
    part = part * part * (3.0 - 2.0 * part)
    rows = corner[cell] * (1.0 - part[:, None]) + corner[cell + 1] * part[:, None]
    return rows[:, cell] * (1.0 - part) + rows[:, cell + 1] * part


def grain(random: Rng, deviation: float) -> Field:
    """Draw noise that is independent from pixel to pixel."""
    return deviation * random.standard_normal((SIZE, SIZE))


def blur(image: Field, sigma: float) -> Field:
    """Return an image blurred by a Gaussian; the border is continued outward."""
    reach = max(int(3.0 * sigma + 0.5), 1)
    offsets = np.arange(-reach, reach + 1)
    weights = np.exp(-0.5 * (offsets / sigma) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        padding = [(0, 0)] * image.ndim
        padding[axis] = (reach, reach)
        padded = np.pad(image, padding, mode="edge")
        total = np.zeros_like(image)
        for number, weight in enumerate(weights):
            span = slice(number, number + SIZE)
            total += weight * (padded[span] if axis == 0 else padded[:, span])
        image = total
    return image


def letters(
    image: Field, text: str, corner: Point, colour: float | Sequence[float], scale: int = 1
) -> Field:
    """Return an image with a text in a 5 x 7 font.

    Args:
        image: The image.
        text: Capital letters, digits and the signs of fonts.json.
        corner: Upper left corner of the text, in pixels.
        colour: Its colour.
        scale: Pixels for each dot of the font.
    """
    alpha = blank()
    font = glyphs()
    left, top = int(corner[0]), int(corner[1])
    for letter in text:
        dots = np.array([[dot == "#" for dot in row] for row in font[letter]], dtype=np.float64)
        dots = dots.repeat(scale, axis=0).repeat(scale, axis=1)
        height = max(min(dots.shape[0], SIZE - top), 0)
        width = max(min(dots.shape[1], SIZE - left), 0)
        alpha[top : top + height, left : left + width] = dots[:height, :width]
        left += 6 * scale
    return mix(image, colour, alpha)


def ruler(image: Field, pitch: float, colour: float) -> Field:
    """Return an image with ticks at the right border, every fifth longer.

    Args:
        image: The image.
        pitch: Distance of two ticks, in pixels.
        colour: Grey value of the ticks.
    """
    x, y = grid()
    alpha = blank()
    for number in range(int((SIZE - 20) / pitch) + 1):
        long = 8 if number % 5 == 0 else 4
        tick = soft(x - (SIZE - 3 - long), 1) * soft(0.7 - np.abs(y - 10 - number * pitch), 1)
        np.maximum(alpha, tick, out=alpha)
    return mix(image, colour, alpha)


def to_bytes(image: Field) -> NDArray[np.uint8]:
    """Return an image of floats as bytes, clipped to 0 and 255."""
    return np.floor(np.clip(image, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)


def shrink(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Return the pixels of a mask with the whole square of 2 x reach + 1 about them inside it."""
    for axis in (0, 1):
        padding = [(0, 0), (0, 0)]
        padding[axis] = (reach + 1, reach)
        total = np.cumsum(np.pad(mask, padding).astype(np.int64), axis=axis)
        ahead = total[2 * reach + 1 :] if axis == 0 else total[:, 2 * reach + 1 :]
        behind = total[:SIZE] if axis == 0 else total[:, :SIZE]
        mask = (ahead - behind) == 2 * reach + 1
    return mask


def scatter(random: Rng, allowed: NDArray[np.bool_], count: int, apart: float) -> list[Point]:
    """Draw places among allowed pixels, as far apart as asked where there is room.

    Args:
        random: Random source.
        allowed: Where a place may be; at least one pixel.
        count: Number of places.
        apart: Least distance between two of them, in pixels.

    Raises:
        ValueError: If no pixel is allowed.
    """
    rows, columns = np.nonzero(allowed)
    if not len(rows):
        raise ValueError("no pixel is allowed; the place must have at least one in the image")
    places: list[Point] = []
    for _ in range(count):
        farthest, place = -1.0, (0.0, 0.0)
        for _ in range(MAX_TRIES):
            chosen = int(random.integers(len(rows)))
            x, y = float(columns[chosen]), float(rows[chosen])
            near = min(((x - p) ** 2 + (y - q) ** 2 for p, q in places), default=np.inf)
            if near > farthest:
                farthest, place = near, (x, y)
            if near >= apart**2:
                break
        places.append(place)
    return places
