"""Changes to files: proposed in three forms, shown as a diff, written all or none, taken back."""
