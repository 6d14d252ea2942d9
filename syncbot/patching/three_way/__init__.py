"""Three-way merge of functions: a copy follows what its original became."""
