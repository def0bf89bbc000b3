# ruff: noqa: E501

r"""Small folders of the true shape of five public sources, with every oddity known of them; the words are ours.

Each function writes a source's folder as one gets it from its publisher, and returns the folder.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

SCEMQA_ANSWER = "Answer (final answer highlighted)"


def picture(colour: str = "white", kind: str = "PNG", mode: str = "RGB") -> bytes:
    """A small drawing: three lines, of a colour of its own."""
    image = Image.new("RGB", (90, 60), colour)
    pen = ImageDraw.Draw(image)
    for step in (10, 30, 50):
        pen.line((5, step, 85, 60 - step), "black", 2)
    if mode == "alpha-only":  # black everywhere, the drawing in the alpha channel alone
        drawn = image.convert("L").point(lambda level: 255 - level)
        image = Image.merge("RGBA", (*Image.new("RGB", image.size, "black").split(), drawn))
    elif mode != "RGB":
        image = image.convert(mode)
    stream = io.BytesIO()
    image.save(stream, format=kind)
    return stream.getvalue()


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _json(path: Path, document: Any, start: bytes = b"") -> None:
    _put(path, start + json.dumps(document, ensure_ascii=False, indent=4).encode("utf-8"))


def write_mmmu(folder: Path) -> Path:
    """MMMU: a folder a subject, Parquet files; options as Python text, seven picture columns with nulls."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [f"image_{number}" for number in range(1, 8)]
    image = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    texts = (
        "id",
        "question",
        "options",
        "explanation",
        "img_type",
        "answer",
        "topic_difficulty",
        "question_type",
        "subfield",
    )
    schema = pa.schema([*((name, pa.string()) for name in texts), *((name, image) for name in columns)])

    def row(
        number: str, question: str, options: str, answer: str, *colours: str | None, **more: str
    ) -> dict[str, Any]:
        base = {
            "id": number, "question": question, "options": options, "answer": answer, "explanation": "",
            "img_type": "['Diagrams']", "topic_difficulty": "Medium", "subfield": "Optics",
            "question_type": "open" if options == "[]" else "multiple-choice",
        }  # fmt: skip
        shown = {
            name: None if colour is None else {"bytes": picture(colour), "path": f"{number}_{name}.png"}
            for name, colour in zip(columns, (*colours, *[None] * 7), strict=False)
        }
        return {**base, **shown, **more}

    physics = [
        row("validation_Physics_1", "Where does the ray of <image 1> leave the block?",
            """['at the top', "at the lens's rim", 'nowhere', 'below']""", "B", "red"),
        row("validation_Physics_2", "Which sketch continues <image 1>?",
            "['<image 2>', '<image 3>', 'neither']", "A", "red", "green", "blue"),
        row("validation_Physics_3", "Compare <image 2> with <image 1>. Which ray is longer?",
            "['the first', 'the second']", "B", "red", "green"),
        row("validation_Physics_4", "How many images does <image 1> show?", "[]", "3", "yellow"),
        row("validation_Physics_5", "How long is the ray of <image 1> in cm?", "[]", "['12.0', '12']", "white"),
        row("validation_Physics_9", "Between which marks of <image 1> does it lie?", "[]", "[2, 3]", "white"),
        row("validation_Physics_6", "Read <image 2>.", "['1', '2']", "A", "red"),
        row("validation_Physics_7", "After the options <image 3> comes; what is it?",
            "['<image 1>', '<image 2>']", "B", "red", "green", "blue"),
        row("validation_Physics_8", "Which of the two?", "['left', 'right']", "C", "red"),
    ]  # fmt: skip
    hidden = [row("test_Physics_1", "What does <image 1> show?", "['x', 'y']", "?", "red")]
    history = [row("dev_History_1", "Who is seen in <image 1>?", "['a king', 'a bishop']", "A", "red")]
    for name, rows in (
        ("Physics/validation-00000-of-00001", physics), ("Physics/test-00000-of-00001", hidden),
        ("History/dev-00000-of-00001", history),
    ):  # fmt: skip
        path = folder / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), path)
    _put(folder / "README.md", b"# about")
    return folder


