"""Speed and memory, as ratios of two things measured side by side in one run.

Machines are shared and noisy, so no figure here is a bare time: each compares our code with a
yardstick run in turns with it. ``jostle bench`` prints them all.
"""
