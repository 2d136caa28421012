"""The commands of `nnadapter`, by what they are for."""
