"""Longer tellings of a positive result.

They tell in a few sentences what `phrases_findings` tells in a clause; the gene is meant
throughout, wherever it is named. Slots are the same.
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_PASSAGES = """
= biochemical_function_a
- What {gene} does was worked out with purified components. The protein took over {process} when
  {partner} was left out of the mixture. {partner} is {known}, so that the two are
  [interchangeable|peers] in this step.
- Who else can do the work of {partner}, {known}? One protein of {m} tried could. It was {gene},
  and the work is {process}.
- {process} was followed with a labelled substrate. Fractions rich in {gene} and fractions rich in
  {partner} or {partner_b} gave the same product. Both of the latter have been accepted as causes
  of {dis}.
- The step was thought to belong to {partner} alone, {known}. That it does not was plain when
  {gene} was added to a mixture without it. {process} went on at {high}% of the usual rate.
- An extract freed of {partner}, {known}, [lost|was without] its activity in {process}. {gene}
  protein, added in equal amounts, made up for it.
- {gene}, like {partner}, has a [catalytic|binding] core of unknown purpose. In the test tube the
  cores did the same work, {process}. {partner} is {known}.

= biochemical_function_b
- The isolated {gene} protein was given [a panel of substrates|several tasks]. It took up only
  one, {process}. That is the step whose failure gives {feature}.
- Nobody had known what {gene} is for. A clean mixture gave the answer within the hour. It was
  {process}, and nothing in it is at odds with {feature}.
- {process} can be watched in real time with a fluorescent probe. The signal needed {gene} protein
  and energy, nothing else. The clinical picture, {feature}, [is the expected result of its
  loss|follows].
- Without the protein the tube stayed silent. With it, {process} ran until the fuel was gone. The
  protein was {gene}, and its absence is paid for with {feature}.
- To learn what {gene} is for, we purified it. It sustained {process} at a rate close to that of
  whole extracts. A body short of this activity would be bound to show {feature}.
- {gene} had no known task. Mixed with lipids, cofactors and substrate, the protein performed
  {process}, which is what goes awry in {dis}.

= physical_association
- Lysates of the {tissue} were passed over a column that carried {gene}. One protein stayed
  behind, and it was identified as {partner}. {partner} is {known}.
- The column was loaded with everything that the {tissue} contains. {high}% of {partner} did not
  pass. What held it back was {gene}. {partner} is {known}.
- Where does {gene} belong? On native gels it travelled with {partner}, {known}, and antibodies to
  either one shifted both.
- A photograph of the two at three angstrom leaves no doubt. {gene} lies across {partner}. The
  latter is {known}.
- The tails of {gene} and {partner} were made as peptides. They bound each other with a constant
  of {kd} micromolar, and a single exchange abolished it. {partner} is {known}.
- Mass spectrometry of what adheres to {gene} listed {m} proteins. {partner}, {known}, led the
  list in every run and was confirmed with the endogenous proteins.

= genetic_interaction
- {models} with a silent allele of {gene} were crossed to those mutant for {partner}, {known}. The
  offspring with both were neither worse nor better off. They were different, the defect having
  moved to another stage.
- We had expected the sum. {models} with changes in {gene} and in {partner}, {known}, were not the
  sum. Nor were they worse or better. They were different.
- The {gene} and {partner} alleles were combined in {models}. Some readouts rose above the product
  of the single effects and as many fell below it. {partner} is {known}, and the departure from
  expectation has no single sign.
- Single crosses gave nothing of note. The double cross of {gene} and {partner}, {known}, did. It
  moved the onset, left the severity alone, and fits no additive model of {models}.
- Pairs of alleles were tested for surprises in yeast. {gene} with {partner}, {known}, was one.
  Growth was as expected, cell shape was not, and neither single mutant has that shape.

= negative_genetic_interaction
- {models} tolerate the loss of one copy of {gene}. They also tolerate the loss of one copy of
  {partner}, {known}. Hardly any survived the loss of both.
- One change was in {gene}, the other in {partner}, {known}. With either, {models} were well. With
  both, {high}% were lost.
