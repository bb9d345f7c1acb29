"""The JSON API at `/api/v1`, and its documentation page at `/api`."""

from webapp.api import snapshots as _snapshots
from webapp.api import texts as _texts
from webapp.api import tool_routes as _tool_routes
from webapp.api import vocabularies as _vocabularies
from webapp.api.operations import blueprint, init_app
from webapp.api.page import blueprint as page

# Each of these declares operations, which the document lists in this order.
_DECLARING = (_texts, _vocabularies, _snapshots, _tool_routes)
