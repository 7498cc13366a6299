"""Episodes inside verl: data rows, one environment a trajectory, tokens and their masks."""
