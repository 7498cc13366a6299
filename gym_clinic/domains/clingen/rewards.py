"""The rewards and metrics of gene-disease validity curation, as pure functions.

Each constant is a keyword. [P] marks what the paper states, [R] what its text copy lost and is
reconstructed here: for training with group-relative advantages only the ratio of the two scales
and of the malformed charge to the process scale matter.

Source:
    Paper 000, section 4.2 and appendix A: equations 6 to 9 and 13, and the metrics of section 5.
"""

from __future__ import annotations

import numbers
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.errors import ConfigError


def outcome_reward(
    predicted: str | None, gold: str, *, scale: float = 2.0, center: float = 0.5
) -> float:
    """How close the predicted class is to the published one, on the ordinal scale.

    `scale * (1 - d / 4 - center)` with d the distance in ranks: 1, 0.5, 0, -0.5, -1.

    Args:
        predicted: A label of `evidence.CLASSES`. Anything else, None (unreadable) and Disputed
            included, earns the minimum.
        gold: The published label.
        scale: Width of the range. [R]: 2, which makes the paper's range of -1 to 1.
        center: Subtracted from the closeness in 0 to 1. [R]: 0.5 "centers the base metric".

    Returns:
        A reward in -1 to 1 with the default constants.

    Raises:
        ConfigError: If `gold` is not one of the five labels.

    Source:
        Paper 000, equation 6; ranks No Known Disease Relationship 0 to Definitive 4 [P].
    """
    if gold not in CLASSES:
        raise ConfigError(f"gold is {gold!r}; choose from {list(CLASSES)}")
    farthest = len(CLASSES) - 1
    distance = farthest
    if predicted is not None and predicted in CLASSES:
        distance = abs(CLASSES.index(predicted) - CLASSES.index(gold))
    return scale * (1 - distance / farthest - center)


def set_f1(predicted: Iterable[Any], gold: Iterable[Any]) -> float:
    """Harmonic mean of precision and recall between two sets.

    Args:
        predicted: What was given; order and duplicates do not matter, a list item is read as
            the tuple of its parts.
        gold: What was wanted.

    Returns:
        `2 |P & G| / (|P| + |G|)`, from 0 to 1; 1 if both are empty.

    Raises:
        ConfigError: If an argument is no collection of hashable items.

    Source:
        Paper 000, equation 7 [P].
    """
    given, wanted = _items("predicted", predicted), _items("gold", gold)
    if not given and not wanted:
        return 1.0
    return 2 * len(given & wanted) / (len(given) + len(wanted))


def process_reward(
    predicted_calls: Iterable[Any],
    gold_calls: Iterable[Any],
    malformed: int = 0,
    *,
    scale: float = 2.0,
    center: float = 0.5,
    power: float = 3,
    malformed_penalty: float = 0.1,
    floor: float | None = None,
) -> float:
    """How well the calls that were made match the calls that were needed.

    `scale * (F1 ** power - center) - malformed_penalty * malformed`.

    Args:
        predicted_calls: The (agent, pmid, pmcid, gene, disease) of every well-formed call,
            failed ones and unknown agents included: what was sprayed lowers the precision.
        gold_calls: The calls that the curated evidence asks for.
        malformed: Tool-call blocks that could not be read.
        scale: Width of the range of the F1 part. [R]: 2, the same slope as the outcome's.
        center: Subtracted from the shaped F1. [R]: 0.5.
        power: Shaping of the F1. [P]: "a cubic shaping function".
        malformed_penalty: Charge for each malformed block. [R]: 0.1, "a minimal penalty".
        floor: Lowest reward. [R]: None, because a floor at -1 would hide the charge just where
            the F1 is 0.

    Returns:
        A reward of at most 1, and of -1 or less when nothing matches.

    Raises:
        ConfigError: If `malformed` is no count.

    Source:
        Paper 000, equations 7 and 8.
    """
    if isinstance(malformed, bool) or not isinstance(malformed, numbers.Integral) or malformed < 0:
        raise ConfigError(f"malformed is {malformed!r}; expected a whole number, 0 or more")
    shaped = set_f1(predicted_calls, gold_calls) ** power
    reward = scale * (shaped - center) - malformed_penalty * int(malformed)
    return reward if floor is None else max(floor, reward)


