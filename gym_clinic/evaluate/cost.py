"""What the episodes of a run cost: tokens, seconds, and money by a price table.

A price table is a JSON file: name of a model -> price of a million tokens, read and written::

    {"my-model": {"input": 0.15, "output": 0.60}, "local": {"input": 0, "output": 0}}

The currency is that of the table. A policy is found by its option ``model``, or else by its label;
consultants by the ``model`` of the environment's option ``consultant``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from gym_clinic import strict_json
from gym_clinic.errors import ConfigError
from gym_clinic.evaluate.manifest import read_manifest
from gym_clinic.evaluate.recorded import read_episodes
from gym_clinic.evaluate.report import NONE, Grid
from gym_clinic.evaluate.trace import TIMING, TRACE

MILLION = 1_000_000
CONSULTANT = "consultant_"
"""How the amounts begin that a consultant has used."""


class TokenPrice(NamedTuple):
    """The price of a million tokens.

    Attributes:
        input: Of tokens that the model reads.
        output: Of tokens that it writes.
    """

    input: float
    output: float


Prices = Mapping[str, TokenPrice]
"""Name of a model -> its price."""


@dataclass(frozen=True)
class Cost:
    """What an episode costs, on average over the episodes with a score.

    Attributes:
        seconds: Wall-clock seconds; None where none were recorded.
        prompt_tokens: Tokens that the policy read; None where it reports none.
        completion_tokens: Tokens that it wrote.
        consultant_tokens: Tokens of consultants, read and written.
        money: By the price table; None without one, or without tokens.
    """

    seconds: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
    consultant_tokens: float | None
    money: float | None


def read_prices(path: Path) -> dict[str, TokenPrice]:
    """Read a price table.

    Raises:
        ConfigError: If it cannot be read, or is none; it names the model.
    """
    try:
        table = strict_json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    form = '{"MODEL": {"input": 0.15, "output": 0.6}}, prices of a million tokens'
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: a price table is {form}")
    prices = {}
    for model, entry in table.items():
        if not isinstance(entry, dict) or entry.keys() != {"input", "output"}:
            raise ConfigError(f"{path}: {model!r}: a price table is {form}")
        for kind, price in entry.items():
            number = isinstance(price, int | float) and not isinstance(price, bool)
            if not number or not 0 <= price < math.inf:
                raise ConfigError(
                    f"{path}: {model!r}: the price {kind!r} is a number from 0, not {price!r}"
                )
        prices[model] = TokenPrice(float(entry["input"]), float(entry["output"]))
    return prices


def cost_of_run(folder: Path, prices: Prices | None = None) -> Cost:
    """Return what an episode of a finished run costs.

    Args:
        folder: The folder of the run; its settings, trace and timing are read.
        prices: The price table.

    Raises:
        ConfigError: If a model that used tokens has no price.
    """
    about = read_manifest(folder)
    scored = [row for _, row in read_episodes(folder / TRACE) if row["error"] is None]
    keys = {(row["task_id"], row["trial"]) for row in scored}
    seconds = [spent for key, spent in _seconds(folder).items() if key in keys]
    read, written = (
        _mean([row["usage"].get(kind) for row in scored])
        for kind in ("prompt_tokens", "completion_tokens")
    )
    # An episode that asked no consultant has no such amount, and spent nothing on it.
    consulted = any(name.startswith(CONSULTANT) for row in scored for name in row["usage"])
    asked, answered = (
        _mean([row["usage"].get(f"{CONSULTANT}{kind}", 0) for row in scored]) if consulted else None
        for kind in ("prompt_tokens", "completion_tokens")
    )
    bills = []
    for model, inward, outward in (
        (_model(about), read, written),
        (_consultant(about), asked, answered),
    ):
        if prices is not None and (inward or outward):
            if model not in prices:
                raise ConfigError(
                    f"the price table has no model {model!r}, which used tokens; it has "
                    f"{sorted(prices)}"
                )
            price = prices[model]
            bills.append(((inward or 0) * price.input + (outward or 0) * price.output) / MILLION)
    return Cost(
        seconds=_mean(seconds),
        prompt_tokens=read,
        completion_tokens=written,
        consultant_tokens=(asked or 0) + (answered or 0) if consulted else None,
        money=math.fsum(bills) if bills else None,
    )


def cost_table(costs: Mapping[str, Cost]) -> Grid:
    """Return the table of what an episode of each run costs; columns without a figure are left out.

    Args:
        costs: Name of each run -> its cost.
    """
    columns = {
        "seconds": [_shown(cost.seconds, 2) for cost in costs.values()],
        "tokens_read": [_shown(cost.prompt_tokens, 0) for cost in costs.values()],
        "tokens_written": [_shown(cost.completion_tokens, 0) for cost in costs.values()],
        "tokens_of_consultants": [_shown(cost.consultant_tokens, 0) for cost in costs.values()],
        "money": [_shown(cost.money, 4) for cost in costs.values()],
    }
    kept = {name: cells for name, cells in columns.items() if set(cells) != {NONE}}
    rows = zip(costs, *kept.values(), strict=True)
    return Grid("Cost of an episode", ("policy", *kept), tuple(map(tuple, rows)))


def _seconds(folder: Path) -> dict[tuple[str, int], float]:
    """Return the seconds of each episode; of one that was played again, those of the last time."""
    path = folder / TIMING
    if not path.is_file():
        return {}
    found = {}
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):  # the last line of a killed run may be cut short
                row = json.loads(line)
                found[row["task_id"], row["trial"]] = float(row["seconds"])
    return found


def _model(about: Mapping[str, Any]) -> str:
    return str(about["policy_options"].get("model", about["policy"]))


def _consultant(about: Mapping[str, Any]) -> str:
    consultant = about["env_options"].get("consultant")
    return str(consultant.get("model")) if isinstance(consultant, Mapping) else "consultant"


def _mean(amounts: Sequence[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return math.fsum(known) / len(known) if known else None


def _shown(amount: float | None, digits: int) -> str:
    return NONE if amount is None else f"{amount:,.{digits}f}"
