"""Programs that Punchlist can be made known to: where each keeps its servers, and what an entry looks like."""
