"""Everything that can be shared: a result, a comparison, a conversation or an evaluation, stored exactly as it was."""
