"""Organ systems: what a disease of each does to tissues, cells, animals and people.

Every entry is a noun phrase written for the slots of `phrases_findings`:

* ``tissue`` follows "the"; ``cells`` (a patient's), ``line`` (anybody's) and ``culture``
  (engineered, disease in a dish) are plural;
* ``mammal``, ``fish`` and ``insect`` follow "showed"; ``feature`` is a sign in people;
* ``func`` is a quantity that can fall, ``defect`` an abnormal look of a culture;
* ``process`` is the work of a protein; ``marker`` is a clinical measure under treatment.
"""

from __future__ import annotations

FIELDS = (
    "tissue", "cells", "line", "culture", "mammal", "fish", "insect", "func", "defect",
    "process", "feature", "marker",
)  # fmt: skip
"""Fields that every system has."""

_FIRST = """
= neuro
tissue: cerebral cortex / hippocampus / cerebellar granule layer / fetal telencephalon / striatum
cells: neurons reprogrammed from skin / induced neurons / neural progenitors derived from blood
  cells / skin fibroblasts / astrocytes grown from reprogrammed cells
line: SH-SY5Y cells / Neuro-2a cells / rat cortical neurons in primary culture / LUHMES neurons
culture: cortical organoids / forebrain spheroids / layered neuronal networks on electrode arrays
  / myelinating co-cultures
mammal: handling-induced seizures and poor nest building / a thin cortex with misplaced
  upper-layer neurons / impaired reversal learning and excessive grooming / loss of parvalbumin
  interneurons / hypomyelination of the corpus callosum
fish: a small midbrain and bursts of convulsive swimming / raised tectal activity with abnormal
  startle / too few oligodendrocytes along the spinal cord / light-evoked seizure-like darting
insect: bang-sensitive paralysis / poor olfactory learning / oversized neuromuscular junctions
  with weak transmission / climbing failure in early adult life
func: the frequency of spontaneous calcium transients / the density of excitatory synapses /
  neurite length / the amplitude of miniature excitatory currents / the rate of vesicle recycling
  / axonal transport velocity
defect: thin, disorganised ventricular zones / runaway synchronous bursting / precocious depletion
  of progenitors / sparse, poorly compacted myelin
process: glutamate loading into synaptic vesicles / the tethering of synaptic vesicles / chromatin
  compaction at neuronal enhancers / the anchoring of sodium channels at the initial segment / the
  assembly of the axonal spectrin lattice / sulfatide synthesis
feature: seizures of early onset / delayed speech and intellectual disability / a small head with
  a simplified gyral pattern / stereotyped hand movements / delayed myelination on imaging
marker: seizure counts / developmental quotients / electroencephalographic discharges / motor
  milestones

= nerve
tissue: sciatic nerve / anterior horn of the spinal cord / soleus muscle / dorsal root ganglion /
  motor endplate
cells: cultured myotubes / motor neurons reprogrammed from skin / myoblasts from biopsies / skin
  fibroblasts / sensory neurons grown from reprogrammed cells
line: C2C12 myotubes / NSC-34 cells / rat Schwann cells / dissociated mouse motor neurons
culture: engineered muscle bundles / nerve-muscle co-cultures / myelinating dorsal root explants /
  microtissues of human muscle
mammal: hind-limb weakness with grouped muscle atrophy / slowed nerve conduction and onion-bulb
  formation / centralised nuclei and a falling grip strength / denervated endplates and tremor /
  axonal swelling in long tracts
fish: curved trunks with birefringence gaps in the somites / short, misrouted motor axons / touch
  responses that tire early / detached myofibres
insect: held-up wings and degenerate flight muscle / shrinking motor terminals / flightlessness by
  the second week / fragmented axons in the wing nerve
func: the speed of mitochondrial transport along axons / the force of tetanic contraction /
  membrane resealing after laser injury / calcium release from the sarcoplasmic reticulum / the
  thickness of new myelin / acetylcholine receptor clustering
defect: ruptured, thin-walled myofibres / denuded axons with myelin debris / dispersed receptor
  clusters at the contacts / rod-like inclusions in the fibres
process: the glycosylation of dystroglycan / the charging of transfer RNA with glycine / the
  bundling of neurofilaments / membrane repair at the sarcolemma / sphingoid base synthesis / the
  docking of triads
feature: distal weakness with high-arched feet / proximal weakness and raised creatine kinase /
  wasting of the hand muscles / loss of ambulation / unsteady gait
marker: six-minute walking distance / grip force / ulnar motor amplitudes / forced vital capacity

= heart
tissue: left ventricle / sinoatrial node / outflow tract / interventricular septum / ascending aorta
cells: cardiomyocytes reprogrammed from blood / aortic smooth muscle cells / cardiac fibroblasts
  from explants / lymphoblastoid cells / endothelial cells grown from circulating precursors
line: HL-1 cells / H9c2 cells / neonatal rat ventricular myocytes / AC16 cells
culture: engineered heart tissues / cardiac microtissues on pillars / beating cardiac sheets /
  vascular rings of human smooth muscle
mammal: dilated ventricles with a low ejection fraction / septal defects and an overriding aorta /
  stress-induced ventricular tachycardia / fibrofatty replacement of the right ventricle / thick
  ventricular walls with myocyte disarray / fragmented elastic lamellae
fish: pericardial oedema and a silent ventricle / an unlooped heart tube / slow atrial rhythm with
  dropped beats / retrograde flow at the valve
insect: a dilated cardiac tube / irregular beats after pacing / early cardiac arrest under strain
  / thin, gapped myofibrils in the heart wall
func: the peak sodium current / twitch force / the rate of calcium reuptake / conduction velocity
  across the monolayer / the calcium sensitivity of the myofilaments / desmosomal adhesion
  strength
defect: weak, arrhythmic twitches / stretched tissues that tear under load / disarrayed sarcomeres
  / prolonged repolarisation with early afterdepolarisations
process: the cross-linking of thin filaments / the coupling of ryanodine receptors / desmosome
  assembly / the trafficking of potassium channels / elastic fibre deposition / cushion formation
  in the endocardium
feature: systolic failure in young adults / syncope on exertion / sudden death at rest / a widened
  aortic root / conotruncal malformation
marker: ejection fraction / the daily count of ventricular ectopics / natriuretic peptide
  concentrations / the corrected QT interval

= ear
tissue: organ of Corti / stria vascularis / spiral ganglion / vestibular maculae / otic vesicle
cells: inner-ear progenitors from reprogrammed cells / skin fibroblasts / otic neurons grown from
  reprogrammed cells / lymphoblastoid cells / urine-derived epithelial cells
line: HEI-OC1 cells / UB/OC-2 cells / mouse cochlear explants / COS-7 cells
culture: inner-ear organoids / sheets of human supporting cells / utricle-like vesicles / otic
  spheroids
mammal: raised auditory brainstem thresholds / circling and loss of outer hair cells / fused,
  shortened stereocilia / a low endocochlear potential / degenerate ribbon synapses
fish: absent acoustic startle with splayed hair bundles / small otoliths and poor balance /
  neuromasts that do not take up vital dye / too few hair cells in the lateral line
insect: weak sound-evoked potentials in the antennal nerve / disorganised scolopidia / loss of
  active antennal mechanics / failure to respond to courtship song
func: the mechanotransduction current / potassium flux through the coupled sheet / the uptake of
  FM1-43 / tip-link tension / exocytosis at the ribbon / gap-junction conductance
defect: collapsed hair bundles / leaky epithelial borders / hair cells that die within days of
  maturing / misoriented kinocilia
process: the bundling of stereociliary actin / potassium recycling / otoconial anchoring /
  tip-link assembly / the tuning of the tectorial membrane / calcium sensing at the ribbon
feature: prelingual loss of hearing / loss of the high frequencies in the second decade /
  vestibular areflexia / absent otoacoustic emissions / an enlarged vestibular aqueduct
marker: pure-tone thresholds / speech recognition scores / otoacoustic emissions / brainstem
  thresholds

= eye
tissue: photoreceptor layer / retinal pigment epithelium / trabecular meshwork / optic nerve head
  / corneal endothelium
cells: pigment epithelium grown from reprogrammed cells / retinal progenitors derived from blood /
  skin fibroblasts / trabecular cells from surgery / lens epithelial cells
line: ARPE-19 cells / 661W cells / hTERT-RPE1 cells / bovine retinal explants
culture: retinal organoids / polarised pigment epithelium on filters / optic-cup vesicles / human
  corneal constructs
mammal: flat electroretinograms and thinning of the outer nuclear layer / raised ocular pressure
  with loss of ganglion cells / cone loss in the first weeks / opaque lenses and small eyes /
  mislocalised rhodopsin
fish: cones without outer segments / blindness in the optokinetic test / colobomatous eyes /
  swollen optic discs with axon loss
insect: rough eyes with missing rhabdomeres / light-dependent photoreceptor loss / absent
  on-transients / fused ommatidia
func: the phagocytosis of outer segments / the light-evoked current / retinoid turnover / aqueous
  outflow / transepithelial resistance / the rate of disc renewal
defect: stunted outer segments / pigment epithelium with drusen-like deposits / a cleft optic cup
  / rosettes without photoreceptors
process: retinol isomerisation / the gating of cyclic-nucleotide channels / transport through the
  connecting cilium / disc rim formation / the synthesis of very long fatty acids / closure of the
  optic fissure
feature: night blindness and narrowing fields / loss of central vision / early cataract / cupped
  optic discs / extinguished electroretinograms
marker: visual acuity / full-field sensitivity / the width of the visual field / mobility-course
  times

= kidney
tissue: podocyte layer / proximal tubule / collecting duct / thick ascending limb / metanephric
  mesenchyme
cells: urine-derived tubular cells / podocytes grown from reprogrammed cells / skin fibroblasts /
  cyst-lining epithelium / endothelial cells grown from blood
line: IMCD3 cells / HK-2 cells / immortalised human podocytes / opossum kidney cells
culture: kidney organoids / tubules grown in collagen / glomerular chips / ureteric-bud cultures
mammal: heavy albuminuria with effaced foot processes / cystic kidneys by weaning / salt wasting
  with a low blood pressure / nephrocalcinosis and hypercalciuria / hypoplastic kidneys
fish: dilated pronephric tubules and oedema / leakage of labelled dextran into the tubule / body
  curvature with glomerular cysts / poor clearance of injected dye
insect: nephrocytes without slit diaphragms / crystals in the Malpighian tubules / low
  silver-nitrate resistance / slow secretion of tubular fluid
func: slit-diaphragm permselectivity / megalin-mediated albumin uptake / sodium transport across
  the monolayer / ciliary signalling / complement factor H cofactor activity / the flow-evoked
  calcium signal
defect: spherical cysts in place of tubules / detached podocytes / tubules that fail to branch /
  leaky filtration barriers
process: slit-diaphragm assembly / phosphate reabsorption / intraflagellar transport / the
  regulation of complement on endothelium / coenzyme Q synthesis / the recycling of megalin
feature: steroid-resistant nephrotic syndrome / multiple renal cysts / salt craving and
  hypokalaemia / kidney failure in childhood / recurrent stones
marker: urinary protein loss / the filtration rate / serum bicarbonate / total kidney volume

= immune
tissue: thymic medulla / germinal centre / bone marrow niche / splenic white pulp / gut lamina
  propria
cells: T lymphocytes / immortalised B cells / neutrophils / monocyte-derived macrophages / natural
  killer cells
line: Jurkat cells / Raji cells / THP-1 monocytes / OP9-supported thymocytes
culture: artificial thymic organoids / tonsil-like cultures / marrow-derived myeloid cultures /
  barrier co-cultures with lymphocytes
mammal: few T cells and wasting after viral challenge / splenomegaly with autoantibodies / absent
  germinal centres / spontaneous colitis / a block at the pro-B stage
fish: an empty thymus in larval life / slow neutrophil recruitment to tail wounds / high bacterial
  loads after mild infection / marrow without lymphoid cells
insect: heightened death after septic injury / weak antimicrobial peptide induction / melanotic
  nodules / haemocytes that do not engulf bacteria
func: calcium influx after receptor crosslinking / the oxidative burst / proliferation on anti-CD3
  stimulation / class switching / cytotoxic degranulation / STAT phosphorylation after cytokine
defect: arrested thymopoiesis / plasmablasts that secrete no IgG / barrier breakdown under
  lymphocyte attack / myeloid cells that form no granules
process: V(D)J end joining / antigen receptor signalling / granule exocytosis / interferon
  receptor signalling / the salvage of purines in lymphocytes / NADPH oxidase assembly
feature: opportunistic infection in infancy / low immunoglobulins with recurrent pneumonia /
  autoimmune cytopenia / chronic diarrhoea with failure to thrive / recurrent abscesses
marker: naive T-cell counts / infection rates / serum IgG / autoantibody titres
"""

