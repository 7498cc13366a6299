"""Words for expression, interaction and biochemical function, and for topics without results.

The continuation of `lexicon.py`: what is learnt of a gene product by itself or with another one.
"""

from __future__ import annotations

import re

from gym_clinic.domains.clingen.lexicon import any_of

# -- expression -------------------------------------------------------------------------------

EXPRESS = any_of(
    r"""
    express(?:ed|ion|es)?\b(?! vector) ; transcripts?\b ; mrnas?\b ; protein levels? ;
    immunoreactiv\w+ ; messages?\b ; immunohistochem\w+ ; in situ ; western ; immunoblot\w* ;
    blots?\b ; northern ; rt-?q?pcr ; qpcr ; rna[- ]?seq\w* ; single[- ](?:cell|nucleus) ;
    stain(?:ed|ing|s)?\b ; enriched ; immunostain\w+ ; immunofluorescen\w+ ; proteom\w+ ;
    transcriptom\w* ; riboprobe ; probe\b ; probed\b ; levels? of ; hybridi[sz]ation ;
    peptides of ; promoter ; array\b ; switched on ; (?:is|was|were|are) made\b ;
    made too (?:little|much) ; a mere ; how much ; usual amount ; richest ; lanes\b ;
    digital (?:pcr|counting) ; mass spectrometry ;
    (?:protein|sample|lysate)s? [\w ]+ (?:scarcer|abundant|plentiful) ; scarcer ; silver grains ;
    libraries ; detectable in ; rna from ; healthy organs ; reads\b ; as much ;
    times (?:less|more) ; band\b ; level alone ; marks nearly ; drawn without ;
    carried \w+ (?:chiefly|mostly|mainly) ; sections blank ; made chiefly ; signal\b ;
    detected in ; score of three
    """
)

LEVEL_CHANGE = any_of(
    r"""
    reduc\w+ ; decreas\w+ ; diminish\w+ ; absen[tc]\w* ; lack\w* ; los[st]\w* ; lower\w* ;
    down-?regulat\w+ ; elevat\w+ ; increas\w+ ; up-?regulat\w+ ; undetect\w+ ; not detect\w+ ;
    altered ; abolish\w+ ; deplet\w+ ; higher ; barely ; hardly ; half\b ; fold\b ;
    \d+(?:\.\d+)?% ; percent ; deficien\w+ ; fell\b ; overexpress\w+ ; under-?express\w+ ;
    times (?:the level|scarcer|more|less) ; scarcer ; shortfall ; too (?:little|much) ; patchy ;
    missing ; almost empty ; differed ; differs ; usual amount ; times (?:less|more) ;
    of the usual ; a mere ; lacked ; faint ; as much \w+ message as ; could be told from others ;
    (?:most )?strongly (?:depleted|raised|reduced|induced) ; faint\w* ; weaker ; dropped ;
    halved ; doubled ; no (?:protein|transcript|signal|band|staining) ; outside the range ;
    overlap
    """
)

TISSUE = any_of(
    r"""
    tissues?\b ; organs?\b ; brain ; cort(?:ex|ical) ; cerebell\w+ ; hippocamp\w+ ;
    neur(?:ons?|al|onal)\b ; retina\w* ; eyes?\b ; photoreceptor\w* ; cochlea\w* ; inner ear ;
    hair cells? ; heart ; cardiac ; myocard\w+ ; kidney\w* ; renal ; glomerul\w+ ; lens\b ;
    tubul\w+ ; liver ; hepat\w+ ; lungs?\b ; airway\w* ; muscle\w* ; bone\w* ; cartilage ; skin ;
    epiderm\w+ ; thym\w+ ; spleen ; marrow ; lymph\w+ ; testi[sc]\w* ; ovar\w+ ; pancrea\w+ ;
    islets? ; thyroid ; pituitary ; adrenal ; vascul\w+ ; endotheli\w+ ; aort\w+ ; intestin\w+ ;
    gut\b ; colon\w* ; embryo\w* ; f(?:o)?etal ; limb ; spinal cord ; nerves?\b ; astrocyte\w* ;
    ventric\w+ ; h(?:a)?ematopoietic ; platelet\w* ; leu[ck]ocyte\w* ; placenta ; gonad\w* ;
    teeth ; tooth ; adipo\w+ ; striat\w+ ; ganglia ;
    healthy (?:donors?|sections?|tissues?|organs?) ;
    (?:where|in which) the (?:disease|disorder) shows ; normal (?:\w+ )?(?:tissues?|sections?) ;
    site of the ; part at (?:fault|risk) ; where the (?:disease|disorder) ; place where ;
    (?:healthy|normal) \w+ ; which is where ; epithelium
    """
)

