"""A static site of the matrix, the days, the patches, and the files of ours that break most."""
