"""Cases: rows of data, one file per operator family."""