# -- interaction ---------------------------------------------------------------------------------

BOUND = any_of(
    r"""
    interact(?:s|ed|ing|ions?|ors?)?\b(?! genetic) ; binds\b ; binding (?:of|to|between) ;
    bound to (?!show) ; co-?(?:immuno)?-?precipitat\w+ ; co-?ip\b ;
    pull(?:ed|ing)?[- ]?(?:downs?|on)\b ; two[- ]hybrid ; bioid2?\b ; turboid ;
    proximity[- ](?:label\w*|ligation|biotin\w*) ; affinity[- ]purif\w+ ; tandem affinity ;
    cross-?link\w* ; fret\b ; bret\b ; surface plasmon ; isothermal titration ;
    (?:one|same|single) (?:complex|species) ; physical(?:ly)? ; (?:hetero|homo)?dimer\w* ;
    co-?purif\w+ ; gst\b ; immunoprecipitat\w+ ; co-?crystal\w+ ; gel filtration ; native gels ;
    dissociation constant ; held on to ; adher\w+ to ; came down with (?:tagged|it) ;
    stayed behind ; captured ; bait\b ; prey\b ; tagged ;
    antibodies to \w+ (?:recovered|brought|captured) ; antibodies to either ; along\b ; angstrom ;
    density maps ; light (?:jumped|when) ; split-luciferase ; gave light ; parted ; like a key ;
    neighbours of ; on the gradient ; groove ; seated in ; within reach ; never seen without ;
    co-?elut\w+ ; co-?sediment\w* ; complex with ; partners? ; made as peptides
    """
)

COMBINED = any_of(
    r"""
    genetic(?:ally)? interact\w* ; interact\w+ genetic\w* ; epista\w+ ; digenic ;
    trans-?heterozyg\w+ ;
    double[- ](?:heterozyg\w+|mutants?\b|knock-?outs?\b|homozyg\w+|knock-?downs?\b|null\w*|
      crosses) ; synthetic(?:ally)? (?:lethal|sick)\w* ; combined (?:loss|deletion|knock-?down) ;
    combining ; were combined ; joint (?:knock-?down|loss) ; simultaneous\w* ; single mutants? ;
    both (?:genes|reduced|halved|lowered) ; the cross (?:of|between) ; cross(?:ed|ing) ;
    second hit ; one (?:mutant )?copy(?: each)? of ; lesions in both ; alleles of \w+ and ;
    two (?:silent|harmless|mild) ; a \w+ dose ; dose change ; on the background of ; as well\b ;
    on top of ; the pair ; changes in both ; combination of ; alleles were combined ; matrix of ;
    lowering ; taking (?:away|out) ; less affected if ; silent allele ; with both ; lesion alone ;
    partly undone ; too, a manoeuvre ; suppressor ; modifier ; loss of both ; lacking both ;
    heterozygous for both ; expected from the single
    """
)

WORSE = any_of(
    r"""
    synthetic(?:ally)? (?:lethal|sick)\w* ; aggravat\w+ ; exacerbat\w+ ; enhanc(?:ed?|es|er)\b ;
    worse ; more sever\w+ ; lethal\w* ; inviab\w+ ; synergis\w+ ; negative genetic ; sicker ;
    died ; far more ; greater than ; more than additive ; non-?viable ; deadly ; fatal ;
    disastrous ; could not be borne ; a severe one ; few \w+ (?:survived|lived) ;
    few (?:survived|lived) ; left \d+% of ; dead\b ; did not form colonies ;
    hardly any (?:survived|lived) ; none (?:survived|lived) ; not one of \d+ ;
    more than [\w ]+ could stand ; killed them ; toll of ; was multiplied ;
    but not with half of both ; well beyond ; where \d+% should ; should have
    """
)

BETTER = any_of(
    r"""
    suppress(?:ed|es)\b ; alleviat\w+ ; ameliorat\w+ ; milder ; positive genetic ;
    mask(?:ed|ing|s)\b ; rescu\w+ ; attenuat\w+ ; fitter ; better ; less sever\w+ ; restor\w+ ;
    buffer\w* ; bypass\w* ; compensat\w+ ; protect\w* ; softened ; more days of life ; undone ;
    less affected ; raised this to ; where the lesion alone gives ; lived longer ; bought ;
    relieved ; lived without ; eased ; full harm ; outgrew ; far better ; not seen in full ;
    did much for ; where \d+% had been expected ; lighter
    """
)

