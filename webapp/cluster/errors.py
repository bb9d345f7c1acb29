"""Errors besides those of counting, with messages for the command line."""


class SourceError(Exception):
    """A corpus that cannot be found or opened; the message says where and why."""


class ClusterError(Exception):
    """A cluster that cannot be used; the message says why and what to do."""


def sentence(error: BaseException) -> str:
    """Return what an error says, in one line."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(said.split()) or type(error).__name__
