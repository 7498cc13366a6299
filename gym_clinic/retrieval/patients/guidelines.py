"""The phenotype profile of a disease by its name, or "no reference".

A name is matched with all names and synonyms by BM25 (`name_index.py`); the best one is used if
its score reaches the threshold. A part of a name that several diseases share equally ("disease",
"diabetes") finds none of them. Features are ordered by frequency, the most frequent first: by the
share that a source states, else by the middle of the qualitative band, and those of unknown
frequency last; ties by name. A share counted in few patients is moved towards one half by
Laplace's rule of succession, so that a single case does not precede a cohort. The value that
orders the features is not reported. Features that a disease excludes are reported as absent.

Source:
    Deep-DxSearch paper, eq. 5 (A.4): the phenotype parser.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gym_clinic.errors import ConfigError
from gym_clinic.facts.records.models import BANDS, Frequency
from gym_clinic.facts.records.profiles import Profile, ProfileFeature
from gym_clinic.names import at_least_one
from gym_clinic.retrieval.patients.name_index import NameHit, NameIndex
from gym_clinic.retrieval.scored import Scored

MOST = 10
"""Most diseases of one call."""

THRESHOLD = 0.55
"""Least share (:class:`NameHit`) of a match.

Chosen on the embedded names (`bench/names.py --thresholds`): it finds every name with reordered
words, nearly every one with an extra word and a third of those with a typo; a tenth of the unknown
diseases match another one. At 0.5, where one word of two is enough, it is a half and a fifth.
"""


WHOLE = 1 - 1e-9
"""Share of a query that is a whole name. A part of several names finds none of them."""

MOST_CANDIDATES = 5
"""Names that are given where several diseases match equally well."""


@dataclass(frozen=True)
class Guidance(Scored[Profile | None]):
    """The result of looking up one disease.

    Attributes:
        record: The matching disease; None if there is no reference.
        score: The share (:class:`NameHit`) of the best name, even below the threshold; 0 if no
            name shares a word.
        how: The best name; empty if no name shares a word.
        query: The name in the query.
        present: Features of the disease by frequency, up to the limit.
        absent: Features that it excludes, by name, up to the limit.
        candidates: Names of the diseases that match equally well, if none can be told from the
            others: "diabetes".
    """

    query: str = ""
    present: tuple[ProfileFeature, ...] = ()
    absent: tuple[ProfileFeature, ...] = ()
    candidates: tuple[str, ...] = ()

    def describe(self) -> str:
        """Return the text for an agent: the disease and its features, or "no reference"."""
        if self.record is None:
            several = f"; several diseases match: {', '.join(self.candidates)}"
            return f"{self.query}: no reference{several * bool(self.candidates)}"
        head = self.record.name
        if self.how != head:
            head += f" ({self.how})"
        lines = [f"{self.query}: {head} [{self.record.id}]"]
        if self.present:
            features = (f"{_named(has)} ({how_often(has.frequency)})" for has in self.present)
            lines.append(f"present: {'; '.join(features)}")
        if self.absent:
            lines.append(f"absent: {'; '.join(map(_named, self.absent))}")
        return "\n".join(lines)


class GuidelineIndex:
    """Phenotype profiles by the names of their diseases.

    It never changes after it is built, so any number of threads may use it.

    Args:
        profiles: Profiles with unique ids.
        aliases: Further names by the name of a disease, without regard to capitals.
        threshold: Least share of a match, above 0.
        tau: Least score of a match, as in the paper; replaces the threshold.

    Raises:
        ConfigError: If an id is duplicate, or a threshold is out of range.
    """

    def __init__(
        self,
        profiles: Iterable[Profile],
        *,
        aliases: Mapping[str, Sequence[str]] | None = None,
        threshold: float = THRESHOLD,
        tau: float | None = None,
    ) -> None:
        self._profiles: dict[str, Profile] = {}
        for profile in profiles:
            if profile.id in self._profiles:
                raise ConfigError(f"duplicate profile {profile.id!r}; expected one of each id")
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
            for name in _names_of(profile, aliases or {})
        )

    def __len__(self) -> int:
        return len(self._profiles)

    def lookup(self, diseases: Sequence[str], limit: int = 10) -> list[Guidance]:
        """Look up diseases by name.

        Args:
            diseases: Up to ten names.
            limit: Most features of each.

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
        if match is None:
            return Guidance(None, 0.0, query=name)
        if not self._reaches(match):
            return Guidance(None, match.share, match.how, name)
        if match.equals and match.share < WHOLE:
            names = [self._profiles[key].name for key in (match.record, *match.equals)]
            several = tuple(names[:MOST_CANDIDATES])
            return Guidance(None, match.share, match.how, name, candidates=several)
        profile = self._profiles[match.record]
        present = [has for has in profile.features if not has.frequency.absent]
        absent = [has for has in profile.features if has.frequency.absent]
        return Guidance(
            profile,
            match.share,
            match.how,
            name,
            tuple(sorted(present, key=by_frequency)[:limit]),
            tuple(sorted(absent, key=by_name)[:limit]),
        )

    def _reaches(self, match: NameHit) -> bool:
        return match.score >= self._tau if self._tau else match.share >= self._threshold


def _names_of(profile: Profile, aliases: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the names of a disease, each once."""
    own = (profile.name, *profile.synonyms)
    known = {name.casefold() for name in own}
    yield from own
    for name in own:
        for alias in aliases.get(name.casefold(), ()):
            if alias.casefold() not in known:
                known.add(alias.casefold())
                yield alias


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
    """Return a frequency in words, with its source."""
    if frequency.value is not None:
        counted = "" if frequency.patients is None else f" of {frequency.patients:,} counted"
        return f"{100 * frequency.value:.3g}%{counted}, {frequency.source}"
    if frequency.band is not None:
        return f"{frequency.band.replace('_', ' ')}, {frequency.source or frequency.basis}"
    return "frequency unknown"


def _named(has: ProfileFeature) -> str:
    return f"{has.name} [{has.id}]" if has.name else has.id
