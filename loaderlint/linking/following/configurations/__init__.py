"""Follows what programs read from configurations, and the objects that are made of them."""
