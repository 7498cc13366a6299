"""Words by which biomedical articles speak of experimental evidence, as patterns.

General knowledge of how laboratories write. Patterns are matched against lower case with
typographic dashes made plain. How far a sentence may be believed is in `belief.py`.
"""

from __future__ import annotations

import re


def any_of(alternatives: str) -> re.Pattern[str]:
    """One pattern out of many, each beginning a word; they are set apart by `` ;``."""
    parts = [" ".join(part.split()).replace("| ", "|") for part in alternatives.split(" ;")]
    return re.compile(rf"(?<![a-z0-9])(?:{'|'.join(filter(None, parts))})")


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


# -- where an experiment was done ------------------------------------------------------------

ORGANISM = any_of(
    r"""
    mouse\b ; mice\b ; murine ; zebrafish ; danio ; drosophila ; (?:fruit )?fl(?:y|ies)\b ;
    c\. ?elegans ; caenorhabditis ; nematodes?\b ; worms?\b ; xenopus(?! oocyte) ; frogs?\b ;
    tadpoles?\b ; rats?\b ; dogs?\b ; canine ; pigs?\b ; porcine ; minipigs?\b ; medaka ;
    yeasts?\b(?!.two) ; saccharomyces ; s\. ?cerevisiae ; s\. ?pombe ; chick(?:en|s)?\b ;
    rabbits?\b ; sheep\b ; cattle\b ; calves\b ; cats?\b ; feline ; macaques?\b ; larva[el]?\b ;
    morphants?\b ; crispants?\b ; littermates?\b ; pups\b ; animals?\b ; whole[- ]organism ;
    whole organism ; guinea pigs?\b ; hamsters?\b(?! ovary) ; dictyostelium ; planarians?\b ;
    fish\b ; in vivo model ; opossums?\b ; adults with two ; mutant copies ; germ line ;
    homozygotes among ; null (?:adults|offspring) ; born without ; raised without
    """
)
"""A living thing that is not human."""

_CELL = (
    r"(?:\w*cells?\b|cell lines?|\w*fibroblasts?|lympho(?:blast|cyte)\w*|h?ipscs?\b|lcls?\b|pbmcs?"
    r"|leu[ck]ocytes|myo(?:blast|tube)s?|keratinocytes?|platelets?|neutrophils?|cybrids?"
    r"|macrophages?|monocytes?|erythro(?:blast|id)\w*|neurons?\b|cardiomyocytes?|hepatocytes?"
    r"|amniocytes?|astrocytes?|podocytes?|osteo(?:blast|clast)s?|chondrocytes?|melanocytes?"
    r"|adipocytes?|thymocytes?|megakaryocytes?|microglia\b|precursors\b|progenitors\b|explants?"
    r"|oocytes?|\w*spheres?\b|mefs?\b|clones\b|muscle fib(?:er|re)s?|oligodendrocytes?"
    r"|in primary culture"
    r"|(?:\w+ )?epitheli(?:um|al)|cultures?\b)"
)
CELL = re.compile(
    r"(?<![a-z])(?:" + _CELL + r"|hek[- ]?293\w*|hela\b|cos-?[17]\b|sh-?sy5y|neuro-?2a|u-?2-?os"
    r"|hap-?1\b|k562|jurkat|c2c12|heterologous|transfect\w+)"
)
"""Cells, of whatever origin."""

ANIMAL_CELLS = re.compile(ORGANISM.pattern + r"[ -](?:[\w-]+ ){0,3}?" + _CELL)
"""Cells taken from an animal, which are no animal."""

PATIENT = any_of(
    r"""
    patients?\b ; probands?\b ; children ; infants?\b ; boys?\b ; girls?\b ; siblings\b ;
    affected (?:individual|member|child|sibling|famil|male|female|subject|relative|person|people|
      boy|girl|infant|brother|sister)\w* ; index (?:case|patient)s? ; people (?:with|who) ;
    individuals (?:with|who) ; cases\b ; subjects with ; participants?\b ; recipients?\b ;
    brothers?\b ; sisters?\b ; newborns?\b
    """
)
"""People who have the disease."""

