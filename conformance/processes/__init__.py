"""Worker processes: messages, limits, and the arrays that they write."""
