"""What a rendering may take."""

from __future__ import annotations

# A child's seconds of processor time and of time, and bytes of memory above the start.
CPU_SECONDS, WALL_SECONDS = 1, 3.0
MEMORY, RESERVE = 256_000_000, 32_000_000
MOST_RECEIVED = 160_000_000  # bytes of an answer, written as JSON
MOST_REQUEST = 16_000_000
MOST_OUTPUT = 4_000_000  # bytes of one rendering
MOST_ANSWER = 24_000_000  # bytes of all renderings of a request
LONGEST_MESSAGE = 300
# The processor time after which no further rendering begins, as only the first is needed; and the most prompts of
# first messages.
ENOUGH_SECONDS, MOST_SHORTER = 0.6, 64