TREATED = any_of(
    r"""
    (?:patients?|people|children|participants?|individuals?|boys?|girls?|
      infants?) (?:\w+ )?(?:given|treated|who (?:received|were treated)|to receive|received|
      no longer|on treatment) ;
    treated (?:patients?|children|individuals?|participants?|siblings?) ; participants?\b ;
    in (?:all )?(?:\w+ of )?(?:the )?\w+ (?:\w+ )?(?:patients|children|participants|boys|girls|
      infants) ; volunteers ; open-label ; those who received ; people who had ; beyond help ;
    clinical trial ; offered to ; of them and worsened ;
    \d+ (?:patients|people|children|boys|girls|participants|affected individuals) ;
    \w+ of (?:the )?\w+ (?:treated )?(?:patients|children|affected)
    """
)
"""People to whom a treatment was given."""

MODEL = any_of(
    r"""
    organoids? ; spheroids? ; assembloids? ; gastruloids? ; embryoid bod(?:y|ies) ; micromass\w* ;
    microtissues? ; pellets\b ;
    (?:networks|islands|tubes|muscles|chambers|streams|sheets|gels|rings|spheroids|
      assays) (?:with|without|grown|built|short) ;
    null \w+ (?:assays|chambers|islands|tubes|sheets|streams) ; co-?cultures? ; organotypic ;
    engineered (?:\w+ )?(?:tissues?|bundles?|muscles?) ; \w+-on-chip ; (?:\w+ )?chips?\b ;
    explants? ; (?:optic-cup|utricle-like) ; cell(?:ular)? models? ; tubuloids? ;
    batch(?:es)? of ; (?:vascular|aortic) rings ; air-liquid ;
    (?:corneal|skin|cartilage) constructs? ; sheets\b ; in a dish ; model(?:led)? in vitro ;
    (?:built|made|grown) (?:in vitro|outside the body) ; networks on ; cultures\b ; on filters ;
    gels\b(?! filtration) ; isogenic ; edited sister ; unedited ; endothelial channels ;
    tubules grown ; cell lines? ;
    (?:knock-?out|null|edited|deficient) (?:\w+ )?(?:lines?|clones?)\b ; ipsc-derived ;
    spheres\b ; islets grown ; crypts? grown ; (?:grown|made) from (?:cells|a line) ;
    built from cells ; before differentiation ; \w+ bodies\b ; acini in ; matrigel ; perfused ;
    streams on ; assays grown ; chambers (?:with|grown|built) ; the resulting ;
    \w+ with a deletion of
    """
)
"""Tissues built in culture, or lines edited, to stand for an organ."""

# -- what was done to the gene, and what came of it -------------------------------------------

DISRUPT = any_of(
    r"""
    knock(?:ed|ing)?[- ]?(?:out|down|in)s?\b ; ko\b ; null\b ; nullizygous ; deficien\w+ ;
    mutants?\b ; morph(?:olino|ant)\w* ; crispr\w* ; crispants? ; delet\w+ ; disrupt\w+ ;
    lack(?:ing|s|ed)?\b ; loss of ; loss-of-function ; deplet\w+ ; silenc\w+ ; sirnas?\b ;
    shrnas?\b ; rnai\b ; (?:rna interference|interfering rna) ; ablat\w+ ; inactivat\w+ ;
    hypomorph\w* ; gene[- ]trap\w* ; transgenic ; haploinsufficien\w+ ; heterozygo\w+ ;
    homozygo\w+ ; hemizygo\w+ ; devoid of ; absence of ; edit(?:ed|ing) ; dominant[- ]negative ;
    carrying ; harbou?ring ; without\b ; overexpress\w+ ; truncat\w+ ; missense ; variants?\b ;
    mutations?\b ; mutated ; mutagen\w+ ; remov(?:al|ed|ing)\b ; nonsense ;
    suppressi?(?:on|ed|ing) ; excis\w+ ; frameshift ; alleles?\b ; biallelic ; interrupt\w+ ;
    starved of ; as it proved, no ; change (?:written )?into ; cut out ; out of the way ;
    guide rnas? ; guides ; down to a tenth ; dead form ; want of ; deprived of ; refused ;
    taking out ; took out ; short of ; went \d+% ; has to do without ; taken out ; took \w+ out ;
    without a working ; bred to homozygosity ; mutant form ; switched off
    """
)

