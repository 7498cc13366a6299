"""Training recipes: a thin plugin on upstream verl. Importing this package loads nothing else.

The path of a run: `request` reads the command line, `config.compose` makes one config of it,
`config.settle` sets what follows from its settings (for verl's own command too, by `run.plain`),
`preflight` checks what the run needs, `run` locks its folder, starts verl in a process of its own,
shows its steps and reports. Inside verl, `agent_loop` plays episodes and `trainer` trains.

Where a further algorithm goes: a folder beside `ttopd/` with its trainer (a subclass of
`trainer.trainer.ClinicTrainer` that registers itself with verl), a line in `registry.TRAINERS`
(name -> class), and a file `config/method/NAME.yaml` that sets `trainer.v1.trainer_mode` to that
name. The trainer overrides the step that differs; its loss, workers and settings lie beside it.
`ttopd/` (a teacher) and `critic/` (PPO with a value model of one's own) are examples; `schedule/`
lets the environments, rewards, KL and reference of any of them change in stages.
"""
