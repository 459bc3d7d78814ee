"""Translation rules: reading, writing, extraction, and the sample model."""
