"""``gym-clinic tasks``: check task files, build the embedded ones, import others."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import gymnasium as gym

from gym_clinic.catalog import find, ids
from gym_clinic.commands.show import open_any, open_domain
from gym_clinic.commands.terminal import add_env_options, options
from gym_clinic.env import ClinicEnv
from gym_clinic.errors import ConfigError
from gym_clinic.names import import_named

SHARES = ("train=0.8", "dev=0.1", "test=0.1")
"""Shares of the splits of imported articles, unless the caller says otherwise."""


BUILDERS = {"clingen": "gym_clinic.domains.clingen.build:main"}
"""Embedded domain -> ``main(arguments, prog)`` of the module that builds its tasks."""


def add(commands: Any) -> None:
    """Declare the commands."""
    parser = commands.add_parser(
        "tasks",
        help="validate, build and import tasks",
        description="Check task files, build the embedded ones again, or import records.",
    )
    doing = parser.add_subparsers(dest="what", required=True, metavar="WHAT")
    validate = doing.add_parser(
        "validate",
        help="check every task of every split",
        description="Check that every task has the right form, that ids are unique over all "
        "splits, that the calls of its gold work, and that the oracle earns the highest reward.",
        epilog="example, for an imported folder: gym-clinic tasks validate clinic/ClinGen-v0 "
        "--set folder=my-tasks",
    )
    validate.add_argument(
        "names", nargs="*", metavar="NAME", help="ids or domains (default: every id)"
    )
    add_env_options(validate)
    validate.set_defaults(run=run_validate)
    build = doing.add_parser(
        "build",
        help="build embedded tasks again from their seed",
        description="Build the tasks of an embedded domain again; the same seed gives the same "
        "bytes. 'gym-clinic tasks build DOMAIN --help' lists what its builder takes.",
        epilog="example: gym-clinic tasks build clingen --out my-tasks --seed 1",
    )
    build.add_argument(
        "domain", choices=sorted(BUILDERS), metavar="DOMAIN", help=f"one of {', '.join(BUILDERS)}"
    )
    build.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="arguments of its builder"
    )
    build.set_defaults(run=run_build)
    _add_importers(doing)


def _add_importers(doing: Any) -> None:
    importers = doing.add_parser(
        "import", help="import records of others", description="Import records of others."
    ).add_subparsers(dest="source", required=True, metavar="SOURCE")
    table = importers.add_parser(
        "clingen-csv",
        help="ClinGen's gene-disease validity download -> curations, one JSON object a line",
        description="Read ClinGen's gene-disease validity download; a broken row is named by "
        "line and column, and then nothing is written.",
    )
    table.add_argument("source_file", metavar="SRC", help="the CSV as downloaded")
    table.add_argument("target", metavar="DST", help="the .jsonl file to write")
    table.set_defaults(run=run_import_csv)
    articles = importers.add_parser(
        "clingen-articles",
        help="evidence annotations and JATS full texts -> a task folder",
        description="Make tasks from evidence annotations (JSON) and article full texts (JATS "
        "XML as PubMed Central serves it). Whole panels go to one split.",
    )
    articles.add_argument("annotations", metavar="ANNOTATIONS", help="the annotation file")
    articles.add_argument("articles", metavar="ARTICLES_DIR", help="folder of the XML files")
    articles.add_argument("target", metavar="DST", help="the task folder to write")
    how = articles.add_mutually_exclusive_group()
    how.add_argument(
        "--share",
        metavar="SPLIT=SHARE",
        nargs="+",
        default=list(SHARES),
        help=f"share of each split (default: {' '.join(SHARES)})",
    )
    how.add_argument(
        "--panels", type=Path, metavar="FILE", help="JSON object: panel -> its split"
    )  # fmt: skip
    articles.set_defaults(run=run_import_articles)


def run_validate(args: argparse.Namespace) -> int:
    """Print every problem of every task; exit status 1 if there is one."""
    from gym_clinic.testing import check_tasks

    broken = False
    chosen = options(args.set)
    for name, env in (
        pair for wanted in args.names or ids() for pair in _environments(wanted, chosen)
    ):
        problems = check_tasks(env)
        sizes = ", ".join(f"{split} {len(tasks):,}" for split, tasks in env.domain.tasks.items())
        print(f"{name}: {sizes}: {f'{len(problems):,} problems' if problems else 'all well'}")
        for problem in problems:
            print(f"  {problem}")
        broken = broken or bool(problems)
    return int(broken)


def _environments(name: str, chosen: dict[str, Any]) -> list[tuple[str, ClinicEnv]]:
    """Return the environments that an id or a domain means, with the chosen arguments."""
    if "/" in name or name in ids():
        return [(find(name), open_any(name, **chosen))]
    using = [
        one
        for one in ids()
        if name in ((domain := str(gym.spec(one).kwargs["domain"])), domain.partition(":")[0])
    ]
    if using:
        return [(one, open_any(one, **chosen)) for one in using]
    return [(name, open_domain(name, **chosen))]


def run_build(args: argparse.Namespace) -> int:
    """Build the tasks of an embedded domain."""
    main = import_named(BUILDERS[args.domain], "builder")
    main(args.arguments, prog=f"gym-clinic tasks build {args.domain}")
    return 0


def run_import_csv(args: argparse.Namespace) -> int:
    """Import ClinGen's download."""
    from gym_clinic.importers.facts.clingen import write_curations

    print(f"{args.target}: {write_curations(args.source_file, args.target):,} curations")
    return 0


def run_import_articles(args: argparse.Namespace) -> int:
    """Import annotations and full texts."""
    from gym_clinic.importers.tasks.clingen import build_tasks

    built = build_tasks(args.annotations, args.articles, args.target, _split_of(args))
    sizes = ", ".join(f"{split} {number:,}" for split, number in built.tasks.items())
    print(f"{args.target}: {sizes}")
    for what, shared in (("genes", built.shared_genes), ("articles", built.shared_articles)):
        if shared:
            print(f"{what} in more than one split: {', '.join(shared)}")
    return 0


def _split_of(args: argparse.Namespace) -> dict[str, Any]:
    if args.panels is None:
        return options(args.share)
    try:
        found = json.loads(args.panels.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{args.panels}: expected a JSON object, panel -> split: {error}"
        ) from None
    if not isinstance(found, dict):
        raise ConfigError(f"{args.panels}: expected a JSON object, panel -> split")
    return found
