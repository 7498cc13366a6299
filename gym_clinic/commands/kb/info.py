"""``gym-clinic kb info``: the manifest of a knowledge base."""

from __future__ import annotations

from pathlib import Path

import typer

from gym_clinic.commands.kb.base_argument import Base, open_base

app = typer.Typer()


@app.command()
def info(base: Base) -> None:
    """Print the manifest of a base.

    The manifest holds the numbers of passages, the engine and the content hash.
    """
    print_manifest(base)


def print_manifest(path: Path) -> None:
    """Print the manifest of the base at a path."""
    from gym_clinic.commands.terminal import visible

    manifest = open_base(path, warm=False).manifest
    print(f"{path}: {manifest.passages:,} passages")
    for source, number in manifest.sources.items():
        print(f"  {visible(source)}: {number:,}")
    dropped = {
        "duplicates": manifest.duplicates,
        "without text": manifest.empty,
        "broken": manifest.broken,
    }
    left_out = ", ".join(f"{what} {number:,}" for what, number in dropped.items())
    print(f"left out: {left_out}")
    built = ", ".join(f"{package} {version}" for package, version in manifest.versions.items())
    print(f"engine: {manifest.engine} ({manifest.tokenizer}), built with {built}")
    print(f"content: sha256 {manifest.content_hash}")
