"""The rest of an article: background, patients, methods, caveats. Nothing here is evidence.

Slots: ``gene``, ``disease`` (exactly as on record), ``dis_main`` ("the disease"), ``feature``,
``feature_b``, ``tissue`` and loose numbers: ``few`` (2 to 9), ``some`` (11 to 48), ``many``
(60 to 420), ``pc`` (5 to 95), ``dec`` (0.1 to 9.9).
"""

from __future__ import annotations

from gym_clinic.simulate.grammar import read_pools

_FRONT = """
= title
- [Studies on|Observations on|Notes on|A study of|A closer look at|Laboratory work on] {gene} in
  {disease}
- {gene} and {disease}: [a laboratory study|observations from one centre|a multi-centre study|a
  combined study|an experimental account]
- [On|Regarding] the [part|place|role] of {gene} in {disease}
- [What is|Asking about] the [bearing|relevance] of {gene} [to|for] {disease}[?|: a study|: an
  appraisal]
- [Experimental|Laboratory|Further] work on {gene} with regard to {disease}
- {gene} [re-examined|examined|under scrutiny] in {disease}
- Towards [an understanding|a fuller account] of {gene} in {disease}

= abstract_open
- {gene} has been [discussed|put forward|named] in connection with {disease}, [a condition|a
  disorder] [marked by|known for] {feature}
- the [relation|link] between {gene} and {disease} has been [debated|studied] with [varying|mixed]
  results
- [patients|people] with {disease} may show {feature} or {feature_b}, and {gene} is one of the
  genes under discussion
- how {gene} [might bear|bears] on {disease} is [only partly understood|a matter of study]
- [since|because] {disease} [may bring|can come with] {feature}, {gene} has been
  [considered|proposed] as [a gene of interest|a candidate]
- several lines of work have brought {gene} into view in {disease}

= abstract_aim
- [we set out|the aim was] to [collect|gather|add] laboratory [data|observations] on {gene}
- here we [describe|present] [work|experiments] from [{few}|two|three] laboratories on {gene}
- this article [brings together|reports] [bench work|laboratory work] on {gene} done over {few}
  years
- we [examined|studied] {gene} with [a set|a range] of [complementary|established]
  [methods|approaches]
- [a programme of|a series of] [tests|studies] was carried out for {gene}

= abstract_fill
- [all|the] assays [for|on] {gene} were run in [triplicate|duplicate] by observers who did not
  know the [allocation|genotype]
- [data|measurements] [on|for] {gene} were [pooled|combined] over {few} [runs|sessions] and
  analysed with mixed models
- [samples|specimens] for the {gene} study were [collected|gathered] by [{few}|two] centres and
  [processed|handled] under one protocol
- [power|sample size] of the {gene} work was [calculated|fixed] beforehand for an effect of {dec}
  standard deviations
- [reagents|protocols] and raw data for {gene} are [available|listed] [in full|on request]
- [details|limits] of the {gene} methods are [given|discussed] [at length|in the text]
- {feature} and {feature_b} were [recorded|graded] on a [four-point|five-point|common] scale
- [quality control|a pilot phase] of the {gene} series led to the exclusion of {few}
  [plates|batches|samples]
- the work on {gene} was [registered|planned] in [advance|two stages] and [reviewed|monitored] by
  [an outside board|a second group]
- [drift|batch effects] in the {gene} records [could be corrected|could be checked] with
  [reference|control] samples

= abstract_close
- [the bearing of|what] these [data|observations] [on|mean for] {disease} is [discussed|set out]
  [in the light of earlier work|in the text]
- [we discuss|the text discusses] [what follows|the consequences] for the appraisal of {gene}
- [together|taken together], the [data|observations] [inform|may inform] the [curation|assessment]
  of {gene} in {dis_main}
- [the article closes|we close] with [a view|remarks] on [open questions|what remains to be done]
  about {gene}
- [strengths|merits] and [limits|weaknesses] of the [data|material] on {gene} are [weighed|set out]
"""

