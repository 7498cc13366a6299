"""Clinical systems, one module or folder each."""
