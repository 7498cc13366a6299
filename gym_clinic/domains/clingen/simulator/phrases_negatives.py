"""Clauses on a result that was negative or could not be read; slots as in `phrases_findings`."""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_NEGATIVE = """
= biochemical_function_a
- the {gene} protein had no part in {process}, the work of {partner}, {known}, at any
  concentration tried
- with {gene} in place of {partner}, {known}, {process} ran at 2% of the usual rate, as with buffer
- [purified|recombinant] {gene} could not stand in for {partner}, {known}, in {process}
- {process} took {partner}, {known}, and was indifferent to {gene}, which came to 1% of the signal
  with or without substrate
- a shared task of {gene} and {partner} ({known}) in {process} was ruled out by the kinetics
- the assay of {process} with {gene} and {partner}, {known}, gave traces too noisy to read

= biochemical_function_b
- recombinant {gene} was inert in {process}, whatever the cofactor
- {process} came to 99 with {gene} and 101 without, the blank being 100
- {process} went on at the same rate with and without {gene} in a purified system
- the rate of {process} with {gene} equalled that with albumin
- the {gene} preparation precipitated before {process} could be measured, so that its function
  stays open
- no activity in {process} was traced to {gene}

= physical_association
- {gene} and {partner}, {known}, eluted apart in every buffer
- the counts for {partner}, {known}, were 1.0 times those of the empty bait when {gene} was pulled
- {partner}, {known}, was absent from what came down with tagged {gene}
- {gene} passed a column of {partner}, {known}, as fast as albumin did
- no contact between {gene} and {partner}, {known}, could be shown by two-hybrid or pull-down
- the signal between {gene} and {partner}, {known}, equalled that of an empty bait

= genetic_interaction
- alleles of {gene} and {partner} ({known}) added up in {models} exactly as expected, in all
  readouts
- the product of the single effects of {gene} and {partner} ({known}) foretold what {models} with
  both would do, to within 2%
- combining {gene} and {partner}, {known}, gave {models} that were the plain sum of the two
- too few {models} with changes in both {gene} and {partner}, {known}, were obtained for any
  statement

= negative_genetic_interaction
- {models} with one mutant copy each of {gene} and {partner}, {known}, were as healthy as either
  alone
- {high} of a hundred {models} lived with both {gene} and {partner}, {known}, halved, and {high}
  of a hundred with {partner} alone
- halving {gene} made no difference to what loss of {partner}, {known}, does to {models}
- the joint loss of {gene} and {partner}, {known}, cost {models} what the product of the two
  predicts
- the joint knock-down of {gene} and {partner}, {known}, left as many yeast colonies as expected

= positive_genetic_interaction
- taking away one copy of {gene} brought no relief to {models} mutant for {partner}, {known}
- {pct} of a hundred {models} lived without {partner}, {known}, whether {gene} was halved or whole
- {models} with lesions in both {gene} and {partner}, {known}, fared just as with the latter alone
- the days of {models} without {partner}, {known}, came to {n} with all their {gene} and {n} with
  half of it
- lowering {gene} in {models} without {partner}, {known}, left survival where it was

= gene_expression_a
- the {gene} transcript was at background in the {tissue} and higher in the {off}
- {gene} reads from the healthy {tissue} came to 1.0 times the mean over {m} organs
- sections of the normal {tissue} did not stain for {gene}
- the {tissue} was one of the few healthy organs in which we looked for {gene} in vain
- {gene} message was evenly low over {m} healthy tissues, the {tissue} not standing out
- the riboprobe for {gene} gave grains over sense and antisense slides alike, the {tissue} included

= gene_expression_b
- the {gene} message of patients with {dis} lay within the range of controls
- {gene} message stood at 98% of control in patients with {dis} (interval 91 to 106)
- blots for {gene} were alike in patients with {dis} and donors
- with {dis} or without it, people made the same amount of {gene}
- {gene} protein in samples of the {tissue} was as plentiful in people with {dis} as in anyone
- RNA from people with {dis} was degraded, and {gene} could not be quantified

= functional_alteration_patient_cells
- in {cells} of patients with {gene} variants, {func} was within the range of donors
- {func} came to 97% of the donors' mean in {cells} of probands with {gene} variants (interval 90
  to 104)
- {func} did not set {cells} of probands with {gene} variants apart from those of relatives
- taking donors as 100, {cells} of people with {gene} variants stood at 101 for {func}
- {cells} from affected individuals with {gene} variants performed as well as any by {func}
- the {cells} of probands with {gene} variants were lost to contamination before {func} was read

= functional_alteration_non_patient_cells
- silencing {gene} in {line} left {func} where it was
- {line} in which {gene} had been cut out came to 99% in {func}, their parents to 100%
- {line} without {gene} matched the parental ones in {func}
- {func} of {line} was 102 with {gene} down to a tenth, where untreated ones stood at 100
- {func} of {line} was unmoved by the mutant form of {gene}
- the effect of {gene} depletion on {func} in {line} varied in sign from run to run and is not
  interpreted

= non_human_model_organism
- {models} lacking {gene} were indistinguishable from siblings, {pheno} being looked for and not
  found
- at {age}, {n} of {m} {gene} homozygotes and {n} of {m} siblings among the {young} had some
  degree of {pheno}
- loss of {gene} in {models} had no consequence up to {age}, and nothing like {pheno} was seen
- {models} did well with neither copy of {gene}, {pheno} being as rare as in any colony
- {young} with two stop alleles of {gene} thrived and were free of {pheno}
- both {gene} null lines of {models} were lost before they could be examined for {pheno}

= cell_culture_model
- {culture} without {gene} matured on time and could not be told from unedited ones
- {n} of {m} batches of {culture} showed {defect}, as many with {gene} as without
- deletion of {gene} in {culture} left them normal, and {defect} did not appear
- {culture} grew to the same form whether they had {gene} or not
- {gene}-null {culture} had {defect} as rarely as the parental ones
- {culture} of both genotypes, with {gene} and without, deteriorated alike, which precludes any
  conclusion

= rescue_in_human
- {therapy} did not change {marker} in any of {n} patients
- {marker} stood at the same value before {therapy} and a year after it
- {n} patients given {therapy} went on as before, {feature} included
- {feature} ran its course in {n} patients in spite of {therapy}
- {marker} in those who received {therapy} followed the course of the untreated

= rescue_in_patient_cells
- wild-type {gene} did not raise {func} in {cells} of patients
- {func} was {pct}% of normal in the probands' {cells} before {gene} was supplied and {pct}% after
  it
- {func} in {cells} of probands stayed low after transduction with {gene}
- probands' {cells} with and without added {gene} differed by 1% in {func}
- an added copy of {gene} was silenced in {cells} of probands, and whether {func} can recover is
  unknown

= rescue_in_non_human_model_organism
- a transgene with wild-type {gene} made no difference to {pheno} of mutant {models}
- {high}% of null {models} with added {gene} had {pheno}, and {high}% of those without
- supplying {gene} to null {models} did not prevent {pheno}
- null {models} came to {pheno} on the same day with {gene} supplied as without
- null {models} given the {gene} message died of the injection, so that {pheno} could not be judged

= rescue_in_cell_culture_model
- {culture} without {gene} kept on forming {defect} after the wild-type sequence was put back
- {high}% of null {culture} had {defect} with {gene} added, {high}% with an empty vector
- switching {gene} back on in null {culture} did nothing about {defect}
- the inducible {gene} leaked in null {culture}, and its effect on {defect} could not be assessed
"""

NEGATIVE: dict[str, tuple[str, ...]] = read_pools(_NEGATIVE)
"""Subtype -> clauses that tell a negative or unreadable result."""
