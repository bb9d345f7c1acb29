"""Chat: conversations, the templates that make prompts of them, and the sandbox in which templates run."""
