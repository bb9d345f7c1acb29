"""The colour theme that a visitor chose: light or dark; without a choice, pages follow the system's setting.

A cookie keeps the choice, and `<html data-theme="dark">` applies it, so that it works without scripts.
"""

from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, g, redirect, request, url_for
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from webapp.web.localization import A_YEAR, HOME_PAGE

COOKIE = "theme"
THEMES = ("light", "dark")
SYSTEM = "system"

blueprint = Blueprint("theme", __name__)


def init_app(app: Flask) -> None:
    """Register the switch, and make the theme known to templates as `theme`, None without a choice."""
    app.register_blueprint(blueprint)

    @app.context_processor
    def variables() -> dict[str, object]:
        return {"theme": chosen_theme()}

    @app.after_request
    def remember(response: Response) -> Response:
        # A page with a text that is in no address sends its form, and with it the theme.
        if request.method == "POST" and response.mimetype == "text/html":
            _keep(response, _submitted())
        return response


def chosen_theme() -> str | None:
    """The theme of this request: of its form, or of the cookie; None to follow the system."""
    g.by_visitor = True  # the page depends on the cookie
    theme = _submitted() or request.cookies.get(COOKIE)
    return theme if theme in THEMES else None


@blueprint.post("/theme")
def choose() -> BaseResponse:
    """Keep the theme of the form, `light`, `dark` or `system`, and return to the page that sent it."""
    return redirect(_sender() or url_for(HOME_PAGE), 303)


def _sender() -> str | None:
    """The path and the query of this site's page that sent the form; None for any other address."""
    try:
        back = urlsplit(request.referrer or "")
    except ValueError:  # not a URL, for example "http://["
        return None
    if back.netloc != request.host:
        return None
    # One slash at the beginning: two would begin another site's address.
    return f"/{back.path.lstrip('/')}" + (f"?{back.query}" if back.query else "")


def _submitted() -> str | None:
    """The theme of a submitted form; None if there is no form, or if it cannot be parsed."""
    try:
        return request.form.get(COOKIE)
    except (HTTPException, OSError):
        return None


def _keep(response: BaseResponse, theme: str | None) -> None:
    if theme in THEMES:
        # The script of the switch sets the same cookie.
        response.set_cookie(COOKIE, theme, max_age=A_YEAR, samesite="Lax", secure=request.is_secure)
    elif theme == SYSTEM:
        response.delete_cookie(COOKIE, samesite="Lax")
