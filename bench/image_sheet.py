"""The contact sheet of the modalities: one row each, without findings and with five of them.

Run: ``python bench/image_sheet.py [--out docs/mmedagent-images.png] [--seed 11]``. It prints the
caption of every image, row by row, to be held against the picture.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image

from gym_clinic.simulate.images import describe, modalities, render
from gym_clinic.simulate.images.tables import FindingTable, ModalityTable

WIDTH, COLUMNS, COLOURS = 120, 6, 256
"""Pixels of an image, images of a row, colours of the sheet: what keeps the file small."""


def finding(table: FindingTable, random: Random) -> dict[str, Any]:
    """Return a finding of a kind, as severe as the kind can be."""
    row: dict[str, Any] = {"finding": table.name, "count": min(3, table.count[1])}
    if table.sides:
        row["side"] = random.choice(table.sides)
    if table.placed:
        row["place"] = random.choice(table.places)
    if table.unit:
        row["size"] = table.size[1] - 0.2 * (table.size[1] - table.size[0])
        if table.grades:
            row["size"] = sum(list(table.grades.values())[-1]) / 2
    return row


def records(table: ModalityTable, seed: int) -> list[dict[str, Any]]:
    """Return the records of a row: no finding, then the first findings of the table."""
    random = Random(seed)
    kinds = [kind for kind in table.findings.values() if kind.name != "measurements"]
    shown: list[list[dict[str, Any]]] = [[], *([finding(kind, random)] for kind in kinds)]
    shown += [[finding(kind, random) for kind in kinds[:1]]] * COLUMNS
    return [
        {"modality": table.name, "seed": seed + number, "difficulty": 0.1,
         "sex": table.sexes[number % len(table.sexes)],
         "side": table.sides[number % 2] if table.sides else None,
         "findings": findings}
        for number, findings in enumerate(shown[:COLUMNS])
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/mmedagent-images.png"))
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    step = WIDTH + 2
    sheet = Image.new("RGB", (COLUMNS * step, len(modalities()) * step), "white")
    for row, table in enumerate(modalities().values()):
        for column, record in enumerate(records(table, args.seed)):
            small = render(record).resize((WIDTH, WIDTH), Image.Resampling.LANCZOS)
            sheet.paste(small, (column * step, row * step))
            print(f"row {row + 1}, image {column + 1}: {describe(record)}")
    sheet.quantize(COLOURS, kmeans=1, dither=Image.Dither.NONE).save(args.out, optimize=True)
    print(f"{args.out}: {args.out.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