NEITHER = any_of(
    r"""
    neither worse nor better ; new kind ; neither allele ; without making it ;
    moved (?:the defect )?to ; having moved ; shifted the defect ; were different ;
    unexpectedly, with ; both directions ; multiplicative rule ; upward in some ;
    gains and losses ; though none was worse ; of another kind ; not a stronger or weaker ;
    neither (?:gave|parent|single) ; in equal parts ; only fish that ; in another way ;
    rather than to another degree ; neither single mutant ; tested for surprises ;
    no consistent sign ; now up, now down ; changed its timing ; unforeseen ; where, not how ;
    not the sum ; departed from ; nor a milder ; neither for better
    """
)
"""Two genes together give what neither gives, neither worse nor better."""

# -- biochemical function ----------------------------------------------------------------------

BENCH = any_of(
    r"""
    purif\w+ ; recombinant ; isolated ; in isolation ; cell-free ; reconstitut\w+ ; liposomes ;
    test tube ; in vitro\b ; crystal structure ; kinetic\w* ; spectroscop\w+ ; turnover ;
    flux experiments ; tracer ; isotope ; order-of-addition ; fractionat\w+ ; defined mixture ;
    catalys\w+ ; cataly[sz]\w+ ; enzym\w+ ; substrates?\b ; phosphatase ; kinase ; dehydrogenase ;
    synthase ; transferase ; hydroly[sz]\w+ ; transporter ; channel\b ; biochemical\w* ; pathway ;
    encodes? ; cofactors ; assay(?:ed)? with ; fluorescent probe ; labelled substrate ;
    fractions rich ; the same (?:task|job|step|work|product) ; machinery ; protein turned out ;
    what \w+ (?:does|is for) ; product (?:acted|worked|acts|works) ; extracts?\b ;
    pulse labelling ; clean mixture ; in (?:a|the) (?:test )?tube ; nothing but buffer ; fuel ;
    heat released ; labelled ; biochemical job ; turned over ; took place in the ;
    reactions offered ; pocket of ; seat of ; candidate proteins ; goes? through ; went through ;
    complete \w[\w -]+ on its own ; next in line ; job of
    """
)

SHARED = any_of(
    r"""
    same (?:\w+[ -]){0,3}?(?:pathway|complex|family|process|function|reaction|step|stage|point|
      machinery|cascade|activity|substrate|product|work|task|job|enzym\w+) ;
    (?:the )?very (?:step|stage|point|task|reaction) ; shar(?:es?|ed|ing)\b ; in common ;
    common (?:pathway|function) ; paralog\w* ; homolog\w* (?:of|to) ;
    (?:third|missing|further|another|other) (?:member|component|subunit) ; machinery of ;
    just as it does ; the (?:task|job|work) of ; took over ; interchangeable ; peers in ;
    same fold ; fold and the active site ; in series with ; convergent ; converg\w+ ;
    belongs? to the (?:same|machinery) ; like the products? of ; at like rates ;
    fractions rich in ; stand in for ; alongside ; made up for it ; hands? (?:its|the) product ;
    next in line ; either (?:protein|one) ; take the seat ; left undone ; accepted the ligand ;
    as it does through ; no extract without ; complete \w[\w -]+ on its own ; the work of
    """
)

KNOWN_GENE = any_of(
    r"""
    (?:recogni[sz]ed|known|established|accepted|confirmed) (?:\w+ )?(?:genes?|causes?|
      as (?:a )?causes?) ;
    (?:long |already |previously |both |each )*(?:implicated|accepted|mutated|linked|associated|
      established) ; mutated in other ; cause of the (?:disease|disorder) ; causes of the ;
    accepted as causes? ;
    genes? (?:\w+ ){0,3}?(?:implicated|known|mutated|associated|responsible|that cause) ;
    other (?:[\w-]+ ){0,3}?genes? ; causal gene ; causative
    """
)

EXPLAINS = any_of(
    r"""
    consistent with ; in keeping with ; in line with ; explain\w* ; account(?:s|ed)? for ;
    underl(?:y|ies|ie|ying)\b ; fits\b ; matches\b ; agrees? with ;
    would (?:produce|cause|bring about|account|explain|lead one to expect) ;
    should (?:produce|cause|bring about) ; lead one to expect ; ties the ; direct consequence ;
    whose (?:failure|loss|want|lack) ; at fault in ; bound to show ; clinical picture ;
    goes awry ; shortfall ; whence ; expected to (?:produce|cause) ; follows from ; plausibl[ye] ;
    what is lost in ; the one that fails in ; short of this ; price of its ;
    (?:is|lies at) the root ; what goes wrong ; people with [\w -]+ (?:are short|lack) ;
    cannot but lead ; what one would expect ; one would expect ; in good agreement ;
    would not arise ; it is just this ; would have to fail ; paid for with ;
    for [\w -]+ to arise ; expected result of ; whose absence ; the want of which ;
    a lack of which ; loss would
    """
)

