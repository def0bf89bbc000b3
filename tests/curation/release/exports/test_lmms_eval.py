"""The exported tasks in lmms-eval's own code: its task index, its YAML reader and its task class on the built release.

The harness wants torch, transformers and more, so it lives in an environment of its own:
`BENCHWRIGHT_LMMS_EVAL_PYTHON` names the interpreter. No model is run.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

PYTHON = os.environ.get("BENCHWRIGHT_LMMS_EVAL_PYTHON", "")
RUN = """
import hashlib, json, sys
from lmms_eval.tasks import TaskManager, get_task_dict

folder, name, *tasks = sys.argv[1:]
manager = TaskManager(include_path=folder, include_defaults=False)
found = {}
for task_name in tasks:
    task = get_task_dict([task_name], manager)[task_name]
    for doc in task.test_docs():
        target = task.doc_to_target(doc)
        found[doc["id"]] = {
            "target": target,
            "text": task.doc_to_text(doc),
            "pictures": [[p.size[0], p.size[1], p.mode, hashlib.sha256(p.tobytes()).hexdigest()]
                         for p in task.doc_to_visual(doc)],
            "right": task.process_results(doc, [f"Answer: {target}"])["quick_match"],
            "mean": task.aggregation()["quick_match"]([1.0, 0.0]),
            "until": task.config.generation_kwargs["until"],
        }
print(json.dumps({"groups": manager.all_groups, "tasks": manager.all_subtasks, "docs": found}))
"""


@pytest.mark.skipif(not PYTHON, reason="BENCHWRIGHT_LMMS_EVAL_PYTHON names no interpreter with lmms_eval")
def test_lmms_eval_reads_every_task(exported: Any, tmp_path: Path) -> None:
    import hashlib
    import io

    from PIL import Image

    folder = exported.folder / "lmms_eval"
    tasks = sorted(path.stem for path in folder.glob("tiny_*.yaml"))
    done = subprocess.run(
        [PYTHON, "-c", RUN, str(folder), "tiny", *tasks],
        env={**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    read = json.loads(done.stdout.splitlines()[-1])
    assert read["groups"] == ["tiny"] and read["tasks"] == tasks
    assert set(read["docs"]) == set(exported.scored)
    for name, row in exported.scored.items():
        doc = read["docs"][name]
        assert (doc["target"], doc["text"]) == (row.answer, exported.words.text_for(row))
        assert (doc["right"], doc["mean"], doc["until"]) == (1.0, 0.5, [])
        pixels = [Image.open(io.BytesIO(exported.images[one])).convert("RGB") for one in row.images]
        assert doc["pictures"] == [[*p.size, "RGB", hashlib.sha256(p.tobytes()).hexdigest()] for p in pixels]
