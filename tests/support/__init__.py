"""What tests share: small systems and texts, brute force, processes that die."""
