"""Figures of experiments, drawn with Matplotlib."""
