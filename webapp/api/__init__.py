"""The JSON API at `/api/v1`, and its documentation page at `/api`."""

from webapp.api import routes as _routes
from webapp.api import tokens as _tokens
from webapp.api import tool_routes as _tool_routes
from webapp.api.operations import blueprint, init_app
from webapp.api.page import blueprint as page

# Each of these declares operations, which the document lists in this order.
_DECLARING = (
    _routes,
    _tokens,
    _tool_routes,
)
