"""New packages with what a plug-in needs: stubs that say what is still to be written."""
