"""Benchmarks: conversion time, peak memory, latency and cost per node, against the peers."""
