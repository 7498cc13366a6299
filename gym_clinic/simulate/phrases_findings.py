"""What an experiment of each subtype shows, in clauses and in short passages.

A clause is finite, in the past tense and without a capital, so that it stands alone or inside
a frame ("others had reported that ..."). The same clause therefore serves a finding of the
authors, a finding of others and a finding on another gene; what surrounds it decides. A good
part of the wording avoids the obvious words of its category.

Slots: `phrases_systems` for the biology; ``gene``, ``partner``, ``partner_b``, ``dis`` (the
disease), ``known`` (why the partner matters), ``models``, ``young``, ``one`` (an animal),
``age``, ``edit``, ``off`` (a tissue of no concern), ``therapy`` and numbers.
"""

from __future__ import annotations

from gym_clinic.simulate.phrases_grammar import read_pools

_CLAUSES = """
= biochemical_function_a
- [purified|recombinant] {gene} [carried out|catalysed|supported] {process} in [a reconstituted
  system|a cell-free assay], the [very|same] step that {partner}, {known}, [is known for|serves]
- the {gene} product [acted|worked] in {process} [alongside|in series with] {partner} and
  {partner_b}, [both|two genes] already accepted as causes of {dis}
- [order-of-addition|flux] experiments [placed|put] {gene} at the [same point|very stage] of
  {process} as {partner}, {known}
- {gene} and {partner}, [the latter|which is] {known}, [shared|had in common] a substrate and
  [comparable|similar] kinetics in {process}
- either protein, {gene} or {partner}, could [drive|complete] {process} on its own in [a test
  tube|vitro], and {partner} is {known}
- [tracer|isotope] measurements gave {gene} a part in {process}, the [task|job] of {partner},
  {known}
- the crystal structure of {gene} had the fold and the active site of {partner}, {known}, and both
  proteins performed {process} at like rates
- {partner} and {partner_b}, each {known}, [belong to|make up] the machinery of {process}, and
  [fractionation|reconstitution] showed {gene} to be its [third|missing] member
- with {gene} added, {process} ran in liposomes just as it does with {partner}, {known}

= biochemical_function_b
- recombinant {gene} [carried out|catalysed|sustained] {process} in vitro, [an activity|a
  capacity] whose want would account for {feature}
- the {gene} protein turned out to [drive|serve] {process}, and a shortfall there
  [explains|accounts for] {feature}
- {process} [depended on|ran at full rate only with] {gene} in a [purified|cell-free] system[,
  which fits {feature}|, as {feature} would lead one to expect]
- [kinetic|spectroscopic] work with the isolated {gene} product [established|settled] its task,
  {process}, the one whose failure brings about {feature}
- the biochemical job of {gene}, {process}, [matched|agreed with] what goes wrong in {dis},
  {feature} included
- [a turnover of {n} per second was measured|turnover was brisk] for {gene} in {process}, a rate
  whose loss [should produce|would bring about] {feature}
- the isolated {gene} protein was all that {process} required, [so that|whence] {feature} [can be
  read as|becomes] a direct consequence of its failure
- on adding {gene} to a defined mixture, {process} set in within minutes, which ties the protein
  to {feature}
- measured in isolation, {gene} proved to be [the motor|the rate-setting part] of {process}, the
  function at fault in people with {feature}

= physical_association
- {partner}, {known}, [co-precipitated|came down] with tagged {gene}[, and the reverse held as
  well|]
- {gene} and {partner} [ran|eluted] as one [complex|species] on [gel filtration|native gels],
  {partner} being {known}
- a [two-hybrid screen|proximity-labelling screen|peptide array] with {gene} as bait returned
  {partner}, {known}
- a dissociation constant of {kd} micromolar was measured for {gene} and {partner}, the latter
  {known}
- density maps showed {partner}, {known}, seated in a groove of {gene}
- pulling on {gene} [brought|dragged] {partner} along, [a protein|a gene product] {known}
- antibodies to {gene} [recovered|captured] {partner}, {known}, from lysates of the {tissue}
- lysines of {gene} were cross-linked to those of {partner}, {known}, at {n} sites
- {gene} held on to {partner}, {known}, through washes in {salt} mM salt
- split-luciferase halves fused to {gene} and to {partner} gave light when [together|both were
  present], and {partner} is {known}

= genetic_interaction
- combining alleles of {gene} and {partner} ({known}) gave {models} a trait that neither allele
  gives, {pheno}, and that no adding up of the two could predict, though none was worse off
  overall
- alleles of {gene} and {partner} ({known}) departed from additivity in both directions: {models}
  with both did better than expected in one test and worse in another
- {models} with changes in both {gene} and {partner}, {known}, were affected in another way rather
  than to another degree, each allele alone being silent
- crossing a silent {gene} allele into {models} mutant for {partner}, {known}, [moved|shifted] the
  defect to another [tissue|stage] without making it lighter or graver
- a screen for non-additive pairs in [yeast|flies|worms] flagged {gene} with {partner}, {known},
  the deviation having no consistent sign
- the pair {gene} and {partner}, the latter {known}, broke the multiplicative rule in {models},
  upward in some readouts and downward in others
- what {models} with a dose change of both {gene} and {partner} ({known}) showed was of a new
  kind, not a stronger or weaker version of anything seen with one of them
- in a matrix of double crosses in {models}, {gene} and {partner}, {known}, influenced each other
  unexpectedly, with gains and losses in equal parts

= negative_genetic_interaction
- {models} with one mutant copy each of {gene} and {partner}, {known}, [fared far worse|were far
  more severely affected] than the two [silent|slight] single effects [predict|add up to]
- loss of one copy of {gene}, harmless in itself, turned the mild {partner} phenotype of {models}
  into a [lethal|severe] one, {partner} being {known}
- few {models} [survived|lived] with {gene} and {partner}, {known}, both [halved|reduced], against
  near-normal survival with either alone
- the joint knock-down of {gene} and {partner} left {pct}% of yeast colonies where {high}% were
  expected from the single ones, and {partner} is {known}
- halving {gene} aggravated what loss of {partner}, {known}, does to {models}, well beyond the sum
  of the parts
- two [silent|harmless] alleles, one of {gene} and one of {partner} ({known}), were
  [deadly|disastrous] together in {models}
- the [cross|combination] of {gene} with {partner}, {known}, yielded {models} sicker than any
  additive model allows, although either heterozygote was normal
- a {gene} dose that {models} otherwise tolerate [could not be borne|proved fatal] on the
  background of {partner}, {known}

= positive_genetic_interaction
- {models} mutant for {partner}, {known}, were less affected [when|if] one copy of {gene} was
  missing as well
- taking away one copy of {gene} [softened|suppressed|relieved] the {partner} phenotype of
  {models}, {partner} being {known}
- {models} with lesions in both {gene} and {partner}, {known}, did better than expected, {high}%
  of them surviving against {pct}% with the {partner} lesion alone
- a second hit, in {gene}, masked much of what loss of {partner}, {known}, does to {models}
- yeast short of both {gene} and {partner}, {known}, outgrew the strain short of {partner} alone
- lowering {gene} [bought|gave] {models} without {partner}, {known}, {n} more days of life
- the harm of losing {partner}, {known}, was partly undone in {models} by [reducing|silencing]
  {gene} too, a manoeuvre without effect in wild type
- the cross between {gene} and {partner}, {known}, gave {models} milder than either prediction,
  the {gene} allele by itself being silent

= gene_expression_a
- the {gene} transcript was [abundant|enriched] in the {tissue}[|, the site of {dis}]
- [a riboprobe|in situ hybridisation] placed {gene} in the {tissue}, where {dis} strikes
- sections of the [normal|healthy] {tissue} stained [strongly|deeply] for {gene}
- single-cell libraries had {gene} among the messages typical of the {tissue}
- of {m} [healthy|normal] tissues on the blot, the {tissue} gave the strongest {gene} signal
- a reporter under the {gene} promoter lit up the {tissue} and little else
- the {tissue} held {fold} times more {gene} message than the {off} in healthy donors
- the {tissue}, the part at fault in {dis}, is where {gene} was switched on [first|most]
- peptides of {gene} were [plentiful|counted in hundreds] in the [healthy|normal] {tissue} and
  near the limit of detection elsewhere
- healthy donors carried {gene} chiefly in the {tissue}, that is, where {dis} shows

= gene_expression_b
- in samples of the {tissue} from patients with {dis}, the {gene} message was [down to|at] {pct}%
  of controls
- the {gene} protein was [barely|hardly] detectable in [leukocytes|biopsies] of patients with
  {dis}, but present in all controls
- blots from {n} patients with {dis} showed {gene} at {fold} times the level of controls
- transcriptomes of [patients|affected people] with {dis} had {gene} among the most strongly
  [reduced|depleted] messages
- the {gene} band was [faint|absent] in every person affected by {dis} and full in unaffected
  relatives
- RNA from people with {dis} held {pct}% of the usual amount of {gene}
- affected members differed from unaffected ones in how much {gene} they made, {pct}% against
  100%, the former having {dis}
- staining for {gene}, even in healthy sections of the {tissue}, was patchy or missing in those of
  patients with {dis}
- people with {dis} made too little {gene}, [{pct}% by mass spectrometry|a {fold}-fold shortfall
  by digital counting]

= functional_alteration_patient_cells
- in {cells} [of|from] [patients|affected individuals] with {gene} variants, {func} [fell|was
  down|dropped] to {pct}% of [the control value|that in age-matched controls]
- {func} was [markedly reduced|cut by {drop}%] in {cells} [obtained|taken] from [patients|affected
  individuals] with {gene} variants
- {func} reached barely {pct}% of what relatives' cells achieved in {cells} from affected siblings
  with {gene} variants
- affected individuals with {gene} variants gave {cells} in which {func} never exceeded {pct}% of
  normal
- {cells} from probands with {gene} variants [underperformed|fell short], {func} lying {drop}%
  below controls
- {func}, measured in {cells} of people with {gene} variants, [lay outside|was far below] the
  range of {m} donors
- probands with {gene} variants could be told from donors by {func} in their {cells}, {pct}% of
  the mean
- against donors, {func} in {cells} of the index cases, all with {gene} variants, was {drop}% lower

= functional_alteration_non_patient_cells
- [silencing|depleting|knocking down] {gene} in {line} [cut|lowered|reduced] {func} to {pct}% of
  [mock-treated cells|the control value]
- {func} [fell|dropped] by {drop}% [when|once] {gene} was [edited out of|deleted from] {line}
- {line} expressing the mutant form of {gene} [reached|attained] only {pct}% of the wild-type
  value for {func}
- without {gene}, {line} lost much of their capacity, {func} standing at {pct}% of the parental
  value
- two guide RNAs against {gene} had the same outcome in {line}, {func} at {pct}% of that with a
  scrambled guide
- writing the patients' change into {gene} of {line} was enough to bring {func} down to {pct}%
- {line} starved of {gene} could not keep up {func}, {drop}% of which was gone after {n} days
- the mutant {gene} construct, unlike the normal one, left {func} of {line} at {pct}%

= non_human_model_organism
- loss of {gene} [left|gave] {models} with {pheno}[|, the counterpart of {feature}]
- {models} [lacking|without] {gene} [developed|showed|came to show] {pheno}[, much as in {dis}|,
  close to the picture of {dis}|]
- {young} with two stop alleles of {gene} had {pheno} by {age}
- once {gene} was [removed|deleted] from the germ line of {models}, {pheno} [followed|ensued]
- depleting {gene} in {models} led to {pheno}[|, reminiscent of {feature}]
- {pheno} [appeared|arose] in every {one} with two copies of the {gene} deletion and in none of
  its siblings
- animals [born|raised] without a working {gene} lived, but with {pheno} by {age}
- {models} with the patients' change written into {gene} [showed|displayed] {pheno}
- {n} of {m} {gene} homozygotes among the {young} had {pheno}[|, a likeness of {feature}]

= cell_culture_model
- {culture} [grown|built] from cells without {gene} [showed|displayed] {defect}[, as {feature}
  would suggest|, a likeness of {feature}|]
- {defect} [appeared|arose|developed] in {culture} after {gene} had been [deleted|knocked out],
  [mirroring|reproducing] {feature} in a dish
- [deletion|disruption] of {gene} in {culture} [reproduced|recapitulated|mirrored] what is seen in
  {dis}, namely {defect}
- {culture} with a {gene} deletion came to resemble the tissue of patients with {dis}, with {defect}
- {culture} with and without {gene} differed in one respect, {defect} in the latter, the
  tissue-level picture of {dis}
- {gene}-null {culture} stood in for the diseased organ, down to {defect}
- the likeness of {dis} was built in vitro, {culture} without {gene} showing {defect}
- unedited {culture} stayed normal for {n} weeks, whereas those without {gene} took on the look of
  {dis}, {defect} included

= rescue_in_human
- {n} patients given {therapy} improved, {marker} [returning to|coming close to] the normal range
- {marker} improved in {n} of {m} [treated patients|participants] after {therapy}
- a year after {therapy}, {n} of {m} affected individuals no longer had {feature}
- {therapy} [reversed|relieved] {feature} in {n} of {m} [children|participants]
- in an open-label series, {marker} normalised in those who received {therapy}
- the first {n} people to receive {therapy} lost most signs of {dis}, and {marker} followed
- {marker} went from grossly abnormal to near normal in {n} patients within months of {therapy}

= rescue_in_patient_cells
- [re-expression|delivery] of wild-type {gene} [restored|brought back] {func} in {cells} of
  [patients|affected individuals]
- {func} [recovered|returned] to {high}% of the control value once {cells} from patients had
  received an intact copy of {gene}
- correcting the {gene} variant in {cells} from an affected individual [normalised|mended] {func}
- {cells} of patients transduced with {gene}, though not those with the empty vector, regained
  {func}
- the gap between patient and control {cells} in {func} closed with wild-type {gene} on board
- an added copy of {gene} lifted {func} to {high}% of normal in {cells} from probands
- after base correction of {gene}, {cells} of the index case could not be told from donors' by
  {func}
- {func} came up to {high}% in {cells} of probands with a {gene} vector, and stayed low with a
  mutant one

= rescue_in_non_human_model_organism
- a transgene with wild-type {gene} [cured|relieved] mutant {models} of {pheno}
- [injecting|supplying] {gene} into the null {models} prevented {pheno} in {high}% of animals
- {pheno} no longer appeared in null {models} given a working copy of {gene}
- mutant {models} supplied with {gene} were hard to tell from wild type, without {pheno}
- one dose of a {gene} vector was enough for null {models} to go without {pheno}
- null {models} that carried the human {gene} on top were spared {pheno}
- with {gene} back in place, {high}% of the null {young} escaped {pheno}
- the normal {gene} message, unlike the mutant one, made {pheno} disappear from null {models}

= rescue_in_cell_culture_model
- {culture} without {gene} no longer formed {defect} once the wild-type sequence was put back
- [re-expression|reintroduction] of {gene} [freed|cleared] the null {culture} of {defect}
- {defect} [disappeared|vanished] from null {culture} on switching {gene} back on
- null {culture} with an inducible {gene} grew normally when it was induced, without {defect}
- an intact {gene} put into null {culture} [undid|prevented] {defect} in {high}% of preparations
- a safe-harbour copy of {gene} sufficed to keep null {culture} from {defect}
- repairing {gene} in the edited line gave {culture} that looked normal again, free of {defect}
"""

CLAUSES: dict[str, tuple[str, ...]] = read_pools(_CLAUSES)
"""Subtype -> clauses that tell a positive result."""