def write_scemqa(folder: Path) -> Path:
    """SceMQA: lists by subject; answers mixed with explanations, endings not given, keys that are no keys."""

    def row(question: str, answer: str, path: str | None, **more: Any) -> dict[str, Any]:
        found = {"Question": question, SCEMQA_ANSWER: answer, **more}
        return found if path is None else {**found, "ImagePath": path}

    choice = {
        "Math": [
            row("At which mark does the curve turn?\n\nA. p\nB. q\nC. r\nD. s", "D", "Math/1"),
            row("How much does the field cost?\n\nA. $2000\nB. $2250\nC. $2500\nD. $2750", "B: read it off", "Math/1"),
            row("Pick the interval.A. $0<x<1$\n\nB. $1<x<2$ \nC. $2<x<3$\n\nD. $3<x<4$", "C-Since it rises", "Math/2"),
            row("Which slope fits?\n\n(A) none\n(B) one\n(C) both", "(B) Only one does", "Math/1"),
            row("Which is last?\n\nA. x\nB. y\nC. z\nD. w", "E none of them", "Math/1"),
            row("Which curve is it?", "B The second one", "Math/2"),
            row("Which word is missing?", "B The second one", None),
        ],
        "Physics": [
            row("What moves?\r\n\r\nA. the cart\r\nB. the wall\r\nC. both", "A；the cart does", "Physics/1", Notes="4"),
            row("Find the lift.\n\nA. $1~\\mathrm{N}$\nB. $2~\\mathrm{N}$\nC. 3\nwhich holds for\nboth", "C. Long text", "Physics/1"),
        ],
        "Chemistry": [
            row("At 250 K the sample\n\n(A} boiled.\r\n(B) froze.\r\n(C) rested. ", "A  It boiled", "Chemistry_extra/7"),
            row("Which cell?\nA. left \x08\nB. right\nC. none", "A：the left one", "Chemistry_extra/7"),
            row("Count: A. 1\nB. 2\x08 a\nC. 3", "A", "Chemistry_extra/7"),
        ],
        "Biology": [
            row("What is cut out?\n\nA. caps\nB. tails\nC. loops", "C, because", "Biology/9",
                **{"https://example.org/questions": "5", "Contributor": "3", "Comment": "see there"}),
            row("Nothing is drawn\nA. a\nB. b\nC. c", "B", "Biology/404"),
        ],
    }  # fmt: skip
    free = {
        "Physics_Free_Response": [
            row("How far? (Final Answer is a value)", "\\anser{0.39} The area is $0.39$.", "Physics_Free_Response/1"),
            row("How many? (Final Answer is a value)", "\\answer{3.4} \\answer{3} \\answer{4} Between the two.",
                "Physics_Free_Response/1", category="Long questions"),
            row("Which share? (Final Answer is a value)", "\\answer{\\frac{1}{2}} half", "Physics_Free_Response/1"),
            row("Why?", "Because it falls.", "Physics_Free_Response/1"),
        ]
    }  # fmt: skip
    _json(folder / "Multiple_Choice" / "multiple_choice.json", choice)
    _json(folder / "Free_Response" / "free_response.json", free)
    for name, data in {
        "Multiple_Choice/Math/1.jpg": picture("red", "JPEG"),
        "Multiple_Choice/Math/2.png": picture(mode="alpha-only"),
        "Multiple_Choice/Physics/1.png": picture("green", "JPEG"),  # the ending is not what it is
        "Multiple_Choice/Chemistry_extra/7.jpg": picture("blue", "JPEG", "CMYK"),
        "Multiple_Choice/Biology/9.jpg": picture("yellow", "JPEG"),
        "Free_Response/Physics_Free_Response/1.jpg": picture("orange", "JPEG"),
    }.items():
        _put(folder / name, data)
    return folder


