"""Mutation testing: small changes are planted in the code, and the cases must notice each one."""
