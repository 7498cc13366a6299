"""How far a sentence may be believed: denied, planned, quoted, or about something else.

Patterns are matched against a sentence as `symbols.lowered` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gym_clinic.domains.clingen.lexicon import any_of, word_set
from gym_clinic.domains.clingen.symbols import lowered, symbols

DENIED = any_of(
    r"""
    take(?:s)? back an earlier ; (?:had to be|was|is) withdrawn ; falls with it ;
    could not be reproduced ; no longer hold ; the difference was gone ; in error ; did not hold ;
    samples had been swapped ; was not borne out ; did not ; does not ; do not ; was not ;
    were not ; is not ; are not ; could not be shown ;
    no (?:\w+ ){0,2}?(?:differ\w+|change\w*|alteration|evidence|effects?|defects?|abnormal\w*|
      phenotype|interaction|rescue|improvement|benefit|association|binding|sign|impairment|
      activity|trace|partner|influence|loss|response) ; fail(?:ed|s) to ; unable to ;
    without (?:any |overt |obvious |detectable )?(?:effect|differ|chang|improv)\w* ;
    indistinguishable ; unchanged ;
    unaffected\b(?! (?:relatives|members|siblings|ones|parents|people|controls|individuals)) ;
    unaltered ; (?<!-)matched (?!what|controls|donors) ; alike\b ;
    as (?:well|plentiful|much|often|strong\w*|abundant|common) (?:as (?:in|any|those|that)|in) ;
    performed as well ; could not be told ; within the range ; exactly as expected ; plain sum ;
    added up ; thrived ; left them normal ; (?:eluted|ran|stayed|came|migrated) apart ;
    (?:appeared|looked|remained|stayed|was|were|are|is) (?:entirely |completely |otherwise |
      grossly )?(?:normal|healthy) ; evenly ; precludes ; nor\b ;
    not (?:standing|found|seen|detect\w*|differ\w*|significant\w*|appear|confirm\w*) ;
    none of (?!\d+ donors) ; never (?:bound|rose|appeared|differed|changed) ; the same in ;
    equal in ; neither\b ; inconclusive ;
    could not be (?:quantified|judged|read|scored|decided|concluded|separated|measured) ;
    degraded ; silenced in ; made no difference ;
    comparable (?:to|with|in) (?:\w+ ){0,3}?(?:controls?|wild) ;
    (?:comparable|identical|similar|equal) (?:between|in) ; is unknown ; contaminated ;
    differed by \d% ; in vain ; indifferent ; on the same day ; at the same value ;
    nothing was wrong ; too noisy ; 1\.0 times ; as many with ; had no part ; no consequence ;
    nothing like ; as before ; with and without ; at any concentration ; did nothing ;
    left [\w ,-]+ (?:as|where) it was ; leaked ; could not be (?:assessed|judged|read) ;
    (?:was|were) lost (?:before|to) ; stayed low ; grains over sense and antisense ; is in hand ;
    are in hand ; ruled out ; could not (?:stand|replace|take over) ; inert\b ; equalled that ;
    was absent from what ; did not stain ; as it was\b ; unmoved ; at background ;
    lost before they ; not interpreted ; whatever the clinical ; in contrast to the patients ;
    disappointingly ; varied in sign ; no claim ;
    (?:left|leaves) (?:it|them|\w+) (?:as it was|normal|unchanged) ; changed nothing ; on chance ;
    by chance ; no longer reproducible ; lay within ; not tell ; empty vector alike ;
    both genotypes
    """
)
"""The finding is that there is none, or none that can be read."""

ABSENCE_AS_FINDING = any_of(
    r"""
    (?:did not|do not|does not|failed to|fail to|could not|that do not|(?:were|was) unable to|
      never) (?:\w+ )?(?:survive|thrive|develop|reach|grow|hatch|gain|swim|form|walk|fly|mature|
      differentiate|proliferate|migrate|respond|assemble|degrade|secrete|undergo|inflate|hear|
      learn|breed|complete|produce|convert|close|beat|repair|contract|take|engulf|keep|release|
      branch|exceed\w*|mate|feed|bud|fill|heal|clot|move) ;
    (?:not|never) (?:be )?(?:viable|born|expressed|produced|made|
      detected in (?:\w+ ){0,4}?(?:patients|affected)) ; never exceeded ; not only ;
    no (?:\w+ )?(?:protein|transcript|mrna|band|staining|residual|homozygo\w+|live|igg|mesoderm|
      granules|urea) ; and in none of (?:its|their) ; but not in ;
    although either \w+ was normal ; by itself (?:was |being )?silent ;
    could not be told from (?:unaffected|donors|healthy|wild|tissue of)[\w']* ; could not keep ;
    (?:parental|control|unedited|unaffected|neighbouring|sense|
      wild-type)(?: \w+){0,3} (?:did not|stayed \w+|remained \w+|were normal|was normal) ;
    loading controls alike ; (?:was|were) healthy before ; with loading \w+ alike ;
    could not be borne ; was not long in ; stayed normal for ; other tissues were not ;
    though not those ; and the parental ones did not ; and in no others? ; not get beyond ;
    not a gene of all ; never came near ; no extract ; not even ; until \w+ went in ;
    not (?:missing|absent) in (?:the )?\w+ ; but not with ; and not others ; not in one ;
    with and without \w+ differed in
    """
)
"""A negated word that is itself the finding, or sets a control against it."""

CONTRAST = any_of(
    r"""
    but not ; whereas ; unlike ; in contrast to (?!the patients) ;
    while (?:the )?(?:control|wild|mutant|empty|vector) ; though not ; and stayed low ;
    although either ; although the controls ; although nothing of the kind ; rather than ;
    a manoeuvre without ; without effect in wild
    """
)
"""A negation that sets a control against the finding instead of denying it."""

TENTATIVE = any_of(
    r"""
    may (?:also )?(?:be (?!taken|read)|have|serve|help|act|reflect|play|provide|contribute|
      explain|interact|prove|share|rescue|restore|represent|underlie) ; might\b ;
    could (?:be used|prove|serve|help|reveal|in principle|have a|interact|explain|share|rescue) ;
    would (?:be (?:the|a|of|expected|informative|needed|useful|desirable|worth)|help|need|
      clarify|strengthen|have to) ; (?:has|have) yet ; yet to (?:be|come) ;
    remains? (?:to be|unclear|unknown|elusive|open|untested|uncertain|for|speculative) ; future ;
    will (?:be|have to|need|show|tell|follow|address|clarify) ;
    (?:is|are) (?:now )?(?:needed|warranted|planned|under way|underway|in progress|
      in preparation|awaited|being (?:\w+ )?(?:set|made|bred|grown|designed|compiled|collected|
      generated|prepared|tested|raised|crossed)) ; planned\b ; is to (?:be|follow) ; are to be ;
    to be tested ; still to come ; not yet ; speculat\w+ ; hypothes\w+ ; tempting ;
    conceivabl\w+ ; perhaps ; possibl[ye] ; presumabl[ye] ;
    we (?:plan|intend|propose|hope|mean|shall) ; (?:has|have) (?:not|never) been (?!\w+ before) ;
    whether (?!or) ; further (?:work|studies|experiments) ; candidate for ; open question ;
    in silico ; should be (?:looked|tested|examined|studied) ; next step ; once samples ;
    at the time of writing ; under way ; predicted by ; (?:is|are) expected to ;
    have been ordered ; too young ; nobody having ; none has been ; applied for ; were kept for ;
    (?:is|are) growing up ; not yet been ; await\w*
    """
)

CITED = any_of(
    r"""
    previous(?:ly)?\b ; et al ; refs?\. ; textbook ; reviewed ;
    (?:shown|described|established|reported|published|demonstrated) elsewhere ;
    in the literature ; \[\d+(?:[,-] ?\d+)*\] ; \(\w+,? \d{4} ;
    (?:earlier|prior|past|older|other|several|independent|published|recent) (?:\w+ )?(?:work|
      stud(?:y|ies)|reports?|groups?|authors?|investigators?|papers?|publications?|laborator(?:y|
      ies)|literature|teams?|series) ; others (?:have|had) ; shown by others ; one group had ;
    another (?:group|laborator|team) ;
    (?:has|have|had) (?:already |since |also |long |recently |previously )?been (?:report|
      describ|shown|demonstrat|document|publish|establish)\w* ;
    (?:is|are|was) (?:well |already |widely |long )?known (?:to|that|at|from|for its) ;
    reported (?:by|in (?:19|20)\d\d) ; published (?:by|before) ; ago\b ; described by ;
    according to ; goes back to ; belongs to (?:earlier|others) ; the finding of ;
    taken as given ; historically ; at the outset
    """
)

OWN_WORK = any_of(
    r"""
    in our hands ; this time ; contrary to an earlier ; against what ;
    in contrast to (?:an? )?(?:earlier|previous|published) ;
    unlike (?:an? )?(?:earlier|previous) ;
    we (?:now |here |also )?(?:show|found|find|observed|saw|detected|demonstrate|confirm)\w* ;
    our (?:data|results|findings|experiments) (?:show|demonstrate)
    """
)
"""The authors' own finding, set against what others reported."""

QUOTED = any_of(
    r"""
    refs?\. ; one group had ; others had ; before ours ; earlier authors ; another group ;
    textbook ; et al ; \(\w+,? \d{4}
    """
)
"""A finding of others, whatever else the sentence says."""

REPEATED = any_of(
    r"""
    held in our ; put to the test and held ; and so did we ; experiment we repeated ;
    gave the same\b ; with the same outcome ; our own experiment ; we repeated ;
    was confirmed here ; held (?:up )?here ; in our (?:own )?hands ; looked again, we did ;
    to look again ; could be confirmed ; and we (?:can )?confirm
    """
)
"""An earlier claim that the authors tested anew and found to hold."""

RETRACTED = any_of(
    r"""
    take(?:s)? back ; withdrawn ; withdraw\b ; falls with it ; could not be reproduced ;
    no longer hold ; was gone: ; the difference was gone ; did not stand ; does not stand ;
    a repeat gave nothing ; mislabelled ; samples had been swapped ; retract\w* ; erratum ;
    was in error ; could not be confirmed ; failed to replicate ; not borne out ;
    must be corrected ; should be disregarded
    """
)
"""The authors take back what they have reported elsewhere in the article."""

METHOD_ONLY = any_of(
    r"""
    (?:was|were) (?:performed|carried out|cultured|purchased|obtained from|conducted|maintained|
      housed|collected|genotyped|extracted|prepared|seeded|grown in|incubated|approved|fixed|
      designed|amplified) ; according to the manufacturer ; protocol ; supplier ; primers?\b ;
    ethic\w* ; consent ; (?:only|solely|merely|purely) (?:to|for|as|in order) ;
    served (?:to|as|only) ; (?:used|served|done|made|tried|assayed) (?:only|solely|merely) ;
    for nothing else ; not being tested ; no \w+ being ; without a count ; discarded ;
    to obtain protein ; shuttle only ; the blots only ; positive control ;
    as (?:a )?(?:standard|marker|loading|size) ; for (?:antibody|antiserum) production ;
    to raise\b ; to calibrate ; to titrate ; to check the quality ; for immunisation
    """
)
"""The gene is handled, but nothing is learnt of it."""

DISCLAIMED = any_of(
    r"""
    take(?:s)? back an earlier ; (?:had to be|was|is) withdrawn ; falls with it ;
    could not be reproduced ; no longer hold ; the difference was gone ; did not hold ;
    samples had been swapped ; says nothing (?:of|about|on) ; no claim ; awaits the same ;
    remains to be done for ; like finding for ; was not done ; not part of (?:this|the) ;
    need not hold ; none of this ; nothing of this ; nothing in common ; looked for and not ;
    which we did not ; not taken up ; not repeat\w* ; do(?:es)? not bear on ; no sign of the ;
    of no concern ; unrelated to the (?:disease|disorder) ;
    not (?:tested|examined|studied|done) (?:for|in|with) ; is another matter ;
    other than the (?:disease|disorder) ; concerns? (?!the)
    """
)
"""The next sentence takes the finding back: another gene, another disease, not repeated."""

ADMINISTRATIVE = any_of(
    r"""
    (?:re)?calibrat\w+ ; (?:duplicates?|replicates?|triplicates?) (?:differed|agreed|were) ;
    (?:bounds|intervals) were ; isotype controls ; quality (?:control|checks?) ;
    (?:three|two|both|\d+) (?:observers|readers|raters) ; observers agreed ; losses amounted ;
    dropouts ; operators changed ; staff changed ; re-?reading ; recovery was ; yield was ;
    sampling took place ; the order of (?:batches|runs|plates) ; (?:reference|control) material ;
    (?:work|measurements|recordings?) began ; full list ; all values ;
    (?:\d+|of \d+) (?:plates|batches|samples|records) (?:were|screened) ; background values ;
    both (?:scanners|instruments|sites|sexes) ; the two instruments ; coefficient of ;
    trio samples ; parental samples ; reference transcript ; number of cultures ;
    expression levels were balanced ; thresholds for ; (?:vehicle|sham) wells ;
    (?:unclear|ambiguous) readings ; (?:lots?|batches) of serum ; viability ; husbandry ;
    size at ; (?:storage|transport) time ; temperature ; electronic records ;
    scoring (?:took|was) ; the observation time ; copy number was ; genotypes occurred ;
    (?:mock|buffer|vehicle|sense) controls? ; heat(?:ing)? of ; (?:input|bait|expression) levels ;
    the beads alone ; dose was ; isotype ; loading ; boiling of ;
    (?:measurements|data|values|samples|specimens) (?:for|on|from) \w+[\w -]* (?:were|was) ;
    (?:measurements|data) were (?:pooled|combined) ; we discuss ; the text discusses ; limits of ;
    details of ; taken together, the ; together, the ; on a (?:common|\w+-point) scale ;
    unwanted events ; sampling depth ; (?:all|the) assays ; samples for ;
    the work (?:on \w+ )?was ; has been put forward ; is discussed in the ; close with ;
    closes with ; power was ; the bearing of ; what these \w+ (?:mean|on) ; two laboratories ;
    a pilot phase ; selection has ; cost should ;
    (?:age|sex|diet|environment) (?:and [\w ]+ )?(?:may|might) ; (?:single|multi)-centre ;
    (?:control|reference) data ; measurement error ; follow-up ; effort should ; in sum, ;
    to conclude, ; the matter of ; what remains ; the rest is ; it is hoped ; we hope ;
    (?:an )?(?:empty|inactive) controls? ; dna came ; written records ; passage numbers ;
    (?:plates|batches|samples) were (?:discarded|repeated) ; stoichiometry ; the molar ratio ;
    medium made ; reviewers rightly ; journals rightly ; this article is meant ;
    (?:this|the present) (?:work|article) (?:adds|collects|sets|brings) ; curators will ;
    signs of \w[\w ,-]+ (?:noted|present) in ; median age ; recall may ; no allowance ;
    consent was ; was approved by ; criteria for ; the (?:degree|course) of ; supplementary ;
    supplement \w+ ; sample sizes? ; nomenclature ; (?:testing )?panels for ; guidelines ;
    a shared register ; data sharing ; statistical error ; longer follow-up
    """
)
"""How the work was run; such a sentence says nothing of the gene and ends a passage."""

COMMON_DISEASE = any_of(
    r"""
    asthma ; psoriasis ; plaque psoriasis ; endometriosis ; osteoporosis ; gout\b ; migraine ;
    hypertension ; obesity ; osteoarthritis ; eczema ; dermatitis ; contact dermatitis ;
    rheumatoid ; type [12] diabetes ; alzheimer\w* ; parkinson\w* ; schizophrenia ; depression ;
    ulcerative colitis ; crohn\w* ; peptic ulcer ; gallstones? ; gallstone disease ;
    kidney stones ; stroke\b ; periodontitis ; glaucoma ; influenza ; malaria ; tuberculosis ;
    hay fever ; sepsis ; covid\w* ; chronic obstructive ; rosacea ; acne ; vitiligo ;
    fibromyalgia ; pancreatitis ; atherosclerosis ; macular degeneration ; appendicitis ;
    sinusitis ; celiac\w*
    """
)
"""A common disease, which no rare disease's article is about."""

# -- sections ----------------------------------------------------------------------------------

SECTION_WEIGHTS: tuple[tuple[re.Pattern[str], float], ...] = (
    (re.compile(r"method|material|procedure|statistic|ethic|data availab", re.I), 0.3),
    (re.compile(r"^(?:patients|participants|subjects|families|individuals)\b", re.I), 0.45),
    (re.compile(r"introduction|background|literature|previous|related", re.I), 0.45),
    (re.compile(r"limitation|future|outlook|perspective|reference|acknowledg", re.I), 0.3),
)
"""How much a finding in such a section counts; 1 where none matches."""

# -- diseases ---------------------------------------------------------------------------------

DISEASE_NAME = re.compile(
    r"(?:patients with|people with|families with|implicated in|cause of|causes of|gene for|site of"
    r"|tissue of|models? of|that of|those of|see in|seen in|belongs to|concerns|resembl\w+) "
    r"((?:[a-z0-9'-]+ ){1,4}?)(?:syndrome|disease|disorder|dystrophy|ataxia)\b"
)
"""A disease by name, where a sentence says whose disease it is."""

_CONTENT = re.compile(r"[a-z]{5,}")

_OPENINGS = (
    re.compile(
        r"^(?:although|though|even though|despite|contrary to|in contrast to (?:an? )?(?:earlier"
        r"|previous)|against what|unlike|with observers|after correction|in \d+ independent"
        r"|as (?:shown|can be seen)|this time|for the record|here|in this work|again|of note"
        r"|notably|moreover|further|furthermore|in addition|interestingly|surprisingly"
        r"|asked by others)\b[^,]*, "
    ),
    re.compile(r"^(?:this|it|the effect)\b[^,:]*, but (?=.{25})"),
    re.compile(r"^we did, and "),
    re.compile(r"^[^:]{0,90}: (?=.{25})"),
)
"""What may stand before the main clause and says nothing of it."""

_ASIDE = re.compile(
    r" ?\((?:the )?(?:protocol|method|procedure|figs?\b|figure|tables?\b)[^)]*\)"
    r"|, (?:by|with|after) the (?:method|protocol|procedure) of refs?\. \d+"
)
"""A remark on method or display."""

_GENERAL = word_set(
    """
    the this that a an of in with for and to human genetic rare inherited same our severe mild
    common known other any such underlying mendelian progressive congenital related associated
    deficiency disease disorder syndrome phenotype by from as or patients is are was were
    """
)


def section_weight(heading: str) -> float:
    """How much a finding under a heading counts, 0 to 1."""
    for pattern, weight in SECTION_WEIGHTS:
        if pattern.search(heading):
            return weight
    return 1.0


def belief(plain: str) -> float:
    """How far a sentence is a finding of its own authors, 0 to 1."""
    trust = 1.0
    if TENTATIVE.search(plain):
        trust *= 0.4
    cited = CITED.search(plain) and not OWN_WORK.search(plain)
    if (cited or QUOTED.search(plain)) and not REPEATED.search(plain):
        trust *= 0.4
    if METHOD_ONLY.search(plain):
        trust *= 0.45
    return trust


def denied(plain: str) -> bool:
    """Whether a sentence says that there was nothing to find."""
    rest = ABSENCE_AS_FINDING.sub(" ", plain)
    found = DENIED.search(rest)
    if found is None:
        return False
    contrast = CONTRAST.search(rest)
    return contrast is None or (found.start() < contrast.start() and contrast.start() > 25)


def disclaims(text: str, plain: str, own: re.Pattern[str]) -> bool:
    """Whether a sentence takes back what the one before found for the gene at hand.

    "What holds for ABC1 need not hold for XYZ2" takes it from XYZ2 alone, the last one named.
    """
    if not DISCLAIMED.search(plain):
        return False
    mine = [found.start() for found in own.finditer(lowered(text))]
    others = [found.start() for found in symbols(text, own)]
    return not others or (bool(mine) and mine[-1] > others[-1])


def names_other_disease(plain: str, disease: str) -> bool:
    """Whether a sentence speaks of another disease than the one at hand."""
    own = set(re.findall(r"[a-z0-9]+", lowered(disease))) - _GENERAL
    if own & set(re.findall(r"[a-z0-9]+", plain)):
        return False
    if COMMON_DISEASE.search(plain):
        return True
    return any(not word_set(found[1]) <= _GENERAL for found in DISEASE_NAME.finditer(plain))


def taken_back(plain: str, retractions: Sequence[str]) -> bool:
    """Whether the article takes a statement back elsewhere, in much the same words."""
    said = set(_CONTENT.findall(plain))
    return any(
        len(said & set(_CONTENT.findall(one))) >= max(3, 0.6 * len(said)) for one in retractions
    )


def main_clause(plain: str, own: re.Pattern[str]) -> str:
    """A sentence without what opens it and names no gene ("Although the controls …, X").

    Also without asides in brackets that tell whose method was used, not whose finding it is.
    """
    plain = _ASIDE.sub("", plain)
    for opening in _OPENINGS:
        found = opening.match(plain)
        if found and not own.search(found[0]):
            plain = plain[found.end() :]
    return plain
