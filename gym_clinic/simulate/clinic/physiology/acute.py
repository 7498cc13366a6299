"""What medicines and support do to measurements at once, whatever the illness.

They act beside what treatment does to the course of an illness: an opioid eases pain and slows
breathing in everyone, insulin lowers the glucose of those who did not need it too. The effects lie
in ``acute_effects.json``; they are those of usual doses, authored for this simulation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import Field, TypeAdapter, model_validator
from typing_extensions import Self

from gym_clinic.facts.records.conditions import Effect
from gym_clinic.facts.records.instruments import Key
from gym_clinic.facts.typed_json import Strict
from gym_clinic.simulate.clinic.physiology.body import DrawnEffect, State


class Shift(Strict):
    """How a measurement moves.

    Attributes:
        add: What is added; None if it is multiplied.
        times: The factor; None if something is added.
        not_below: It is lowered to this value at most; a lower one stays.
        not_above: It is raised to this value at most; a higher one stays.
    """

    add: float | None = None
    times: float | None = Field(default=None, gt=0)
    not_below: float | None = None
    not_above: float | None = None

    @model_validator(mode="after")
    def _moves_within_a_limit(self) -> Self:
        if (self.add is None) == (self.times is None):
            raise ValueError("expected 'add' or 'times', and not both")
        rises = self.add > 0 if self.add is not None else (self.times or 1) > 1
        if (self.not_above if rises else self.not_below) is None:
            raise ValueError("expected 'not_above' of what rises, 'not_below' of what falls")
        return self

    def moved(self, value: float) -> float:
        """Return a value at the full effect."""
        shifted = value + self.add if self.add is not None else value * (self.times or 1.0)
        if shifted < value:
            return min(value, max(shifted, self.not_below or 0.0))
        return max(value, min(shifted, self.not_above or shifted))


class AcuteEffect(Strict):
    """The effect of one dose.

    Attributes:
        begins: Minutes until it is full.
        lasts: Minutes for which it is full; it then wears off in as many.
        effects: Measurement -> how it moves.
    """

    begins: float = Field(gt=0)
    lasts: float = Field(gt=0)
    effects: dict[Key, Shift]

    def strength(self, minutes: float) -> float:
        """Return the share of the full effect some minutes after it was given."""
        if minutes <= 0:
            return 0.0
        if minutes < self.begins:
            return minutes / self.begins
        return min(max(2 - (minutes - self.begins) / self.lasts, 0.0), 1.0)


@lru_cache(maxsize=1)
def acute_effects() -> Mapping[str, AcuteEffect]:
    """Return action, as `ClinicPatient.state` takes it, -> what it does at once."""
    text = Path(__file__).with_name("acute_effects.json").read_bytes()
    return TypeAdapter(dict[str, AcuteEffect]).validate_json(text)


def acute_moves(
    state: State, actions: Mapping[str, float], minute: float
) -> dict[str, DrawnEffect]:
    """Return measurement -> what the actions add to it at a minute.

    Args:
        state: The state without them.
        actions: Action -> minute; classes of drugs among them.
        minute: Minutes from arrival.
    """
    moves: dict[str, float] = {}
    for action, given in actions.items():
        effect = acute_effects().get(action)
        strength = 0.0 if effect is None else effect.strength(minute - given)
        if effect is None or not strength:
            continue
        for key, shift in effect.effects.items():
            value = state[key] + moves.get(key, 0.0)
            moves[key] = moves.get(key, 0.0) + strength * (shift.moved(value) - value)
    return {key: DrawnEffect("add", by) for key, by in moves.items()}


@dataclass(frozen=True)
class DrugEffects:
    """What drugs of a class do to measurements.

    Attributes:
        blunting: Share of a rise of the heart rate that they suppress.
        effects: Measurement -> effect.
    """

    blunting: float
    effects: dict[str, Effect]


@lru_cache(maxsize=1)
def drug_effects() -> Mapping[str, DrugEffects]:
    """Return class of drugs -> what its drugs do to measurements."""
    text = Path(__file__).with_name("drug_effects.json").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, DrugEffects]).validate_json(text)
