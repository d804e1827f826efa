"""Long-term memory for LLM agents that stays within its budget."""
