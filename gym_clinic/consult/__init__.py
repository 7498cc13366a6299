"""Sub-agents and specialists behind a tool: recorded, rule-based, or a chat model."""
