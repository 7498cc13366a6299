"""A more natural edition of the simulated articles: paragraphs as a language model rewrites them.

A model rewrites a paragraph sentence by sentence, `readback` compares the facts of each sentence,
and `edition` keeps what was accepted in a file. Episodes read that file and ask no model.
"""