DISEASED = any_of(
    r"""
    patients?\b ; probands?\b ; affected ; people with ; individuals with ;
    (?:who|those) (?:have|with) the (?:disease|disorder) ; cases and ; subjects with ;
    having the (?:disease|disorder) ; boys\b ; girls\b
    """
)
"""People with the disease, whose samples are studied."""

TOPIC = any_of(
    r"""
    turned to ;
    (?:is|was|are) (?:also )?(?:considered|addressed|taken up|looked at|discussed|examined) ;
    further (?:topic|part) ; (?:deals?|dealt) with ;
    also (?:considered|addressed|examined|studied) ; side by side ; considered as a ;
    in the light of (?!earlier) ; with (?:notes|remarks) on ; question of ; from the bench
    """
)
"""An abstract announces a topic without its result."""

TOPICS: dict[str, re.Pattern[str]] = {
    "BiochemicalFunction": any_of(
        r"""
        molecular task ; in the light of (?!earlier) ; protein does ; at the bench ;
        biochemical (?:function|activity|role) ; enzym\w+ of ; what the \w+ (?:protein|enzyme) ;
        with remarks on function
        """
    ),
    "ProteinInteraction": any_of(
        r"""
        possible partners ; partners of ; question of partners ; side by side ;
        relates to other genes ; interact\w+ (?:partners|with) ; genes of the pathway
        """
    ),
    "GeneExpression": any_of(
        r"""
        transcript and protein ; place where \w+ may ; question of expression ;
        where and how much ; is made is ; expression (?:pattern|profile|of) ;
        where \w+ is expressed ; on the level of
        """
    ),
    "FunctionalAlteration": any_of(
        r"""
        cells with altered ; (?:notes|remarks) on cell ; for a single cell ;
        notes on cell function ; cell(?:ular)? function ;
        consequences? (?:of \w+ )?(?:for|in) cells
        """
    ),
    "ModelSystem": any_of(
        r"""
        life without ; value of (?:\w+ )?\w+ for the study ; experimental models ; modelling of ;
        beyond the single cell ; animal models? ; model of the ; from the bench to
        """
    ),
    "Rescue": any_of(
        r"""
        supplying ; can be undone ; reversibility ; supplying what is missing ; reversib\w+ ;
        treatab\w+ ; gene replacement ; can be (?:corrected|restored|treated)
        """
    ),
}
"""How an abstract announces each category, without a result."""

NOT_TOGETHER = any_of(
    r"""
    1\.0 times ; indifferent to ; at \d% of the usual ; as with buffer ; traces too noisy ;
    awaits ; no sum and no product of ; no activity ; had no part ; no consequence ;
    nothing like ; as before ; with and without ; at any concentration ; did nothing ;
    left [\w ,-]+ (?:as|where) it was ; leaked ; could not be assessed ; in wild type the same ;
    tested for and not ; fell short ; (?:was|were) lost ; cannot be ; exactly as expected ;
    plain sum ; added up ; made no difference ;
    no (?:\w+ )?(?:worse|interaction|change|effect|contact|difference|binding|partner) ;
    not (?:worse|affected|bind\w*|interact\w*|shared?) ; apart\b ; absent from ;
    that of an empty ; ruled out ; could not (?:stand|replace|take) ;
    did not (?:bind|interact|co-?\w*precipitate|come|pull|alter|change|share) ;
    neither (?:bound|bait) ; lost before ; not (?:be )?interpret\w* ; independent of each other ;
    no more than ; degraded ; no claim ; inert ; differed in every ; unlike that of ;
    none of the
    """
)
"""Two genes were tried together and nothing came of it."""

IS_KNOWN = re.compile(r"\S+ (?:is|was) (?:an?|already|long|itself|mutated|the)\b")
"""The next sentence says no more than that the other gene is a known one."""

TOGETHER = re.compile("|".join((COMBINED.pattern, BOUND.pattern, SHARED.pattern)))
"""Any sign that two genes are looked at together."""

IDENTIFIED = re.compile(
    r"(?:it|this|that|the (?:protein|gene|other|one)) (?:was|proved|turned out)\b"
)
"""A sentence that says which gene the ones before were about."""