def write_math_v(folder: Path) -> Path:
    """MATH-V: JSON Lines; bare letters as options, several placeholders for one picture, levels also as text."""
    rows = [
        {"id": "4", "question": "How many corners?\n<image1>", "options": [], "answer": "6", "level": 1, "subject": "counting"},
        {"id": "6", "question": "Which one follows?\n<image1>\n<image2>", "options": ["A", "B", "C", "D", "E"],
         "answer": "D", "level": "3", "subject": "solid geometry"},
        {"id": "33", "question": "From <image1> to <image2> by <image3>: where?", "options": ["up", "down", "C or D"],
         "answer": "A", "level": 5, "subject": "topology", "solution": "Follow it."},
        {"id": "59", "question": "Opposite to <image3>?\n<image1>", "options": [], "answer": "C", "level": 1, "subject": "solid geometry"},
        {"id": "62", "question": "How long is <i>x</i> in x<sub>1</sub>?\n<image1>", "options": [], "answer": "2.50",
         "level": 2, "subject": "algebra"},
        {"id": "60", "question": "How long is z?\n<image1>", "options": [], "answer": "1", "level": 2, "subject": "algebra"},
        {"id": "63", "question": "Which share?\n<image1>", "options": [], "answer": "\x0crac{36}{13}", "level": 2, "subject": "algebra"},
        {"id": "60", "question": "How long is y?\n<image1>", "options": [], "answer": "1", "level": 2, "subject": "algebra"},
        {"id": "61", "question": "Answer beyond?\n<image1>", "options": ["a", "b"], "answer": "C", "level": 2, "subject": "logic"},
    ]  # fmt: skip
    lines = [{"solution": None, "image": f"images/{row['id']}.jpg", **row} for row in rows]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\r\n" for line in lines)
    _put(folder / "data" / "test.jsonl", b"\xef\xbb\xbf" + text.encode("utf-8"))
    _put(folder / "data" / "testmini.jsonl", json.dumps(lines[0]).encode("utf-8") + b"\n")
    for row in rows:
        _put(folder / "images" / f"{row['id']}.jpg", picture("red", "JPEG"))
    return folder


