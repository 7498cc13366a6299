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
    fish\b ; in vivo model ; opossums?\b ; adults with two ; mutant copies ; germ line ; homozygotes among ; null (?:adults|offspring) ; born without ; raised without
    """
)
"""A living thing that is not human."""

_CELL = (
    r"(?:\w*cells?\b|cell lines?|\w*fibroblasts?|lympho(?:blast|cyte)\w*|h?ipscs?\b|lcls?\b|pbmcs?"
    r"|leu[ck]ocytes|myo(?:blast|tube)s?|keratinocytes?|platelets?|neutrophils?|cybrids?"
    r"|macrophages?|monocytes?|erythro(?:blast|id)\w*|neurons?\b|cardiomyocytes?|hepatocytes?"
    r"|amniocytes?|astrocytes?|podocytes?|osteo(?:blast|clast)s?|chondrocytes?|melanocytes?"
    r"|adipocytes?|thymocytes?|megakaryocytes?|microglia\b|precursors\b|progenitors\b|explants?"
    r"|oocytes?|\w*spheres?\b|mefs?\b|clones\b|muscle fib(?:er|re)s?|oligodendrocytes?|in primary culture"
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
      boy|girl|infant|brother|sister)\w* ;
    index (?:case|patient)s? ; people (?:with|who) ; individuals (?:with|who) ; cases\b ;
    subjects with ; participants?\b ; recipients?\b ; brothers?\b ; sisters?\b ; newborns?\b
    """
)
"""People who have the disease."""

TREATED = any_of(
    r"""
    (?:patients?|people|children|participants?|individuals?|boys?|girls?|infants?) (?:\w+ )?(?:given|
      treated|who (?:received|were treated)|to receive|received|no longer|on treatment) ;
    treated (?:patients?|children|individuals?|participants?|siblings?) ; participants?\b ;
    in (?:all )?(?:\w+ of )?(?:the )?\w+ (?:\w+ )?(?:patients|children|participants|boys|girls|infants) ;
    volunteers ; open-label ; those who received ; people who had ; beyond help ; clinical trial ; offered to ; of them and worsened ; \d+ (?:patients|people|children|boys|girls|participants|affected individuals) ; \w+ of (?:the )?\w+ (?:treated )?(?:patients|children|affected)
    """
)
"""People to whom a treatment was given."""

MODEL = any_of(
    r"""
    organoids? ; spheroids? ; assembloids? ; gastruloids? ; embryoid bod(?:y|ies) ; micromass\w* ;
    microtissues? ; pellets\b ; (?:networks|islands|tubes|muscles|chambers|streams|sheets|gels|rings|spheroids|assays) (?:with|without|grown|built|short) ; null \w+ (?:assays|chambers|islands|tubes|sheets|streams) ; co-?cultures? ; organotypic ; engineered (?:\w+ )?(?:tissues?|bundles?|muscles?) ; \w+-on-chip ;
    (?:\w+ )?chips?\b ; explants? ; (?:optic-cup|utricle-like) ; cell(?:ular)? models? ; tubuloids? ;
    (?:vascular|aortic) rings ; air-liquid ; (?:corneal|skin|cartilage) constructs? ; sheets\b ;
    in a dish ; model(?:led)? in vitro ; (?:built|made|grown) (?:in vitro|outside the body) ;
    networks on ; cultures\b ; on filters ; gels\b(?! filtration) ; isogenic ; edited sister ; unedited ;
    endothelial channels ; tubules grown ; cell lines? ; 
    (?:knock-?out|null|edited|deficient) (?:\w+ )?(?:lines?|clones?)\b ; ipsc-derived ; spheres\b ; islets grown ; crypts? grown ; grown from (?:cells|a line) ; built from cells ; before differentiation ;
    \w+ bodies\b ; acini in ; matrigel ; perfused ; streams on ; assays grown ; chambers (?:with|grown|built) ; the resulting ; \w+ with a deletion of
    """
)
"""Tissues built in culture, or lines edited, to stand for an organ."""

# -- what was done to the gene, and what came of it -------------------------------------------

