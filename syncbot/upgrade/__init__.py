"""What a newer upstream means for a project beside what breaks: what acts otherwise, what is new, what stays."""
