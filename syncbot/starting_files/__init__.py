"""The files that a project begins with: configuration, matrix, and a workflow for its CI."""