DISRUPT = any_of(
    r"""
    knock(?:ed|ing)?[- ]?(?:out|down|in)s?\b ; ko\b ; null\b ; nullizygous ; deficien\w+ ;
    mutants?\b ; morph(?:olino|ant)\w* ; crispr\w* ; crispants? ; delet\w+ ; disrupt\w+ ;
    lack(?:ing|s|ed)?\b ; loss of ; loss-of-function ; deplet\w+ ; silenc\w+ ; sirnas?\b ;
    shrnas?\b ; rnai\b ; (?:rna interference|interfering rna) ; ablat\w+ ; inactivat\w+ ; hypomorph\w* ;
    gene[- ]trap\w* ; transgenic ; haploinsufficien\w+ ; heterozygo\w+ ; homozygo\w+ ; hemizygo\w+ ;
    devoid of ; absence of ; edit(?:ed|ing) ; dominant[- ]negative ; carrying ; harbou?ring ; without\b ;
    overexpress\w+ ; truncat\w+ ; missense ; variants?\b ; mutations?\b ; mutated ; mutagen\w+ ;
    remov(?:al|ed|ing)\b ; nonsense ; suppressi?(?:on|ed|ing) ; excis\w+ ; frameshift ; alleles?\b ;
    biallelic ; interrupt\w+ ; starved of ; change (?:written )?into ; cut out ; out of the way ; guide rnas? ; guides ; down to a tenth ; dead form ; want of ; deprived of ; refused ; taking out ; took out ; short of ; went \d+% ; has to do without ; short of ; taken out ;
    took \w+ out ; deprived of ; without a working ; bred to homozygosity ; mutant form ; switched off
    """
)

KNOCKED = any_of(
    r"""
    knock(?:ed|ing)?[- ]?down ; silenc\w+ ; sirnas?\b ; shrnas?\b ; rna interference ; interfering rna ; cut out ; out of the way ; guide rnas? ; guides ; down to a tenth ; dead form ; scrambled ; their parents to ; dragged ; with \w+ went ;
    deplet(?:ed|ing|ion)\b ; starved of ; took \w+ out of ; taken out of ; edited out of ; mutant form ;
    expressing ; transfect\w+ ; (?:patients' |the )change into ; overexpress\w+ ; mutant \w+ construct ;
    writing ; suppress(?:ed|ing|ion)\b ; crispr interference ; parental ; mock-treated ; untransfected
    """
)
"""How a gene is disturbed in a cell that otherwise has nothing to do with the disease."""

SHOWED = any_of(
    r"""
    show(?:ed|n|s)?\b ; display\w* ; develop(?:ed|s)?\b ; exhibit\w* ; had\b ; has\b ; have\b ; came to ;
    ensued ; arose ; appeared ; (?<!we )follow(?:ed|s)\b ; gave\b ; gives\b ; stood out ; came down with ;
    left\b ; resulted ; leads? to ; led to ; produced ; caused ; died ; suffered ; the answer ; were born ; (?:was|were) the price ; paid for ; set \w+ apart ; free of ; went on to ; escaped ; befell ; was not long in coming ;
    lived ; presented ; is seen ; was seen ; were seen ; came with ; there was ; observed ; took on ; brought
    """
)

ABNORMAL = any_of(
    r"""
    impair\w* ; reduc(?:ed|tion|es) ; decreas\w+ ; diminish\w+ ; defect\w* ; abnormal\w* ; abolish\w+ ;
    los[st]\w* ; elevat\w+ ; increas\w+ ; accumulat\w+ ; delay\w* ; dysfunction\w* ; slow\w* ; shorten\w+ ;
    mislocali[sz]\w+ ; fragment\w+ ; apopto\w+ ; degenerat\w+ ; died ; death ; lethal\w* ; seizures? ;
    phenotyp\w+ ; malform\w+ ; small(?:er)?\b ; weak\w* ; altered ; fail\w* ; fewer ; lower\w* ; higher ;
    deficit\w* ; disturb\w+ ; prolong\w+ ; sever\w+ ; swollen ; enlarg\w+ ; did not (?:survive|develop) ;
    unable ; excess\w* ; compromis\w+ ; unstable ; arrest\w* ; aberrant\w* ; drop(?:ped)?\b ; fell\b ;
    fallen ; halved ; doubled ; half (?:of (?:normal|the)|that|as) ; less\b ; percent ; \d+(?:\.\d+)?% ; fold\b ; absent ; missing ; rais(?:ed|es) ;
    cut\b ; down (?:by|to) ; gone down ; lay outside ; could be told from ; never exceeded ; barely ; only \w+% ;
    standing at ; lost much ; could not keep up ; far below ; far above ; poorly ; too (?:little|much|slow)
    """
)

