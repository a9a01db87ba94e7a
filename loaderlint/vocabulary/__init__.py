"""Tables: which callables and keys are loaders, and what each framework calls each option. Data, no logic."""
