"""What is checked: the root, the configuration (native and older formats), discovered checks, workspaces, paths."""
