"""The tuning algorithms, one module each, and their contract."""
