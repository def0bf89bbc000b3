"""What was sent where, as the manifests of the proposals say it; what stayed on the machine is not listed."""

from __future__ import annotations

import pytest

from benchwright.curation.proposers.asking import Asking
from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.sent import sent_outside
from benchwright.schemas.artefact import Manifest, manifest_path
from benchwright.schemas.recipe import RECIPE_NAME, ModelRecipe
from benchwright.schemas.workspace import Workspace


def asked(workspace, job, *models):
    """Leave proposals with the manifest that a proposing stage writes."""
    path = workspace.proposals(job)
    path.parent.mkdir(exist_ok=True)
    path.write_text("")
    asking = Asking(tuple(ModelRecipe(model=name, base_url=url) for name, url in models)) if models else None
    manifest = Manifest(
        stage=f"propose/{job}",
        stage_version=1,
        package_version="0.1.0",
        signature="0" * 64,
        parameters={"asking": None if asking is None else asking.signature},
        inputs={},
        outputs={},
    )
    manifest_path(path).write_text(manifest.model_dump_json())


@pytest.mark.parametrize(
    ("model", "url", "host"),
    [
        ("openai/large", "https://api.example.com/v1", "api.example.com"),
        ("openai/large", None, "api.openai.com or where OPENAI_BASE_URL pointed"),
        ("openai/large", "http://127.0.0.1:8000/v1", None),
        ("openai/large", "http://10.0.0.7/v1", None),
        ("local/small", None, None),
        ("baseline/random", None, None),
    ],
)
def test_only_models_outside_are_named(tiny, model, url, host):
    asked(tiny, "tagging", (model, url))
    asked(tiny, "quality")
    sent = [(one.job, one.model, one.host) for one in sent_outside(tiny)]
    assert sent == ([("tagging", model, host)] if host else [])


def test_the_card_says_it(tiny):
    asked(tiny, "tagging", ("openai/large", "https://api.example.com/v1"), ("local/small", None))
    asked(tiny, "translation", ("openai/other", "https://models.example.org/v1"))
    recipe = tiny.root / RECIPE_NAME
    recipe.write_text(f'{recipe.read_text()}\n[embed]\nembedder = "openai:vec@https://vectors.example/v1"\n')
    (tiny.root / "embeddings").mkdir()
    workspace = Workspace.find(tiny.root)
    content, findings = checked_content(workspace)
    folder = build_release(workspace, "v1.0.0", "org/tiny", content, findings=findings).folder
    words = (
        "embedding to openai/vec at vectors.example; tagging to openai/large at api.example.com; "
        "translation to openai/other at models.example.org."
    )
    assert words in (folder / "README.md").read_text() and words in (folder / "DATASHEET.md").read_text()
