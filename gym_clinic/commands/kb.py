"""``gym-clinic kb``: the knowledge that comes with the environments, and that of others."""

from __future__ import annotations

from typing import Any

from gym_clinic.commands.kb_import import add_import
from gym_clinic.commands.kb_validate import add_validate


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "kb",
        help="validate and import knowledge",
        description="Check the fact tables, or import the knowledge of others.",
    )
    doing = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    add_validate(doing)
    add_import(doing)
