"""What a newer upstream means for a project beside what breaks."""
