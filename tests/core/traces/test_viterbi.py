"""The Viterbi table by hand, against all paths."""

from itertools import pairwise, product
from math import isclose, prod

from hypothesis import given
from hypothesis import strategies as st

from webapp.core.traces.viterbi import HMMTables, viterbi_trace

PROBABILITY = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


@given(st.text("xy", min_size=1, max_size=5), st.lists(PROBABILITY, min_size=18, max_size=18))
def test_the_path_is_the_most_probable_of_all(observed: str, values: list[float]) -> None:
    start = {(state,): values.pop() for state in "ABC"}
    transition = {(one, other): values.pop() for one, other in product("ABC", repeat=2)}
    emission = {(state, symbol): values.pop() for state, symbol in product("ABC", "xy")}
    trace = viterbi_trace(HMMTables(tuple(observed), start, transition, emission))

    def probability(path: tuple[str, ...]) -> float:
        steps = (transition[pair] for pair in pairwise(path))
        return prod([start[path[0],], *steps, *(emission[pair] for pair in zip(path, observed, strict=False))])

    for at, column in enumerate(trace.columns, 1):
        for cell in column:
            ways = [path for path in product("ABC", repeat=at) if path[-1] == cell.state]
            best = max(map(probability, ways))
            assert isclose(cell.total, best, abs_tol=1e-12)
    assert isclose(probability(trace.states), max(cell.total for cell in trace.columns[-1]), abs_tol=1e-12)
