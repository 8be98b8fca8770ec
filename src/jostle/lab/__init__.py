"""Comparing policies: names -> plan -> trials in worker processes -> table, figures, report.

plan.py      what to compare, and what came of it
naming.py    policies and environments from their names
play.py      one trial;  timing.py  how long choosing and learning take
worker.py    a process that plays trials;  workers.py  its other end;  schedule.py  who plays what
compare.py   all trials of a plan, as they finish
results.py   a folder on disk;  table.py  figures.py  report.py  what people look at
"""
