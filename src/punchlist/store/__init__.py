"""What is kept between calls: runs and their reports in SQLite, their logs in folders beside it."""