KNOCKED = any_of(
    r"""
    knock(?:ed|ing)?[- ]?down ; silenc\w+ ; sirnas?\b ; shrnas?\b ; rna interference ;
    interfering rna ; cut out ; out of the way ; guide rnas? ; guides ; down to a tenth ;
    dead form ; scrambled ; their parents to ; dragged ; with \w+ went ; deplet(?:ed|ing|ion)\b ;
    starved of ; took \w+ out of ; taken out of ; edited out of ; mutant form ; expressing ;
    transfect\w+ ; (?:patients' |the )change into ; overexpress\w+ ; mutant \w+ construct ;
    writing ; suppress(?:ed|ing|ion)\b ; crispr interference ; parental ; mock-treated ;
    untransfected
    """
)
"""How a gene is disturbed in a cell that otherwise has nothing to do with the disease."""

SHOWED = any_of(
    r"""
    show(?:ed|n|s)?\b ; display\w* ; develop(?:ed|s)?\b ; exhibit\w* ; had\b ; has\b ; have\b ;
    came to ; ensued ; arose ; appeared ; (?<!we )follow(?:ed|s)\b ; gave\b ; gives\b ;
    stood out ; came down with ; left\b ; resulted ; leads? to ; led to ; produced ; caused ;
    died ; suffered ; the answer ; were born ; (?:was|were) the price ; paid for ; set \w+ apart ;
    free of ; went on to ; escaped ; befell ; was not long in coming ; lived ; presented ;
    is seen ; was seen ; were seen ; came with ; there was ; observed ; took on ; brought
    """
)

ABNORMAL = any_of(
    r"""
    impair\w* ; reduc(?:ed|tion|es) ; decreas\w+ ; diminish\w+ ; defect\w* ; abnormal\w* ;
    abolish\w+ ; los[st]\w* ; elevat\w+ ; increas\w+ ; accumulat\w+ ; delay\w* ; dysfunction\w* ;
    slow\w* ; shorten\w+ ; mislocali[sz]\w+ ; fragment\w+ ; apopto\w+ ; degenerat\w+ ; died ;
    death ; lethal\w* ; seizures? ; phenotyp\w+ ; malform\w+ ; small(?:er)?\b ; weak\w* ;
    altered ; fail\w* ; fewer ; lower\w* ; higher ; deficit\w* ; disturb\w+ ; prolong\w+ ;
    sever\w+ ; swollen ; enlarg\w+ ; did not (?:survive|develop) ; unable ; excess\w* ;
    compromis\w+ ; unstable ; arrest\w* ; aberrant\w* ; drop(?:ped)?\b ; fell\b ; fallen ;
    halved ; doubled ; half (?:of (?:normal|the)|that|as) ; less\b ; percent ; \d+(?:\.\d+)?% ;
    fold\b ; absent ; missing ; rais(?:ed|es) ; cut\b ; down (?:by|to) ; gone down ; lay outside ;
    could be told from ; never exceeded ; barely ; only \w+% ; standing at ; lost much ;
    could not keep up ; far below ; far above ; poorly ; too (?:little|much|slow)
    """
)

