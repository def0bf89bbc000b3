"""`openai:MODEL@BASE_URL` against a real server: batches, order, retries, honest errors, and what must not leave."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from benchwright.models.embedder import unit_rows
from benchwright.models.embedders import embedder_name, open_embedder
from benchwright.schemas.errors import UsageError


def expected(texts: list[str]) -> np.ndarray:
    rows = [[byte - 127.5 for byte in hashlib.sha256(text.encode()).digest()[:8]] for text in texts]
    return unit_rows(np.array(rows))


def test_batches_come_back_in_the_order_of_the_texts(openai_server):
    server = openai_server()
    embedder = open_embedder(f"openai:little@{server.base_url}")
    texts = [f"text {number}" for number in range(150)]
    vectors = embedder.embed([*texts, "", "ｔｅｘｔ  1"])
    assert embedder.dimension == 8 and embedder.external_host is None
    assert np.array_equal(vectors[:150], expected(texts))
    assert not vectors[150].any() and np.array_equal(vectors[151], vectors[1]), "'' is not sent; NFKC is"
    sizes = sorted(len(request.body["input"]) for request in server.requests)
    assert sizes == [1, 23, 64, 64]
    assert all(
        request.path == "/v1/embeddings" and "" not in request.body["input"] for request in server.requests
    )
    assert (
        embedder.name
        == embedder_name(f"openai:little@{server.base_url}/")
        == f"openai:little@{server.base_url}"
    )
    assert embedder.embed([]).shape == (0, 8)


@pytest.mark.parametrize(
    "fault", [{"status": 503}, {"status": 429, "retry_after": "0"}, {"disconnect": True}, {"malformed": True}]
)
def test_passing_trouble_is_waited_out(openai_server, fault):
    server = openai_server({"rules": [{"match": "lens", "times": 1, **fault}]})
    embedder = open_embedder(f"openai:little@{server.base_url}")
    assert np.array_equal(embedder.embed(["a lens"]), expected(["a lens"]))
    assert [request.prompt for request in server.requests].count("a lens") == 2


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"status": 401, "error": {"message": "who are you", "code": "no"}}, "HTTP 401: who are you"),
        ({"status": 400, "error": {"message": "too long", "code": None}}, "HTTP 400: too long"),
    ],
)
def test_final_refusals_end_at_once_with_the_servers_words(openai_server, rule, words):
    server = openai_server({"rules": [{"match": "lens", **rule}]})
    embedder = open_embedder(f"openai:little@{server.base_url}")
    with pytest.raises(UsageError, match=words):
        embedder.embed(["a lens"])
    assert [request.prompt for request in server.requests].count("a lens") == 1


def test_vectors_of_another_length_are_no_vectors_of_this_model(openai_server):
    server = openai_server({"rules": [{"match": "lens", "length": 5}]})
    embedder = open_embedder(f"openai:little@{server.base_url}")
    with pytest.raises(UsageError, match="5 and of 8 numbers"):
        embedder.embed(["a lens"])


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 0}],
        [{"index": 1, "embedding": [1.0]}],
        [{"index": 0, "embedding": [0.0, 0.0]}],
        [{"index": 0, "embedding": ["x"]}],
    ],
)
def test_a_reply_without_such_vectors_is_never_a_vector(data):
    from benchwright.models.embedder_openai import read_vectors

    with pytest.raises(ValueError):
        read_vectors({"data": data}, 1)


def test_an_endpoint_outside_needs_a_key_and_a_whole_name(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match="set the environment variable OPENAI_API_KEY"):
        open_embedder("openai:m@https://api.example.org/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert open_embedder("openai:m@https://api.example.org/v1").external_host == "api.example.org"
    for name in ("openai:m", "openai:@http://127.0.0.1/v1", "openai:m@http://"):
        with pytest.raises(UsageError):
            open_embedder(name)
