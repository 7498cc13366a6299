"""Longer tellings of a positive result, and the ways in which an experiment came to nothing.

``PASSAGES`` tell in two or three sentences what `phrases_findings` tells in a clause; the gene
is named once and meant throughout. ``NEGATIVE`` are clauses on a result that was negative or
could not be read; slots are the same.
"""

from __future__ import annotations

from gym_clinic.simulate.phrases_grammar import read_pools

_PASSAGES = """
= biochemical_function_a
- What {gene} does was worked out with purified components. The protein took over {process} when
  {partner} was left out of the mixture. {partner} is {known}, so that the two are
  [interchangeable|peers] in this step.
- {process} was followed with a labelled substrate. Fractions rich in {gene} and fractions rich in
  {partner} or {partner_b} gave the same product. Both of the latter have been accepted as causes
  of {dis}.
- An extract freed of {partner}, {known}, [lost|was without] its activity in {process}. {gene}
  protein, added in equal amounts, made up for it.
- {gene}, like {partner}, has a [catalytic|binding] core of unknown purpose. In the test tube the
  cores did the same work, {process}. {partner} is {known}.

= biochemical_function_b
- The isolated {gene} protein was given [a panel of substrates|several tasks]. It took up only
  one, {process}. That is the step whose failure gives {feature}.
- {process} can be watched in real time with a fluorescent probe. The signal needed {gene} protein
  and energy, nothing else. The clinical picture, {feature}, [is the expected result of its
  loss|follows].
- To learn what {gene} is for, we purified it. It sustained {process} at a rate close to that of
  whole extracts. A body short of this activity would be bound to show {feature}.
- {gene} had no known task. Mixed with lipids, cofactors and substrate, the protein performed
  {process}, which is what goes awry in {dis}.

= physical_association
- Lysates of the {tissue} were passed over a column that carried {gene}. One protein stayed
  behind, and it was identified as {partner}. This is a gene product {known}.
- Where does {gene} belong? On native gels it travelled with {partner}, {known}, and antibodies to
  either one shifted both.
- The tails of {gene} and {partner} were made as peptides. They bound each other with a constant
  of {kd} micromolar, and a single exchange abolished it. {partner} is {known}.
- Mass spectrometry of what adheres to {gene} listed {m} proteins. {partner}, {known}, led the
  list in every run and was confirmed with the endogenous proteins.

= genetic_interaction
- {models} with a silent allele of {gene} were crossed to those mutant for {partner}, {known}. The
  offspring with both were neither worse nor better off. They were different, the defect having
  moved to another stage.
- The {gene} and {partner} alleles were combined in {models}. Some readouts rose above the product
  of the single effects and as many fell below it. {partner} is {known}, and the departure from
  expectation has no single sign.
- Pairs of alleles were tested for surprises in yeast. {gene} with {partner}, {known}, was one.
  Growth was as expected, cell shape was not, and neither single mutant has that shape.

= negative_genetic_interaction
- {models} tolerate the loss of one copy of {gene}. They also tolerate the loss of one copy of
  {partner}, {known}. Hardly any survived the loss of both.
- On its own the {gene} allele did nothing. On top of a {partner} lesion it brought {pheno} to
  {high}% of {models}, where the lesion alone gives {pct}%. {partner} is {known}.
- Growth of yeast short of {gene} was normal and that of yeast short of {partner}, {known},
  slightly slow. The strain short of both did not form colonies.

= positive_genetic_interaction
- {models} without {partner}, {known}, [die early|fare badly]. Those that also lacked one copy of
  {gene} lived longer and were hard to tell from their siblings. In wild type the same step did
  nothing.
- The {gene} allele by itself was silent. Crossed to {models} with the {partner} lesion, it made
  them milder than the lesion alone. {partner} is {known}.
- Yeast short of {partner}, {known}, grew at {pct}% of the normal rate. Taking out {gene} as well
  raised this to {high}%.

= gene_expression_a
- Where is {gene} made? Of {m} [organs|sites] from healthy donors, the {tissue} was richest in its
  message. That is the place where {dis} begins.
- A probe for {gene} was laid over sections of normal tissue. Silver grains gathered over the
  {tissue}. Neighbouring structures stayed pale.
- We dissected the {tissue} and the {off} from the same healthy donors. Message for {gene} was
  {fold} times as frequent in the former, [the part at risk in {dis}|which is where {feature}
  arises].
- An antibody to {gene} was tried on a normal tissue array. The {tissue} was the only core with a
  score of three.

= gene_expression_b
- Blood was drawn from {n} people with {dis} and as many relatives. Message for {gene} was counted
  by digital PCR. The affected had {pct}% of what the others had.
- Lysates of patients with {dis} and of donors were run side by side and probed for {gene}. The
  lanes of the patients were [almost empty|faint], with loading controls alike.
- Archived samples of the {tissue} were available from {n} patients with {dis}. Compared with
  age-matched donors, {gene} protein was {fold} times scarcer.

= functional_alteration_patient_cells
- {cells} were grown from probands with {gene} variants and from {m} donors. {func} was taken as
  the readout. It came to {pct}% of the donors' mean.
- Probands with {gene} variants gave us {cells}. We asked how well these do what they are made
  for. By {func}, the answer was poorly, at {pct}% of control.
- Were cells of probands with {gene} variants able to do their work? In their {cells}, {func} was
  down by {drop}%, in every culture.

= functional_alteration_non_patient_cells
- {gene} was removed from {line} with two independent guides. The clones grew normally. Yet {func}
  had gone down by {drop}%.
- Short interfering RNA took {gene} out of {line} within two days. From then on {func} was {pct}%
  of that in mock-treated wells, for as long as the protein was missing.
- {line} make plenty of {gene}. Replacing it by the mutant form left {func} at {pct}% of the
  starting value.

= non_human_model_organism
- A null allele of {gene} was bred to homozygosity in {models}. By {age}, {n} of {m} such animals
  had {pheno}. No sibling did.
- We followed {models} in which both copies of {gene} carried [a deletion|a frameshift]. All
  looked normal at first. Later they came down with {pheno}.
- What happens when a whole organism has to do without {gene}? Homozygous {young} gave the answer,
  {pheno} by {age}.
- The {young} were scored blind to genotype. Those with two mutant copies of {gene} stood out by
  {pheno} alone.

= cell_culture_model
- {culture} were grown from a line with {gene} and from its edited sister without. The latter took
  on what pathologists see in {dis}. There was {defect}.
- Could the lesion of {dis} be built outside the body? {culture} made from cells without {gene}
  came close. By week {n} they showed {defect}, and the parental ones did not.
- We deleted {gene} before differentiation. The resulting {culture} had {defect}, the likeness of
  {feature}.

= rescue_in_human
- {n} patients received {therapy}. Within a year {marker} had returned to the normal range.
  {feature} did not recur.
- {therapy} was offered to {n} affected individuals. {marker} improved in all but one of them and
  worsened in the untreated.
- Can established disease be turned back? After {therapy}, {n} of {m} participants lost {feature}.

= rescue_in_patient_cells
- {cells} of probands were given an intact copy of {gene} or an empty vector. With the former,
  {func} was {high}% of control. With the latter, nothing changed.
- The {gene} variant of an index case was corrected base by base. {func} in the corrected {cells}
  was that of donors.
- We asked whether the fault in the probands' {cells} lies in {gene} and nowhere else. The normal
  message, delivered twice, brought {func} back.

= rescue_in_non_human_model_organism
- Half of the null {young} received {gene} in a viral vector. These were without {pheno} at {age}.
  The untreated half was not.
- A single copy of the human {gene} was placed in a safe locus of the null {models}. {pheno} was
  gone in {high}% of them.
- Null {models} were given the normal {gene} message at the start of life. {pheno} failed to
  appear, whereas the mutant message changed nothing.

= rescue_in_cell_culture_model
- The null line was repaired at {gene} and differentiated again. The {culture} that came of it
  were free of {defect}.
- An inducible {gene} was put into the null {culture}. With the inducer, {defect} was absent from
  {high}% of preparations. Without it, all had it.
- Would {culture} of the null line recover? They did with wild-type {gene}, losing {defect} within
  {n} days.
"""

