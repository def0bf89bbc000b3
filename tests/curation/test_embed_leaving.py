"""Questions go to an embedder outside this machine only with the builder's word, and never against a source's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchwright.cli.curate_cluster import embed
from benchwright.curation.embed import embed_discipline, open_vectors
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import LocalizedText, Question, QuestionType
from benchwright.schemas.tables import write_records
from benchwright.schemas.workspace import Workspace

RECIPE = (
    '[benchmark]\nname = "trial"\n[disciplines.physics]\nbudget = 3\n[embed]\nembedder = "openai:m@{}"\n{}'
)


def make(root: Path, url: str, more: str = "") -> Workspace:
    workspace = Workspace.create(root, RECIPE.format(url, more))
    questions = [
        Question(
            id=f"q{number}", source="ours" if number % 2 else "theirs", source_license="CC0-1.0", source_row="{}",
            discipline="physics", language="en", texts={"en": LocalizedText(question=f"Question {number}", answer="1")},
            question_type=QuestionType.FREE_FORM,
        )
        for number in range(5)
    ]  # fmt: skip
    write_records(workspace.pool("physics"), questions, Question)
    return workspace


def test_an_endpoint_outside_gets_nothing_unasked(tmp_path, monkeypatch):
    monkeypatch.setenv("TRIAL_KEY", "secret-of-the-trial")
    url = "https://embeddings.invalid/v1"  # a name that no resolver knows: a request would fail otherwise
    key = 'api_key_env = "TRIAL_KEY"\n'
    with pytest.raises(UsageError, match="5 unreleased questions of physics would be sent there"):
        embed_discipline(make(tmp_path / "one", url, key), "physics")
    kept = key + 'allow_external = true\n[sources."theirs"]\nallow_external = false\n'
    with pytest.raises(UsageError, match="3 of theirs"):
        embed_discipline(make(tmp_path / "two", url, kept), "physics")


def test_a_local_endpoint_embeds_a_pool_once(tmp_path, openai_server):
    server = openai_server()
    workspace = make(tmp_path / "w", server.base_url)
    options = ["--workspace", str(workspace.root), "--workers", "1", "--json"]
    first = CliRunner().invoke(embed, options)
    assert first.exit_code == 0 and '"embedded": 5' in first.stdout, first.output
    asked = len(server.requests)
    again = CliRunner().invoke(embed, options)
    assert again.exit_code == 0 and '"embedded": 0' in again.stdout and len(server.requests) == asked
    vectors = open_vectors(workspace, "physics").vectors
    assert vectors.shape == (5, 8) and np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_an_endpoint_that_fails_leaves_no_artefact(tmp_path, openai_server):
    server = openai_server({"rules": [{"match": "Question 3", "status": 401}]})
    workspace = make(tmp_path / "w", server.base_url)
    with pytest.raises(UsageError, match="HTTP 401"):
        embed_discipline(workspace, "physics")
    with pytest.raises(UsageError, match="not embedded yet"):
        open_vectors(workspace, "physics")
    server.use({})
    assert embed_discipline(workspace, "physics").embedded == 5


def test_an_address_without_ray_is_refused(tmp_path):
    workspace = make(tmp_path / "w", "http://127.0.0.1:9/v1")
    done = CliRunner().invoke(embed, ["--workspace", str(workspace.root), "--ray-address", "auto"])
    assert isinstance(done.exception, UsageError) and "--engine ray" in str(done.exception)
