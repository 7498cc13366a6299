"""How an author writes numbers, tests and spelling: drawn once an article."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from gym_clinic.domains.clingen.literature.records import Arm, Experiment

COUNT_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

_AMERICAN = {
    "analysed": "analyzed",
    "characterisa": "characteriza",
    "characterise": "characterize",
    "characterisi": "characterizi",
    "colour": "color",
    "summaris": "summariz",
    "emphasise": "emphasize",
    "recognis": "recogniz",
    "normalis": "normaliz",
    "tumour": "tumor",
    "specialised": "specialized",
    "generalisab": "generalizab",
    "behaviour": "behavior",
    "centre": "center",
    "signalling": "signaling",
    "modelling": "modeling",
    "oedema": "edema",
    "favour": "favor",
    "counselling": "counseling",
}
_TO_AMERICAN = re.compile("|".join(_AMERICAN), re.IGNORECASE)


@dataclass(frozen=True)
class AuthorStyle:
    """Habits of an author.

    Attributes:
        american: American spelling.
        plus_minus: "1.9 ± 0.6" rather than "1.9 (SD 0.6)".
        p: How p values begin: "p", "P" or "p-value".
        spaced: Whether "=" and "<" have spaces around them.
        dash: An en dash in intervals instead of "to".
        variants: How variants are named: "brackets", "noun" or "number last".
        between: What joins two variants in brief.
        untested: How missing parental samples are told in brief.
        other_cause: How a cause in another gene is told in brief.
    """

    american: bool
    plus_minus: bool
    p: str
    spaced: bool
    dash: bool
    variants: str = "brackets"
    between: str = "/"
    untested: str = "parents not tested"
    other_cause: str = "another cause"

    @property
    def spread(self) -> str:
        """What the figures of a group are, in words."""
        return "mean ± SD" if self.plus_minus else "mean (SD)"

    def p_value(self, p: float) -> str:
        """Write a p value.

        >>> AuthorStyle(False, True, "p", True, False).p_value(0.00004)
        'p < 0.001'
        """
        text = "< 0.001" if p < 0.001 else f"= {p:.3f}" if p < 0.01 else f"= {p:.2f}"
        return f"{self.p} {text}"

    def count(self, number: int) -> str:
        """Write a large number with commas.

        >>> AuthorStyle(False, True, "p", True, False).count(151000)
        '151,000'
        """
        return f"{number:,}"

    def interval(self, low: float, high: float) -> str:
        """Write a 95% confidence interval."""
        if self.dash and low >= 0:
            return f"95% CI {low:g}–{high:g}"
        return f"95% CI {_signed(low)} to {_signed(high)}"

    def value(self, arm: Arm, unit: str) -> str:
        """Write the mean and spread of an arm, or its count."""
        if arm.count is not None:
            return f"{arm.count}/{arm.n}"
        after = unit if unit.startswith("%") else f" {unit}" if unit else ""
        if self.plus_minus:
            return f"{arm.mean:g} ± {arm.sd:g}{after}"
        return f"{arm.mean:g}{after} (SD {arm.sd:g})"

    def effect(self, result: Experiment) -> str:
        """Write the difference of the first two arms with its interval."""
        found = result.comparison
        return f"{self.difference(result)} ({self.interval(found.low, found.high)})"

    def difference(self, result: Experiment) -> str:
        """Write the difference of the first two arms with its unit."""
        counted = result.arms[0].count is not None
        unit = "percentage points" if counted or result.unit.startswith("%") else result.unit
        return f"{_signed(result.comparison.difference)} {unit}".strip()

    def finish(self, text: str) -> str:
        """Spell and space a text as this author does."""
        if self.american:
            text = _TO_AMERICAN.sub(_american, text)
        return text if self.spaced else re.sub(r" ([=<]) (?=\d)", r"\1", text)


def draw_style(rng: Random) -> AuthorStyle:
    """Draw the habits of an author."""
    return AuthorStyle(
        rng.random() < 0.5,
        rng.random() < 0.6,
        rng.choice(("p", "P", "p")),
        rng.random() < 0.7,
        rng.random() < 0.4,
        rng.choice(("brackets", "noun", "number last")),
        rng.choice(("/", " and ", " + ")),
        rng.choice(("parents not tested", "parents unavailable", "untested")),
        rng.choice(("another cause", "second molecular cause", "other cause found")),
    )


def change_of(result: Experiment, rng: Random) -> str:
    """Say how the first arm differs from the second, from the numbers alone."""
    test, reference = result.arms[:2]
    if result.comparison.p >= 0.05:
        return rng.choice(
            (
                "did not differ detectably",
                "did not differ significantly",
                "was not detectably different",
                "showed no significant difference",
            )
        )
    if test.count is not None or not reference.mean or test.mean is None or reference.mean < 0:
        return "was higher" if result.comparison.difference > 0 else "was lower"
    ratio = test.mean / reference.mean
    if ratio >= 2 and rng.random() < 0.5:
        return f"was {ratio:.1f} times as high"
    percent = f"{abs(ratio - 1) * 100:.0f}%"
    if ratio < 1:
        return rng.choice((f"was {percent} lower", f"was reduced by {percent}"))
    return rng.choice((f"was {percent} higher", f"was increased by {percent}"))


def _signed(number: float) -> str:
    return f"{number:g}".replace("-", "−")


def _american(match: re.Match[str]) -> str:
    found = _AMERICAN[match[0].lower()]
    return found.capitalize() if match[0][0].isupper() else found
