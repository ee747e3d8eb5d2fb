"""Checks that a project's own manifests and build files declare or imply, one module per ecosystem."""
