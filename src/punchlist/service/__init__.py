"""The operations that every front door calls: open a project, run, wait, read, compare, answer, stop, run again."""
