"""Models as the field's tools write them, verified on every device."""
