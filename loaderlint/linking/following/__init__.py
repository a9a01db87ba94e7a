"""Follows expressions to the places where somebody wrote what they are."""
