"""Joining the generated card with what people wrote on the Hub."""

from __future__ import annotations

import pytest
import yaml

from benchwright.curation.release.card_merge import BEGIN, END, dump_yaml, merge_card, split_card
from benchwright.schemas.errors import UsageError

OURS = {
    "language": ["en"],
    "license": "other",
    "license_name": "per-source",
    "size_categories": ["n<1K"],
    "configs": [
        {"config_name": "all", "default": True, "data_files": [{"split": "test", "path": "data/*/*/test-*.parquet"}]},
        {"config_name": "original_en",
         "data_files": [{"split": "test", "path": "data/en/original/test-*.parquet"}]},
    ],
}  # fmt: skip
GENERATED = f"---\n{dump_yaml(OURS)}---\n{BEGIN}\n# Ours\n{END}\n"

THEIRS = """---
# kept comment
license:   cc-by-4.0   # theirs
configs:
  - config_name: physics
    data_files:
    - {split: test,   path: "physics/*.parquet"}   # odd spacing stays
  -   config_name: math
      default: true
      data_files: math.parquet
pretty_name: 'Handgemacht'
---

# By hand

Words of a person.
"""


def test_pub_03_configs_licence_and_text_survive():
    """PUB-03: three configs' worth of metadata, licence and hand-written text are all there afterwards."""
    merged = merge_card(THEIRS, GENERATED)
    matter, body = split_card(merged.text)
    values = yaml.safe_load(matter)
    assert [config["config_name"] for config in values["configs"]] == [
        "physics",
        "math",
        "all",
        "original_en",
    ]
    assert values["license"] == "cc-by-4.0" and values["pretty_name"] == "Handgemacht"
    assert "license_name" not in values and merged.kept == ("license",)
    # Byte for byte: from the comment to the last foreign config nothing has changed.
    head = THEIRS[THEIRS.index("# kept comment") : THEIRS.index("pretty_name")]
    assert matter.startswith(head) and "pretty_name: 'Handgemacht'\n" in matter
    assert body.startswith("\n# By hand\n\nWords of a person.\n") and "# Ours" in body
    # Two defaults would make the dataset unloadable: theirs was there first.
    assert [c["config_name"] for c in values["configs"] if c.get("default")] == ["math"]


def test_merging_again_changes_nothing():
    once = merge_card(THEIRS, GENERATED).text
    assert merge_card(once, GENERATED).text == once
    assert merge_card(None, GENERATED).text == GENERATED
    assert merge_card(GENERATED, GENERATED).text == GENERATED


def test_a_newer_release_replaces_what_is_ours():
    newer = (
        GENERATED.replace("original", "vision-only")
        .replace("- en\n", "- en\n- zh\n")
        .replace("# Ours", "# New")
    )
    edited = GENERATED.replace("other", "mit").replace(END, f"{END}\nA person's errata.")
    merged = merge_card(edited, newer)
    values = yaml.safe_load(split_card(merged.text)[0])
    assert values["language"] == ["en", "zh"] and values["license"] == "mit"
    assert [config["config_name"] for config in values["configs"]] == ["all", "vision-only_en"]
    assert "# New" in merged.text and "# Ours" not in merged.text and "A person's errata." in merged.text


@pytest.mark.parametrize(
    "old",
    [
        "configs: [{config_name: physics, data_files: p.parquet}]\nlicense: mit\n",
        "{license: mit, configs: [{config_name: physics, data_files: p.parquet}]}\n",
        "license: mit\nconfigs:\n- config_name: physics\n  data_files: p.parquet",
        "\r\nlicense: mit\r\nconfigs:\r\n- config_name: physics\r\n  data_files: p.parquet\r\n",
    ],
    ids=["flow-list", "flow-mapping", "no-last-newline", "crlf"],
)
def test_other_ways_to_write_it(old):
    merged = merge_card(f"---\n{old}\n---\nHello\n", GENERATED)
    matter, body = split_card(merged.text)
    values = yaml.safe_load(matter)
    assert values["license"] == "mit" and body.startswith("Hello")
    assert [config["config_name"] for config in values["configs"]] == ["physics", "all", "original_en"]


@pytest.mark.parametrize("old", ["", "Only text.\n", "---\n---\nOnly text.\n"])
def test_no_front_matter(old):
    matter, body = split_card(merge_card(old, GENERATED).text)
    assert yaml.safe_load(matter) == OURS and "# Ours" in body
    assert ("Only text." in body) == bool(old)


def test_name_clash_and_broken_yaml_are_refused():
    clash = "---\nconfigs:\n- config_name: all\n  data_files: other.parquet\n---\n"
    with pytest.raises(UsageError, match="'all' with other files"):
        merge_card(clash, GENERATED)
    with pytest.raises(UsageError, match="one format"):
        merge_card(THEIRS.replace("math.parquet", "math.csv"), GENERATED)
    with pytest.raises(UsageError, match="broken front matter"):
        merge_card("---\na: [1\n---\n", GENERATED)
    with pytest.raises(UsageError, match="no mapping"):
        merge_card("---\n- a\n---\n", GENERATED)
