"""The tools, each a program that quantises one model: VARIANT SOURCE SAMPLES.npz TARGET."""
