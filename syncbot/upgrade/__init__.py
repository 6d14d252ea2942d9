"""The effects of a newer upstream on a project besides breaks."""
