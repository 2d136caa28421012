"""Small language models with their caches as inputs and outputs, from every layout, everywhere."""
