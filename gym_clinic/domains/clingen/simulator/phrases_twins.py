"""Measurements told in the same words whatever they show: only the numbers decide.

The slots that decide are ``level`` with its interval ``lo`` to ``hi`` (per cent of control),
``hit`` against ``base`` (of ``tot``), ``left`` against ``most`` (of ``tot``), ``low`` against
``after``, ``rin`` against ``rout``, and ``both`` against ``exp``; `scenes` fills them. Others as
in `phrases_findings`.
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_TWINS = """
= biochemical_function_a
- with {partner}, {known}, left out, {process} ran at {low}% of the full rate, and with {gene} in
  its place at {after}%
- {process} came to {after}% with {gene} standing in for {partner}, {known}, to {low}% with an
  empty tube and to 100% with {partner} itself
- rates of {process} were {low} without {partner}, {known}, {after} with {gene} instead and 100
  with everything
- the seat of {partner}, {known}, was given to {gene}, upon which {process} went from {low}% to
  {after}%

= biochemical_function_b
- {process}, the task behind {feature}, ran at {rin} units with {gene} and at {rout} with albumin
- the counter showed {rin} for {process} in the presence of {gene} and {rout} in its absence,
  {feature} being what a lack of {process} leads to
- product of {process} was {rin} with {gene} and {rout} with boiled {gene}, and those short of it
  have {feature}
- a mixture with {gene} turned over {rin} molecules a minute in {process}, one without it {rout},
  and want of {process} means {feature}

= physical_association
- beads with {gene} held {rin} counts of {partner}, {known}, and empty beads {rout}
- {rin} spectra of {partner}, {known}, were counted with {gene} as bait and {rout} with an empty
  bait
- the light from {gene} paired with {partner}, {known}, stood at {rin}, from unpaired halves at
  {rout}
- {partner}, {known}, gave {rin} units on a surface with {gene} and {rout} on a bare one

= negative_genetic_interaction
- with the {gene} change {s_one}% of {models} lived, with that of {partner}, {known}, {s_two}%,
  and with both {both}%, where the product is {exp}%
- {both}% of {models} with changes in {gene} and in {partner}, {known}, reached {age}, against
  {exp}% foretold from {s_one}% and {s_two}%
- survival of {models} was {s_one}% ({gene} change), {s_two}% (change of {partner}, {known}) and
  {both}% (the two), with {exp}% to be expected

= positive_genetic_interaction
- with the {gene} change {s_one}% of {models} lived, with that of {partner}, {known}, {s_two}%,
  and with both {both}%, where the product is {exp}%
- {both}% of {models} with changes in {gene} and in {partner}, {known}, reached {age}, against
  {exp}% foretold from {s_one}% and {s_two}%
- survival of {models} was {s_one}% ({gene} change), {s_two}% (change of {partner}, {known}) and
  {both}% (the two), with {exp}% to be expected

= gene_expression_a
- reads of {gene} came to {rin} per million in the healthy {tissue} and to {rout} in the mean of
  {m} other organs
- the healthy {tissue} held {rin} copies of {gene} a cell, the {off} {rout}
- on sections of healthy donors {rin} grains for {gene} lay over the {tissue} and {rout} over a
  like area of the {off}
- {gene} was put at {rin} units in the normal {tissue}, with {rout} in skin and gut

= gene_expression_b
- {gene} message in people with {dis} came to {level}% of that in controls (interval {lo} to {hi})
- taking donors as 100, patients with {dis} had {level} for {gene} protein ({lo} to {hi})
- with controls at 100, the {gene} band of those affected by {dis} was read at {level} ({lo} to
  {hi})
- droplets with {gene} were {level} in people with {dis} for every 100 in relatives ({lo} to {hi})

= functional_alteration_patient_cells
- {func} in {cells} of people with {gene} variants came to {level}% of the donors' mean (interval
  {lo} to {hi})
- taking donors as 100, {cells} of probands with {gene} variants stood at {level} for {func} ({lo}
  to {hi})
- {cells} of those with {gene} variants and of donors were read for {func}, the former at {level}
  ({lo} to {hi}) for every 100 of the latter
- by {func}, {cells} of probands with {gene} variants were at {level}% ({lo} to {hi}) of donors

= functional_alteration_non_patient_cells
- {func} of {line} stood at {level} ({lo} to {hi}) with {gene} cut out, where parental ones stood
  at 100
- with {gene} silenced, {line} came to {level}% of their usual {func} (interval {lo} to {hi})
- {line} with the mutant form of {gene} were read at {level} ({lo} to {hi}) for {func}, those with
  the normal form at 100
- before {gene} was taken out of {line}, {func} was set to 100, and after it was {level} ({lo} to
  {hi})

= non_human_model_organism
- by {age}, {hit} of {tot} {young} with neither copy of {gene} and {base} of {tot} siblings had
  {pheno}
- {pheno} could be found in {hit} of {tot} {models} without {gene} and in {base} of {tot} with it
- among {young} scored blind, {hit} of {tot} homozygotes for the {gene} deletion and {base} of
  {tot} others were noted for {pheno}
