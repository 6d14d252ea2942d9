"""A range of upstream commits cut into steps: what each means for the backend, and what is to be done."""
