"""What results say, as numbers: rankings, paired intervals, ablations, timings and claims.

Nothing here formats text, draws, or needs JAX; ``jostle.lab.render`` shows what is computed here.
"""
