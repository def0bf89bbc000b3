"""The exported task in inspect_ai itself, with its mock model.

It lives in an environment of its own, which needs `datasets` too: `BENCHWRIGHT_INSPECT_PYTHON` names the interpreter.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

PYTHON = os.environ.get("BENCHWRIGHT_INSPECT_PYTHON", "")


@cache
def missing() -> str:
    """Why the harness cannot be run here; '' where it can."""
    if not PYTHON:
        return "BENCHWRIGHT_INSPECT_PYTHON names no interpreter with inspect_ai"
    done = subprocess.run([PYTHON, "-c", "import importlib.util as u; print(bool(u.find_spec('datasets')))"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    return "" if done.stdout.strip() == "True" else "the interpreter with inspect_ai has no datasets"


RUN = """
import json, sys
from inspect_ai import eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

task, version, language, folder, replies = sys.argv[1:]
outputs = [ModelOutput.from_content("mockllm/model", reply) for reply in json.loads(replies)]
for output in outputs:  # without it the mock model counts tokens by a table that it fetches
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
(log,) = eval(task, model=get_model("mockllm/model", custom_outputs=outputs), max_samples=1, max_connections=1,
              task_args={"version": version, "language": language, "image_dir": folder + "/images"},
              log_dir=folder + "/logs", display="none", log_images=True)
if log.error is not None:
    sys.exit(log.error.traceback)
log = read_eval_log(log.location, resolve_attachments=True)
print(json.dumps({
    "status": log.status,
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
    "samples": [{
        "id": s.id, "target": s.target, "choices": s.choices, "score": s.scores["quick_match"].value,
        "sent": [[c.type, c.text if c.type == "text" else c.image] for m in s.messages if m.role == "user"
                 for c in m.content],
        "turns": [m.role for m in s.messages],
    } for s in log.samples],
}))
"""


def run(task: Path, version: str, language: str, replies: list[str], folder: Path, **more: str) -> Any:
    """Let inspect_ai run an exported task for one version and language."""
    if why := missing():
        pytest.skip(why)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "INSPECT_"))}
    places = {"HF_HOME": str(folder / "hf"), "XDG_DATA_HOME": str(folder / "data")}
    done = subprocess.run([PYTHON, "-c", RUN, task.name, version, language, str(folder), json.dumps(replies)],
                          env={**kept, **places, **more}, cwd=task.parent, capture_output=True, text=True,
                          timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    log = json.loads(done.stdout.splitlines()[-1])
    assert log["status"] == "success"
    return log


def picture(sent: str) -> bytes:
    """Bytes of a picture as the log has it."""
    return base64.b64decode(sent.partition(",")[2]) if sent.startswith("data:") else Path(sent).read_bytes()


def test_inspect_runs_it_and_asks_as_evaluate_does(exported: Any, tmp_path: Path) -> None:
    """Every second reply is right; answers, texts and pictures are those of the release."""
    rows = [row for row in exported.scored.values() if (row.version, row.language) == ("original", "en")]
    replies = [
        f"Answer: {row.answer}" if place % 2 == 0 else "Answer: nothing" for place, row in enumerate(rows)
    ]
    task = exported.folder / "inspect_ai" / "tiny.py"
    log = run(task, "original", "en", replies, tmp_path, HF_HUB_OFFLINE="1")
    samples = {sample["id"]: sample for sample in log["samples"]}
    assert set(samples) == {row.id for row in rows} and len(rows) == len(log["samples"]) == 8
    for row, reply in zip(rows, replies, strict=True):
        sample = samples[row.id]
        assert sample["target"] == row.answer and not sample["choices"]
        assert sample["score"] == ("I" if reply.endswith("nothing") else "C")
        assert sample["turns"] == ["user", "assistant"]
        (kind, text), *pictures = sample["sent"]
        assert (kind, text) == ("text", exported.words.text_for(row))
        assert [picture(sent) for _, sent in pictures] == [exported.images[one] for one in row.images]
    assert log["accuracy"] == 0.5


PUBLISH = """
import sys
from huggingface_hub import HfApi
api = HfApi()
api.create_repo("org/tiny", repo_type="dataset")
api.upload_folder(repo_id="org/tiny", repo_type="dataset", folder_path=sys.argv[1])
api.create_tag("org/tiny", tag="v1.0.0", repo_type="dataset")
api.delete_folder("data", "org/tiny", repo_type="dataset")
"""
EXPORT = "import sys; from benchwright.cli.curate import curate; curate(sys.argv[1:])"


def test_a_vision_only_prompt_from_the_hub_holds_no_word_of_question_or_options(
    exported: Any, hub: Any, tmp_path: Path
) -> None:
    """The release as the Hub has it under its tag; on main the data are gone by now."""
    if why := missing():
        pytest.skip(why)
    assert (done := hub.run(PUBLISH, str(exported.release))).returncode == 0, done.stderr
    out = tmp_path / "from-hub"
    done = hub.run(EXPORT, "export", "org/tiny@v1.0.0", "--out", str(out), "--to", "inspect_ai")
    assert done.returncode == 0, done.stderr
    online = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_testwrite", "HF_HUB_DISABLE_XET": "1"}
    log = run(out / "inspect_ai" / "tiny.py", "vision-only", "zh", ["答案：B"], tmp_path, **online)
    (sample,) = log["samples"]
    row = exported.rows["circuit-vision-only-zh"]
    (_, text), (_, shown) = sample["sent"]
    assert text == exported.words.text_for(row) and picture(shown) == exported.images[row.images[0]]
    assert row.options and not any(word in text for word in ("Ω", "007", "多大", "6 V"))
    assert sample["score"] == "C" and sample["target"] == "B"
