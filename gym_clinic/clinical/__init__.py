"""What the clinical domains share: patients, answers, judging, tasks and tools.

A simulation, not for patient care.
"""
