"""lmms-eval: a task file per version, language and split, one template that they include, and their functions.

Each task names its config (`dataset_name`: without it the harness asks for one) and the release's tag.
"""

from __future__ import annotations

from typing import Any

import yaml

from benchwright.curation.release.exports.source import ExportSource, Group, rendered

FOLDER = "lmms_eval"
TEMPLATE = "_template_yaml"
"""No `.yaml` at its end: the harness would index it as a task."""
MAX_NEW_TOKENS = 4096


class _Function(str):
    """A function of utils.py, as the harness's YAML names it."""


class _Dumper(yaml.SafeDumper):
    pass


_Dumper.add_representer(
    _Function, lambda dumper, value: dumper.represent_scalar("!function", str(value), style=None)
)


def lmms_texts(source: ExportSource) -> dict[str, str]:
    """The files by their names; nothing where no group has all its answers published."""
    if not source.groups:
        return {}
    reading = rendered("reading.py.j2", source.values()).strip()
    texts = {
        f"{FOLDER}/utils.py": rendered("lmms_utils.py.j2", source.values() | {"reading": reading}),
        f"{FOLDER}/{TEMPLATE}": _yaml(_shared(source)),
        f"{FOLDER}/{source.slug}.yaml": _yaml(
            {"group": source.slug, "task": [task_name(source, group) for group in source.groups]}
        ),
    }
    for group in source.groups:
        name = task_name(source, group)
        task = {"include": TEMPLATE, "task": name, "dataset_name": group.config, "test_split": group.split}
        texts[f"{FOLDER}/{name}.yaml"] = _yaml(task)
    return texts


def task_name(source: ExportSource, group: Group) -> str:
    """Name of a group's task, e.g. `tiny_vision_only_zh_test`."""
    return f"{source.slug}_{group.config}_{group.split}"


def _shared(source: ExportSource) -> dict[str, Any]:
    pinned = {} if source.revision is None else {"dataset_kwargs": {"revision": source.revision}}
    return {
        "dataset_path": source.dataset,
        **pinned,
        "output_type": "generate_until",
        **{
            name: _Function(f"utils.{name}")
            for name in ("doc_to_visual", "doc_to_text", "doc_to_target", "process_results")
        },
        # An empty list: the harness would stop at the first blank line.
        "generation_kwargs": {
            "until": [],
            "max_new_tokens": MAX_NEW_TOKENS,
            "temperature": 0,
            "do_sample": False,
        },
        "metric_list": [
            {"metric": "quick_match", "aggregation": _Function("utils.mean"), "higher_is_better": True}
        ],
        "metadata": {"version": source.tag, "canary": source.canary},
    }


def _yaml(values: dict[str, Any]) -> str:
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000)
