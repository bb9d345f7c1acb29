"""What the API takes and answers, as pydantic models."""
