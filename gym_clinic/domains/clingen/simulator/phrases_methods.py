"""Sentences on method for each kind of work, tails of titles, and dress for neutral sentences.

The former accompany any experiment of the kind, whatever came of it. The dress (a lead before a
sentence or a tail behind it) makes articles differ where they say the same. Slots as in
`phrases_neutral`, and ``plain``, the sentence to be dressed.
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_METHOD = """
= biochemistry
- [proteins|fractions] were purified over {few} columns and assayed at {some} degrees in {pc}
  microlitres
- [turnover|product] was followed at {many} nanometres for {some} minutes
- [substrates|cofactors] were of [analytical|the highest] grade and used at {dec} millimolar
- [enzyme|protein] concentrations were [set|adjusted] to {dec} micromolar by absorbance

= binding
- lysates were cleared at {some} thousand g, and beads were washed {few} times
- bait and prey plasmids were [checked|verified] by sequencing, {few} clones each
- eluates were [separated|run] on gradients of {few} to {some}% and [blotted|stained]
- tags were [placed|tried] at either end, with {few} linkers

= crosses
- crosses were scored by [genotype|marker] after {few} days, {many} offspring in all
- expected values came from the product of the single effects, with {many} draws for the interval
- [alleles|strains] were outcrossed {few} times before use
- [colonies|animals] were counted on {some} [plates|days] by two people

= expression
- RNA was [extracted|isolated] with columns (integrity above {few}.{few}) and reverse-transcribed
  in {some} microlitres
- probes of {many} bases were hybridised overnight at {some} degrees
- sections of {few} micrometres were [stained|incubated] for {some} hours and counted in {few}
  fields
- counts were [normalised|scaled] to {few} reference transcripts

= cells
- cells were [seeded|plated] at {many} thousand per well and [read|assayed] after {some} hours
- guides and interfering RNAs were [delivered|introduced] by [nucleofection|lipids], {few}
  replicates each
- recordings were made at {some} degrees with a sampling rate of {few} kilohertz
- donors were matched for age within {few} years and for passage within {few}

= culture
- differentiation followed a published protocol with {few} [changes|amendments] and took {some} days
- clones were [sequenced|karyotyped] before use, {few} of {some} being kept
- sections of the cultures were [scored|read] in {few} fields each by two people
- medium was [renewed|exchanged] every {few} days, {some} cultures per batch

= animals
- animals were [kept|housed] in groups of {few} at a cycle of 12 hours and genotyped by PCR
- [embryos|the young] were [staged|sorted] by [hours|size], {many} per [round|session]
- scoring sheets with {few} items were filled in by two observers
- group sizes of {some} were [fixed|set] from a pilot

= treatment
- participants were followed for {some} months with {few} visits
- doses were [given|infused] over {few} hours under observation
- untreated participants were matched by age and stage, {few} for each
- the protocol had {few} [endpoints|outcomes], named beforehand

= vectors
- vectors were [titrated|quantified] by digital PCR and [given|used] at {few} doses
- transgene copies were counted in {some} [samples|clones] with {few} probes
- treated and untreated [samples|preparations] were [handled|followed] side by side for {some} days
- an empty vector of {dec} kilobases was run alongside
"""

_FOLLOW = """
= biochemistry
- [Heating|Boiling] of the preparation [ended|stopped] the reaction, and {few}
  [preparations|batches] agreed within {dec}%.
- [Stoichiometry|The molar ratio] was {dec} to one, with {few} lots of protein.
- A [buffer|mock] control gave {dec}% of the signal.

= binding
- [Input|Bait] levels were [equal|balanced] in all lanes of {few} gels.
- [Benzonase|High salt] did not change the [picture|outcome] in {few} runs.
- The beads alone gave {dec}% of the counts.

= crosses
- The scoring was repeated by a second person on {many} offspring with the same outcome.
- Genotypes occurred in the expected ratios among {many} offspring at birth or hatching.
- [Temperature|Medium] made no difference in {few} rounds.

= expression
- [Two|Three] reference transcripts were used, and {few} samples per donor were read.
- [Sense|Isotype] controls [stayed blank|gave {dec}% of the counts].
- Sampling depth was {many} thousand reads, in {few} pools.

