"""The human genetics of an article: who carried what, and who had reported it before.

``_TEXT`` is for the section on patients and variants. Slots: ``nulls`` and ``others`` (counted
probands as a noun phrase, "two unrelated probands"), ``earlier`` ("three earlier reports"),
``first`` (year of the first of them), ``gene``, ``year`` and loose numbers. ``_SUMMARY`` states
the same facts for a curator: ``counts``, ``points``, ``pubs``, ``first``.
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_TEXT = """
= null
- [sequencing brought to light|the series holds|we ascertained] {nulls} with [a premature stop, a
  frameshift or a canonical splice change|a variant predicted to abolish the product] in {gene}
- {nulls} carried {gene} variants of the [truncating|null] class, each confirmed by a second method
- in {nulls}, the {gene} variant was [a nonsense or frameshift change|a whole-exon loss or a
  change of an invariant splice site]
- loss-of-function variants of {gene} came to light in {nulls}
- [among those sequenced there were|the laboratory records list] {nulls} in whom {gene} is truncated

= other
- {others} had [missense|in-frame] variants of {gene} with some evidence of impact, being
  [conserved in all vertebrates|absent from reference populations] and [segregating|confirmed in
  the parents]
- [in addition,|there were also] {others} with an amino-acid exchange in {gene} that is rare,
  conserved and [thought to matter|supported by segregation]
- non-truncating changes of {gene} with supporting evidence were seen in {others}
- an exchange in {gene} judged likely to be harmful, but not truncating, was carried by {others}
- {others} carried [a substitution|an in-frame deletion] in {gene} that met the criteria for some
  impact

= other_only
- {others} had [missense|in-frame] variants of {gene} with some evidence of impact, and no null
  variant was among them
- all counted probands, {others}, carried non-truncating {gene} changes with supporting evidence
- {others} carried a rare, conserved exchange in {gene}; truncations were not found

= unscored
- [a further|another] {few} carriers had {gene} variants too common in reference populations and
  were not counted
- {few} people with synonymous {gene} changes are listed [in the supplement|for completeness] and
  count for nothing
- {few} probands with a variant of {gene} shared by healthy relatives were set aside
- variants of {partner} were met in {few} further patients, who are not part of the count
- {few} patients with {gene} changes of unknown weight were left out of account

= earlier
- before this article, {earlier} from independent groups had described probands of the same kind,
  the first in {first}
- {earlier} by unrelated groups, none sharing families with other series, preceded ours, beginning
  in {first}
- the literature holds {earlier} on independent probands with such variants ([from|since] {first})
- probands like these had been published independently before, in {earlier}, the oldest of {first}
- counting only independent probands with such variants, {earlier} came before {year}, and the
  first of them appeared in {first}

= first_report
- to our knowledge no proband of this kind had been published before {year}, the year of this
  article
- these are the first such probands in print ({year})
- no earlier report of an independent proband with such a variant was found up to this article of
  {year}
- a search of the literature turned up no earlier proband, so that {year} is the year of the first
  report

= none
- no {gene} variant in this series met the criteria for human genetic evidence, and none is counted
- [variants of {gene} were either common in reference populations or shared with healthy
  relatives|the {gene} variants seen were all of unknown weight], and no proband is counted
- the article adds no scored proband, the {gene} variants of those sampled being
  [uninformative|present in healthy people too]
- the people described here do not count as human genetic evidence, [their {gene} variants being
  too common|because segregation spoke against their {gene} variants]
- we claim no causal {gene} variant in any of those studied, and none should be scored
- human genetic evidence was not sought, and the {gene} variants mentioned are without weight
"""

_SUMMARY = """
= scored
- Human genetics in this article: {counts} ({points} points); {pubs} with earlier reports, the
  first in {first}.
- Genetic evidence: {counts}, worth {points} points; {pubs} in all, first report {first}.
- The article scores {points} points of genetic evidence for {counts}; {pubs} counted with earlier
  ones, since {first}.
- {counts} give {points} genetic points; first reported in {first}, {pubs} to date including this
  article.
- Case-level data: {counts}, total {points} points. Replication: {pubs}, first of {first}.
- Of human evidence the article holds {counts} = {points} points. First reported {first}; {pubs}
  so far.
- Probands: {counts}; {points} points by default scores; {pubs} including this one, the earliest
  from {first}.
- Human side: {points} points ({counts}). Independent reports to date: {pubs}; year of the first,
  {first}.
- Scored {points} points of human genetics for {counts}; {pubs} (this article included), the first
  dated {first}.

= unscored
- No human genetic evidence is scored from this article (0 points, 0 publications).
- Human genetics in this article: none scored, 0 points.
- The article adds no scored proband: 0 genetic points, no publication counted.
- Genetic evidence: 0 points; its variants do not count.
- Case-level data: none that can be scored (0 points).
- Of human evidence the article holds nothing that scores, 0 points.
- No proband of this article scores; genetic points 0.
"""

GENETICS: dict[str, tuple[str, ...]] = read_pools(_TEXT)
"""Pools for the section on patients and variants."""

GENETIC_SUMMARY: dict[str, tuple[str, ...]] = read_pools(_SUMMARY)
"""Pools for the curator's sentence."""
