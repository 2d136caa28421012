"""Looking at models: facts, a page of the graph, differences of two models."""
