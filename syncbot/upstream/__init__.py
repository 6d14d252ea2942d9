"""Where changes come from: git repositories and package-index releases, both seen as git."""
