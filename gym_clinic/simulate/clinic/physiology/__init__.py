"""The measurable body: its usual state, what changes it, what follows, and when it dies."""
