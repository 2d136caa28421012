"""How models grow: functions that add a few operations, by family."""