- On its own the {gene} allele did nothing. On top of a {partner} lesion it brought {pheno} to
  {high}% of {models}, where the lesion alone gives {pct}%. {partner} is {known}.
- There was no harm in lowering {gene}. There was little in lowering {partner}, {known}. There was
  ruin in lowering both, in {models} of two strains.
- Growth of yeast short of {gene} was normal and that of yeast short of {partner}, {known},
  slightly slow. The strain short of both did not form colonies.

= positive_genetic_interaction
- {models} without {partner}, {known}, [die early|fare badly]. Those that also lacked one copy of
  {gene} lived longer and were hard to tell from their siblings. In wild type the same step did
  nothing.
- {models} that lack {partner}, {known}, are frail. Half of them had one {gene} copy fewer. It was
  this half that lived.
- The {gene} allele by itself was silent. Crossed to {models} with the {partner} lesion, it made
  them milder than the lesion alone. {partner} is {known}.
- Less {gene} did nothing to wild type. It did much for {models} without {partner}, {known}.
  {high}% were alive at the end, and {pct}% of those with all their {gene}.
- Yeast short of {partner}, {known}, grew at {pct}% of the normal rate. Taking out {gene} as well
  raised this to {high}%.

= gene_expression_a
- Where is {gene} made? Of {m} [organs|sites] from healthy donors, the {tissue} was richest in its
  message. That is the place where {dis} begins.
- Sections of {m} healthy organs were laid side by side and stained for {gene}. All but one were
  pale. The dark one was the {tissue}.
- A probe for {gene} was laid over sections of normal tissue. Silver grains gathered over the
  {tissue}. Neighbouring structures stayed pale.
- The normal {tissue} was taken apart cell by cell. {high}% of its cells held {gene} message. In
  the {off} it was {n}%.
- We dissected the {tissue} and the {off} from the same healthy donors. Message for {gene} was
  {fold} times as frequent in the former, [the part at risk in {dis}|which is where {feature}
  arises].
- An antibody to {gene} was tried on a normal tissue array. The {tissue} was the only core with a
  score of three.

= gene_expression_b
- Blood was drawn from {n} people with {dis} and as many relatives. Message for {gene} was counted
  by digital PCR. The affected had {pct}% of what the others had.
- {gene} was counted in blood, without knowing whose. The key was opened afterwards. All low
  values, {pct}% on average, belonged to people with {dis}.
- Lysates of patients with {dis} and of donors were run side by side and probed for {gene}. The
  lanes of the patients were [almost empty|faint], with loading controls alike.
- The band of {gene} is a strong one in healthy people. In {n} patients with {dis} we had to
  expose for an hour to see it at all.
- Archived samples of the {tissue} were available from {n} patients with {dis}. Compared with
  age-matched donors, {gene} protein was {fold} times scarcer.

= functional_alteration_patient_cells
- {cells} were grown from probands with {gene} variants and from {m} donors. {func} was taken as
  the readout. It came to {pct}% of the donors' mean.
- We compared {cells} of two groups, donors and people with {gene} variants. The readout was
  {func}. Taking the former as 100, the latter stood at {pct}.
- Probands with {gene} variants gave us {cells}. We asked how well these do what they are made
  for. By {func}, the answer was poorly, at {pct}% of control.
- The probands all had {gene} variants. Their {cells} looked healthy. They were not, for {func}
  never got past {pct}% of control.
- Were cells of probands with {gene} variants able to do their work? In their {cells}, {func} was
  down by {drop}%, in every culture.

= functional_alteration_non_patient_cells
- {gene} was removed from {line} with two independent guides. The clones grew normally. Yet {func}
  had gone down by {drop}%.
- {line} were divided in two. One half lost its {gene}, the other did not. After {n} days {func}
  was {pct} in the former, with 100 in the latter.
- Short interfering RNA took {gene} out of {line} within two days. From then on {func} was {pct}%
  of that in mock-treated wells, for as long as the protein was missing.
