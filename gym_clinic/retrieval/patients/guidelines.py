"""Disease names -> the phenotype profiles of the diseases meant, or "no reference".

A name is matched against all names and synonyms by BM25 (`name_index.py`); the
best one wins if its score reaches the threshold. Features come by frequency, the most frequent
first: by the share that a source states, else by the middle of the qualitative band, and those of
unknown frequency last; equals by name. A share that was counted in few patients is drawn towards a
half by Laplace's rule of succession, so that a single case does not go before a cohort. What orders
the features is never reported. Features that a disease excludes are reported as absent.

Source:
    Deep-DxSearch paper, eq. 5 (A.4): the phenotype parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gym_clinic.errors import ConfigError
from gym_clinic.facts.models import BANDS, Frequency
from gym_clinic.facts.profiles import Profile, ProfileFeature
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.patients.name_index import NameHit, NameIndex

MOST = 10
"""Diseases that one call may ask for."""

THRESHOLD = 0.55
"""Least share of what a name would score as a name of its own that counts as a match.

Chosen over the embedded names (`bench/names.py --thresholds`): every name in another order is
found, nearly every one with a word more and a third of those with a typo, and a tenth of the
diseases that are not there are taken for another. At 0.5, where one word of two is enough, that is
half and a fifth.
"""


@dataclass(frozen=True)
class Guidance:
    """What the guidelines say of one disease that was asked for.

    Attributes:
        query: The name that was asked for.
        disease: The disease that it was matched to; None if there is no reference.
        match: The name that scored best, even below the threshold; None if no name shares a word.
        present: Its features by frequency, as many as the call allows.
        absent: Features that it excludes, by name, as many as the call allows.
    """

    query: str
    disease: Profile | None
    match: NameHit | None
    present: tuple[ProfileFeature, ...] = ()
    absent: tuple[ProfileFeature, ...] = ()

    def describe(self) -> str:
        """Return what an agent reads: the disease and its features, or that there is none."""
        if self.disease is None:
            return f"{self.query}: no reference"
        head = self.disease.name
        if self.match is not None and self.match.name != head:
            head += f" ({self.match.name})"
        lines = [f"{self.query}: {head} [{self.disease.id}]"]
        if self.present:
            features = (f"{_named(has)} ({how_often(has.frequency)})" for has in self.present)
            lines.append(f"present: {'; '.join(features)}")
        if self.absent:
            lines.append(f"absent: {'; '.join(map(_named, self.absent))}")
        return "\n".join(lines)


class GuidelineIndex:
    """Phenotype profiles by the names of their diseases.

    It is never changed after it is built, so that any number of threads may use it.

    Args:
        profiles: The profiles; ids are distinct.
        threshold: Least share of what a name would score as a name of its own, above 0.
        tau: Least score itself, as the paper has it; used instead of the share when given.

    Raises:
        ConfigError: If two profiles have one id, or a threshold is none.
    """

    def __init__(
        self,
        profiles: Iterable[Profile],
        *,
        threshold: float = THRESHOLD,
        tau: float | None = None,
    ) -> None:
        self._profiles: dict[str, Profile] = {}
        for profile in profiles:
            if profile.id in self._profiles:
                raise ConfigError(f"two profiles have the id {profile.id!r}; expected one each")
            self._profiles[profile.id] = profile
        if not threshold > 0:
            raise ConfigError(f"threshold is a share above 0, not {threshold!r}")
        if tau is not None and not tau > 0:
            raise ConfigError(f"tau is a score above 0, not {tau!r}")
        self._threshold = threshold
        self._tau = tau
        self.names = NameIndex(
            (key, name)
            for key, profile in sorted(self._profiles.items())
            for name in (profile.name, *profile.synonyms)
        )

    def __len__(self) -> int:
        return len(self._profiles)

    def lookup(self, diseases: Sequence[str], limit: int = 10) -> list[Guidance]:
        """Look up diseases by name.

        Args:
            diseases: Up to ten names.
            limit: How many features of each, at most.

        Returns:
            One for each name, in order.

        Raises:
            ConfigError: If there are more than ten, or the limit is no whole number from 1.
        """
        if isinstance(diseases, str):
            raise ConfigError(f"diseases is a list of names, not the text {diseases[:80]!r}")
        if len(diseases) > MOST:
            raise ConfigError(f"{len(diseases)} diseases in one call; at most {MOST}")
        at_least_one("limit", limit)
        return [self._guidance(name, limit) for name in diseases]

    def _guidance(self, name: str, limit: int) -> Guidance:
        match = self.names.best(name)
        if match is None or not self._reaches(match):
            return Guidance(name, None, match)
        profile = self._profiles[match.id]
        present = [has for has in profile.features if not has.frequency.absent]
        absent = [has for has in profile.features if has.frequency.absent]
        return Guidance(
            name,
            profile,
            match,
            tuple(sorted(present, key=by_frequency)[:limit]),
            tuple(sorted(absent, key=by_name)[:limit]),
        )

    def _reaches(self, match: NameHit) -> bool:
        return match.score >= self._tau if self._tau else match.share >= self._threshold


def by_frequency(has: ProfileFeature) -> tuple[float, str, str]:
    """Return the key that sorts features: the most frequent first, equals by name."""
    frequency = has.frequency
    if frequency.value is not None:
        share = frequency.value
        if frequency.patients is not None:
            share = (share * frequency.patients + 1) / (frequency.patients + 2)
    elif frequency.band is not None:
        _, low, high = BANDS[frequency.band]
        share = (low + high) / 2
    else:
        share = -1.0
    return -share, *by_name(has)


def by_name(has: ProfileFeature) -> tuple[str, str]:
    """Return the key that sorts features by name."""
    return has.name.casefold(), has.id


def how_often(frequency: Frequency) -> str:
    """Return a frequency in words, with what it rests on."""
    if frequency.value is not None:
        counted = "" if frequency.patients is None else f" of {frequency.patients:,} counted"
        return f"{100 * frequency.value:.3g}%{counted}, {frequency.source}"
    if frequency.band is not None:
        return f"{frequency.band.replace('_', ' ')}, {frequency.source or frequency.basis}"
    return "frequency unknown"


def _named(has: ProfileFeature) -> str:
    return f"{has.name} [{has.id}]" if has.name else has.id
