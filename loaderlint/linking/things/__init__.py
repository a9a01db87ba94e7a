"""What an expression can be while it is followed, and what is done with such things."""
