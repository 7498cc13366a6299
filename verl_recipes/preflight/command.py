"""``make cluster-check``: checks in a minute what a run would miss.

``python -m verl_recipes check --env ID --model PATH --gpus 8`` prints one line for each check; exit
status 1 if something is missing. Nothing is downloaded, no GPU is taken into use and no Ray is
started.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from verl_recipes.preflight import pins, toolkit
from verl_recipes.preflight.checks import attempt, longest, thorough
from verl_recipes.preflight.result import MISSING, OK, WARNING, CheckResult
from verl_recipes.request import RunRequest, check_request

STYLES = {OK: "green", WARNING: "yellow", MISSING: "bold red"}


def main(argv: Sequence[str]) -> int:
    """Run ``check`` from the command line; 1 if something is missing, else 0."""
    screen = Console(highlight=False)
    missing = 0
    for result in results(check_request(argv)):
        missing += result.status == MISSING
        screen.print(f"{result.status:9}", style=STYLES[result.status], end="", markup=False)
        screen.print(str(result), markup=False, soft_wrap=True)
    screen.print(f"{missing} missing" if missing else "nothing is missing")
    return int(missing > 0)


def results(request: RunRequest) -> Iterator[CheckResult]:
    """Yield every result of a request; without a config only the packages are checked."""

    def composed() -> Iterator[CheckResult]:
        from verl_recipes.config.compose import compose

        config = compose(request)
        detail = f"stack {request.stack}, method {request.method}: up to {longest(config):,} tokens"
        yield CheckResult("config", OK, detail)
        yield from thorough(request, config)

    found = list(attempt("config", composed))
    if found[0].status == MISSING:
        yield from pins.check(request.stack)
        if request.gpus and pins.version(toolkit.COMPILED) is None:
            yield toolkit.check()
    yield from found
