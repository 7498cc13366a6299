"""How a clinical episode is judged: what was read, what the calls and the answer are worth."""