_INTRO = """
= intro_open
- [in the clinic,|at the bedside,] {disease} is [recognised by|known for] {feature}, [often|at
  times] together with {feature_b}
- [clinicians|geneticists] meet {disease} in [many|different] forms, {feature} being among the
  [commoner|better known] signs
- the [name|label] {disease} covers a [range|spectrum] of courses, from mild to [grave|severe]
- of the signs of {disease}, none has been studied as often as {feature}

= intro
- the [course|onset] varies [within and between families|from patient to patient], and the
  [median|mean] age at first visit was {some} months in one register
- [genetic|molecular] testing now [precedes|accompanies] most other investigations in {dis_main}
- {gene} is [annotated|listed] with {few} [coding exons|alternative transcripts] and a product of
  {many} [amino acids|residues]
- [panels|testing panels] for {dis_main} list between {few} and {some} genes, with
  [large|surprising] differences between laboratories
- the [vertebrate|mammalian] orthologues of {gene} are {pc}% identical [over their whole length|in
  the core region]
- [curation|appraisal] of genes [rests|depends] on evidence from several sources, each with its
  own [weaknesses|limits]
- the [course|degree] of {feature_b} is [variable|inconstant], and [symptomatic|supportive]
  treatment may [help|fail]
- the [product|protein] of {gene} has {few} [predicted domains|conserved motifs], [some without a
  known task|most of them unnamed]
- guidelines [ask for|recommend] [regular|yearly] review of {feature} and {feature_b}
- [reference populations|population databases] hold [few|some] {gene} variants, at a combined
  frequency of {dec} in ten thousand
- [families|patients' organisations] have asked for [better|earlier] diagnosis of {dis_main},
  [which takes|at present] {few} years on average
- the [literature|published record] on {gene} is [scattered|uneven] and [uses|mixes] several
  nomenclatures
- [imaging|laboratory findings] may be normal at first, so that {feature} may [go unnoticed|be
  missed]
- naming of {gene} follows the [current|approved] nomenclature; [older|former] aliases are given
  in the supplement
- costs of [diagnosis|testing] in {dis_main} fell by {pc}% within {few} years

= intro_aim
- [the present article|this article] [collects|sets out] our [experience|work] with {gene} over
  {few} years
- we therefore [undertook|planned] [a set of|several] studies on {gene}, [described|reported]
  below in no order of merit
- [here|in what follows] we describe what was done [with|about] {gene} and what came of it
- our [aim|purpose] was to [give|provide] material for an appraisal of {gene} in {dis_main}

= patients
- [participants|families] were [recruited|seen] at {few} clinics between [spring and winter|the
  first and the last visit] of {few} consecutive years
- the degree of {feature} was [graded|recorded] by two [examiners|clinicians] with [a kappa of
  0.{pc}|good agreement]
- the median age at examination was {some} years ([range|interquartile range] {few} to {many}
  months of follow-up)
- [written|informed] consent was obtained from [all|each] of {many} participants or their guardians
- [pedigrees|family trees] were drawn for {some} families, {few} of them [consanguineous|with more
  than one affected member]
- signs of {feature_b} were [present|noted] in {pc}% at the first visit
- DNA came from [blood|saliva|buccal swabs] and was sequenced to a mean depth of {many} reads
- [variants|calls] were [named|described] on the reference transcript of {gene} and
  [confirmed|checked] in {few} [batches|runs]
- [trio|parental] samples were available for {pc}% of the families
- [height, weight and head size|blood counts and liver enzymes] were within normal limits in
  {some} participants
- [copy-number|structural] calls needed support from {few} probes or {some} split reads
- the study was approved by the [boards|ethics committees] of {few} institutions
"""

