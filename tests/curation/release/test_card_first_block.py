"""What a stranger does first: copy the first code block of the card and run it. Here against the test Hub, by tag."""

from __future__ import annotations

import hashlib
import json
import re

ID = "org/tiny"
FETCH = """
import sys
from pathlib import Path
from huggingface_hub import hf_hub_download
path = hf_hub_download(sys.argv[1], "README.md", repo_type="dataset", revision=sys.argv[2])
sys.stdout.write(Path(path).read_text(encoding="utf-8"))
"""
TELL = """
import json
print(json.dumps({
    "rows": len(rows), "version": row["version"], "language": row["language"], "split": row["split"],
    "question": row["question"], "answer": row["answer"], "id": row["id"],
    "sizes": [picture.size for picture in row["images"]], "told": row["image_sha256"],
    "all": {name: len(split) for name, split in everything.items()},
    "kept": [cell["bytes"].hex() for cell in rows.with_format("arrow")[0].to_pylist()[0]["images"]],
}))
"""


def test_the_first_code_block_loads_one_version_language_and_split(hub, tiny):
    pushed = hub.push(ID, "--workspace", str(tiny.root), "--tag", "v1.0.0", "--no-verify")
    assert pushed.returncode == 0, pushed.stderr
    fetched = hub.run(FETCH, ID, "v1.0.0")
    assert fetched.returncode == 0, fetched.stderr
    blocks = re.findall(r"^```python\n(.*?)^```$", fetched.stdout, re.DOTALL | re.MULTILINE)
    assert "load_dataset" in blocks[0] and all(part in blocks[0] for part in (ID, "split=", '"v1.0.0"'))
    assert max(len(line) for block in blocks for line in block.splitlines()) <= 78, (
        "scrolls on the Hub's page"
    )
    config = re.search(r'"(\w+)_(en|zh)"', blocks[0])
    assert config is not None, "no version and language to see how others are named"

    shown = re.findall(r"^!\[[^\]\n]+\]\((plots/[a-z]+\.png)\)$", fetched.stdout, re.MULTILINE)
    there = {item["path"] for item in hub.ask("GET", f"/api/datasets/{ID}/tree/v1.0.0?recursive=true")}
    assert len(shown) >= 4 and sorted(shown) == sorted(path for path in there if path.endswith(".png"))

    ran = hub.run("\n".join([*blocks, TELL]))
    assert ran.returncode == 0, ran.stderr
    got = json.loads(ran.stdout.splitlines()[-1])
    assert (got["version"].replace("-", "_"), got["language"]) == config.groups()
    assert f'split="{got["split"]}"' in blocks[0]
    assert got["rows"] >= 1 and got["id"].endswith(f"-{got['version']}-{got['language']}")
    assert got["sizes"] and got["answer"]
    assert [hashlib.sha256(bytes.fromhex(data)).hexdigest() for data in got["kept"]] == got["told"]
    assert got["all"] == {"dev": 1, "test": 15}
