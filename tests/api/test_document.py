"""The OpenAPI document and the page made from it describe every operation."""

import re
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from webapp.api.operations import operations
from webapp.api.page import snippets_of, with_code


@pytest.fixture(scope="session")
def document(app: Flask) -> Any:
    return app.test_client().get("/api/v1/openapi.json").get_json()


def test_every_address_is_in_the_document(app: Flask, document: Any) -> None:
    served = {
        (re.sub(r"<(\w+)>", r"{\1}", rule.rule.removeprefix("/api/v1")), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith("/api/v1/")
    }
    told = {(path, method) for path, methods in document["paths"].items() for method in methods}
    assert served - told == {("/openapi.json", "get")}
    assert told <= served


def test_the_document_is_openapi_3_1(document: Any) -> None:
    assert document["openapi"] == "3.1.0"
    assert document["servers"] == [{"url": "/api/v1"}]
    for methods in document["paths"].values():
        for operation in methods.values():
            assert {"422", "429", "500"} <= operation["responses"].keys()
            assert operation["summary"]


def test_the_page_documents_every_operation(client: FlaskClient, document: Any) -> None:
    page = client.get("/api", headers={"Accept-Language": "en"})
    assert page.status_code == 200
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert f"{method.upper()} {path}" in page.text
            assert str(with_code(operation["summary"])) in page.text
    for operation in operations.all:
        for snippet in snippets_of(operation, "http://localhost/api/v1"):
            assert snippet.code.splitlines()[0].replace("'", "&#39;").replace('"', "&#34;") in page.text