MIMIC = any_of(
    r"""
    recapitulat\w* ; mimic\w* ; mirror\w* ; phenocop\w* ; reminiscent ; resembl\w+ ; reproduc(?:ed?|ing)\b ;
    (?:human|patient|disease)[- ]like ; hallmarks? ; (?:similar|comparable|analogous|akin|close) (?:\w+ )?to
      (?:those|that|the) ; seen in (?:human |our |the )?(?:patients|disease|disorder) ; likeness ; look of the ;
    stood in for ; (?:look|looked) like ; biopsies of ; as in the (?:disease|disorder) ; lesion of the ; tissue-level ; tissue of patients ; way of the (?:disease|disorder) ; made to fall ill ; stands? in for ; modell?(?:ed|ing|s)\b ; typical of the ; characteristic of the ; namely ;
    features? of the ; as \w[\w -]+ would suggest ; see in the (?:disease|disorder) ; came close ; (?:was|were)
      built ; counterpart ; picture of the ; much as in ; in a dish ; diseased organ ; pathologists see
    """
)

# -- rescue -------------------------------------------------------------------------------------

RECOVERED = any_of(
    r"""
    rescu\w+ ; restor\w+ ; revers(?:ed?|al|es|ing)\b ; ameliorat\w+ ; correct(?:ed|s)\b(?! for) ; correction of ; normali[sz]\w+ ;
    complement(?:ed|ation|s)\b ; alleviat\w+ ; return(?:ed|s|ing) (?:\w+ ){0,3}?(?:to|towards?)\b ; mended ;
    recover(?:ed|y|s)?\b ; prevent(?:ed|s)\b ; re-?establish\w* ; brought (?:[\w-]+ ){0,6}?back ; mitigat\w+ ;
    reliev(?:ed|es)\b ; cured?\b ; improv(?:ed|ement|es)\b ; halted ; regain\w* ; spared ; freed ; undid ; undone ;
    no longer ; disappear\w* ; vanish\w* ; came up to ; lifted ; near normal ; lost most signs ; free of ;
    hard to tell from ; could not be told from ; (?:was|were) that of (?:the )?donors ; made up for ; made good ;
    failed to appear ; suffic(?:ed|es) to keep ; they did with ; were without ; (?:was|were) gone in ; gone
      (?:in|from|within) ; look(?:ed|s)? normal ; attenuated ; overc[ao]me ; made [\w ,-]+ disappear ; lost (?:its|their)
      \w+ (?:signs|lesions) ; up to \d+% of normal ; never came ; kept [\w -]+ from ; ran at normal ; rid of ; none the worse ; did without ; lacked for nothing ; go without ; went without ; grew old without ; back from ; undid ; gave way to ; made up (?:its|their) ;
      put right ; closed with ; did not (?:differ|occur|go on) ; could not be found in null ; nothing was left of ; thanks to ; all it took ; come back ; came back ; back to (?:normal|\d+%) ; had been given back ; being absent ;
      those that were given it ; refused \w+ went on ; was not seen ; went on to \w[\w -]+, unlike ; (?:participants|patients|children|people|individuals) lost ; escaped ;
      cleared ; grew normally ; coming close to the normal ; raised [\w ,-]+ to normal ; returned\b
    """
)

