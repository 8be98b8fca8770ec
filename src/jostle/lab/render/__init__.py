"""Results shown to people: in a terminal, as Markdown, as HTML reports and as figures.

text.py          how names and numbers are written, everywhere
ranking_table.py the columns of a comparison's table and their caption
figure_kinds.py  each kind of figure: how it is drawn, its headline, its section
terminal.py, markdown.py, html/, figures/  the four ways to show an experiment

Nothing here needs JAX.
"""
