"""Quantisation after training, side by side: models trained a little, tools, engines, scores."""
