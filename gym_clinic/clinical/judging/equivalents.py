"""Facts that serve as well as those of the reference plan.

Two clinicians may reach a diagnosis by different facts. A gold lists the facts of one plan
(``read``, ``cite``) and, in ``instead``, groups of them with what serves as well:

* ``{"keys": [...], "of": [...]}``: as many facts of a pool as the group has keys.
* ``{"keys": [...], "sets": [[...], ...]}``: one set of facts, which stand or fall together; of a
  set that is found in part this part counts.

A fact is ``{"finding": KEY, "present": BOOL}``, as in ``cite``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Fact = Mapping[str, Any]
Group = Mapping[str, Any]


def share_found(
    wanted: Mapping[str, bool], instead: Sequence[Group], has: Callable[[str, bool], bool]
) -> float:
    """Return the share of the wanted facts that were found, or others in their place, 0 to 1.

    Args:
        wanted: Key -> whether it is there.
        instead: Groups of the wanted facts with what serves as well.
        has: Whether a fact was found.
    """
    if not wanted:
        return 1.0
    left = dict(wanted)
    found = 0.0
    for group in instead:
        keys = [one for one in group["keys"] if left.pop(one, None) is not None]
        found += _found_of(group, len(keys), has) if keys else 0.0
    found += sum(has(key, present) for key, present in left.items())
    return found / len(wanted)


def _found_of(group: Group, count: int, has: Callable[[str, bool], bool]) -> float:
    """How many of the keys of a group are found, or others in their place."""
    if "of" in group:
        return min(count, _count(group["of"], has))
    return count * max(_count(one, has) / len(one) for one in group["sets"])


def _count(facts: Sequence[Fact], has: Callable[[str, bool], bool]) -> int:
    return sum(has(one["finding"], one["present"]) for one in facts)
