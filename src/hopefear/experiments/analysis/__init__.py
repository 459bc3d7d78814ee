"""What the results of an experiment say: groups, marks, tables and curves."""
