"""Reviews of a whole list: charts, problems, what follows when a medicine is stopped, the rules."""
