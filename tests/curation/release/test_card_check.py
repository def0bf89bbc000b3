"""The card is looked at before it is sent: each fault that would keep somebody from loading is one sentence."""

from __future__ import annotations

import pytest

from benchwright.curation.release.build import build_release, checked_content
from benchwright.curation.release.card_check import card_troubles

FAULTS = {
    "broken": ("pretty_name: Tiny", "pretty_name: [Tiny", "is no YAML"),
    "no configs": ("configs:", "settings:", "has no list of configs"),
    "no title": ("pretty_name: Tiny benchmark", "pretty_name: ' '", "its pretty_name is empty"),
    "one name twice": ("config_name: original_zh", "config_name: original_en", "share a name"),
    "reserved": ("config_name: original_zh", "config_name: data", "one is called data"),
    "no default": ("  default: true\n", "", "0 of its configs are the default"),
    "split": ("split: dev\n    path: data/en", "split: de-v\n    path: data/en", "'de-v' cannot be the name"),
    "no such table": ("data/zh/original/test-", "data/zh/original/tset-", "no table is at data/zh/original/tset-"),
    "left out": ("data/zh/original/test-", "data/en/original/test-", "00000-of-00001.parquet belongs to 0"),
    "two ends": ("## Loading", "<!-- benchwright:end -->\n## Loading", "not one beginning and one end"),
    "picture": ("(plots/flow.png)", "(plots/flaw.png)", "it shows plots/flaw.png, which is not there"),
}  # fmt: skip


@pytest.fixture
def card(tiny):
    """The card of a release, and the names of its other files."""
    content, findings = checked_content(tiny)
    release = build_release(tiny, "v1.0.0", "org/tiny", content, findings=findings)
    return (release.folder / "README.md").read_text(), {file.path for file in release.manifest.files}


def test_every_fault_is_found(card):
    text, names = card
    assert list(card_troubles(text, names)) == []
    for name, (right, wrong, sentence) in FAULTS.items():
        assert text.count(right) >= 1, name
        found = list(card_troubles(text.replace(right, wrong, 1), names))
        assert any(sentence in one for one in found), (name, found)
