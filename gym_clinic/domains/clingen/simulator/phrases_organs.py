"""Seven organ systems, in the layout that `phrases_systems` reads and explains."""

from __future__ import annotations

ORGANS = """
= neuro
unrelated: schizophrenia / restless legs / Alzheimer disease of old age
tissue: cerebral cortex / hippocampus / fetal telencephalon / cerebellar granule layer / cerebral
  white matter
cells: neurons reprogrammed from skin / induced neurons / neural progenitors derived from blood
  cells / neurospheres from olfactory biopsies / oligodendrocytes grown from reprogrammed cells
line: rat cortical neurons in primary culture / SH-SY5Y cells / ReNcell progenitors / Neuro-2a
  cells / Oli-neu cells
func: the frequency of spontaneous calcium transients / the rate of vesicle recycling / the rate
  of progenitor division / neurite length / the output of myelin basic protein
culture: layered neuronal networks on electrode arrays / cortical assembloids / cortical organoids
  / cerebellar slice cultures / myelinating co-cultures
defect: runaway synchronous bursting / sparse synapses on thin dendrites / thin, disorganised
  ventricular zones / stunted, misrouted axons / short, poorly compacted myelin
mammal: handling-induced seizures / impaired reversal learning and excessive grooming / a thin
  cortex with misplaced upper-layer neurons / a small, poorly foliated cerebellum with gait ataxia
  / hypomyelination of the corpus callosum
fish: light-evoked seizure-like darting / poor habituation to repeated startle / a small head with
  a thin telencephalon / a hypoplastic cerebellum and swimming in circles / too few
  oligodendrocytes along the spinal cord
insect: bang-sensitive paralysis / poor olfactory learning / small brain lobes with few
  neuroblasts / climbing failure in early adult life / gaps in the glial wrapping of nerves
process: the gating of sodium channels at the initial segment / the tethering of synaptic vesicles
  / centriole duplication in dividing progenitors / the assembly of the axonal spectrin lattice /
  sulfatide synthesis
feature: seizures of early onset / intellectual disability with stereotyped hand movements / a
  small head with a simplified gyral pattern / unsteady gait with a small cerebellum / delayed
  myelination on imaging
marker: seizure counts / developmental quotients / head growth / ataxia scores / motor milestones

= nerve
unrelated: multiple sclerosis / fibromyalgia / carpal tunnel syndrome
tissue: sciatic nerve / soleus muscle / anterior horn of the spinal cord / motor endplate / dorsal
  root ganglion
cells: Schwann cells from nerve biopsies / cultured myotubes / motor neurons reprogrammed from
  skin / myotubes grown from reprogrammed cells / sensory neurons grown from reprogrammed cells
line: rat Schwann cells / C2C12 myotubes / NSC-34 cells / L6 myotubes / F11 neurons
func: the output of peripheral myelin protein / membrane resealing after laser injury / the speed
  of mitochondrial transport along axons / acetylcholine receptor clustering / neurite regrowth
  after axotomy
culture: myelinating ganglion explants / engineered muscle bundles / spinal cord spheroids /
  nerve-muscle co-cultures / sensory axon chambers
defect: denuded axons with myelin debris / ruptured, thin-walled myofibres / axons that die back
  from their tips / dispersed receptor clusters at the contacts / beaded axons with stalled
  organelles
mammal: slowed nerve conduction and onion-bulb formation / centralised nuclei and a falling grip
  strength / hind-limb paralysis with loss of motor neurons / fragmented endplates and a
  decrementing response / loss of pain reflexes with axonal swelling
fish: thin myelin on the lateral-line nerve / detached myofibres with birefringence gaps / short,
  misbranched motor axons / touch responses that tire early / loss of touch-sensitive axons
insect: swollen motor nerves and a dragging gait / held-up wings and degenerate flight muscle /
  shrinking motor terminals / failing transmission at the neuromuscular junction / fragmented
  axons in the wing nerve
process: the compaction of peripheral myelin / the glycosylation of dystroglycan / the transport
  of RNA granules along axons / the anchoring of receptors at the endplate / sphingoid base
  synthesis
feature: distal weakness with slow nerve conduction / proximal weakness and raised creatine kinase
  / wasting of the hand muscles with brisk reflexes / fatigable weakness with drooping lids /
  painless foot ulcers
marker: motor conduction velocities / forced vital capacity / functional rating scores /
  repetitive stimulation responses / sensory thresholds

= heart
unrelated: coronary artery disease / varicose veins / giant cell arteritis
tissue: left ventricle / sinoatrial node / outflow tract / right ventricular free wall / ascending
  aorta
cells: cardiomyocytes reprogrammed from blood / pacemaker-like cells from reprogrammed cells /
  endocardial cells grown from reprogrammed cells / cardiomyocytes reprogrammed from skin / aortic
  smooth muscle cells
line: neonatal rat ventricular myocytes / HL-1 cells / cushion explant cells / H9c2 cells / A7r5
  smooth muscle cells
func: twitch force / the peak sodium current / epithelial-mesenchymal transition of cushion cells
  / desmosomal adhesion strength / elastin deposition
culture: engineered heart tissues / beating cardiac sheets / cardiac organoids with chambers /
  cardiac microtissues on pillars / vascular rings of human smooth muscle
defect: weak twitches and disarrayed sarcomeres / prolonged repolarisation with early
  afterdepolarisations / chambers that do not septate / tissues that tear at the cell borders /
  thin, overstretched walls
mammal: dilated ventricles with a low ejection fraction / stress-induced ventricular tachycardia /
  septal defects and an overriding aorta / fibrofatty replacement of the right ventricle /
  aneurysms with fragmented elastic lamellae
fish: pericardial oedema and a silent ventricle / slow atrial rhythm with dropped beats / an
  unlooped heart tube with valve reflux / thin ventricular walls after forced swimming / a
  ballooning bulbus arteriosus
insect: a dilated cardiac tube / irregular beats after pacing / a heart tube with missing cell
  rows / gapped myofibrils in the heart wall / a flaccid, leaky aorta
process: the cross-linking of thin filaments / the trafficking of potassium channels / cushion
  signalling in the endocardium / desmosome assembly / elastic fibre deposition
feature: systolic failure in young adults / syncope on exertion / conotruncal malformation /
  ventricular ectopy with right heart enlargement / a widened aortic root
marker: ejection fraction / the corrected QT interval / oxygen saturation / the daily count of
  ventricular ectopics / aortic root diameter

= ear
unrelated: Meniere disease / otosclerosis / noise trauma
tissue: organ of Corti / stria vascularis / spiral ganglion / vestibular epithelium / tectorial
  membrane
cells: hair-cell-like cells from reprogrammed cells / inner-ear progenitors from reprogrammed
  cells / otic neurons grown from reprogrammed cells / vestibular hair cells from reprogrammed
  cells / supporting cells from reprogrammed cells
line: UB/OC-2 cells / mouse strial explants / rat spiral ganglion neurons / mouse utricle explants
  / HEI-OC1 cells
func: the mechanotransduction current / potassium flux through the coupled sheet / exocytosis at
  the ribbon / the uptake of FM1-43 / the secretion of tectorin
culture: inner-ear organoids / sheets of human marginal cells / otic innervation assays /
  utricle-like vesicles / cochlear floor cultures
defect: collapsed hair bundles / leaky epithelial borders / synapses without ribbons / misoriented
  kinocilia / a matrix that lifts off the epithelium
mammal: fused, shortened stereocilia and raised thresholds / a low endocochlear potential /
  degenerate ribbon synapses with lost suprathreshold responses / circling and head tossing / a
  detached tectorial membrane with high thresholds
fish: absent acoustic startle with splayed hair bundles / shrunken otic vesicles / hair cells with
  floating ribbons / small otoliths and poor balance / clogged semicircular canals
insect: weak sound-evoked potentials in the antennal nerve / lymph spaces that collapse in the
  antenna / slow adaptation of auditory neurons / poor righting on falling / loss of active
  antennal mechanics
process: the bundling of stereociliary actin / potassium recycling / calcium sensing at the ribbon
  / otoconial anchoring / the cross-linking of tectorial fibrils
feature: prelingual loss of hearing / an enlarged vestibular aqueduct with fluctuating hearing /
  poor speech recognition with preserved otoacoustic emissions / vestibular areflexia / loss of
  the middle frequencies
marker: pure-tone thresholds / low-frequency thresholds / speech recognition scores / head-impulse
  gains / otoacoustic emissions

= eye
unrelated: age-related macular degeneration / presbyopia / anterior uveitis
tissue: photoreceptor layer / retinal pigment epithelium / optic nerve head / trabecular meshwork
  / lens epithelium
cells: photoreceptors grown from reprogrammed cells / pigment epithelium grown from reprogrammed
  cells / ganglion cells grown from reprogrammed cells / trabecular cells from surgery / lens
  epithelial cells from surgery
line: 661W cells / ARPE-19 cells / rat retinal ganglion cells / TM-1 cells / SRA01/04 cells
func: the light-evoked current / the phagocytosis of outer segments / axonal transport velocity /
  the contraction of actin meshworks / crystallin solubility
culture: retinal organoids / polarised pigment epithelium on filters / optic-nerve-on-chip
  cultures / perfused meshwork constructs / lentoid bodies
defect: stunted outer segments / drusen-like deposits beneath the cells / ganglion cells with
  beaded axons / stiff, clogged flow channels / opaque cores
mammal: flat electroretinograms and thinning of the outer nuclear layer / patches of atrophic
  pigment epithelium / loss of ganglion cells at normal pressure / raised ocular pressure with
  cupped discs / opaque lenses and small eyes
fish: cones without outer segments / pale, vacuolated pigment epithelium / thin optic nerves with
  poor optokinetic tracking / swollen eyes with a shallow chamber / cloudy lenses
insect: missing rhabdomeres in ageing eyes / lost screening pigment / axon loss in the lamina /
  fused ommatidia with raised facets / cone cells that fail to form lenses
process: the gating of cyclic-nucleotide channels / retinol isomerisation / mitochondrial fusion
  in axons / the turnover of meshwork matrix / the chaperoning of crystallins
feature: night blindness and narrowing fields / loss of central vision with flecks / pale optic
  discs with central scotoma / raised pressure and cupping in infancy / cataract at birth
marker: full-field sensitivity / fundus autofluorescence / visual acuity / ocular pressure / lens
  density

= kidney
unrelated: IgA nephropathy / kidney stones / interstitial cystitis
tissue: podocyte layer / collecting duct / proximal tubule / thick ascending limb / glomerular
  endothelium
cells: podocytes grown from reprogrammed cells / cyst-lining epithelium / urine-derived tubular
  cells / distal tubular cells from urine / endothelial cells grown from blood
line: immortalised human podocytes / IMCD3 cells / opossum kidney cells / MDCK cells / glomerular
  endothelial cells
func: slit-diaphragm permselectivity / the flow-evoked calcium signal / megalin-mediated albumin
  uptake / chloride transport across the monolayer / complement factor H cofactor activity
culture: glomerular chips / kidney organoids / proximal tubule tubes / tubules grown in collagen /
  perfused glomerular capillaries
defect: detached podocytes and a leaky filter / spherical cysts in place of tubules / tubules that
  lose their brush border / tubules that cannot dilute their lumen / microthrombi on the capillary
  wall
mammal: heavy albuminuria with effaced foot processes / cystic kidneys by weaning / phosphate
  wasting with rickets / salt wasting with a low blood pressure / haemolysis with glomerular
  thrombi
fish: leakage of labelled dextran into the tubule / glomerular cysts with body curvature / poor
  reuptake of injected dye / oedema in soft water / fibrin plugs in the glomus
insect: nephrocytes without slit diaphragms / swollen Malpighian tubules / nephrocytes that take
  up no dextran / slow secretion of tubular fluid / haemocytes that attack the nephrocytes
process: slit-diaphragm assembly / intraflagellar transport / the recycling of megalin /
  sodium-coupled chloride transport / the regulation of complement on endothelium
feature: steroid-resistant nephrotic syndrome / multiple renal cysts / low-molecular-weight
  proteinuria with rickets / salt craving and hypokalaemia / haemolysis with kidney failure in
  childhood
marker: urinary protein loss / total kidney volume / serum phosphate / serum potassium / platelet
  counts

= immune
unrelated: rheumatoid arthritis / celiac disease / hay fever
tissue: thymic medulla / germinal centre / bone marrow / gut lamina propria / splenic white pulp
cells: T lymphocytes / immortalised B cells / neutrophils / monocyte-derived macrophages /
  regulatory T cells
line: Jurkat cells / Raji cells / HL-60 granulocytes / THP-1 monocytes / HuT 78 cells
func: calcium influx after receptor crosslinking / class switching / the oxidative burst /
  interleukin-10 signalling / suppression of bystander proliferation
culture: artificial thymic organoids / tonsil-like cultures / marrow-derived myeloid cultures /
  gut barrier co-cultures with macrophages / islet co-cultures with lymphocytes
defect: arrested thymopoiesis / plasmablasts that secrete no IgG / granulocytes that die at the
  myelocyte stage / barrier breakdown under macrophage attack / islets overrun by lymphocytes
mammal: few T cells and wasting after viral challenge / absent germinal centres and low antibodies
  / abscesses with catalase-positive bacteria / spontaneous colitis / splenomegaly with
  autoantibodies
fish: an empty thymus in larval life / low immunoglobulin transcripts after vaccination / slow
  neutrophil recruitment to tail wounds / gut inflammation with goblet cell loss / tissue
  infiltrates of lymphoid cells
insect: few circulating haemocytes / weak antimicrobial peptide induction / haemocytes that do not
  kill bacteria / a leaky, dysplastic midgut / melanotic nodules without infection
process: V(D)J end joining / activation-induced deamination / NADPH oxidase assembly /
  interleukin-10 receptor signalling / the recycling of CTLA-4
feature: opportunistic infection in infancy / low immunoglobulins with recurrent pneumonia /
  recurrent abscesses / intractable colitis in infancy / autoimmune cytopenia with enlarged nodes
marker: naive T-cell counts / serum IgG / oxidative burst indices / stool calprotectin /
  autoantibody titres
"""
"""Nervous system, nerve and muscle, heart, ear, eye, kidney, immune system."""
