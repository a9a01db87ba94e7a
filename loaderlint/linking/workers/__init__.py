"""What runs in the workers of a loader, and what it takes along."""
