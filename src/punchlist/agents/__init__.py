"""What makes agents use Punchlist: entries in their settings, hooks, and commands taken over before they run."""