PUT_BACK = any_of(
    r"""
    re-?express\w* ; re-?introduc\w* ; re-?constitut\w* ; wild[- ]?type\b(?! (?:littermate|mice|sibling|control|animal|fish|larva|value|cell|fl|level|strain)) ; gene (?:therapy|transfer|replacement|
      addition|correction|delivery) ; aav\w* ; adeno-?associated ; (?:enzyme|protein)[- ]replacement ; replacement
      therapy ; lentivir\w+ ; retrovir\w+ ; viral vector ; vector\b ; transgene\b ; transduc\w+ ; inject\w+ ;
    suppl(?:y|ied|ies|ying)\b ; supplement\w+ ; infus\w+ ; transplant\w* ; graft\w* ; messenger rna ; added copy ;
    recombinant ; correcti(?:on|ng) (?!for) ; corrected (?!for) ; repair(?:ed|ing)? ; put back ; (?:back|switching|switched) on\b ;
    (?:working|normal|intact|human|healthy|functional|safe-harbour|single|second) (?:copy|copies|message|gene|form|
      allele|protein|version) ; copy of ; (?:the )?human \w+ (?:on top|gene|orthologue) ; carried the human ;
    normal \w+ message ; inducible ; back in place ; reintroduc\w+ ; on board ; given back ; (?:was|were|been|once|when|being) given (?!nothing)\w+ ; supplied ; from a virus ; nothing but \w+ itself ; \w+ added\b ; an? (?:added|intact) ; added \w+ ; put into ; dose of a vector ; letter put right ; on receipt of ; refused ; had \w+ again ; took no more than ; base[- ]edit\w+ ; antisense ; deliver\w+ ; reactivat\w+ ; given (?:the|a|an) ; treat\w+ ;
    protein, added ; complement\w+ ; exogenous ; expression of (?:the )?(?:human|wild) ; m?rna of the ; back-?cross\w*
    """
)

# -- expression -------------------------------------------------------------------------------

EXPRESS = any_of(
    r"""
    express(?:ed|ion|es)?\b(?! vector) ; transcripts?\b ; mrnas?\b ; protein levels? ; immunoreactiv\w+ ; messages?\b ;
    immunohistochem\w+ ; in situ ; western ; immunoblot\w* ; blots?\b ; northern ; rt-?q?pcr ; qpcr ; rna[- ]?seq\w* ;
    single[- ](?:cell|nucleus) ; stain(?:ed|ing|s)?\b ; enriched ; immunostain\w+ ; immunofluorescen\w+ ; proteom\w+ ;
    transcriptom\w* ; riboprobe ; probe\b ; probed\b ; levels? of ; hybridi[sz]ation ; peptides of ; promoter ; array\b ;
    switched on ; (?:is|was|were|are) made\b ; made too (?:little|much) ; how much ; usual amount ; richest ; lanes\b ;
    digital (?:pcr|counting) ; mass spectrometry ; (?:protein|sample|lysate)s? [\w ]+ (?:scarcer|abundant|plentiful) ; scarcer ;
    silver grains ; libraries ; detectable in ; rna from ; healthy organs ; reads\b ; as much ; times (?:less|more) ; band\b ; level alone ; marks nearly ; drawn without ; carried \w+ (?:chiefly|mostly|mainly) ; sections blank ; made chiefly ; signal\b ; detected in ; score of three
    """
)

LEVEL_CHANGE = any_of(
    r"""
    reduc\w+ ; decreas\w+ ; diminish\w+ ; absen[tc]\w* ; lack\w* ; los[st]\w* ; lower\w* ; down-?regulat\w+ ; elevat\w+ ;
    increas\w+ ; up-?regulat\w+ ; undetect\w+ ; not detect\w+ ; altered ; abolish\w+ ; deplet\w+ ; higher ; barely ; hardly ;
    half\b ; fold\b ; \d+(?:\.\d+)?% ; percent ; deficien\w+ ; fell\b ; overexpress\w+ ; under-?express\w+ ; times (?:the level|
      scarcer|more|less) ; scarcer ; shortfall ; too (?:little|much) ; patchy ; missing ; almost empty ; differed ; differs ;
    usual amount ; times (?:less|more) ; of the usual ; a mere ; lacked ; faint ; as much \w+ message as ; could be told from others ; (?:most )?strongly (?:depleted|raised|reduced|induced) ; faint\w* ; weaker ; dropped ; halved ; doubled ;
    no (?:protein|transcript|signal|band|staining) ; outside the range ; overlap
    """
)