- of {models} with and without {gene}, {tot} each, {base} and {hit}, in this order, had {pheno}

= cell_culture_model
- {hit} of {tot} batches of {culture} without {gene} and {base} of {tot} with it had {defect}, the
  look of {dis}
- {defect}, the mark of {dis}, could be found in {hit} of {tot} {culture} with {gene} taken out
  and in {base} of {tot} parental ones
- of {culture} with and without {gene}, {tot} each, {base} and {hit}, in this order, went the way
  of {dis}, with {defect}
- read blind for the look of {dis}, with {defect}, {culture} scored {hit} of {tot} without {gene}
  and {base} of {tot} with it

= rescue_in_human
- {marker} lay outside the range in {most} of {tot} participants before {therapy} and in {left} of
  {tot} a year after it
- {most} of {tot} patients had {feature} on entry and {left} of {tot} a year after {therapy}
- a year on, {left} of {tot} patients with {therapy} and {most} of {tot} without had {feature}

= rescue_in_patient_cells
- {func} stood at {low} units in {cells} of probands with an empty vector and at {after} with {gene}
- with nothing added, {cells} of patients came to {low} units of {func}, with {gene} added to
  {after}
- in {cells} of patients {func} was {low} units before {gene} was put in and {after} a week later
- {cells} of index cases were read for {func} with blank ({low} units) and with {gene} ({after}
  units)

= rescue_in_non_human_model_organism
- {left} of {tot} null {models} with added {gene} had {pheno}, against {most} of {tot} with an
  empty vector
- {most} of {tot} null {models} left alone and {left} of {tot} given {gene} had {pheno}
- of null {young}, {most} of {tot} with blank and {left} of {tot} with {gene} had come to {pheno}
  by {age}
- null {models} with and without a working {gene} put in, {tot} each, had {pheno} in {left} and
  {most} cases

= rescue_in_cell_culture_model
- {left} of {tot} null {culture} with {gene} put back had {defect}, against {most} of {tot} with
  an empty vector
- {defect} could be found in {most} of {tot} null {culture} left alone and in {left} of {tot}
  given {gene}
- null {culture} with and without a working {gene} put in, {tot} each, had {defect} in {left} and
  {most} cases
- counts of null {culture} with {defect} were {most} of {tot} with blank and {left} of {tot} with
  {gene}
"""

_FRAMES = """
= measured
- {clause}
- {clause}
- {clause} ([Fig.|Figure] {fig})
- {clause} (Table {fig})
- [we found|we noted|we counted as follows]: {clause}
- [in the end|when the key was opened], {clause}
- the [figures|numbers] are as follows: {clause}
- [by a count done twice|by two readers], {clause}

= replicated
- others had [reported|found] that {clause} (ref. {ref}), and so did we, in material of our own
- that {clause} had been reported before (ref. {ref}); our own experiment, done without knowledge
  of that report, gave the same
- {clause}, as in an earlier series (ref. {ref}) whose experiment we repeated from the start, with
  the same outcome
- a claim by others that {clause} (ref. {ref}) was put to the test and held in our experiment, too

= withdrawn
- we no longer hold that {clause}: on repetition with fresh material the difference was gone
- the statement made above that {clause} rests on a mislabelled tube and is withdrawn
- on unblinding it emerged that samples had been swapped, and the statement that {clause} falls
  with it
- of what is said in the results, one point did not stand, namely that {clause}; a repeat gave
  nothing of the kind
- since the results were written, the finding that {clause} has been traced to a contaminated lot,
  and we take it back
- a note in proof: that {clause} could not be reproduced in {some} new samples, and the point
  should be disregarded

= withdrawn_abstract
- a first impression that {clause} was not upheld
- that {clause} had to be withdrawn on repetition
- the interim finding that {clause} could not be reproduced
- we take back an earlier statement of ours that {clause}

= code_key
- experimenters were kept blind by codes, {code} standing for {real} and {code_b} for {real_b}
- in what follows, {code_b} is {real_b} and {code} is {real}, as on the tubes
- for brevity {real} goes by {code} below, and {real_b} by {code_b}
- the key, opened at the end, reads {code_b} for {real_b} and {code} for {real}
- labels on tubes and plots: {code} means {real}, {code_b} means {real_b}
- {real_b} and {real} were handled under the names {code_b} and {code}, which we keep
"""

TWINS: dict[str, tuple[str, ...]] = read_pools(_TWINS)
"""Subtype -> clauses whose numbers tell a positive from a negative result."""

OUTCOMES: dict[str, tuple[str, ...]] = read_pools(_FRAMES)
"""Kind of outcome -> frames around a clause, and the key to coded names."""

CODES = (
    ("T4", "T7"), ("target B", "target F"), ("locus 17", "locus 23"), ("K-3", "K-8"),
    ("item 5", "item 9"), ("probe set 2", "probe set 6"), ("L11", "L12"), ("factor P", "factor Q"),
)  # fmt: skip
"""Names under which an article may hide its gene and another one."""