def subtype_reward(
    predicted: Iterable[Any],
    gold: Iterable[Any],
    malformed: int = 0,
    *,
    scale: float = 2.0,
    center: float = 0.5,
    power: float = 3,
    malformed_penalty: float = 0.1,
    floor: float | None = None,
) -> float:
    """The process reward of the single agent: evidence named against evidence curated.

    Args:
        predicted: The (pmid, subtype) pairs of the answer.
        gold: The curated (pmid, subtype) pairs.
        malformed: As in `process_reward`.
        scale: As in `process_reward`.
        center: As in `process_reward`.
        power: As in `process_reward`.
        malformed_penalty: As in `process_reward`.
        floor: As in `process_reward`.

    Returns:
        A reward of at most 1.

    Raises:
        ConfigError: If `malformed` is no count.

    Source:
        Paper 000, equation 13: identical to equation 8 but for the pairs [P].
    """
    return process_reward(
        predicted,
        gold,
        malformed,
        scale=scale,
        center=center,
        power=power,
        malformed_penalty=malformed_penalty,
        floor=floor,
    )


def hybrid_reward(outcome: float, process: float, weight: float = 0.5) -> float:
    """The weighted mean of process and outcome reward.

    Args:
        outcome: From `outcome_reward`.
        process: From `process_reward` or `subtype_reward`.
        weight: Weight on the process, 0 to 1. [R]: 0.5, so that both "contribute equally".

    Returns:
        `weight * process + (1 - weight) * outcome`.

    Raises:
        ConfigError: If the weight is not between 0 and 1.

    Source:
        Paper 000, equation 9 [P].
    """
    if not 0 <= weight <= 1:
        raise ConfigError(f"weight is {weight}; expected the share of the process, 0 to 1")
    return weight * process + (1 - weight) * outcome


def curation_metrics(records: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """The metrics that the paper reports, over the inputs of a split.

    Args:
        records: One mapping per input with `pred_label` (or None), `gold_label`, `pred_calls`,
            `gold_calls` (5-tuples), `pred_evidence` and `gold_evidence` ((pmid, subtype) pairs,
            the union over the sub-agents: a call that finds nothing costs call accuracy only).

    Returns:
        `outcome_acc`; `outcome_balanced_acc`, the mean recall over the classes that occur;
        `agent_call_acc` and `evidence_acc`, the shares of inputs whose set is exactly right;
        `agent_call_f1` and `evidence_f1`, means over inputs. All from 0 to 1.

    Raises:
        ConfigError: If there are no records, a field is missing or a gold label unknown.

    Source:
        Paper 000, section 5 [P]; balanced accuracy is an addition.
    """
    per_input: dict[str, list[float]] = defaultdict(list)
    per_class: dict[str, list[float]] = defaultdict(list)
    for index, record in enumerate(records):
        for field in _FIELDS:
            if field not in record:
                raise ConfigError(f"record {index} lacks {field!r}; it needs {list(_FIELDS)}")
        gold = record["gold_label"]
        if gold not in CLASSES:
            raise ConfigError(f"gold_label of record {index} is {gold!r}; choose from {CLASSES}")
        right = float(record["pred_label"] == gold)
        per_input["outcome_acc"].append(right)
        per_class[gold].append(right)
        for kind, metric in (("calls", "agent_call"), ("evidence", "evidence")):
            given, wanted = record[f"pred_{kind}"], record[f"gold_{kind}"]
            f1 = set_f1(given, wanted)
            # An F1 of exactly 1 means equal sets: 2 |P & G| = |P| + |G| leaves nothing over.
            per_input[f"{metric}_acc"].append(float(f1 == 1))
            per_input[f"{metric}_f1"].append(f1)
    if not per_class:
        raise ConfigError("no records; metrics need at least one")
    metrics = {name: _mean(values) for name, values in per_input.items()}
    metrics["outcome_balanced_acc"] = _mean([_mean(values) for values in per_class.values()])
    return metrics


_FIELDS = (
    "pred_label",
    "gold_label",
    "pred_calls",
    "gold_calls",
    "pred_evidence",
    "gold_evidence",
)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _items(name: str, collection: Iterable[Any]) -> set[Hashable]:
    """The collection as a set, list items as tuples."""
    if isinstance(collection, (str, bytes, Mapping)) or not isinstance(collection, Iterable):
        raise ConfigError(f"{name} is {type(collection).__name__}; expected a collection of tuples")
    found = set()
    for item in collection:
        key = tuple(item) if isinstance(item, list) else item
        try:
            found.add(key)
        except TypeError:
            raise ConfigError(
                f"{name} has an item {item!r:.200}; expected a tuple of strings"
            ) from None
    return found
