"""Organ systems: what a disease of each does to tissues, cells, animals and people.

A system has five aspects (of the heart: failure, rhythm, malformation, ...). Entry i of every
field belongs to aspect i, so that a cell, its readout, the mutant animal and the patient's
complaint fit together. Entries are noun phrases for the slots of `phrases_findings`:

* ``tissue`` follows "the"; ``cells`` (a patient's), ``line`` (anybody's) and ``culture``
  (engineered, disease in a dish) are plural;
* ``mammal``, ``fish`` and ``insect`` follow "showed"; ``feature`` is a sign in people;
* ``func`` is a quantity that can fall in ``cells`` and ``line``, ``defect`` the abnormal look
  of ``culture``; ``process`` is the work of a protein; ``marker`` is measured under treatment;
* ``unrelated``, in no order, are complaints that no disease on record has to do with.
"""

from __future__ import annotations

from gym_clinic.domains.clingen.simulator.phrases_organs import ORGANS

ASPECTS = 5
"""Aspects of a system."""

_REST = """
= blood
unrelated: polycythaemia vera / severe malaria / anaemia of pregnancy
tissue: hepatic sinusoid / megakaryocyte compartment / fetal liver / bone marrow / venous
  endothelium
cells: blood outgrowth endothelial cells / megakaryocytes grown from CD34+ cells / erythroid
  precursors / myeloid precursors from marrow / hepatocytes grown from reprogrammed cells
line: HepG2 cells / MEG-01 cells / K562 cells / 32D myeloid cells / Huh7 cells
func: factor VIII cofactor activity / proplatelet extension / haemoglobin synthesis / granulocyte
  colony formation / protein C activation
culture: perfused endothelial channels / megakaryocyte cultures under flow / erythroid island
  cultures / marrow-on-chip cultures / valve-pocket flow chambers
defect: clots that dissolve within minutes / proplatelets with few, swollen tips / islands that
  stop at the blast stage / colonies without mature granulocytes / clots that spread without limit
mammal: long tail-bleeding times with joint haemorrhage / large, pale platelets in low numbers /
  macrocytic anaemia with few reticulocytes / early marrow failure with short telomeres / venous
  thrombosis after stasis
fish: delayed occlusion after laser injury / thrombocytes that form no plug / pale larvae with few
  erythrocytes / too few neutrophils in the caudal tissue / thrombi in the caudal vein
insect: wounds that do not clot / too few crystal cells / small lymph glands with immature cells /
  lymph glands that exhaust their progenitors / melanised haemocyte clumps
process: the gamma-carboxylation of clotting factors / granule biogenesis in megakaryocytes /
  ribosome maturation / telomere capping in progenitors / the inactivation of factor V
feature: bleeding after minor surgery / low counts of large platelets / transfusion-dependent
  anaemia / pancytopenia with nail changes / thrombosis in youth
marker: annual bleeding rates / platelet counts / haemoglobin concentrations / neutrophil counts /
  thrombin generation times

= mito
unrelated: age-related sarcopenia / statin myalgia / heat stroke
tissue: skeletal muscle / striatum / heart muscle / liver / extraocular muscle
cells: cultured myoblasts / skin fibroblasts / cardiomyocytes reprogrammed from skin / hepatocytes
  grown from reprogrammed cells / transmitochondrial cybrids
line: C2C12 cells / HEK293 cells / H9c2 cells / HepG2 cells / 143B cells without mitochondrial DNA
func: cytochrome oxidase activity / complex I-driven respiration / mitochondrial translation /
  mitochondrial DNA copy number / the membrane potential of mitochondria
culture: engineered muscle strips / midbrain organoids / engineered heart tissues / hepatic
  organoids / motor unit co-cultures
defect: fibres that fatigue within minutes / necrotic cores with high lactate / swollen
  mitochondria and weak beats / fatty buds depleted of mitochondrial DNA / ragged fibres with
  deleted DNA
mammal: ragged fibres and poor treadmill endurance / necrotic foci in the brainstem and early
  death / cardiac hypertrophy with swollen mitochondria / hypoglycaemia with mitochondrial DNA
  depletion / ptosis-like lid weakness with DNA deletions
fish: slow escape swimming with raised lactate / cell death in the midbrain / pericardial oedema
  with failed yolk use / pale, fatty livers / degenerate eye muscles
insect: degenerate flight muscle with low ATP / bang sensitivity and high lactate / a dilated
  heart tube in old age / arrest at the third larval stage / shortened life with wing droop
process: cytochrome oxidase assembly / complex I assembly / the charging of mitochondrial transfer
  RNA / nucleotide supply to mitochondria / mitochondrial DNA replication
feature: exercise intolerance with ragged fibres / bilateral basal ganglia lesions with regression
  / infantile cardiomyopathy with lactic acidosis / liver failure in infancy / ophthalmoplegia and
  ptosis
marker: treadmill times / spectroscopic lactate peaks / left ventricular mass / transaminases /
  eyelid measurements

= metabolic
unrelated: obesity of middle age / gallstone disease / alcoholic hepatitis
tissue: liver / endocrine pancreas / Purkinje cell layer / periportal hepatocyte zone / kidney
  cortex
cells: hepatocytes grown from reprogrammed cells / islet-like cells from reprogrammed skin / skin
  fibroblasts / peripheral leukocytes / urine-derived epithelial cells
line: HepaRG cells / INS-1E cells / CHO cells / Huh7 cells / HK-2 cells
func: flux through the urea cycle / glucose-stimulated insulin secretion / the hydrolysis of the
  lysosomal substrate / the oxidation of labelled palmitate / the sialylation of transferrin
culture: hepatic organoids / islet organoids / cerebellar organoids / liver-on-chip cultures /
  secretory epithelium on filters
defect: buds that release no urea / islets that do not respond to glucose / vacuoles packed with
  undegraded lipid / droplet-laden, swollen hepatocytes / underglycosylated, trapped secretory
  proteins
mammal: hyperammonaemia after a protein load / fasting hyperglycaemia with small islets / stored
  lipid in Purkinje cells with tremor / a fatty liver with fasting hypoglycaemia /
  underglycosylated serum proteins and failure to grow
fish: raised ammonia and lethargy / low glucose tolerance / vacuolated neurons with stored lipid /
  steatotic livers in unfed larvae / short jaws with underglycosylated matrix
insect: shortened life on a high-protein diet / high haemolymph sugar / stored material in glia /
  swollen fat bodies and sensitivity to starvation / pupal death with abnormal glycans
process: the condensation of citrulline with aspartate / the sensing of glucose in beta cells /
  the hydrolysis of gangliosides / carnitine exchange / the transfer of mannose to the growing
  glycan
feature: hyperammonaemic coma in the newborn / diabetes in infancy / regression with a cherry-red
  spot / hypoketotic hypoglycaemia on fasting / inverted nipples with abnormal fat pads
marker: plasma ammonia / glycated haemoglobin / chitotriosidase activity / plasma acylcarnitines /
  transferrin isoforms

= bone
unrelated: osteoporosis of old age / tennis elbow / chronic periodontitis
tissue: growth plate / periosteum / sutural mesenchyme / branchial mesenchyme / dental lamina
cells: chondrocytes grown from reprogrammed cells / osteoblasts from surgical bone / suture cells
  from surgery / neural crest cells derived from blood / dental pulp cells
line: ATDC5 cells / Saos-2 cells / MC3T3-E1 cells / O9-1 crest cells / OD-21 cells
func: the sulfation of proteoglycans / collagen secretion / the brake on mineral deposition /
  crest cell migration / the output of dentin matrix
culture: cartilage pellets / mineralising collagen gels / suture-like explants / neural crest
  streams on fibronectin / tooth germ cultures
defect: soft pellets with columns out of line / thin, brittle matrix / gels that mineralise too
  early / streams that stall at the border / germs that stop at the bud stage
mammal: short limbs with disordered growth plates / multiple fractures and thin cortices /
  premature fusion of the coronal suture / cleft palate and a small mandible / missing molars
fish: short, thick cartilage elements / bent, brittle fin rays / fused skull plates / absent
  pharyngeal cartilages / missing pharyngeal teeth
insect: short legs with thickened joints / thin larval cuticle / wing veins that branch to excess
  / loss of head segments / missing bristles
process: the sulfation of chondroitin / procollagen trimming / FGF receptor signalling in sutures
  / ribosomal RNA transcription in crest cells / ectodysplasin signalling
feature: disproportionate short stature / recurrent fractures with blue sclerae / craniosynostosis
  / cleft palate with a small jaw / absent permanent teeth
marker: growth velocity / fracture rates / skull shape indices / airway patency / tooth counts

= airway
unrelated: asthma / emphysema of smokers / sarcoidosis
tissue: bronchial epithelium / alveolar epithelium / pulmonary artery wall / embryonic node /
  paranasal sinus lining
cells: nasal epithelial cells / alveolar cells grown from reprogrammed cells / pulmonary artery
  endothelium / bronchial brushings in culture / nasal cells from polyps
line: BEAS-2B cells / A549 cells / human lung microvascular cells / mIMCD3 cells / RPMI 2650 cells
func: ciliary beat frequency / surfactant secretion / BMP-driven SMAD phosphorylation / nodal flow
  speed / mucus transport
culture: airway epithelium at an air-liquid interface / alveolar organoids / vascularised lung
  chips / node-like gastruloids / sinus mucosa on filters
defect: stiff, uncoordinated cilia / lamellar bodies that do not mature / muscularised
  microvessels / flow without direction / pooled mucus over a bare epithelium
mammal: mucus-filled airways with static cilia / respiratory death at birth with collapsed alveoli
  / raised right ventricular pressure with muscular arterioles / randomised laterality and
  hydrocephalus / chronic rhinitis with thick mucus
fish: bent bodies with motionless cilia / poorly inflated swim bladders / narrowed gill vessels /
  hearts looped to either side / nasal pits without flow
insect: immotile sperm / tracheae filled with fluid / tracheal tubes of uneven width / coiled guts
  turned the wrong way / uncoordinated flight with deaf antennae
process: dynein arm preassembly / phospholipid transport into lamellar bodies / BMP receptor
  signalling / radial spoke docking / basal body amplification
feature: chronic wet cough with bronchiectasis / neonatal respiratory distress / breathlessness
  from high pulmonary pressure / situs inversus / sinusitis with reduced cilia
marker: lung function / oxygen requirement / pulmonary vascular resistance / mucociliary clearance
  times / sinus scores

= tumour
unrelated: prostate cancer / lung cancer of smokers / actinic keratosis
tissue: colonic crypt / mammary epithelium / chromaffin tissue / haematopoietic stem cell pool /
  renal tubular epithelium
cells: crypt epithelium from normal margins / mammary epithelial cells from surgery / chromaffin
  precursors from reprogrammed cells / lymphoblastoid cells / tubular cells from urine
line: HCT116 cells / MCF-10A cells / PC12 cells / RPE1 cells / HK-2 cells
func: mismatch correction / homologous repair of double-strand breaks / succinate oxidation / the
  spindle checkpoint / the degradation of hypoxia factors
culture: crypt organoids / mammary acini in matrigel / adrenomedullary spheroids / marrow-derived
  colony cultures / renal tubule spheroids
defect: crypts that bud without limit / acini with filled lumina / spheroids that grow without
  serum / colonies with aneuploid blasts / clear-cell nests in place of tubules
mammal: intestinal adenomas by four months / mammary carcinomas after one litter /
  phaeochromocytomas in old age / lymphoma with aneuploid karyotypes / renal cysts lined by
  dysplastic cells
fish: intestinal polyps in adults / radiation-sensitive larvae with micronuclei / adrenal-like
  masses beside the kidney / early leukaemia / pronephric tubules with clear cells
insect: overgrown gut epithelium / death after mild irradiation / larvae that suffocate at normal
  oxygen / polyploid neuroblasts in brain tumours / tracheae that sprout without limit
process: mismatch recognition / strand invasion / the oxidation of succinate / kinetochore
  signalling / the ubiquitination of hypoxia factors
feature: multiple polyps / breast carcinoma before forty / paraganglioma in youth / leukaemia in
  childhood / bilateral renal tumours
marker: polyp counts / recurrence intervals / catecholamine excretion / blast counts / tumour volume

= growth
unrelated: plaque psoriasis / endometriosis / alopecia areata
tissue: limb bud / neural tube / pharyngeal endoderm / palatal mesenchyme / hypothalamus
cells: skin fibroblasts / neural crest cells derived from blood / lymphoblastoid cells /
  amniocytes / epithelial cells from urine
line: NIH 3T3 cells / P19 cells / HEK293T cells / HeLa cells / GT1-7 cells
func: hedgehog reporter activity / histone H3K4 methylation / ERK phosphorylation after growth
  factor / cohesin loading / the rate of cell division
culture: limb-bud micromasses / neural tube organoids / gastruloids / embryoid bodies /
  hypothalamic organoids
defect: condensations that split in two / tubes that stay open / bodies that do not elongate /
  lineages out of proportion / tissues of half the normal size
mammal: extra digits and ventral wall defects / exencephaly at midgestation / a domed skull with
  widely spaced eyes / small litters with growth delay and short snouts / dwarfism with a low
  birth weight
fish: extra fin rays / a neural keel that does not close / oval embryos at the somite stage /
  small heads with missing jaw elements / a short body axis
insect: wings with mirrored halves / homeotic transformation of segments / ectopic wing veins /
  rough eyes with small heads / small adults after delayed pupation
process: hedgehog reception / histone methylation at developmental enhancers / RAS inactivation /
  cohesin loading / replication licensing
feature: polydactyly / developmental delay with arched eyebrows / widely spaced eyes and a webbed
  neck / low birth weight with synophrys / proportionate short stature
marker: hand function scores / developmental scores / height velocity / feeding independence /
  growth-factor concentrations
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


SYSTEMS: dict[str, dict[str, tuple[str, ...]]] = _read(ORGANS + _REST)
"""System -> field -> entries, one for each aspect."""
