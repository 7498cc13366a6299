"""What maintains the fact tables: their layout, their published ids and frequencies, the proof.

It is run in a checkout and is not part of the installed package.
"""
