"""Processes: start, capture, deadlines, ending whole trees, pipelines, run folders."""
