"""The search for the first wrong operation of a model, and the evidence for others."""