_BODY = """
= methods
- [means|values] are given with standard deviations, and [tests|comparisons] are two-sided at a
  level of {few} in a hundred
- [samples|aliquots] were kept at minus {some} degrees and thawed [once|no more than twice]
- [libraries|amplicons] were sequenced on [one|two] flow cells with paired reads of {many} bases
- observers [did not know|were blind to] the [group|genotype], and slides were [coded|shuffled] by
  a third person
- [mixed|hierarchical] models took account of [litter|batch|plate], with {few} [degrees of
  freedom|random effects]
- [images|stacks] were [taken|recorded] with a {some}-fold objective at [steps|intervals] of {dec}
  micrometres
- [media|buffers] were changed every {few} hours and [tested|screened] for mycoplasma every {few}
  weeks
- the [significance|detection] limit was set [beforehand|in a pilot] with {some} blank wells
- [primers|oligonucleotides] are listed in supplementary table {few}, with melting points between
  {some} and {pc} degrees
- [data|records] were [locked|frozen] before analysis, and {few} [deviations|amendments] from
  protocol were logged
- [outliers|values] beyond {few} standard deviations were [kept|flagged and kept]
- [software|scripts] and [settings|parameters] are [archived|deposited] under version {dec}
- [antibodies|reagents] came from {few} suppliers and were diluted one in {many}
- [gels|membranes] were exposed for {some} seconds and [scanned|read] at {many} dots per inch
- [plates|dishes] were randomised in blocks of {few}, with {some} wells left out at the edges
- all [procedures|experiments] followed [national|institutional] rules, [licence|permit] {many}
- [missing|incomplete] values ([under|about] {few}% of all) were [imputed|left out] by a rule
  fixed in advance
- [temperature|humidity] was logged every {some} minutes, with {few} excursions in {many} days

= results_open
- [of|out of] {many} [records|samples] screened, {some} passed [the checks|quality control]
- [baseline|background] values were [stable|steady] over {few} [runs|weeks] ([drift|variation]
  {dec}%)
- the [pilot|calibration] [gave|yielded] a coefficient of variation of {dec}%, [as planned|within
  limits]
- [work|measurements] began after {few} [training|practice] sessions and went on for {some} weeks
- [this part|the following part] [draws on|uses] {some} [batches|preparations] from {few} sites

= results
- [two|three] observers agreed in {pc}% of [fields|readings], and the remainder were
  [settled|decided] by a third
- [the order|the sequence] of [runs|batches] made no difference to the [values|estimates] (Table
  {few})
- {few} [plates|batches] were [repeated|discarded] because of [edge effects|a faulty pump]
- [the full list|all values] can be found in supplementary [file|data set] {few}
- [adjusting|correction] for [age|sex|batch] moved the estimates by less than {dec}%
- the [reference|control] material behaved as in {some} earlier runs of this [laboratory|core
  facility]
- [recovery|yield] was {pc}% at one site and {dec} points [higher|lower] at the other
- sampling took place in the [morning|afternoon], {few} hours after the last [meal|feed|medium
  change]
- [staff|operators] changed once during the {some} weeks of [recording|collection]
- [residuals|distributions] were [close to|roughly] normal, so that no transformation was
  [used|needed]
- [intervals|bounds] were [wide|narrow] where fewer than {few} [replicates|samples] were at hand
- [both|the two] [instruments|scanners] were calibrated every {few} days against {some} standards
- [dropouts|losses] amounted to {few} of {many} and were [unrelated|not related] to the question
- a blinded re-reading of {pc} [slides|records] changed {few} of them by one grade
- [light|vibration|draught] was [measured|logged] at {few} places of the [room|bench] and stayed
  within limits
- [written|electronic] records of all {some} sessions were [compared|reconciled] with the
  [plates|samples] by a third person
- [batches|lots] of serum changed {few} times, each change being [bridged|covered] by {some}
  parallel samples
- [duplicates|replicates] differed by {dec}% on average, [more|less] in the first {few} sessions
- [ambiguous|unclear] readings, {few} in all, were [set aside|repeated] before the groups were
  [named|revealed]
- [pipetting|handling] errors were [simulated|estimated] and came to {dec}% of the variance
- [the two|both] sites [exchanged|swapped] {some} samples and obtained [like|similar] values
- [storage|transport] time (median {some} hours) did not [influence|affect] the [values|readings]

= discussion_open
- [the present|this] work [collects|adds] [several|different] kinds of data on {gene}, [not
  all|some] of which [point the same way|can be weighed alike]
- [this article|our account] [was written|is meant] for those who [curate|appraise] {gene} with
  regard to {disease}
- [readers|curators] will want to [weigh|judge] each [item|part] of this article on {gene}
  [separately|by itself]

= discussion
- [single-centre|multi-centre] work has [drawbacks|limits], among them [uneven follow-up|changes
  of staff] over {few} years
- the matter of {feature_b} deserves [more|closer] attention in [future|later] series
- [longer|further] follow-up, {few} years at least, is [needed|desirable]
- [environment|diet] and [modifier genes|genetic background] may [explain|account for] some of the
  [scatter|variance], here {pc}%
- [nomenclature|coding] has changed [twice|several times] since the first {few} patients were seen
- [reference|control] data were [collected|drawn] from {many} people of [mixed|diverse] ancestry
- [cost|effort] should not be [overlooked|underrated]: one [run|series] took {some} working days
- [statistical|measurement] error can not be ruled out for [effects|differences] under {dec}
  [units|points]
- [criteria|thresholds] for {feature} differ between [countries|guidelines] by up to {pc}%
- we [thank|are indebted to] the [families|participants] for {few} [rounds|years] of patience with
  our [questions|visits]
- [data sharing|a shared register] would [help|save] others from [repeating|redoing] {some} months
  of set-up
- [age|sex] may [modify|change] the picture, yet only {few} of our [samples|families] allow a look
  at this
- the [strict|narrow] selection has its price, {pc}% of those screened being [left out|excluded]
- [journals|reviewers] rightly ask for [effect sizes|raw data], which are [given|found] in
  supplement {few}

= discussion_close
- [in sum|to conclude], the [parts|pieces] of this article on {gene} [should|can] be
  [read|weighed] one by one
- [we hope|it is hoped] that the [material|data] will [serve|help] the [appraisal|curation] of
  {gene} in {disease}
- [what remains|the rest] is for [larger|later] studies of {dis_main}

= limits
- [the main|one] limit is [size|selection], only {some} of {many} candidates having been
  [enrolled|included]
- [some|{few}] assays were run [before|after] a change of [supplier|instrument]
- [ascertainment|recall] may have favoured those with {feature}
- [no correction|no allowance] was made for [relatedness|batch] in supplementary figure {few}
- [the follow-up|observation] ended after {some} months, [too soon|early] for late signs

= data
- [sequence|variant] data are [held|kept] under controlled access, request {many}
- [all scripts|the scripts for {few} figures] are archived with the article's files, {many} lines
  in all
- [plasmids|materials] can be had from the authors [on request|under the usual agreement], {few}
  per request
- [source|raw] values of {some} plots are [supplied|given] as tables
"""

NEUTRAL: dict[str, tuple[str, ...]] = {
    **read_pools(_FRONT),
    **read_pools(_INTRO),
    **read_pools(_BODY),
}
"""Pools of neutral sentences, by place."""
