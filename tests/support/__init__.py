"""What tests share: small systems and texts, brute force, processes that die."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
