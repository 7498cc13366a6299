"""What surrounds a result: who found it, when, on what, and whether it was found at all.

Frames take a ``clause``. The frames of own results borrow words from those of others' results
and the reverse, so that no single word decides; read as a whole, each is plain.
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_FRAMES = """
= shown
- {clause}
- {clause}
- {clause}
- {clause} ([Fig.|Figure] {fig})
- {clause} (Table {fig})
- [we found|we observed|we saw] that {clause}
- [as shown in|as can be seen from] [Figure|Table] {fig}, {clause}
- [after {n} rounds of work|in the end], {clause}
- [contrary to an earlier negative report|against what others had expected], we found that {clause}
- [confirming what had only been suspected|bearing out a guess made before us], {clause}
- although [the first attempt had failed|this had not been expected], {clause}
- [it was not until the second series that the matter became clear|the first series left doubts,
  the second did not]: {clause}
- [after correction for multiple tests|with observers blinded], {clause}
- [what had been planned as a control turned into a result|an unplanned comparison settled it]:
  {clause}
- {clause}, [and no other reading of the data is possible|with no exception]
- [this time|here], {clause}
- {clause}, by the method of ref. {ref}
- {clause} (the protocol is that of ref. {ref})
- asked by others (ref. {ref}) to look again, we did, and {clause}
- [the effect did not reach the size reported for other genes|the effect was smaller than we had
  hoped], but {clause}

= shown_abstract
- {clause}
- {clause}
- {clause}
- [we show|we found|we report] that {clause}
- in [our hands|this study|this series], {clause}
- [of note|notably|unexpectedly], {clause}
- although [the first attempt had failed|this had not been expected], {clause}
- [contrary to earlier expectations|in contrast to an earlier report], {clause}
- [further|moreover], {clause}
- [here|in addition], {clause}

= reported
- others had [reported|found|described] that {clause} (ref. {ref})
- {clause} (refs. {ref} and {ref_b})
- {clause}, according to [a study from another laboratory|a previous paper] (ref. {ref}), [which
  we did not repeat|a point not taken up here]
- [it was known at the outset|it had been established elsewhere] that {clause} (refs. {ref},
  {ref_b})
- [earlier|previous] work had shown that {clause} (ref. {ref})
- [as reviewed elsewhere|as summarised by others], {clause} (ref. {ref})
- that {clause} is [textbook knowledge|the finding of another group] (ref. {ref}), and our data do
  not bear on it
- the observation that {clause} [goes back to|belongs to] earlier authors (ref. {ref})
- {clause}, in a series published before ours (ref. {ref})
- [unlike the present work|with other means than ours], one group had shown that {clause} (ref.
  {ref})
- {clause}; this was published {n} years ago by others (ref. {ref}) and is quoted for context

= reported_abstract
- others had reported that {clause}
- it was known that {clause}
- [earlier|previous] work had shown that {clause}
- {clause}, according to an earlier study
- {clause}, in a series published before ours
- a previous paper from another group noted that {clause}
- the starting point was the finding of others that {clause}