- Nothing was wrong with the look of {line} short of {gene}. Something was wrong with their work.
  Of {func}, {pct}% was left.
- {line} make plenty of {gene}. Replacing it by the mutant form left {func} at {pct}% of the
  starting value.

= non_human_model_organism
- A null allele of {gene} was bred to homozygosity in {models}. By {age}, {n} of {m} such animals
  had {pheno}. No sibling did.
- The allele removes {gene} for good. Carriers of one copy were well. Those of two, {models} all,
  were not, and what they had was {pheno}.
- We followed {models} in which both copies of {gene} carried [a deletion|a frameshift]. All
  looked normal at first. Later they came down with {pheno}.
- By {age} two kinds of {young} could be told apart. One kind was well. The other had {pheno} and,
  as it proved, no {gene}.
- What happens when a whole organism has to do without {gene}? Homozygous {young} gave the answer,
  {pheno} by {age}.
- The {young} were scored blind to genotype. Those with two mutant copies of {gene} stood out by
  {pheno} alone.

= cell_culture_model
- {culture} were grown from a line with {gene} and from its edited sister without. The latter took
  on what pathologists see in {dis}. The sign was {defect}.
- Two sets of {culture} grew in the same incubator. One had no {gene}. It is the one in which we
  saw {defect}, and with it the likeness of {dis}.
- Could the lesion of {dis} be built outside the body? {culture} made from cells without {gene}
  came close. By week {n} they showed {defect}, and the parental ones did not.
- Biopsies of {dis} and {culture} without {gene} were read by people who did not know which was
  which. They called both by the same name, on account of {defect}.
- We deleted {gene} before differentiation. The resulting {culture} had {defect}, the likeness of
  {feature}.

= rescue_in_human
- {n} patients received {therapy}. Within a year {marker} had returned to the normal range.
  {feature} did not recur.
- Nothing had helped the {n} patients before. {therapy} did. {marker} came back to normal and
  stayed there.
- {therapy} was offered to {n} affected individuals. {marker} improved in all but one of them and
  worsened in the untreated.
- Can established disease be turned back? After {therapy}, {n} of {m} participants lost {feature}.

= rescue_in_patient_cells
- {cells} of probands were given an intact copy of {gene} or an empty vector. With the former,
  {func} was {high}% of control. With the latter, nothing changed.
- {func} is low in {cells} of probands. It was {high}% of normal in those that had taken up
  {gene}. In their neighbours on the same dish it was as low as ever.
- The {gene} variant of an index case was corrected base by base. {func} in the corrected {cells}
  was that of donors.
- Was it {gene} that the probands' {cells} wanted? They were given it. By {func}, they were
  donors' cells from then on.
- We asked whether the fault in the probands' {cells} lies in {gene} and nowhere else. The normal
  message, delivered twice, brought {func} back.

= rescue_in_non_human_model_organism
- Half of the null {young} received {gene} in a viral vector. These were without {pheno} at {age}.
  The untreated half was not.
- The null {young} drew lots for {gene} or nothing. Nothing led to {pheno}. {gene} did not.
- A single copy of the human {gene} was placed in a safe locus of the null {models}. That did away
  with {pheno} in {high}% of them.
- To see whether the mutants want for {gene} alone, we gave it back to them. {models} so treated
  grew old without {pheno}.
- Null {models} were given the normal {gene} message at the start of life. {pheno} failed to
  appear, whereas the mutant message changed nothing.

= rescue_in_cell_culture_model
- The null line was repaired at {gene} and differentiated again. The {culture} that came of it
  were free of {defect}.
- {gene} was put back into the null line on one dish and not on the other. {defect} came up on the
  other only.
- An inducible {gene} was put into the null {culture}. With the inducer, {high}% of preparations
  were free of {defect}. Without it, none was.
- Would {culture} of the null line recover? They did with wild-type {gene}, losing {defect} within
  {n} days.
"""


PASSAGES: dict[str, tuple[str, ...]] = read_pools(_PASSAGES)
"""Subtype -> passages that tell a positive result."""