TISSUE = any_of(
    r"""
    tissues?\b ; organs?\b ; brain ; cort(?:ex|ical) ; cerebell\w+ ; hippocamp\w+ ; neur(?:ons?|al|onal)\b ; retina\w* ; eyes?\b ;
    photoreceptor\w* ; cochlea\w* ; inner ear ; hair cells? ; heart ; cardiac ; myocard\w+ ; kidney\w* ; renal ; glomerul\w+ ; lens\b ;
    tubul\w+ ; liver ; hepat\w+ ; lungs?\b ; airway\w* ; muscle\w* ; bone\w* ; cartilage ; skin ; epiderm\w+ ; thym\w+ ; spleen ;
    marrow ; lymph\w+ ; testi[sc]\w* ; ovar\w+ ; pancrea\w+ ; islets? ; thyroid ; pituitary ; adrenal ; vascul\w+ ; endotheli\w+ ;
    aort\w+ ; intestin\w+ ; gut\b ; colon\w* ; embryo\w* ; f(?:o)?etal ; limb ; spinal cord ; nerves?\b ; astrocyte\w* ; ventric\w+ ;
    h(?:a)?ematopoietic ; platelet\w* ; leu[ck]ocyte\w* ; placenta ; gonad\w* ; teeth ; tooth ; adipo\w+ ; striat\w+ ; ganglia ;
    healthy (?:donors?|sections?|tissues?|organs?) ; (?:where|in which) the (?:disease|disorder) shows ; normal (?:\w+ )?(?:tissues?|sections?) ; site of the ; part at (?:fault|risk) ; where the
      (?:disease|disorder) ; place where ; (?:healthy|normal) \w+ ; which is where ; epithelium
    """
)

# -- interaction ---------------------------------------------------------------------------------

BOUND = any_of(
    r"""
    interact(?:s|ed|ing|ions?|ors?)?\b(?! genetic) ; binds\b ; binding (?:of|to|between) ; bound to (?!show) ; co-?(?:immuno)?-?precipitat\w+ ;
    co-?ip\b ; pull(?:ed|ing)?[- ]?(?:downs?|on)\b ; two[- ]hybrid ; bioid2?\b ; turboid ; proximity[- ](?:label\w*|ligation|
      biotin\w*) ; affinity[- ]purif\w+ ; tandem affinity ; cross-?link\w* ; fret\b ; bret\b ; surface plasmon ; isothermal
      titration ; (?:one|same|single) (?:complex|species) ; physical(?:ly)? ; (?:hetero|homo)?dimer\w* ; co-?purif\w+ ; gst\b ;
    immunoprecipitat\w+ ; co-?crystal\w+ ; gel filtration ; native gels ; dissociation constant ; held on to ; adher\w+ to ;
    came down with (?:tagged|it) ; stayed behind ; captured ; bait\b ; prey\b ; tagged ; antibodies to \w+ (?:recovered|brought|
      captured) ; antibodies to either ; along\b ; angstrom ; density maps ; light (?:jumped|when) ; split-luciferase ; gave light ; parted ; like a key ; neighbours of ; on the gradient ; groove ; seated in ; within reach ; never seen without ; co-?elut\w+ ; co-?sediment\w* ; complex with ; partners? ; made as peptides
    """
)

COMBINED = any_of(
    r"""
    genetic(?:ally)? interact\w* ; interact\w+ genetic\w* ; epista\w+ ; digenic ; trans-?heterozyg\w+ ; double[- ](?:heterozyg\w+|
      mutants?\b|knock-?outs?\b|homozyg\w+|knock-?downs?\b|null\w*|crosses) ; synthetic(?:ally)? (?:lethal|sick)\w* ; combined (?:loss|
      deletion|knock-?down) ; combining ; were combined ; joint (?:knock-?down|loss) ; simultaneous\w* ; single mutants? ; both
      (?:genes|reduced|halved|lowered) ; the cross (?:of|between) ; cross(?:ed|ing) ; second hit ; one (?:mutant )?copy(?: each)? of ;
    lesions in both ; alleles of \w+ and ; two (?:silent|harmless|mild) ; a \w+ dose ; dose change ; on the background of ; as well\b ;
    on top of ; the pair ; changes in both ; combination of ; alleles were combined ; matrix of ; lowering ; taking (?:away|out) ; less affected if ; silent allele ; with both ; lesion alone ;
    partly undone ; too, a manoeuvre ; suppressor ; modifier ; loss of both ; lacking both ; heterozygous for both ; expected from the
      single
    """
)