MIMIC = any_of(
    r"""
    recapitulat\w* ; mimic\w* ; mirror\w* ; phenocop\w* ; reminiscent ; resembl\w+ ;
    reproduc(?:ed?|ing)\b ; (?:human|patient|disease)[- ]like ; hallmarks? ;
    (?:similar|comparable|analogous|akin|close) (?:\w+ )?to (?:those|that|the) ;
    seen in (?:human |our |the )?(?:patients|disease|disorder) ; likeness ; look of the ;
    stood in for ; (?:look|looked) like ; biopsies of ; as in the (?:disease|disorder) ;
    lesion of the ; tissue-level ; tissue of patients ; way of the (?:disease|disorder) ;
    made to fall ill ; stands? in for ; modell?(?:ed|ing|s)\b ; typical of the ;
    characteristic of the ; namely ; features? of the ; as \w[\w -]+ would suggest ;
    see in the (?:disease|disorder) ; came close ; (?:was|were) built ; counterpart ;
    picture of the ; much as in ; in a dish ; diseased organ ; pathologists see
    """
)

# -- rescue -------------------------------------------------------------------------------------

RECOVERED = any_of(
    r"""
    rescu\w+ ; restor\w+ ; revers(?:ed?|al|es|ing)\b ; ameliorat\w+ ; correct(?:ed|s)\b(?! for) ;
    correction of ; normali[sz]\w+ ; complement(?:ed|ation|s)\b ; alleviat\w+ ;
    return(?:ed|s|ing) (?:\w+ ){0,3}?(?:to|towards?)\b ; mended ; recover(?:ed|y|s)?\b ;
    prevent(?:ed|s)\b ; re-?establish\w* ; brought (?:[\w-]+ ){0,6}?back ; mitigat\w+ ;
    reliev(?:ed|es)\b ; cured?\b ; improv(?:ed|ement|es)\b ; halted ; regain\w* ; spared ; freed ;
    undid ; undone ; no longer ; disappear\w* ; vanish\w* ; came up to ; lifted ; near normal ;
    lost most signs ; free of ; hard to tell from ; could not be told from ;
    (?:was|were) that of (?:the )?donors ; made up for ; made good ; failed to appear ;
    suffic(?:ed|es) to keep ; they did with ; were without ; (?:was|were) gone in ;
    gone (?:in|from|within) ; look(?:ed|s)? normal ; attenuated ; overc[ao]me ;
    made [\w ,-]+ disappear ; lost (?:its|their) \w+ (?:signs|lesions) ; up to \d+% of normal ;
    never came ; kept [\w -]+ from ; ran at normal ; rid of ; none the worse ; did without ;
    lacked for nothing ; go without ; went without ; grew old without ; back from ; gave way to ;
    made up (?:its|their) ; put right ; closed with ; did not (?:differ|occur|go on) ;
    could not be found in null ; nothing was left of ; thanks to ; all it took ; come back ;
    came back ; back to (?:normal|\d+%) ; had been given back ; being absent ;
    those that were given it ; refused \w+ went on ; was not seen ; went on to \w[\w -]+, unlike ;
    (?:participants|patients|children|people|individuals) lost ; escaped ; cleared ;
    grew normally ; coming close to the normal ; raised [\w ,-]+ to normal ; returned\b
    """
)

