"""The JSON API at `/api/v1`, and its documentation page at `/api`."""

from webapp.api import snapshots as _snapshots
from webapp.api import texts as _texts
from webapp.api import vocabularies as _vocabularies
from webapp.api.document import page
from webapp.api.operations import add_tool, blueprint, init_app
from webapp.tools import TOOLS

# Each of these declares operations, which the document lists in this order; then those of the tools.
_DECLARING = (_texts, _vocabularies, _snapshots)
for _tool in TOOLS:
    if _tool.api is not None:
        add_tool(_tool, _tool.api)