WORSE = any_of(
    r"""
    synthetic(?:ally)? (?:lethal|sick)\w* ; aggravat\w+ ; exacerbat\w+ ; enhanc(?:ed?|es|er)\b ; worse ; more sever\w+ ; lethal\w* ;
    inviab\w+ ; synergis\w+ ; negative genetic ; sicker ; died ; far more ; greater than ; more than additive ; non-?viable ; deadly ;
    fatal ; disastrous ; could not be borne ; a severe one ; few \w+ (?:survived|lived) ; few (?:survived|lived) ; left \d+% of ; dead\b ; did not form colonies ; hardly any (?:survived|lived) ; none (?:survived|lived) ; not one of ; more than [\w ]+ could stand ; killed them ; toll of ; was multiplied ; but not with half of both ; well beyond ; where \d+% should ; should have
    """
)

BETTER = any_of(
    r"""
    suppress(?:ed|es)\b ; alleviat\w+ ; ameliorat\w+ ; milder ; positive genetic ; mask(?:ed|ing|s)\b ; rescu\w+ ; attenuat\w+ ; fitter ;
    better ; less sever\w+ ; restor\w+ ; buffer\w* ; bypass\w* ; compensat\w+ ; protect\w* ; softened ; more days of life ; undone ;
    less affected ; raised this to ; where the lesion alone gives ; lived longer ; bought ; relieved ; lived without ; eased ; full harm ; outgrew ; far better ; not seen in full ; did much for ; where \d+% had been expected ; lighter
    """
)

NEITHER = any_of(
    r"""
    neither worse nor better ; new kind ; neither allele ; without making it ; moved (?:the defect )?to ; having moved ; shifted the
      defect ; were different ; unexpectedly, with ; both directions ; multiplicative rule ; upward in some ; gains and losses ; though
      none was worse ; of another kind ; not a stronger or weaker ; neither (?:gave|parent|single) ; in equal parts ; only fish that ; in another way ; rather than to another degree ; neither single mutant ; tested for surprises ; no consistent sign ; now up, now down ; changed its timing ; unforeseen ; where, not how ; not the sum ; departed from ; nor a milder ; neither for better
    """
)
"""Two genes together give what neither gives, neither worse nor better."""

# -- biochemical function ----------------------------------------------------------------------

BENCH = any_of(
    r"""
    purif\w+ ; recombinant ; isolated ; in isolation ; cell-free ; reconstitut\w+ ; liposomes ; test tube ; in vitro\b ; crystal structure ;
    kinetic\w* ; spectroscop\w+ ; turnover ; flux experiments ; tracer ; isotope ; order-of-addition ; fractionat\w+ ; defined mixture ;
    catalys\w+ ; cataly[sz]\w+ ; enzym\w+ ; substrates?\b ; phosphatase ; kinase ; dehydrogenase ; synthase ; transferase ; hydroly[sz]\w+ ;
    transporter ; channel\b ; biochemical\w* ; pathway ; encodes? ; cofactors ; assay(?:ed)? with ; fluorescent probe ; labelled substrate ;
    fractions rich ; the same (?:task|job|step|work|product) ; machinery ; protein turned out ; what \w+ (?:does|is for) ; product (?:acted|worked|acts|works) ; extracts?\b ; pulse labelling ; clean mixture ; in (?:a|the) (?:test )?tube ; nothing but buffer ; fuel ; heat released ; labelled ; biochemical job ; turned over ; took place in the ;
    reactions offered ; pocket of ; seat of ; candidate proteins ; goes? through ; went through ; complete \w[\w -]+ on its own ; on its own ; next in line ; job of
    """
)

SHARED = any_of(
    r"""
    same (?:\w+[ -]){0,3}?(?:pathway|complex|family|process|function|reaction|step|stage|point|machinery|cascade|activity|substrate|product|
      work|task|job|enzym\w+) ; (?:the )?very (?:step|stage|point|task|reaction) ; shar(?:es?|ed|ing)\b ; in common ; common (?:pathway|function) ;
    paralog\w* ; homolog\w* (?:of|to) ; (?:third|missing|further|another|other) (?:member|component|subunit) ; machinery of ; just as it does ;
    the (?:task|job|work) of ; took over ; interchangeable ; peers in ; same fold ; fold and the active site ; in series with ; convergent ;
    converg\w+ ; belongs? to the (?:same|machinery) ; like the products? of ; at like rates ; fractions rich in ; stand in for ; alongside ; made up for it ; hands? (?:its|the) product ; next in line ; either (?:protein|one) ; take the seat ; left undone ; accepted the ligand ; as it does through ; no extract without ; complete \w[\w -]+ on its own ; the work of
    """
)

