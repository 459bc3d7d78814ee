"""Proofs that a written document differs from the original in translations only, by other parsers."""