= negative
- {clause}
- {clause}
- {clause} ([Fig.|Figure] {fig})
- [we found|we saw] that {clause}
- [despite adequate power|after {n} rounds of work|in the end], {clause}
- [as shown in|as can be seen from] [Figure|Table] {fig}, {clause}
- [unexpectedly|disappointingly|for the record], {clause}
- [in contrast to the patients' clinical picture|whatever the clinical picture], {clause}

= negative_abstract
- {clause}
- {clause}
- [we found|we report] that {clause}
- [of note|notably|unexpectedly], {clause}
- in [our hands|this study|this series], {clause}
- [further|moreover], {clause}

= elsewhere
- [Nothing of this|None of this {dis} work] [touches|bears on] {dis_main}, of which there was no
  sign.
- This concerns {dis}; signs of {dis_main} were looked for and not seen.
- The finding belongs to {dis} and says nothing about {dis_main}.
- [We note it|It is given] for completeness, {dis} and {dis_main} having nothing in common.

= aside
- {main} was not part of this [experiment|comparison].
- The experiment was not done for {main}.
- [We make no claim|No claim is made] for {main} on this basis.
- What holds for {gene} need not hold for {main}.
- {main} awaits the same test.

= foil
- {partner_b} was not part of this [experiment|comparison].
- No claim is made for {partner_b} on this basis.
- What holds for {gene} need not hold for {partner_b}.
- {partner_b} awaits the same test.
- Signs of {unrelated} were looked for, too, and not seen.
- No difference was seen in [weight|growth|total protein|two further readouts].
- [An earlier attempt|A first series] had been inconclusive for want of samples.
- Why this is so remains to be tested.
- [A like finding for {partner_b}|The corresponding finding for {partner_b}] had been reported by
  others (ref. {ref}).
- The [mechanism|order of events] is not known and will have to be studied.

= summary
- {clause}
- [the authors|the investigators] [report|show|found|demonstrate] that {clause}
- [this article|the study] shows that {clause}
- [here|in this work], {clause}
- [experimental data show|evidence was given] that {clause}

= earlier_defect
- The defect itself [had been described before (ref. {ref})|is taken from published work (ref.
  {ref})] and was not examined anew.
- We started from the published defect (ref. {ref}) and did not characterise it again.
- That the untreated differ from normal was shown by others (ref. {ref}) and is taken as given here.
"""

_PLANNED = """
= BiochemicalFunction
- [a purification scheme|an assay] for {gene} is being set up, with which its [biochemical
  task|activity] will be determined
- what the {gene} protein does in {process} is the subject of a running grant and not known yet
- crystals of {gene} have been grown, and from their structure we hope to learn whether it acts
  like {partner}
- whether {gene} shares the function of {partner} in {process} will have to be tested
- the {gene} protein has been expressed, and its part in {process} is to be measured next
- an enzymological study of {gene} would be the natural next step

= ProteinInteraction
- [co-immunoprecipitation|a two-hybrid screen] with {gene} as bait is [planned|under way]
- proximity labelling around {gene} has been started, with {partner} in mind, and its spectra are
  yet to be read
- a cross of {gene} with {partner} mutants was set up too late for this article
- double mutants of {gene} and {partner} are being bred and have not been scored
- whether {gene} binds {partner} remains to be seen
- an interaction of {gene} with {partner} is conceivable and should be looked for

= GeneExpression
- in situ hybridisation for {gene} in the {tissue} is [planned|in hand]
- single-cell libraries of the {tissue} are in the queue, from which the share of {gene} will be
  read
- we hold biopsies of patients with {dis} in which the {gene} message is to be counted next year
- transcript counts of {gene} in patients' samples would be informative but have yet to be made
- an atlas of {gene} expression in the {tissue} is being compiled
- {gene} levels in patients with {dis} will be measured once samples are at hand

= FunctionalAlteration
- cells of the patients have been banked, and {func} will be measured in them
- loss of {gene} in {line} is expected to cost them {func}, and the guides for the test have been
  ordered
- {cells} of carriers of {gene} variants are in culture, but {func} has not been read
- knock-down of {gene} in {line} is in preparation to see whether {func} suffers
- we intend to test {func} in {cells} of carriers of {gene} variants
- whether {func} depends on {gene} in {line} is an open question that we mean to address

= ModelSystem
- {models} lacking {gene} have been generated, and [their examination is still to come|phenotyping
  is to follow]
- a colony of {models} with two stop alleles of {gene} is growing up, too young to be judged
- should {pheno} appear in {models} without {gene}, which are now being bred, the case would be
  stronger
- founders of a line of {models} without {gene} were born at the time of writing
- {culture} without {gene} are being grown to see whether the disease can be modelled in vitro
- knock-out of {gene} in {models} would be expected to cause {pheno}, which we shall test

= Rescue
- vectors with wild-type {gene} are being built to see whether {func} can be restored
- null {models} with an added {gene} are expected to be free of {pheno}, but none has been born so
  far
- we have applied for leave to treat patients with {therapy}
- wild-type {gene} is to be put into {cells} of probands as soon as the vector is ready
- a trial of {therapy} is being designed
- whether re-expression of {gene} reverses the phenotype in {models} is to be tested
- rescue with an intact {gene} has not been attempted and is our next aim
"""

_TECHNIQUE = """
= BiochemicalFunction
- activity of a housekeeping enzyme was assayed only to check the quality of the {gene} lysates
- recombinant {gene} was made as a weight marker for gels and thrown away afterwards
- the enzyme kit, run on {gene} lysates, told us that these had been kept cold, which was all we
  asked
- for {gene} antibody production the recombinant protein was purified, [its activity not being
  tested|no assay being done with it]
- purified {gene} served as the standard curve of the immunoassay and for nothing else

= ProteinInteraction
- {gene} was immunoprecipitated solely to enrich it for the phosphorylation map, bound proteins
  being discarded
- pull-down of {gene} was a cleaning step ahead of sequencing the protein, whatever clung to it
  being washed off
- the {gene} and {partner} constructs shared a backbone, and their mixture was a test of the
  transfection reagent
- the two-hybrid vector of {gene} was used as a cloning shuttle only
- glutathione beads with {gene} served to clear the antiserum, no partner being sought

= GeneExpression
- RT-PCR of {gene} was done only to verify splicing of the reference transcript in control RNA
- the {gene} amplicon was the size standard on the gel for genotyping, its amount being of no
  concern
- a blot for {gene} was stripped and used again to practise on, without samples of interest
- the {gene} probe served as the positive control of the hybridisation oven, without a count
- {gene} antibodies were validated on blots of transfected cells, and no tissue was surveyed

= FunctionalAlteration
- {line} with {gene} knocked down were used to prove that the antibody is specific, no function
  being read
- {line} short of {gene} stood in for empty wells when the plate reader was set up
- biopsies of carriers of {gene} variants were grown for their DNA and frozen, {func} not being
  looked at
- {cells} of a patient served only as a source of DNA for the {gene} panel
- silencing of {gene} in {line} was a transfection control, and {func} was not taken

= ModelSystem
- {gene} null {models} were used only as a source of blank tissue for antibody tests
- {models} without {gene} were kept for their blank serum, nobody having looked at them further
- the knock-out of {gene} in {models} was made to test the guides, and the founders were not raised
- {models} served to raise the {gene} antiserum
- {culture} lacking {gene} were a negative control on the staining protocol, their form not being
  assessed

= Rescue
- an expression vector with {gene}, called the rescue construct by its makers, was used to
  calibrate the blots only
- the wild-type {gene} vector was a filler to keep DNA amounts alike between wells
- re-expression of {gene} was done in a blank line to see the tag under the microscope
- wild-type {gene} was re-expressed in bacteria to obtain protein for immunisation
- the {gene} viral vector served to titrate the packaging line, no phenotype being at stake
"""

_HINT = """
= BiochemicalFunction
- the molecular task of {gene} was [also considered|addressed as well]
- [we also turned to|a further part deals with] what the {gene} protein does at the bench
- {gene} is discussed in the light of {process}

= ProteinInteraction
- how {gene} relates to other genes of the pathway is [also considered|a further topic]
- [we also turned to|a further part deals with] possible partners of {gene}
- {gene} and {partner} are looked at side by side

= GeneExpression
- where and how much {gene} is made is [also considered|a further topic]
- [we also turned to|a further part deals with] {gene} at the level of its transcript and protein
- the {tissue} is considered as a place where {gene} may matter

= FunctionalAlteration
- [we also turned to|a further part deals with] cells with altered {gene}
- {func} is [also considered|a further topic]
- what variants of {gene} may mean for a single cell is [also addressed|taken up as well]

= ModelSystem
- [we also turned to|a further part deals with] life without {gene} beyond the single cell
- the value of {models} for the study of {gene} is [also considered|a further topic]
- modelling of the disorder with {gene} is [also addressed|taken up as well]

= Rescue
- whether the consequences of a faulty {gene} can be undone is [also considered|a further topic]
- [we also turned to|a further part deals with] supplying {gene} from outside
- reversibility is [also addressed|taken up as well]
"""

FRAMES: dict[str, tuple[str, ...]] = read_pools(_FRAMES)
"""Kind of statement -> frames around a clause, or sentences that follow it."""

PLANNED: dict[str, tuple[str, ...]] = read_pools(_PLANNED)
"""Category -> clauses on work that has no result yet."""

TECHNIQUE: dict[str, tuple[str, ...]] = read_pools(_TECHNIQUE)
"""Category -> clauses on a method used as a tool only."""

HINT: dict[str, tuple[str, ...]] = read_pools(_HINT)
"""Category -> clauses that name a topic and leave the outcome open."""