KNOWN_GENE = any_of(
    r"""
    (?:recogni[sz]ed|known|established|accepted|confirmed) (?:\w+ )?(?:genes?|causes?|as (?:a )?causes?) ; (?:long |already |previously |both |
      each )*(?:implicated|accepted|mutated|linked|associated|established) ; mutated in other ; cause of the (?:disease|disorder) ; causes of the ; accepted as causes? ;
    genes? (?:\w+ ){0,3}?(?:implicated|known|mutated|associated|responsible|that cause) ; other (?:[\w-]+ ){0,3}?genes? ; causal gene ; causative
    """
)

EXPLAINS = any_of(
    r"""
    consistent with ; in keeping with ; in line with ; explain\w* ; account(?:s|ed)? for ; underl(?:y|ies|ie|ying)\b ; fits\b ; matches\b ; agrees? with ;
    would (?:produce|cause|bring about|account|explain|lead one to expect) ; should (?:produce|cause|bring about) ; lead one to expect ; ties the ;
    direct consequence ; whose (?:failure|loss|want|lack) ; at fault in ; bound to show ; clinical picture ; goes awry ; shortfall ; whence ; expected to
      (?:produce|cause) ; follows from ; plausibl[ye] ; what is lost in ; the one that fails in ; short of this ; price of its ; (?:is|lies at) the root ; what goes wrong ; people with [\w -]+ (?:are short|lack) ; cannot but lead ; what one would expect ; one would expect ; in good agreement ; would not arise ;
    it is just this ; would have to fail ; for [\w -]+ to arise ; expected result of ; whose absence ; the want of which ; a lack of which ; loss would
    """
)

NOT_RECOVERED = any_of(
    r"""
    leaked ; could not be (?:assessed|judged|read|determined) ; went on as before ; as (?:it|they) (?:was|were)\b ; where it was ; stayed low after ; no sooner ; did nothing for ;    did not (?:\w+ )?(?:restore|rescue|prevent|improve|correct|recover|lift|relieve|normali[sz]e|bring|help|change|reverse|alter) ; silenced in ;
    no (?:improvement|rescue|benefit|effect|recovery|change) ; fail(?:ed|s) to (?:restore|rescue|prevent|improve|correct|normali[sz]e) ; could not be
      restored ; made no difference ; persisted ; is unknown ; not (?:restored|rescued|improved|corrected) ; neither ; in vain ; all the same ;
    (?:remained|stayed) (?:as|where|unchanged|low) ; with or without ; no better
    """
)
"""A rescue that was tried and did not succeed."""

VARIANT = any_of(r"variants?\b ; mutations?\b ; mutants?\b ; index cases? ; homozygo\w+ ; heterozygo\w+")
"""The genotype of those whose cells are studied."""

DISEASED = any_of(
    r"""
    patients?\b ; probands?\b ; affected ; people with ; individuals with ; (?:who|those) (?:have|with) the (?:disease|disorder) ; cases and ; subjects with ;
    having the (?:disease|disorder) ; boys\b ; girls\b
    """
)
"""People with the disease, whose samples are studied."""

GIVEN_CELLS = any_of(r"(?:autologous|gene-corrected|corrected|stem|donor|progenitor) (?:\w+ )?cells? ; stem-cell")
"""Cells that are the treatment."""

TOPIC = any_of(
    r"""
    turned to ; (?:is|was|are) (?:also )?(?:considered|addressed|taken up|looked at|discussed|examined) ; further (?:topic|part) ; (?:deals?|dealt) with ;
    also (?:considered|addressed|examined|studied) ; side by side ; considered as a ; in the light of (?!earlier) ; with (?:notes|remarks) on ; question of ; from the bench
    """
)
"""An abstract announces a topic without its result."""

