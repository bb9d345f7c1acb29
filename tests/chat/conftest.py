"""The publisher of vocabularies serves chat templates too."""

from tests.vocabularies.conftest import _no_token_no_proxy as _no_token_no_proxy
from tests.vocabularies.conftest import publisher as publisher
