"""What the generators of the answer keys share: column files, the thirteen formats, exact rounding."""
