"""From a report to what is sent: brief text, the documented JSON shapes, files for other programs."""
