"""What a run looked like: training curves as one picture."""
