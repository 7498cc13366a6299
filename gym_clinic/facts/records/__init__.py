"""What the records of the fact tables hold: diseases, findings, drugs, scores, as models."""