_SECOND = """
= blood
tissue: fetal liver / megakaryocyte compartment / hepatic sinusoid / bone marrow / vascular
  endothelium
cells: platelets / megakaryocytes grown from CD34+ cells / blood outgrowth endothelial cells /
  erythroid precursors / neutrophil precursors
line: MEG-01 cells / K562 cells / HepG2 cells / CHRF-288 cells
culture: marrow-on-chip cultures / perfused endothelial channels / megakaryocyte cultures under
  flow / liver buds
mammal: long tail-bleeding times / large, pale platelets in low numbers / macrocytic anaemia with
  few reticulocytes / venous thrombosis after stasis / haemorrhage at midgestation
fish: thrombocytes that form no plug / pale larvae with few erythrocytes / spontaneous brain
  haemorrhage / delayed occlusion after laser injury
insect: too few crystal cells / wounds that do not clot / oversized lymph glands / melanised
  haemocyte clumps
func: thrombin generation / platelet aggregation to collagen / proplatelet extension / factor VIII
  cofactor activity / haemoglobin synthesis / fibrinogen binding
defect: proplatelets with few, swollen tips / clots that dissolve within minutes / erythroid
  islands that stop at the blast stage / leaky channels under flow
process: the gamma-carboxylation of clotting factors / granule biogenesis / ribosome maturation /
  fibrin cross-linking / integrin activation / the multimerisation of von Willebrand factor
feature: bleeding after minor surgery / low platelet counts with large platelets /
  transfusion-dependent anaemia / thrombosis in youth / heavy menstrual bleeding
marker: annual bleeding rates / platelet counts / haemoglobin concentrations / clotting times

= mito
tissue: skeletal muscle / basal ganglia / heart muscle / brainstem / liver
cells: skin fibroblasts / cultured myoblasts / transmitochondrial cybrids / lymphoblastoid cells /
  neurons reprogrammed from skin
line: HEK293 cells / HAP1 cells / U2OS cells / 143B cells without mitochondrial DNA
culture: midbrain organoids / engineered muscle strips / hepatocyte-like cultures / neuronal
  networks grown in galactose
mammal: necrotic foci in the brainstem and early death / ragged fibres with low cytochrome oxidase
  / lactic acidosis and poor treadmill endurance / cardiac hypertrophy with swollen mitochondria /
  hypothermia and ataxia
fish: raised lactate and slow escape swimming / swollen mitochondria in the swim muscle / failed
  yolk use with pericardial oedema / a hypoplastic brain and low respiration
insect: reduced life span with low ATP / degenerate flight muscle / bang sensitivity and high
  lactate / arrest at the third larval stage
func: complex I-driven respiration / cytochrome oxidase activity / mitochondrial translation / the
  membrane potential of mitochondria / ATP output in galactose / the import of matrix precursors
defect: networks that fall silent in galactose / fibres that fatigue within minutes / necrotic
  organoid cores with high lactate / fragmented mitochondria in every cell layer
process: iron-sulfur cluster assembly / the processing of mitochondrial transfer RNA / complex I
  assembly / mitochondrial DNA replication / coenzyme Q synthesis / cardiolipin remodelling
feature: lactic acidosis with psychomotor regression / bilateral basal ganglia lesions / exercise
  intolerance / ophthalmoplegia and ptosis / infantile cardiomyopathy
marker: lactate concentrations / motor scores / ventilator-free days / spectroscopic lactate peaks

= metabolic
tissue: liver / proximal intestine / Purkinje cell layer / pancreatic islets / adipose tissue
cells: skin fibroblasts / hepatocytes grown from reprogrammed cells / leukocytes / lymphoblastoid
  cells / islet-like cells from reprogrammed skin
line: Huh7 cells / HepaRG cells / INS-1E cells / CHO cells
culture: hepatic organoids / islet organoids / gut epithelium on filters / liver-on-chip cultures
mammal: hyperammonaemia after a protein load / a fatty liver with fasting hypoglycaemia / fasting
  hyperglycaemia with small islets / undigested glycans in urine / stored lipid in Purkinje cells
  / peroxisome-poor hepatocytes
fish: steatotic livers in unfed larvae / raised plasma methionine / low glucose tolerance /
  vacuolated neurons with stored lipid
insect: swollen fat bodies / sensitivity to starvation / shortened life on a high-protein diet /
  stored material in glia
func: the oxidation of labelled palmitate / glucose-stimulated insulin secretion / the hydrolysis
  of the synthetic substrate / flux through the urea cycle / plasmalogen synthesis / the
  sialylation of transferrin
defect: droplet-laden, swollen hepatocytes / islets that do not respond to glucose / vacuoles
  packed with undegraded lipid / hepatic buds that release no urea
process: the breakdown of branched-chain amino acids / the transfer of mannose to the growing
  glycan / the import of peroxisomal enzymes / carnitine exchange / the hydrolysis of gangliosides
  / the methylation of homocysteine
feature: metabolic crisis on fasting / hyperammonaemic coma in the newborn / an enlarged liver
  with coarse facies / underglycosylated transferrin / diabetes in infancy
marker: plasma ammonia / urinary metabolite excretion / liver size / glycated haemoglobin /
  fasting tolerance

= bone
tissue: growth plate / perichondrium / calvarial sutures / branchial arches / periosteum
cells: osteoblasts from surgical bone / chondrocytes grown from reprogrammed cells / skin
  fibroblasts / dental pulp cells / neural crest cells derived from blood
line: MC3T3-E1 cells / ATDC5 cells / SW1353 cells / Saos-2 cells
culture: cartilage pellets / mineralising collagen gels / neural crest streams on fibronectin /
  suture-like explants
mammal: short limbs with disordered growth plates / multiple fractures and thin cortices /
  premature fusion of the coronal suture / cleft palate and a small mandible / delayed
  ossification of the skull
fish: absent pharyngeal cartilages / bent, brittle fin rays / fused vertebral bodies / a short
  lower jaw
insect: short appendages with fused joints / thin larval cuticle / wing veins that branch to
  excess / loss of distal leg segments
func: collagen secretion / mineral deposition / the sulfation of proteoglycans / osteoclast
  resorption / crest cell migration / alkaline phosphatase activity
defect: soft pellets with little matrix / crest streams that stall at the border /
  over-mineralised gels / columns of chondrocytes out of line
process: procollagen trimming / the sulfation of chondroitin / FGF receptor signalling in sutures
  / ribosomal RNA transcription in crest cells / proton secretion by osteoclasts / heparan chain
  elongation
feature: disproportionate short stature / recurrent fractures / cleft palate with a small jaw /
  craniosynostosis / joint dislocation
marker: growth velocity / fracture rates / bone mineral density / serum alkaline phosphatase

= airway
tissue: bronchial epithelium / embryonic node / alveolar epithelium / pulmonary arterioles / oviduct
cells: nasal epithelial cells / alveolar cells grown from reprogrammed cells / pulmonary artery
  endothelium / bronchial brushings in culture / skin fibroblasts
line: BEAS-2B cells / A549 cells / mIMCD3 cells / human lung microvascular cells
culture: airway epithelium at an air-liquid interface / alveolar organoids / node-like gastruloids
  / vascularised lung chips
mammal: randomised laterality and hydrocephalus / mucus-filled airways with static cilia / thick
  septa and foamy macrophages / raised right ventricular pressure with muscular arterioles /
  respiratory death at birth
fish: hearts looped to either side / curved bodies with motionless cilia / otolith number defects
  / poorly inflated swim bladders
insect: immotile sperm / tracheal tubes of uneven width / loss of hearing and uncoordinated flight
  / tracheae filled with fluid
func: ciliary beat frequency / surfactant secretion / BMP-driven SMAD phosphorylation /
  mucociliary clearance / the number of outer dynein arms / endothelial barrier resistance
defect: stiff, uncoordinated cilia / lamellar bodies that do not mature / muscularised
  microvessels / pooled mucus over a bare epithelium
process: dynein arm preassembly / surfactant protein processing / radial spoke docking /
  phospholipid transport into lamellar bodies / basal body amplification / BMP receptor signalling
feature: neonatal respiratory distress / chronic wet cough with situs inversus / interstitial
  fibrosis / bronchiectasis / breathlessness from high pulmonary pressure
marker: lung function / oxygen requirement / mucociliary clearance times / pulmonary vascular
  resistance

= tumour
tissue: colonic crypt / mammary epithelium / chromaffin tissue / renal tubular epithelium /
  haematopoietic stem cell pool
cells: lymphoblastoid cells / skin fibroblasts / epithelial cells from normal margins / chromaffin
  precursors from reprogrammed cells / circulating lymphocytes
line: MCF-10A cells / RPE1 cells / HCT116 cells / U2OS cells
culture: crypt organoids / mammary acini in matrigel / precursor cultures of the adrenal medulla /
  organotypic skin
mammal: intestinal adenomas by four months / mammary carcinomas after one litter / lymphoma with
  aneuploid karyotypes / phaeochromocytomas in old age / tumours after low-dose radiation
fish: nerve sheath tumours / radiation-sensitive larvae with micronuclei / intestinal polyps in
  adults / early melanoma
insect: overgrown imaginal discs / larval brain tumours / polyploid neuroblasts / death after mild
  irradiation
func: homologous repair of double-strand breaks / mismatch correction / contact inhibition / the
  spindle checkpoint / succinate oxidation / RAD51 loading
defect: crypts that bud without limit / acini with filled lumina / cultures that clone in soft
  agar / mitoses with extra centrosomes
process: strand invasion / mismatch recognition / the degradation of beta-catenin / the
  hydroxylation of hypoxia factors / telomere capping / interstrand crosslink removal
feature: early-onset carcinoma / multiple polyps / bilateral tumours / paraganglioma in youth /
  several primary tumours
marker: polyp counts / tumour volume / catecholamine excretion / recurrence intervals

= growth
tissue: limb bud / neural tube / second heart field / palatal shelves / hypothalamus
cells: skin fibroblasts / lymphoblastoid cells / neural crest cells derived from blood /
  amniocytes / epithelial cells from urine
line: HEK293T cells / NIH 3T3 cells / HeLa cells / P19 cells
culture: gastruloids / embryoid bodies / neural tube organoids / limb-bud micromasses
mammal: small litters with growth delay and short snouts / exencephaly at midgestation / a domed
  skull with widely spaced eyes / extra digits and ventral wall defects / low birth weight with
  heart defects
fish: a short body axis and wide-set eyes / failed gastrulation movements / small heads with
  missing jaw elements / oval embryos at the somite stage
insect: ectopic wing veins / small adults with rough eyes / segment fusion / delayed pupation
func: ERK phosphorylation after growth factor / cohesin loading / hedgehog reporter activity /
  histone H3K4 methylation / the rate of cell division / ciliary length
defect: gastruloids that do not elongate / micromasses with few condensations / embryoid bodies
  without mesoderm / neural tubes that stay open
process: RAS inactivation / cohesin loading / hedgehog reception / histone methylation / chromatin
  remodelling at developmental enhancers / ribosome assembly
feature: short stature with a characteristic face / multiple congenital anomalies / global delay
  with growth failure / widely spaced eyes and a webbed neck / polydactyly
marker: height velocity / developmental scores / feeding independence / growth-factor concentrations
"""


def _read(text: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Systems from the layout above: ``= name``, ``field: entry / entry``, indented lines go on."""
    systems: dict[str, dict[str, tuple[str, ...]]] = {}
    name = ""
    for line in text.strip().replace("\n  ", " ").splitlines():
        if line.startswith("= "):
            name = line[2:]
            systems[name] = {}
        elif line:
            field, _, entries = line.partition(": ")
            systems[name][field] = tuple(entries.split(" / "))
    return systems


SYSTEMS: dict[str, dict[str, tuple[str, ...]]] = _read(_FIRST + _SECOND)
"""System -> field -> entries."""
