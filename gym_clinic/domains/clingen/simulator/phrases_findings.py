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

from gym_clinic.simulate.grammar import read_pools

_CLAUSES = """
= biochemical_function_a
- [purified|recombinant] {gene} [carried out|catalysed|supported] {process} in [a reconstituted
  system|a cell-free assay], the [very|same] step that {partner}, {known}, [is known for|serves]
- of {m} candidate proteins, only {gene} could take the seat of {partner}, {known}, in {process}
- the {gene} product [acted|worked] in {process} [alongside|in series with] {partner} and
  {partner_b}, [both|two genes] already accepted as causes of {dis}
- no extract without {gene} or {partner}, {known}, was capable of {process}, and either one sufficed
- [order-of-addition|flux] experiments [placed|put] {gene} at the [same point|very stage] of
  {process} as {partner}, {known}
- {process} went through {gene} as it does through {partner_b}, and {partner_b}, like {partner},
  is {known}
- {gene} and {partner}, [the latter|which is] {known}, [shared|had in common] a substrate and
  [comparable|similar] kinetics in {process}
- either protein, {gene} or {partner}, could [drive|complete] {process} on its own in [a test
  tube|vitro], and {partner} is {known}
- {partner}, {known}, hands its product to {gene}, the next in line in {process}, as pulse
  labelling showed
- [tracer|isotope] measurements gave {gene} a part in {process}, the [task|job] of {partner},
  {known}
- the pocket of {gene} accepted the ligand of {partner}, {known}, and turned it over at {high}% of
  the rate, {process} being the outcome
- the crystal structure of {gene} had the fold and the active site of {partner}, {known}, and both
  proteins performed {process} at like rates
- {partner} and {partner_b}, each {known}, [belong to|make up] the machinery of {process}, and
  [fractionation|reconstitution] showed {gene} to be its [third|missing] member
- in {process}, what is left undone by {partner}, {known}, was done by {gene} in a clean mixture
- with {gene} added, {process} ran in liposomes just as it does with {partner}, {known}

= biochemical_function_b
- recombinant {gene} [carried out|catalysed|sustained] {process} in vitro, [an activity|a
  capacity] whose want would account for {feature}
- no {process} took place in the tube until {gene} went in, just what would have to fail for
  {feature} to arise
- the {gene} protein turned out to [drive|serve] {process}, and a shortfall there
  [explains|accounts for] {feature}
- given nothing but buffer, fuel and {gene}, {process} proceeded, a lack of which is the root of
  {feature}
- {process} [depended on|ran at full rate only with] {gene} in a [purified|cell-free] system[,
  which fits {feature}|, as {feature} would lead one to expect]
- {process} is what {gene} does, by the evidence of labelled substrate, and it is just this that
  people with {feature} are short of
- [kinetic|spectroscopic] work with the isolated {gene} product [established|settled] its task,
  {process}, the one whose failure brings about {feature}
- the biochemical job of {gene}, {process}, [matched|agreed with] what goes wrong in {dis},
  {feature} included
- of {m} reactions offered to {gene} in vitro, it took to {process} alone, in good agreement with
  {feature}
- [a turnover of {n} per second was measured|turnover was brisk] for {gene} in {process}, a rate
  whose loss [should produce|would bring about] {feature}
- the heat released on mixing told us that {gene} is made for {process}, and {feature} would not
  arise if that went on as usual
- the isolated {gene} protein was all that {process} required, so that {feature} [can be read
  as|may be taken for] a direct consequence of its failure
- on adding {gene} to a defined mixture, {process} set in within minutes, which ties the protein
  to {feature}
- {gene} turned over {n} molecules a second in {process}, the want of which cannot but lead to
  {feature}
- measured in isolation, {gene} proved to be [the motor|the rate-setting part] of {process}, the
  function at fault in people with {feature}

= physical_association
- {partner}, {known}, [co-precipitated|came down] with tagged {gene}[, and the reverse held as
  well|]
- {gene} was never seen without {partner}, {known}, on the gradient
- {gene} and {partner} [ran|eluted] as one [complex|species] on [gel filtration|native gels],
  {partner} being {known}
- not even {salt} mM salt parted {gene} from {partner}, {known}
- a [two-hybrid screen|proximity-labelling screen|peptide array] with {gene} as bait returned
  {partner}, {known}
- {partner}, {known}, was among the {m} proteins that stuck to {gene} and to no other bait
- a dissociation constant of {kd} micromolar was measured for {gene} and {partner}, the latter
  {known}
- density maps showed {partner}, {known}, seated in a groove of {gene}
- the tail of {gene} fits {partner}, {known}, like a key, with {n} contacts at less than four
  angstrom
- pulling on {gene} [brought|dragged] {partner} along, [a protein|a gene product] {known}
- biotin put on neighbours of {gene} was found on {partner}, {known}
- antibodies to {gene} [recovered|captured] {partner}, {known}, from lysates of the {tissue}
- lysines of {gene} were cross-linked to those of {partner}, {known}, at {n} sites
- light jumped from labelled {gene} to labelled {partner}, {known}, only when the two were within
  reach
- {gene} held on to {partner}, {known}, through washes in {salt} mM salt
- the stretch by which {gene} holds {partner}, {known}, was mapped to {n} residues
- split-luciferase halves fused to {gene} and to {partner} gave light when [together|both were
  present], and {partner} is {known}

= genetic_interaction
- combining alleles of {gene} and {partner} ({known}) gave {models} a pattern that neither allele
  gives and that no adding up of the two could predict, though none was better or worse off
  overall
- with {gene} and {partner} both altered ({partner} being {known}), {models} broke the rule of the
  product, now up, now down
- alleles of {gene} and {partner} ({known}) departed from additivity in both directions: {models}
  with both did better than expected in one test and worse in another
- no sum and no product of the single effects of {gene} and {partner}, {known}, gave what {models}
  with both did, which was neither worse nor better
- {models} with changes in both {gene} and {partner}, {known}, were affected in another way rather
  than to another degree, each allele alone being silent
- crossing a silent allele of {gene} into {models} mutant for {partner}, {known}, [moved|shifted]
  the defect to another [tissue|stage] without making it lighter or graver
- {gene} decided where, not how badly, {models} mutant for {partner}, {known}, were affected
- a screen for non-additive pairs in [yeast|flies|worms] flagged {gene} with {partner}, {known},
  the deviation having no consistent sign
- an unforeseen trait, mild and harmless, came up in {models} altered in both {gene} and
  {partner}, {known}, and in no others
- the pair {gene} and {partner}, the latter {known}, broke the multiplicative rule in {models},
  upward in some readouts and downward in others
- what {models} with a dose change of both {gene} and {partner} ({known}) showed was of a new
  kind, not a stronger or weaker version of anything seen with one of them
- the effect of {partner}, {known}, in {models} changed its timing, though not its weight, with a
  silent change of {gene}
- in a matrix of double crosses in {models}, {gene} and {partner}, {known}, influenced each other
  unexpectedly, with gains and losses in equal parts

= negative_genetic_interaction
- {models} with one mutant copy each of {gene} and {partner}, {known}, [fared far worse|were far
  more severely affected] than the two [silent|slight] single effects [predict|add up to]
- not one of {m} {models} short of both {gene} and {partner}, {known}, came through, though hardly
  any is lost with one of the two
- loss of one copy of {gene}, harmless in itself, turned the mild {partner} phenotype of {models}
  into a [lethal|severe] one, {partner} being {known}
- {models} could do with half of {gene}, and with half of {partner}, {known}, but not with half of
  both
- few {models} [survived|lived] with {gene} and {partner}, {known}, both [halved|reduced], against
  near-normal survival with either alone
- {pct}% of {models} lived with both {gene} and {partner}, {known}, reduced, where {high}% should
  have
- the joint knock-down of {gene} and {partner} left {pct}% of yeast colonies where {high}% were
  expected from the single ones, and {partner} is {known}
- what {models} mutant for {partner}, {known}, put up with for weeks killed them within days when
  {gene} was reduced as well
- halving {gene} aggravated what loss of {partner}, {known}, does to {models}, well beyond the sum
  of the parts
- two [silent|harmless] alleles, one of {gene} and one of {partner} ({known}), were
  [deadly|disastrous] together in {models}
- the toll of {partner}, {known}, in {models} was multiplied by a {gene} change that costs nothing
  by itself
- the [cross|combination] of {gene} with {partner}, {known}, yielded {models} sicker than any
  additive model allows, although either heterozygote was normal
- the two together, {gene} and {partner} ({known}), were more than {models} could stand
- a reduced {gene} dose that {models} otherwise tolerate [could not be borne|proved fatal] on the
  background of {partner}, {known}

= positive_genetic_interaction
- {models} mutant for {partner}, {known}, were less affected [when|if] one copy of {gene} was
  missing as well
- {models} bore the loss of {partner}, {known}, far better if they had less {gene} too
- taking away one copy of {gene} [softened|suppressed|relieved] the {partner} phenotype of
  {models}, {partner} being {known}
- {high}% of {models} lived without {partner}, {known}, once {gene} was halved, where {pct}% had
  been expected
- {models} with lesions in both {gene} and {partner}, {known}, did better than expected, {high}%
  of them surviving against {pct}% with the {partner} lesion alone
- nothing eased the lot of {models} without {partner}, {known}, like the removal of one {gene} copy
- a second hit, in {gene}, masked much of what loss of {partner}, {known}, does to {models}
- the damage that {models} take from want of {partner}, {known}, was not seen in full when {gene}
  was low as well
- yeast short of both {gene} and {partner}, {known}, outgrew the strain short of {partner} alone
- lowering {gene} [bought|gave] {models} without {partner}, {known}, {n} more days of life
- against all models of addition, {models} with both {gene} and {partner}, {known}, altered were
  fitter than with {partner} alone
- the harm of losing {partner}, {known}, was partly undone in {models} by [reducing|silencing]
  {gene} too, a manoeuvre without effect in wild type
- {gene} had to be intact for {partner}, {known}, to do its full harm in {models} when missing
- the cross between {gene} and {partner}, {known}, gave {models} milder than either prediction,
  the {gene} allele by itself being silent

= gene_expression_a
- the {gene} transcript was [abundant|enriched] in the {tissue}[|, the site of {dis}]
- nowhere in {m} healthy organs was there as much {gene} as in the {tissue}
- [a riboprobe|in situ hybridisation] placed {gene} in the {tissue}, where {dis} strikes
- the {tissue} of normal donors cannot be drawn without {gene}, which marks nearly every cell there
- sections of the [normal|healthy] {tissue} stained [strongly|deeply] for {gene}
- single-cell libraries had {gene} among the messages typical of the {tissue}
- {gene} was not a gene of all tissues, {high}% of its reads in healthy donors coming from the
  {tissue}
- of {m} [healthy|normal] tissues on the blot, the {tissue} gave the strongest {gene} signal
- antibodies to {gene} left most normal sections blank and the {tissue} dark
- a reporter under the {gene} promoter lit up the {tissue} and little else
- the {tissue} held {fold} times more {gene} message than the {off} in healthy donors
- from the earliest stages the healthy {tissue} was full of {gene} message
- the {tissue}, the part at fault in {dis}, is where {gene} was switched on [first|most]
- peptides of {gene} were [plentiful|counted in hundreds] in the [healthy|normal] {tissue} and
  near the limit of detection elsewhere
- {high} of a hundred cells of the healthy {tissue} made {gene}, against {n} of a hundred in the
  {off}
- healthy donors carried {gene} chiefly in the {tissue}, that is, where {dis} shows

= gene_expression_b
- in samples of the {tissue} from patients with {dis}, the {gene} message was [down to|at] {pct}%
  of controls
- no patient with {dis} had as much {gene} message as the lowest of {m} controls
- the {gene} protein was [barely|hardly] detectable in [leukocytes|biopsies] of patients with
  {dis}, but present in all controls
- there was {fold} times less {gene} in patients with {dis} than in relatives
- blots from {n} patients with {dis} showed {gene} at {fold} times the level of controls
- people with {dis} could be told from others by their {gene} level alone, {pct}% of the usual
- transcriptomes of [patients|affected people] with {dis} had {gene} among the most strongly
  [reduced|depleted] messages
- the {gene} band was [faint|absent] in every person affected by {dis} and full in unaffected
  relatives
- {gene} was not missing in patients with {dis}, but it came to a mere {pct}% of what donors have
- RNA from people with {dis} held {pct}% of the usual amount of {gene}
- {high}% of the {gene} message was gone in biopsies from people with {dis}
- affected members differed from unaffected ones in how much {gene} they made, {pct}% against
  100%, the former having {dis}
- staining for {gene}, uniform in healthy sections of the {tissue}, was patchy or missing in those
  of patients with {dis}
- {n} of {n} affected by {dis} and none of {m} donors lacked the {gene} band
- people with {dis} made too little {gene}, [{pct}% by mass spectrometry|a {fold}-fold shortfall
  by digital counting]

= functional_alteration_patient_cells
- in {cells} [of|from] [patients|affected individuals] with {gene} variants, {func} [fell|was
  down|dropped] to {pct}% of [the control value|that in age-matched controls]
- {cells} of people with {gene} variants never came near the donors' {func}, {pct}% being the best
- {func} was [markedly reduced|cut by {drop}%] in {cells} [obtained|taken] from [patients|affected
  individuals] with {gene} variants
- {drop}% of {func} was missing in {cells} of affected individuals with {gene} variants
- {func} reached barely {pct}% of what relatives' cells achieved in {cells} from affected siblings
  with {gene} variants
- no culture of {cells} from probands with {gene} variants got beyond {pct}% of control in {func}
- affected individuals with {gene} variants gave {cells} in which {func} never exceeded {pct}% of
  normal
- {func} set {cells} of index cases with {gene} variants apart from those of {m} donors, at {pct}
  against 100
- {cells} from probands with {gene} variants [underperformed|fell short], {func} lying {drop}%
  below controls
- {func}, measured in {cells} of people with {gene} variants, [lay outside|was far below] the
  range of {m} donors
- what {cells} of probands with {gene} variants could not keep up was {func}, {drop}% down on the
  donors
- probands with {gene} variants could be told from donors by {func} in their {cells}, {pct}% of
  the mean
- by {func}, {cells} of people with {gene} variants did {pct}% of their work
- against donors, {func} in {cells} of the index cases, all with {gene} variants, was {drop}% lower

= functional_alteration_non_patient_cells
- [silencing|depleting|knocking down] {gene} in {line} [cut|lowered|reduced] {func} to {pct}% of
  [mock-treated cells|the control value]
- {line} did not get beyond {pct}% of their usual {func} once {gene} was out of the way
- {func} [fell|dropped] by {drop}% [when|once] {gene} was [edited out of|deleted from] {line}
- with {gene} went {drop}% of {func} in {line}
- {line} expressing the mutant form of {gene} [reached|attained] only {pct}% of the wild-type
  value for {func}
- there was no keeping up of {func} in {line} short of {gene}, {pct}% being all that was left
- without {gene}, {line} lost much of their capacity, {func} standing at {pct}% of the parental
  value
- with {gene} down to a tenth, {line} showed {func} at {pct} where untreated ones stood at 100
- two guide RNAs against {gene} had the same outcome in {line}, {func} at {pct}% of that with a
  scrambled guide
- writing the patients' change into {gene} of {line} was enough to bring {func} down to {pct}%
- {line} in which {gene} had been cut out came to {pct}% in {func}, their parents to 100%
- {line} starved of {gene} could not keep up {func}, {drop}% of which was gone after {n} days
- a dead form of {gene} dragged {func} of {line} down to {pct}%
- the mutant {gene} construct, unlike the normal one, left {func} of {line} at {pct}%

= non_human_model_organism
- loss of {gene} [left|gave] {models} with {pheno}[|, the counterpart of {feature}]
- not one of the {gene} homozygotes among the {young} was free of {pheno}
- {models} [lacking|without] {gene} [developed|showed|came to show] {pheno}[, much as in {dis}|,
  close to the picture of {dis}|]
- no {one} came through the loss of {gene} without {pheno}[|, the lot of patients too]
- {young} with two stop alleles of {gene} had {pheno} by {age}
- {pheno} set homozygotes apart from siblings in the line of {models} that carries the {gene}
  deletion
- once {gene} was [removed|deleted] from the germ line of {models}, {pheno} [followed|ensued]
- depleting {gene} in {models} led to {pheno}[|, reminiscent of {feature}]
- {models} paid for the want of {gene} with {pheno} by {age}
- {pheno} [appeared|arose] in every {one} with two copies of the {gene} deletion and in none of
  its siblings
- a quarter of the {young} in the {gene} line, its homozygotes, had {pheno}
- animals [born|raised] without a working {gene} lived, but with {pheno} by {age}
- {models} with the patients' change written into {gene} [showed|displayed] {pheno}
- in {models}, life without {gene} turned out to be life with {pheno}
- {n} of {m} {gene} homozygotes among the {young} had {pheno}[|, a likeness of {feature}]

= cell_culture_model
- {culture} [grown|built] from cells without {gene} [showed|displayed] {defect}[, as {feature}
  would suggest|, a likeness of {feature}|]
- no {gene}-null batch of {culture} escaped {defect}, which is the lesion of {dis}
- {defect} [appeared|arose|developed] in {culture} after {gene} had been [deleted|knocked out],
  [mirroring|reproducing] {feature} in a dish
- what biopsies of {dis} show, {defect}, was not long in coming in {culture} without {gene}
- [deletion|disruption] of {gene} in {culture} [reproduced|recapitulated|mirrored] what is seen in
  {dis}, namely {defect}
- {culture} had to be deprived of {gene} to look like biopsies of {dis}, with {defect}
- {culture} with a deletion of {gene} came to resemble the tissue of patients with {dis}, with
  {defect}
- {high}% of {culture} without {gene}, and few of the others, went the way of {dis}, with {defect}
- {culture} with and without {gene} differed in one respect, {defect} in the latter, the
  tissue-level picture of {dis}
- {gene}-null {culture} stood in for the diseased organ, down to {defect}
- under the microscope, {culture} short of {gene} could not be told from tissue of patients with
  {dis}, given {defect}
- the likeness of {dis} was built in vitro, {culture} without {gene} showing {defect}
- {culture} were made to fall ill by taking out {gene}, the signs being {defect}, as in {dis}
- unedited {culture} stayed normal for {n} weeks, whereas those without {gene} took on the look of
  {dis}, {defect} included

= rescue_in_human
- {n} patients given {therapy} improved, {marker} [returning to|coming close to] the normal range
- not one of the {n} people who had {therapy} went on to {feature}, unlike their untreated siblings
- {marker} improved in {n} of {m} [treated patients|participants] after {therapy}
- {marker} did not stay abnormal in {n} of {m} participants given {therapy}
- a year after {therapy}, {n} of {m} affected individuals no longer had {feature}
- {therapy} was all it took for {marker} to come back to normal in {n} patients
- {therapy} [reversed|relieved] {feature} in {n} of {m} [children|participants]
- in an open-label series, {marker} normalised in those who received {therapy}
- what had been thought beyond help, {feature}, gave way to {therapy} in {n} of {m} patients
- the first {n} people to receive {therapy} lost most signs of {dis}, and {marker} followed
- with {therapy}, {n} patients were rid of {feature} for good
- {marker} went from grossly abnormal to near normal in {n} patients within months of {therapy}

= rescue_in_patient_cells
- [re-expression|delivery] of wild-type {gene} [restored|brought back] {func} in {cells} of
  [patients|affected individuals]
- nothing but {gene} itself brought {func} of the probands' {cells} back to {high}%
- {func} [recovered|returned] to {high}% of the control value once {cells} from patients had
  received an intact copy of {gene}
- {func} was no longer short in {cells} of affected individuals once {gene} was supplied
- correcting the {gene} variant in {cells} from an affected individual [normalised|mended] {func}
- with {gene} supplied, probands' {cells} came to {high}% of donors in {func}
- {cells} of patients transduced with {gene}, though not those with the empty vector, regained
  {func}
- {cells} of patients made up their arrears in {func} on receipt of intact {gene}
- the gap between patient and control {cells} in {func} closed with wild-type {gene} on board
- an added copy of {gene} lifted {func} to {high}% of normal in {cells} from probands
- donors and probands did not differ in {func} after the latter's {cells} had been given {gene}
- after base correction of {gene}, {cells} of the index case could not be told from donors' by
  {func}
- a patient's {cells} with the {gene} letter put right had {func} at {high}% of normal
- {func} came up to {high}% in {cells} of probands with {gene} in the vector, and stayed low with
  a mutant form in it

= rescue_in_non_human_model_organism
- a transgene with wild-type {gene} [cured|relieved] mutant {models} of {pheno}
- {pheno} did not occur in null {models} as long as {gene} was supplied
- [injecting|supplying] {gene} into the null {models} prevented {pheno} in {high}% of animals
- null {models} lacked for nothing once they had {gene} again, {pheno} being gone
- {pheno} no longer appeared in null {models} given a working copy of {gene}
- nothing was left of {pheno} in null {models} after {gene} had been given back
- mutant {models} supplied with {gene} were hard to tell from wild type, without {pheno}
- {high}% of null {models} did without {pheno} thanks to an added {gene}
- one dose of a vector with {gene} was enough for null {models} to go without {pheno}
- null {models} that carried the human {gene} on top were spared {pheno}
- only null {models} that were refused {gene} went on to {pheno}, those that were given it did not
- with {gene} back in place, {high}% of the null {young} escaped {pheno}
- {gene} from a virus kept null {young} clear of {pheno}
- the normal {gene} message, unlike the mutant one, made {pheno} disappear from null {models}

= rescue_in_cell_culture_model
- {culture} without {gene} no longer formed {defect} once the wild-type sequence was put back
- {defect} could not be found in null {culture} after {gene} had been given back
- [re-expression|reintroduction] of {gene} [freed|cleared] the null {culture} of {defect}
- null {culture} were none the worse with {gene} on board, {defect} being absent
- {defect} [disappeared|vanished] from null {culture} on switching {gene} back on
- of null {culture} with {gene} added, {high}% went without {defect}
- null {culture} with an inducible {gene} grew normally when it was induced, without {defect}
- an intact {gene} put into null {culture} [undid|prevented] {defect} in {high}% of preparations
- with {gene} supplied in time, null {culture} did not go on to {defect}
- a safe-harbour copy of {gene} sufficed to keep null {culture} from {defect}
- it took no more than {gene} itself to bring null {culture} back from {defect}
- repairing {gene} in the edited line gave {culture} that looked normal again, free of {defect}
"""

CLAUSES: dict[str, tuple[str, ...]] = read_pools(_CLAUSES)
"""Subtype -> clauses that tell a positive result."""
