"""The rewards and metrics of gene-disease validity curation, as pure functions.

Each constant is a keyword. [P] marks a value that the paper states. [R] marks a value that is
missing in the paper's text copy and was reconstructed here. Training with group-relative
advantages depends only on two ratios: between the two scales, and between the charge for a
malformed block and the scale of the process reward.

Source:
    "Process-Supervised Multi-Agent Reinforcement Learning for Reliable Clinical Reasoning" (here
    "the supervisor paper"), section 4.2 and appendix A: equations 6 to 9 and 13, and the metrics
    of section 5.
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from gym_clinic.domains.clingen.evidence import CLASSES
from gym_clinic.errors import ConfigError


def outcome_reward(
    predicted: str | None, gold: str, *, scale: float = 2.0, center: float = 0.5
) -> float:
    """Score the distance of the predicted class from the published one, on the ordinal scale.

    `scale * (1 - d / 4 - center)` with d the distance in ranks: 1, 0.5, 0, -0.5, -1.

    Args:
        predicted: A label of `evidence.CLASSES`. Any other value, including None (unreadable)
            and Disputed, earns the minimum.
        gold: The published label.
        scale: Width of the range. [R]: 2, which gives the paper's range of -1 to 1.
        center: Subtracted from the closeness in 0 to 1. [R]: 0.5 "centers the base metric".

    Returns:
        A reward in -1 to 1 with the default constants.

    Raises:
        ConfigError: If `gold` is not one of the five labels.

    Source:
        The supervisor paper, equation 6; ranks No Known Disease Relationship 0 to Definitive 4 [P].
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
        predicted: The predicted items. Order and duplicates do not matter; an item that is a
            list is read as a tuple.
        gold: The expected items.

    Returns:
        `2 |P & G| / (|P| + |G|)`, from 0 to 1; 1 if both are empty.

    Raises:
        ConfigError: If an argument is not a collection of hashable items.

    Source:
        The supervisor paper, equation 7 [P].
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
    """Score the calls that were made against the calls that were needed.

    `scale * (F1 ** power - center) - malformed_penalty * malformed`.

    Args:
        predicted_calls: The (agent, pmid, pmcid, gene, disease) of every well-formed call,
            including failed calls and unknown agents, so that needless calls lower the
            precision.
        gold_calls: The calls that the curated evidence requires.
        malformed: Number of tool-call blocks that could not be read.
        scale: Width of the range of the F1 part. [R]: 2, as in the outcome reward.
        center: Subtracted from the shaped F1. [R]: 0.5.
        power: Exponent of the F1. [P]: "a cubic shaping function".
        malformed_penalty: Charge for each malformed block. [R]: 0.1, "a minimal penalty".
        floor: Lowest reward. [R]: None, because a floor at -1 would hide the charge where the
            F1 is 0.

    Returns:
        A reward of at most 1, and of -1 or less when nothing matches.

    Raises:
        ConfigError: If `malformed` is not a whole number of at least 0.

    Source:
        The supervisor paper, equations 7 and 8.
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
    """The process reward of the single agent: named evidence against curated evidence.

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
        ConfigError: If `malformed` is not a whole number of at least 0.

    Source:
        The supervisor paper, equation 13: equation 8 over pairs [P].
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
        weight: Weight of the process reward, 0 to 1. [R]: 0.5, so that both "contribute equally".

    Returns:
        `weight * process + (1 - weight) * outcome`.

    Raises:
        ConfigError: If the weight is not between 0 and 1.

    Source:
        The supervisor paper, equation 9 [P].
    """
    if not 0 <= weight <= 1:
        raise ConfigError(f"weight is {weight}; expected the share of the process, 0 to 1")
    return weight * process + (1 - weight) * outcome


def input_metrics(record: Mapping[str, Any]) -> dict[str, float]:
    """The metrics that the paper reports, for one input.

    Args:
        record: `pred_label` (or None), `gold_label`, `pred_evidence` and `gold_evidence`
            ((pmid, subtype) pairs, the union over the sub-agents, so that a call without a
            finding lowers call accuracy only). For a supervisor also `pred_calls` and
            `gold_calls` (5-tuples).

    Returns:
        `outcome_accuracy`; `agent_call_accuracy` and `evidence_accuracy`, 1 if the set is
        exactly right; `agent_call_f1` and `evidence_f1`. All from 0 to 1.

    Raises:
        ConfigError: If a field is missing or the gold label unknown.

    Source:
        The supervisor paper, section 5 [P].
    """
    kinds = [("evidence", "evidence")]
    if "pred_calls" in record or "gold_calls" in record:
        kinds.insert(0, ("calls", "agent_call"))
    sets = [f"{side}_{kind}" for kind, _ in kinds for side in ("pred", "gold")]
    needs = ["pred_label", "gold_label", *sets]
    if missing := [field for field in needs if field not in record]:
        raise ConfigError(f"a record lacks {missing}; it needs {needs}")
    if record["gold_label"] not in CLASSES:
        raise ConfigError(f"gold_label is {record['gold_label']!r}; choose from {list(CLASSES)}")
    metrics = {"outcome_accuracy": float(record["pred_label"] == record["gold_label"])}
    for kind, metric in kinds:
        f1 = set_f1(record[f"pred_{kind}"], record[f"gold_{kind}"])
        # The F1 is exactly 1 only for equal sets: 2 |P & G| = |P| + |G|.
        metrics[f"{metric}_accuracy"] = float(f1 == 1)
        metrics[f"{metric}_f1"] = f1
    return metrics


def balanced_accuracy(hits: Iterable[tuple[str, float]]) -> float:
    """The mean recall over the classes that occur. The paper does not report it.

    Args:
        hits: For each input its gold class, and 1 if that was predicted, else 0; at least one.
    """
    by_class: dict[str, list[float]] = {}
    for label, hit in hits:
        by_class.setdefault(label, []).append(hit)
    return sum(sum(found) / len(found) for found in by_class.values()) / len(by_class)


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
