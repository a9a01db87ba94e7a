"""What names stand for in one scope, as far as the scope itself says."""
