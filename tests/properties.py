"""Hypothesis settings for property tests that are expensive or share a fixture.

The profile in `tests/conftest.py` sets the number of examples: few in every run, many with
`--hypothesis-profile=exhaustive`. A test whose example loads a page or trains is marked `@EXPENSIVE` and gets a fifth.
"""

from hypothesis import HealthCheck, settings

# For a property over several kinds of input, each of which is to be tried.
THOROUGH = settings(max_examples=4 * settings().max_examples)
EXPENSIVE = settings(max_examples=settings().max_examples // 5)

# For tests whose fixture is the same object in every example, which Hypothesis cannot know.
SAME_FIXTURE = settings(suppress_health_check=[*settings().suppress_health_check, HealthCheck.function_scoped_fixture])
EXPENSIVE_WITH_SAME_FIXTURE = settings(EXPENSIVE, suppress_health_check=SAME_FIXTURE.suppress_health_check)
