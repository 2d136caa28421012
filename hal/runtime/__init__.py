"""The runtime: device manager, context, compilation, execution."""