TOPICS: dict[str, re.Pattern[str]] = {
    "BiochemicalFunction": any_of(
        r"molecular task ; in the light of (?!earlier) ; protein does ; at the bench ; biochemical (?:function|activity|role) ; enzym\w+ of ; what the \w+ (?:protein|enzyme) ; with remarks on function"
    ),
    "ProteinInteraction": any_of(
        r"possible partners ; partners of ; question of partners ; side by side ; relates to other genes ; interact\w+ (?:partners|with) ; genes of the pathway"
    ),
    "GeneExpression": any_of(
        r"transcript and protein ; place where \w+ may ; question of expression ; where and how much ; is made is ; expression (?:pattern|profile|of) ; where \w+ is expressed ; on the level of"
    ),
    "FunctionalAlteration": any_of(
        r"cells with altered ; (?:notes|remarks) on cell ; for a single cell ; notes on cell function ; cell(?:ular)? function ; consequences? (?:of \w+ )?(?:for|in) cells"
    ),
    "ModelSystem": any_of(
        r"life without ; value of (?:\w+ )?\w+ for the study ; experimental models ; modelling of ; beyond the single cell ; animal models? ; model of the ; from the bench to"
    ),
    "Rescue": any_of(
        r"supplying ; can be undone ; reversibility ; supplying what is missing ; reversib\w+ ; treatab\w+ ; gene replacement ; can be (?:corrected|restored|treated)"
    ),
}
"""How an abstract announces each category, without a result."""

NOT_TOGETHER = any_of(
    r"""
    no activity ; had no part ; no consequence ; nothing like ; as before ; with and without ; at any concentration ; did nothing ; left [\w ,-]+ (?:as|where) it was ; leaked ; could not be assessed ;
    in wild type the same ; tested for and not ; fell short ; (?:was|were) lost ; cannot be ;    exactly as expected ; plain sum ; added up ; made no difference ; no (?:\w+ )?(?:worse|interaction|change|effect|contact|difference|binding|partner) ; not (?:worse|affected|bind\w*|
      interact\w*|shared?) ; apart\b ; absent from ; that of an empty ; ruled out ; could not (?:stand|replace|take) ; did not (?:bind|interact|co-?\w*precipitate|come|pull|alter|change|share) ;
    neither (?:bound|bait) ; lost before ; not (?:be )?interpret\w* ; independent of each other ; no more than ; degraded ; no claim ; inert ; differed in every ; unlike that of ; none of the
    """
)
"""Two genes were tried together and nothing came of it."""

IS_KNOWN = re.compile(r"\S+ (?:is|was) (?:an?|already|long|itself|mutated|the)\b")
"""The next sentence says no more than that the other gene is a known one."""

TOGETHER = re.compile("|".join((COMBINED.pattern, BOUND.pattern, SHARED.pattern)))
"""Any sign that two genes are looked at together."""

SETUP = any_of(
    r"""
    was bred ; were grown from ; (?:was|were) given\b ; was offered ; (?:was|were) removed from ; was laid over ; were run side by side ; were available from ; was counted ; (?:we|were) asked ; we followed ;
    were crossed ; were combined ; was placed ; took \w+ out ; were tested ; was drawn ; gave us ; was written into ; was delivered ; received \w+ in a ; can be (?:watched|followed) ; was followed with ; was taken as the
      readout ; we deleted ; we dissected ; we purified ; make plenty of ; were scored blind ; we asked how ; was set up ; are made for
    """
)
"""An experiment is set up; what came of it is told later."""

RESULT = any_of(
    r"""
    \d+(?:\.\d+)?% ; showed ; developed ; had\b(?! been) ; times\b ; normal\b(?! (?:tissue|section|donor|message)) ; whereas ; displayed
    """
)
"""What came of an experiment."""

_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")
_LEVEL = re.compile(r"(?:came to|stood at|was at|were at|reached|stayed at) (\d+(?:\.\d+)?)% (?:of|in)")
_RATIO = re.compile(r"(\d+) of (?:the )?(\d+)")


def same_numbers(plain: str) -> bool:
    """Whether a sentence compares two groups and gives the same figure for both."""
    for pattern in (_PERCENT, _RATIO):
        figures = pattern.findall(plain)
        if len(figures) > len(set(figures)):
            return True
    return "as many with" in plain or re.search(r"\b(\d+) with [\w ]+ and \1 with", plain) is not None


def near_normal(plain: str) -> bool:
    """Whether a sentence puts what it measured within 15 points of normal."""
    figures = [float(figure) for figure in _LEVEL.findall(plain)]
    return bool(figures) and all(85 <= figure <= 115 for figure in figures)
