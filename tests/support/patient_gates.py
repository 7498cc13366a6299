"""The rules of simulated patients, each with a change that must break it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import patient_body_checks as body
import patient_checks as check
import patient_link_mutations as breaks
import patient_links as link
import patient_medicine_checks as medicines
import patient_mutations as change
import patient_named_signs as signs
import patient_treatment as treat
from patient_body_checks import near, of_states
from patient_mutations import first_problem, severities, shifted, taking

from gym_clinic.simulate.clinic import ClinicPatient
from gym_clinic.simulate.clinic.people import Background


@dataclass(frozen=True)
class Gate:
    """A rule and the mutation that must trip it."""

    name: str
    check: Callable[[ClinicPatient], str | None]
    mutate: Callable[[ClinicPatient], ClinicPatient | None]


GATES = (
    Gate(
        "every measurement is there",
        of_states(body.complete),
        change.with_states(lambda s: {key: value for key, value in s.items() if key != "na"}),
    ),
    Gate("values of the living", of_states(body.possible), shifted(k=20)),
    Gate(
        "mean pressure",
        near("map", lambda s, _: (s["sbp"] + 2 * s["dbp"]) / 3, 0.01),
        shifted(map=3),
    ),
    Gate("pulse pressure", of_states(body.pulse_pressure), shifted(dbp=90)),
    Gate(
        "pH by Henderson and Hasselbalch",
        near("ph", lambda s, _: 6.1 + math.log10(s["hco3"] / (0.0307 * s["pco2"])), 0.005),
        shifted(ph=0.1),
    ),
    Gate("anion gap by its acids", near("anion_gap", body.gap, 0.01), shifted(anion_gap=4)),
    Gate(
        "electrical neutrality",
        near("cl", lambda s, _: s["na"] - s["hco3"] - s["anion_gap"], 0.01),
        shifted(na=6),
    ),
    Gate("Winter's formula", of_states(body.winter), change.acidotic),
    Gate("filtration", near("egfr", body.egfr, 0.5), shifted(creatinine=0.5)),
    Gate("haematocrit", near("hct", lambda s, _: s["hb"] * 2.97, 0.1), shifted(hb=2)),
    Gate("urea", near("urea", lambda s, _: s["bun"] * 0.357, 0.05), shifted(urea=2)),
    Gate("urea goes with creatinine", of_states(body.urea_follows), change.urea_alone),
    Gate("anaemia of failing kidneys", body.renal_anaemia, change.failing_without_anaemia),
    Gate(
        "neutrophils by white cells",
        near("neutrophils", lambda s, _: s["wbc"] * s["neutrophil_pct"] / 100, 0.05),
        shifted(wbc=5),
    ),
    Gate("white cells add up", of_states(body.differential), shifted(lymphocyte_pct=70)),
    Gate("the film counts the blasts", body.blasts, change.more_blasts),
    Gate("direct bilirubin", of_states(body.direct_bilirubin), shifted(bilirubin_direct=60)),
    Gate("oxygen by saturation", near("po2", body.oxygen, 0.1), shifted(po2=-25)),
    Gate("osmolality", near("osmolality", body.osmolality, 0.1), shifted(osmolality=9)),
    Gate(
        "healthy values in their ranges",
        check.healthy_in_range,
        lambda one: replace(one, healthy={**one.healthy, "na": 150.0}),
    ),
    Gate(
        "no finding without a disease",
        check.healthy_findings,
        lambda one: replace(one, healthy={**one.healthy, "albumin": 1.6}),
    ),
    Gate("nothing changes without a problem", check.neutral, change.restless),
    Gate("age and sex of the problem", check.fits, change.other_sex),
    Gate(
        "age and sex of what one lives with",
        check.lived_with,
        lambda one: replace(one, background=(Background("hypertension", 200.0, {}),)),
    ),
    Gate(
        "no condition twice",
        check.once,
        lambda one: replace(one, problems=(*one.problems, one.problems[0])),
    ),
    Gate(
        "no conditions that exclude each other",
        check.together,
        lambda one: replace(
            one,
            background=(
                Background("hypothyroidism", 1.0, {}),
                Background("graves-disease", 1.0, {}),
            ),
        ),
    ),
    Gate(
        "a wrong old diagnosis resembles the right one",
        link.mistaken,
        lambda one: replace(one, background=(Background("osteoporosis", 1.0, {}, mistaken=True),)),
    ),
    Gate("no allergy of infants", check.old_enough, change.infant_with_allergy),
    Gate("a low coma score has a finding", check.clouded, change.clouded),
    Gate(
        "no second problem like the first",
        check.look_alike_second,
        lambda one: replace(one, problems=(*one.problems, one.problems[0])),
    ),
    Gate("findings fit the person", check.findings_fit, change.of_the_other_sex),
    Gate("no finding with its parent", check.no_relatives, change.with_parent),
    Gate("findings begin in time", check.timed, lambda one: first_problem(one, began=5)),
    Gate(
        "the complaint is a finding of the condition",
        check.complaint,
        lambda one: first_problem(one, findings={}),
    ),
    Gate("findings follow from measurements", check.measured, change.blind),
    Gate("doses within their limits", medicines.doses, taking("metformin", dose=5000.0)),
    Gate("doses of children by weight", medicines.doses_of_children, change.dosed_as_adult),
    Gate(
        "no contraindicated combination",
        medicines.combinations,
        taking("sildenafil", "nitroglycerin"),
    ),
    Gate("no medicine against an allergy", medicines.allergies, change.allergic),
    Gate(
        "a condition for every medicine", medicines.indicated, taking("metformin", condition="none")
    ),
    Gate(
        "no illness that is only in the list of medicines",
        medicines.indicated,
        taking("insulin-glargine", condition="diabetes"),
    ),
    Gate("no medicine before the diagnosis", medicines.since_known, change.taken_before_known),
    Gate("no medicine against the kidneys", treat.within_kidneys, change.failing_kidneys),
    Gate("no medicine twice", medicines.no_double, taking("metformin", "metformin")),
    Gate("age by the calendar", check.calendar, change.younger),
    Gate("what has a season comes in it", check.season, change.half_a_year_later),
    Gate("pregnancy", check.pregnancy, change.person(pregnant_weeks=60)),
    Gate("weight on arrival", check.weight, change.person(weight_kg=55.5)),
    Gate("height and weight", check.size, change.person(weight_kg=400.0)),
    Gate("habits of adults", check.adult_habits, change.person(habits=("smoking",), age=4.0)),
    Gate("alive on arrival", check.alive, change.deadly),
    Gate(
        "the untreated course has one direction",
        check.worsens,
        severities(lambda minute: 1 + (minute == 30) - (minute == 60)),
    ),
    Gate("treatment helps", check.treatment_helps, severities(lambda minute: 1.0)),
    Gate("everybody can be treated", treat.treatable, treat.untreatable),
    Gate("treatment is right in the patient", treat.right_in_patient, treat.allergic_to_treatment),
    Gate("only what is needed is done", treat.only_needed, treat.treated_without_need),
    Gate("problems grow from nothing", check.began_from_nothing, severities(lambda minute: 1.0)),
    Gate("studies show what the condition shows", link.results_possible, change.other_reports),
    Gate(
        "studies show what is possible in the patient",
        link.results_possible,
        breaks.impossible_result,
    ),
    Gate("images of a region agree", link.images_agree, breaks.blind_image),
    Gate("an infection has one germ", link.one_germ, breaks.other_germ),
    Gate("a loud image is heard", link.heard, breaks.silent_chest),
    Gate("findings agree with state and age", link.findings_agree, breaks.unlike_finding),
    Gate("pain is felt somewhere", link.pain_is_told, breaks.pain_untold),
    Gate("signs go with findings and values", link.signs_go_with, breaks.signs_left_out),
    Gate("words of the examination are true", link.words_hold, breaks.unlike_words),
    Gate("no sign denies what is there", signs.denies_what_is_there, signs.denying_sign),
    Gate("two problems are one examination", link.one_examination, breaks.told_twice),
    Gate("two problems are one report", link.one_report, breaks.all_normal),
    Gate("tests show known illnesses", link.known_illness_shows, breaks.healed),
    Gate("causes come before the illness", link.causes_precede, breaks.event(0)),
    Gate("what is past is a cause", link.causes_are_known, breaks.event(-100)),
    Gate("late findings come late", link.late_findings, breaks.early),
    Gate("features of years are old", link.old_findings, breaks.recent),
    Gate("ill enough for the diagnosis", link.ill_enough, breaks.hardly_ill),
    Gate("nobody is poisoned by nothing", link.exposed, breaks.unexposed),
    Gate("known before the attack", link.known_for_longer, breaks.known_since_today),
    Gate("who speaks", link.who_speaks, breaks.silent),
    Gate("survivable on arrival", link.arrives_alive, shifted(spo2=-45)),
    Gate("nobody lives with what kills", link.dies_of_the_body, breaks.immortal),
    Gate("texts are written out", link.written_out, breaks.unwritten),
    Gate("the rate of the ECG", check.rate, change.louder),
    Gate("the examination does not name the diagnosis", check.never_names, change.telling),
)
"""The rules, in the order of body, person, problem, medicines and course."""
