"""The same check on another commit: a worktree outside of the project, believed only where its own code runs in it."""
