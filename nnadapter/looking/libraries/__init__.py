"""What the pages carry of others: d3-zoom (gestures) and Flatbush (what lies in a rectangle)."""
