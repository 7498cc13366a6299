"""Hydra configs: ``train`` is composed of a stack (cpu, gpu) and a method."""
