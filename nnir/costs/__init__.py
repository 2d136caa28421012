"""What a model costs, from its shapes alone: operations of arithmetic and memory."""
