"""From the bytes a tool printed to a report: text, unwrapping, recognition, parsers, and what nobody claimed."""