_NEGATIVE = """
= biochemical_function_a
- the {gene} protein had no part in {process}, the work of {partner}, {known}, at any
  concentration tried
- [purified|recombinant] {gene} could not stand in for {partner}, {known}, in {process}
- a shared task of {gene} and {partner} ({known}) in {process} was ruled out by the kinetics
- the assay of {process} with {gene} and {partner}, {known}, gave traces too noisy to read

= biochemical_function_b
- recombinant {gene} was inert in {process}, whatever the cofactor
- {process} went on at the same rate with and without {gene} in a purified system
- the {gene} preparation precipitated before {process} could be measured, so that its function
  stays open
- no activity in {process} was traced to {gene}

= physical_association
- {gene} and {partner}, {known}, eluted apart in every buffer
- {partner}, {known}, was absent from what came down with tagged {gene}
- no contact between {gene} and {partner}, {known}, could be shown by two-hybrid or pull-down
- the signal between {gene} and {partner}, {known}, equalled that of an empty bait

= genetic_interaction
- alleles of {gene} and {partner} ({known}) added up in {models} exactly as expected, in all
  readouts
- combining {gene} and {partner}, {known}, gave {models} that were the plain sum of the two
- too few {models} with changes in both {gene} and {partner}, {known}, were obtained for any
  statement

= negative_genetic_interaction
- {models} with one mutant copy each of {gene} and {partner}, {known}, were as healthy as either
  alone
- halving {gene} made no difference to what loss of {partner}, {known}, does to {models}
- the joint knock-down of {gene} and {partner}, {known}, left as many yeast colonies as expected

= positive_genetic_interaction
- taking away one copy of {gene} brought no relief to {models} mutant for {partner}, {known}
- {models} with lesions in both {gene} and {partner}, {known}, fared just as with the latter alone
- lowering {gene} in {models} without {partner}, {known}, left survival where it was

= gene_expression_a
- the {gene} transcript was at background in the {tissue} and higher in the {off}
- sections of the normal {tissue} did not stain for {gene}
- {gene} message was evenly low over {m} healthy tissues, the {tissue} not standing out
- the riboprobe for {gene} gave grains over sense and antisense slides alike, the {tissue} included

= gene_expression_b
- the {gene} message of patients with {dis} lay within the range of controls
- blots for {gene} were alike in patients with {dis} and donors
- {gene} protein in samples of the {tissue} was as plentiful in people with {dis} as in anyone
- RNA from people with {dis} was degraded, and {gene} could not be quantified

= functional_alteration_patient_cells
- in {cells} of patients with {gene} variants, {func} was within the range of donors
- {func} did not set {cells} of probands with {gene} variants apart from those of relatives
- {cells} from affected individuals with {gene} variants performed as well as any by {func}
- the {cells} of probands with {gene} variants were lost to contamination before {func} was read

= functional_alteration_non_patient_cells
- silencing {gene} in {line} left {func} where it was
- {line} without {gene} matched the parental ones in {func}
- {func} of {line} was unmoved by the mutant form of {gene}
- the effect of {gene} depletion on {func} in {line} varied in sign from run to run and is not
  interpreted

= non_human_model_organism
- {models} lacking {gene} were indistinguishable from siblings, {pheno} being looked for and not
  found
- loss of {gene} in {models} had no consequence up to {age}, and nothing like {pheno} was seen
- {young} with two stop alleles of {gene} thrived and were free of {pheno}
- both {gene} null lines of {models} were lost before they could be examined for {pheno}

= cell_culture_model
- {culture} without {gene} matured on time and could not be told from unedited ones
- deletion of {gene} in {culture} left them normal, and {defect} did not appear
- {defect} was as rare in {gene}-null {culture} as in the parental ones
- {culture} of both genotypes, with {gene} and without, deteriorated alike, which precludes any
  conclusion

= rescue_in_human
- {therapy} did not change {marker} in any of {n} patients
- {n} patients given {therapy} went on as before, {feature} included
- {marker} in those who received {therapy} followed the course of the untreated

= rescue_in_patient_cells
- wild-type {gene} did not raise {func} in {cells} of patients
- {func} in {cells} of probands stayed low after transduction with {gene}
- an added copy of {gene} was silenced in {cells} of probands, and whether {func} can recover is
  unknown

= rescue_in_non_human_model_organism
- a transgene with wild-type {gene} left {pheno} of mutant {models} as it was
- supplying {gene} to null {models} did not prevent {pheno}
- null {models} given the {gene} message died of the injection, so that {pheno} could not be judged

= rescue_in_cell_culture_model
- {culture} without {gene} kept on forming {defect} after the wild-type sequence was put back
- switching {gene} back on in null {culture} did nothing about {defect}
- the inducible {gene} leaked in null {culture}, and its effect on {defect} could not be assessed
"""

PASSAGES: dict[str, tuple[str, ...]] = read_pools(_PASSAGES)
"""Subtype -> passages that tell a positive result."""

NEGATIVE: dict[str, tuple[str, ...]] = read_pools(_NEGATIVE)
"""Subtype -> clauses that tell a negative or unreadable result."""
