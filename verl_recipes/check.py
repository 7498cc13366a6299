"""``make cluster-check``: says in a minute what is missing before hours are lost.

``python -m verl_recipes check --env ID --model PATH --gpus 8`` prints one line for each thing it
looks at, then what a step needs of a GPU's memory; exit status 1 if something is missing. Nothing
is downloaded, no GPU is taken into use and no Ray is started.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gym_clinic import ConfigError
from gym_clinic.commands.terminal import console
from gym_clinic.errors import ClinicError
from verl_recipes import memory
from verl_recipes.findings import MISSING, OK, WARNING, Finding, required
from verl_recipes.preflight import Asked, Check
from verl_recipes.pretrained import longest_prompt, template_fault

if TYPE_CHECKING:
    from rich.table import Table

    from verl_recipes.launch import Wanted

__all__ = [
    "Asked",
    "Check",
    "Finding",
    "before_run",
    "longest_prompt",
    "main",
    "required",
    "template_fault",
]

STYLES = {OK: "green", WARNING: "yellow", MISSING: "bold red"}


def before_run(asked: Asked | Wanted) -> None:
    """Make sure within seconds that a run can start; warnings go to standard error.

    Args:
        asked: What it would be started with.

    Raises:
        ConfigError: If something is missing; the error names all of it.
    """
    findings = list(Check(asked).quick())
    for finding in findings:
        if finding.status == WARNING:
            print(f"warning: {finding}", file=sys.stderr)
    if missing := required(findings):
        lines = "\n".join(f"  {finding}" for finding in missing)
        raise ConfigError(f"the run cannot start:\n{lines}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line.

    Returns:
        1 if something is missing, else 0.
    """
    check = Check(_read(argv))
    screen = console()
    missing = 0
    for finding in check.all():
        missing += finding.status == MISSING
        screen.print(f"{finding.status:9}", style=STYLES[finding.status], end="", markup=False)
        screen.print(str(finding), markup=False, soft_wrap=True)
    try:
        both = check.estimate
    except (ClinicError, ImportError):
        both = None  # said above
    if both is not None:
        screen.print(_table(both))
    screen.print(f"{missing} missing" if missing else "nothing is missing")
    return int(missing > 0)


def _table(both: memory.Estimate) -> Table:
    from rich.table import Table

    setting = both.setting
    how = f"LoRA of rank {setting.lora}" if setting.lora else "full fine-tuning"
    table = Table(
        "held at the dearest moment", "GRPO", "TT-OPD", "formula",
        title=f"GiB of each of {setting.gpus} GPUs, estimated: {how}, {setting.tokens:,} tokens a "
        "micro-batch",
        title_justify="left",
    )  # fmt: skip
    for name, *sizes, formula in both.rows():
        table.add_row(name, *("" if size is None else f"{size:.2f}" for size in sizes), formula)
    table.add_row("total", f"{both.grpo.total:.2f}", f"{both.ttopd.total:.2f}", "")
    table.add_row("moment", both.grpo.peak, both.ttopd.peak, "")
    table.add_row(
        "TT-OPD over GRPO", "", f"{both.over:.2f}",
        f"{'within' if both.meets else 'above'} the target of {both.target:.0f} GiB, which is set "
        f"for {memory.Setting.tokens:,} tokens and 248,320 entries",
    )  # fmt: skip
    return table


def _read(argv: Sequence[str] | None) -> Asked:
    defaults = Asked()
    parser = argparse.ArgumentParser(
        prog="python -m verl_recipes check",
        description="Check everything that a run needs before it is started.",
    )
    parser.add_argument("--env", default=defaults.env, help="id, or module:NAME of a domain")
    parser.add_argument(
        "--model", help="folder or name; without GPUs a tiny one is made if left out"
    )
    parser.add_argument("--gpus", type=int, default=0, help="GPUs a node; 0 for the CPU")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--address", help="of a Ray cluster; one is started here otherwise")
    parser.add_argument("--method", default=defaults.method)
    parser.add_argument("--lora", type=int, default=0, help="rank; 0 for full fine-tuning")
    parser.add_argument("--out", type=Path, default=defaults.out, help="folder of the run")
    parser.add_argument("overrides", nargs="*", metavar="KEY=VALUE", help="further settings")
    args = parser.parse_args(argv)
    return Asked(**{**vars(args), "overrides": tuple(args.overrides)})


if __name__ == "__main__":
    sys.exit(main())