def write_gaokao_mm(folder: Path) -> Path:
    """GAOKAO-MM: one JSON file a subject; options within the question in every layout, or only as pictures."""

    def file(subject: str, *rows: tuple[str, list[str], int]) -> None:
        name = f"2010-2023_{subject}_MCQs"
        examples = [
            {
                "year": "2010", "category": "（卷一）", "question": question,
                "picture": [f"../Data/{name}/{name}_{index}_{n}.png" for n in range(count)],
                "answer": answer, "analysis": f"【解答】解: 故选: {''.join(answer)}.", "index": index, "score": 6,
            }
            for index, (question, answer, count) in enumerate(rows)
        ]  # fmt: skip
        _json(folder / "Data" / f"{name}.json", {"keywords": name, "example": examples}, b"\xef\xbb\xbf")
        for index, (_, _, count) in enumerate(rows):
            for n in range(count):
                _put(
                    folder / "Data" / name / f"{name}_{index}_{n}.png",
                    picture(("red", "green", "blue", "white", "grey")[n]),
                )

    file(
        "Physics",
        (
            "4. (6 分) 如图, 小车匀速运动, 则 ( )\nA. 速度不变\nB. 速度变大\nC. 速度变小\nD. 无法判断",
            ["A"],
            1,
        ),
        ("7. (5 分) 输出的数等于 ( )A. 6B. 9C. 12D. $\\frac{5}{6}$", ["B"], 1),
        ("12. (6 分) 下列说法正确的是\nA. 甲先到\nB 乙先到\nc. 同时到\nD. 都不到", ["AC"], 1),
        ("(6 分) 哪一幅图正确 ( )", ["C"], 5),
        (
            "3. (6 分) 半径为 $\\mathrm{A} 、 \\mathrm{~B}$ 的两球 (  )\nA. $\\mathrm{A} 、 \\mathrm{~B}$ 相等\nB. 不等\nC. 无法比较\nD. 2.5 倍",
            ["A", "D"],
            1,
        ),
        ("5. 电流为 $I$ 时 ($\\quad$)\nA $I_1<I_3$\nB. $I_1>I_3$\nC. $I_1=I_2$\nD. $I_2=I_3$", ["B"], 1),
        (
            "6. 高度为 $\\mathrm{AB}=()$.$A ： \\frac{1}{2}+$ 表高B： $\\frac{1}{2}-$ 表高$C: \\frac{1}{3}$.D: $\\frac{1}{4}$",
            ["A"],
            1,
        ),
        ("2.5 秒后小球到达哪里 ( )\nA. 顶\nB. 底\nC. 边\nD. 外", ["D"], 1),
        ("8. (6 分) 作⽤力⼤小（　　）\nA．Ａ点\nB．Ｂ点\nC．Ｃ点\nD．都相等", ["D"], 1),
        ("9. 答案之外 ( )\nA. 甲\nB. 乙\nC. 丙\nD. 丁", ["E"], 1),
    )
    file(
        "Chemistry",
        ("7. (6 分) 预测的现象相符的是 ( )\n\\begin{tabular}{|c|c|}\n\\hline 选项 & 现象 \\\\\n\\hline A & 气泡 \\\\\n\\hline B & 沉淀 \\\\\n"
         "\\hline C & 变红 \\\\\n\\hline D & 褪色 \\\\\n\\hline\n\\end{tabular}", ["C"], 1),
        ("5+3=( )\nA. 6\nB. 7\nC. 8\nD. 9", ["C"], 1),
    )  # fmt: skip
    file("History", ("1. 下列哪一年 ( )\nA. 甲\nB. 乙\nC. 丙\nD. 丁", ["A"], 1))
    _json(folder / "Bench" / "MCQ_prompt.json", {"examples": []})
    return folder


def write_scibench(folder: Path) -> Path:
    """SciBench: lists a textbook, and a folder with data.json for each question with a picture."""

    def row(
        text: str, latex: str, number: Any, unit: str = " ", source: str = "fund", **more: Any
    ) -> dict[str, Any]:
        return {
            "problem_text": text, "answer_latex": latex, "answer_number": number, "unit": unit, "source": source,
            "problemid": " 8.04", "comment": " ", **more,
        }  # fmt: skip

    fund = [
        row(
            "A ball of mass $2.00 \\mathrm{~kg}$ falls.\r\nFind its speed.",
            "3.0",
            "3.0",
            " m/s",
            solution="\nIt falls.",
        ),
        row("Find the charge.", " $-5.19$", "-5.19", "$10^{-14} \\mathrm{C}$ "),
        row("Find the force.", " $35$", "1.60", " $\\mathrm{~N}$"),
        row("Find the ratio.", "$-\\frac{2}{3}$", "-2/3"),
        row("Find the angle.", " 1.571", 1.5710),
        row("Find the mass.", " ", ""),
        row("Find the length.", " $3\x0crac{1}{3}$", "3.333"),
    ]
    _json(folder / "dataset" / "fund.json", fund)
    _json(folder / "dataset" / "calculus.json", [row("Find $f(1)$.", "2", "2", source="calculus")])
    problems = {
        "problem/0": row("The graph of $f$ is given. State $f(1)$.", " 3", "3", source="calculus"),
        "problem/7": row("Where is bead 2?", " $-90$", "-90", "$^{\\circ}$ ", source="class"),
        "problem_solution/0": row("How far does it go?", " 4", "4", "m", solution="It goes 4 m."),
        "problem/9": row("What is drawn?", " 4", "4"),
    }
    for name, values in problems.items():
        _json(folder / "dataset" / "img" / name / "data.json", values)
        if name != "problem/9":
            kind = "JPEG" if name == "problem/7" else "PNG"  # a JPEG named .png
            _put(folder / "dataset" / "img" / name / "img_question.png", picture("red", kind))
    return folder