= cells
- [Viability|Cell number] was the same in all wells ([within|to] {dec}%).
- Passage numbers lay between {few} and {some}.
- [Sham|Vehicle] wells were included on each of {few} plates.

= culture
- Karyotypes were normal in all {few} clones after {some} passages.
- The number of cultures per arm was {some}, from {few} differentiations.
- [Size|Cell density] at seeding was the same in all arms (within {dec}%).

= animals
- Both sexes were used, {some} per group, and litters or clutches were mixed.
- [Feeding|Husbandry] was alike in all groups ({dec}% variation).
- Scoring took place in {few} sessions without knowledge of the genotype.

= treatment
- [Adverse|Unwanted] events were mild in {few} and absent in the others.
- The observation time was {some} months, with {few} examinations.
- Two examiners agreed in {pc}% of the ratings.

= vectors
- [Copy number|Dose] was the same in all arms ([within|to] {dec}%).
- The observation time was {some} days, with {few} examinations.
- An [empty|inactive] control was run alongside in {few} series.
"""

_TOPIC = """
= BiochemicalFunction
- : with [remarks|notes] on {process}
- : on the biochemistry of {process}

= ProteinInteraction
- : with [remarks|notes] on {partner}
- and the question of partners

= GeneExpression
- : with [remarks|notes] on the {tissue}
- : a question of expression

= FunctionalAlteration
- : with [remarks|notes] on cell function
- : cellular [studies|aspects]

= ModelSystem
- : with [remarks|notes] on experimental models
- : from the bench to {models}

= Rescue
- : with [remarks|notes] on reversibility
- : on supplying what is missing
"""

_DRESS = """
= background
- [where|as far as] {gene} is concerned, {plain}
- with [regard|an eye] to {gene}, {plain}
- as a survey of {many} [clinics|families|laboratories] in {survey} [noted|brought out], {plain}
- in [{few}|{some}] of {many} [reviews|reports] [looked at|consulted] for {gene}, {plain}
- [since|from] {survey} on, by [most|many] accounts, {plain}
- {plain} (refs. {ref} and {ref_b}, and {some} further papers)
- as [clinics|registers] in {some} [regions|districts] have it, {plain}

= work
- in the {gene} [arm|part|series|project|records], {plain}
- for the {gene} [work|series|study], {plain}
- at [the first|the second|the third|the coastal|the northern|the county|the university]
  [site|centre|laboratory] (code {many}), {plain}
- in [spring|summer|autumn|winter] {survey}, under protocol {few}.{some}, {plain}
- {plain} ([log|sheet|file|entry|record] [A|B|C|D|E|F|G|H]{many}-{some})
- {plain}, as [entered|noted] in [log|sheet|file|entry] [A|B|C|D|E|F|G|H]{many}
- [on|by] day {some} of [phase|stage] {few} ([log|sheet] {many}), {plain}
- [under|by] [rule|clause] {some} of protocol {many}, {plain}
- as with {some} [earlier|other] [projects|series] before {gene}, {plain}

= remarks
- [as regards|as to] {gene}, {plain}
- for {gene}, as for {some} genes [we worked on|seen] before, {plain}
- [seen|judged] from [{few}|{some}] years of [work|practice] with {gene}, {plain}
- {plain} ([see|compare] supplementary [note|text|box] {some}.{few})
- [one|a] [reader|adviser] of the {gene} manuscript [remarked|pointed out] that {plain}
- in [note|box] {some} of the {gene} supplement we [explain|set out] that {plain}
"""

METHOD: dict[str, tuple[str, ...]] = read_pools(_METHOD)
"""Kind of work -> sentences on method."""

FOLLOW: dict[str, tuple[str, ...]] = read_pools(_FOLLOW)
"""Kind of work -> details that accompany any experiment of the kind."""

TOPIC: dict[str, tuple[str, ...]] = read_pools(_TOPIC)
"""Category -> tail of a title that names its topic."""

DRESS: dict[str, tuple[str, ...]] = read_pools(_DRESS)
"""Kind of section -> frames around a neutral sentence."""
