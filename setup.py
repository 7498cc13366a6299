"""The packages: found by their folders, so that a new room or domain is listed nowhere.

setup.cfg holds all else. Its ``find:`` does not see packages that lie elsewhere than their name.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["gym_clinic*", "verl_recipes*"]),
        "gym_clinic.tasks",
        "gym_clinic.kb",
    ]
)
