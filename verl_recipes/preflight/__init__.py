"""What a run needs, checked before it starts: packages, machine, model, prompts."""