PUT_BACK = any_of(
    r"""
    re-?express\w* ; re-?introduc\w* ; re-?constitut\w* ;
    wild[- ]?type\b(?! (?:littermate|mice|sibling|control|animal|fish|larva|value|cell|fl|level|
      strain)) ; gene (?:therapy|transfer|replacement|addition|correction|delivery) ; aav\w* ;
    adeno-?associated ; (?:enzyme|protein)[- ]replacement ; replacement therapy ; lentivir\w+ ;
    retrovir\w+ ; viral vector ; vector\b ; transgene\b ; transduc\w+ ; inject\w+ ;
    suppl(?:y|ied|ies|ying)\b ; supplement\w+ ; infus\w+ ; transplant\w* ; graft\w* ;
    messenger rna ; added copy ; recombinant ; correction of ; (?:base|gene) correction ;
    correcting ; corrected (?!for) ; repair(?:ed|ing)\b(?! of) ; put back ;
    (?:back|switching|switched) on\b ;
    (?:working|normal|intact|human|healthy|functional|safe-harbour|single|second) (?:copy|copies|
      message|gene|form|allele|protein|version) ; (?<!one )copy of ;
    (?:the )?human \w+ (?:on top|gene|orthologue) ; carried the human ; normal \w+ message ;
    inducible ; (?:was|were) put in ; with blank ; left alone ; before and (?:\w+ )?after ;
    with nothing added ; back in place ; reintroduc\w+ ; on board ; given back ;
    (?:was|were|been|once|when|being) given (?!nothing)\w+ ; supplied ; from a virus ;
    nothing but \w+ itself ; \w+ added\b ; an? (?:added|intact) ; added \w+ ; put into ;
    dose of a vector ; letter put right ; on receipt of ; refused ; had \w+ again ;
    took no more than ; base[- ]edit\w+ ; antisense ; deliver\w+ ; reactivat\w+ ;
    given (?:the|a|an) ; (?<!mock-)treat\w+ ; protein, added ; complement\w+ ; exogenous ;
    expression of (?:the )?(?:human|wild) ; m?rna of the ; back-?cross\w*
    """
)

NOT_RECOVERED = any_of(
    r"""
    did not raise ; did nothing ; kept on ; in spite of ; on the same day ; same value ;
    differed by \d% ; ran its course ; in vain ; as without ; with or without ; leaked ;
    could not be (?:assessed|judged|read|determined) ; went on as before ;
    as (?:it|they) (?:was|were)\b ; where it was ; stayed low after ; no sooner ;
    did nothing for ;
    did not (?:\w+ )?(?:restore|rescue|prevent|improve|correct|recover|lift|relieve|normali[sz]e|
      bring|help|change|reverse|alter) ; silenced in ;
    no (?:improvement|rescue|benefit|effect|recovery|change) ;
    fail(?:ed|s) to (?:restore|rescue|prevent|improve|correct|normali[sz]e) ;
    could not be restored ; made no difference ; persisted ; is unknown ;
    not (?:restored|rescued|improved|corrected) ; neither ; all the same ;
    (?:remained|stayed) (?:as|where|unchanged|low) ; no better
    """
)
"""A rescue that was tried and did not succeed."""

VARIANT = any_of(
    r"""
    variants?\b ; mutations?\b ; mutants?\b ; index cases? ; homozygo\w+ ; heterozygo\w+
    """
)
"""The genotype of those whose cells are studied."""

GIVEN_CELLS = any_of(
    r"""
    (?:autologous|gene-corrected|corrected|stem|donor|progenitor) (?:\w+ )?cells? ; stem-cell
    """
)
"""Cells that are the treatment."""

SETUP = any_of(
    r"""
    was bred ; were grown from ; (?:was|were) given\b ; was offered ; (?:was|were) removed from ;
    was laid over ; were run side by side ; were available from ; was counted ;
    (?:we|were) asked ; we followed ; were crossed ; were combined ; was placed ; took \w+ out ;
    were tested ; was drawn ; gave us ; was written into ; was delivered ; received \w+ in a ;
    can be (?:watched|followed) ; was followed with ; was taken as the readout ; we deleted ;
    we dissected ; we purified ; make plenty of ; were scored blind ; we asked how ; was set up ;
    are made for
    """
)
"""An experiment is set up; what came of it is told later."""

RESULT = any_of(
    r"""
    \d+(?:\.\d+)?% ; showed ; developed ; had\b(?! been) ; times\b ;
    normal\b(?! (?:tissue|section|donor|message)) ; whereas ; displayed
    """
)
"""What came of an experiment."""
