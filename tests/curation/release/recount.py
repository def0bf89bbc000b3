"""Every figure of a card counted again, from the files of a download alone: pandas, numpy and a few lines of our own.

Nothing of `benchwright.curation` is used here: what the card says and what stands here must come from two hands.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .recount_agreement import Measure
from .recount_checklist import CRITERIA

ORDER = ["original", "knowledge-free", "knowledge-lite", "knowledge-rich", "vision-rich", "vision-only"]
LEVELS = {1: "Basic", 2: "Easy", 3: "Intermediate", 4: "Advanced", 5: "Expert"}
STATIONS = ["pool", "screened", "single", "chosen", "problem", "published"]
BASES = ["agreed", "adjudicated", "consensus", "open"]
JOBS = ["quality", "tagging", "translation", "multiple-choice", "decomposition", "placement"]
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
Rows = list[list[str]]
Table = tuple[str, ...]


def words(text: str) -> int:
    runs = re.split(rf"[\s{HAN}]+", text)
    return len(re.findall(f"[{HAN}]", text)) + sum(any(sign.isalnum() for sign in run) for run in runs)


def percent(n: float, of: float, digits: int = 1) -> str:
    return str(round(100 * n / of, digits))


class Recount:
    """The files of a release folder, and what they say."""

    def __init__(self, folder: Path, answers: Path | None = None) -> None:
        """Args: folder: of a release; answers: the private file of those that it withholds, which not all have."""
        self.folder = folder
        tables = sorted((folder / "data").glob("*/*/*.parquet"))
        self.rows = pd.concat([pd.read_parquet(path) for path in tables], ignore_index=True)
        self.rows["place"] = self.rows.version.map(ORDER.index)
        held = [] if answers is None else answers.read_text(encoding="utf-8").splitlines()
        known = {line["id"]: line["answer"] for line in map(json.loads, held)}
        self.full = self.rows.assign(answer=self.rows.answer.fillna(self.rows.id.map(known)))
        self.withheld = bool(self.rows.answer.isna().any())
        self.checklist = json.loads((folder / "checklist.json").read_text(encoding="utf-8"))
        self.manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))

    def audit(self, name: str) -> list[dict[str, Any]]:
        """The lines of one file."""
        path = self.folder / "audit" / f"{name}.jsonl"
        return (
            [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            if path.is_file()
            else []
        )

    @cached_property
    def ones(self) -> pd.DataFrame:
        """One row of each problem."""
        return (
            self.rows.sort_values(["place", "language"])
            .drop_duplicates("problem_id")
            .sort_values("problem_id")
        )

    # --- tables -----------------------------------------------------------------------------------------------
    def tables(self) -> dict[Table, Callable[[], Rows]]:
        """Header -> its rows, counted."""
        shares = {
            "discipline": self.ones.discipline,
            "subject": self.ones.discipline + " / " + self.ones.subject,
            "level": self.ones.difficulty.map(lambda level: f"{level} {LEVELS[level]}"),
            "question type": self.ones.question_type,
        }
        lengths = ("longest question", "mean question", "longest answer", "mean answer")
        return {
            **{(name, "problems", "%"): lambda of=of: self.share(of) for name, of in shares.items()},
            ("statistic", "number"): self.statistics,
            ("language", "in", "problems", *lengths, "most options"): self.languages,
            ("version", "language", "rows", *lengths, "most options", "pictures"): self.versions,
            ("version", "language", *lengths): self.versions_in_words,
            ("field", "origin", "problems"): lambda: self.counted("origins", "field", "origin"),
            ("version", "reason", "rows"): lambda: self.counted("left-out", "version", "reason"),
            ("discipline", *STATIONS): self.stations,
            ("discipline", "in the pool", "covered by the choice", "covered here", "%",
             "% of all mentions"): self.points,
            ("discipline", "questions in the pool", "repeats that gave way", "%", "groups",
             "of these with open contradictory answers"): self.repeats,
            ("compared with", "its texts", "discipline", "% of the pool in it", "problems of this release in it", "%",
             "pool questions in it with other numbers"): self.compared,
            ("job", "people", "items", "by two or more", "known answers right, %", "proposals kept, %"): self.jobs,
            ("job", *BASES): self.bases,
            ("job", "reviewed", "%", "by two or more", "%", "adjudicated"): self.reviewed,
            ("job", "field", "items", "equal, %", "kappa", "alpha"): self.agreement,
            ("version", "language", "pictures", "passed", "failed", "not judged", "characters compared",
             "read back, %"): self.legibility,
            ("calibration", "judge", "cases", "decided", "of these right, %", "kappa"): self.judges,
            ("", "criterion", "", "figure"): self.criteria,
        }  # fmt: skip

    def share(self, of: pd.Series) -> Rows:
        counts = of.value_counts().sort_index()
        return [[name, str(n), percent(n, len(of))] for name, n in counts.items()]

    def counted(self, name: str, *columns: str) -> Rows:
        counts = Counter(tuple(line[column] for column in columns) for line in self.audit(name))
        return [[*key, str(n)] for key, n in sorted(counts.items())]

    def statistics(self) -> Rows:
        ones, rows = self.ones, self.rows
        return [
            ["problems", str(rows.problem_id.nunique())],
            *([f"{name} problems", f"{n} ({share} %)"] for name, n, share in self.share(ones.question_type)),
            *([f"subjects of {name}", str(of.subject.nunique())] for name, of in ones.groupby("discipline")),
            ["difficulty levels", str(ones.difficulty.nunique())],
            ["distinct pictures", str(len({one for images in rows.image_sha256 for one in images}))],
            ["distinct whole questions", str(rows.full_question.nunique())],
            ["distinct answers", str(rows.answer.dropna().nunique())],
        ]

    def lengths(self, rows: pd.DataFrame, column: str, count: Callable[[str], int]) -> list[str]:
        asked = [count(text) for text in rows[column]]
        said = [count(text) for text in rows.answer.dropna()]
        return [
            str(max(asked)),
            str(round(sum(asked) / len(asked), 2)),
            str(max(said)) if said else "-",
            str(round(sum(said) / len(said), 2)) if said else "-",
        ]

    def languages(self) -> Rows:
        found: Rows = []
        for language, rows in self.rows.sort_values("place").groupby("language"):
            firsts = rows.drop_duplicates("problem_id")
            most = str(firsts.options.map(len).max())
            for name, count in (("characters", len), ("words", words)):
                cells = self.lengths(firsts, "full_question", count)
                found.append([str(language), name, str(len(firsts)), *cells, most])
        return found

    def versions(self) -> Rows:
        found: Rows = []
        for (language, _), rows in self.rows.groupby(["language", "place"]):
            pictures = len({one for images in rows.image_sha256 for one in images})
            found.append([
                rows.version.iloc[0], language, str(len(rows)), *self.lengths(rows, "question", len),
                str(rows.options.map(len).max()), str(pictures),
            ])  # fmt: skip
        return found

    def versions_in_words(self) -> Rows:
        return [
            [rows.version.iloc[0], str(language), *self.lengths(rows, "question", words)]
            for (language, _), rows in self.rows.groupby(["language", "place"])
        ]

    def stations(self) -> Rows:
        """From cells and rows; what screening took is the difference that is named as lost."""
        scored = self.ones[self.ones.split != "dev"]
        found: Rows = []
        lines = pd.DataFrame(self.audit("attrition"))
        for discipline, stations in lines.groupby("discipline"):
            cells = pd.DataFrame(c for c in self.audit("cells") if c["discipline"] == discipline)
            lost = {line.station: line.lost for line in stations.itertuples()}
            published = int((scored.discipline == discipline).sum())
            problems = published + sum(lost["published"].values())
            n = {
                "pool": cells.pool.sum(),
                "screened": cells.pool.sum() - sum(lost["screened"].values()),
                "single": cells.offered.sum(),
                "chosen": cells.chosen.sum(),
                "problem": problems,
                "published": published,
            }
            assert n["screened"] - n["single"] == sum(lost["single"].values())
            assert n["single"] - n["chosen"] == sum(lost["chosen"].values())
            assert (
                n["chosen"] - problems == sum(lost["problem"].values()) and cells.published.sum() == published
            )
            found.append([str(discipline), *(str(n[station]) for station in STATIONS)])
        return found

    def machines(self) -> list[str]:
        """Who proposed values: ids, which may hold numbers."""
        found: dict[str, list[str]] = {}
        for line in self.audit("machines"):
            if line["model"] != "source":  # taken over as the source has it: no machine's word
                found.setdefault(line["job"], []).append(line["model"])
        return [f"{job} by {', '.join(models)}" for job, models in found.items()]

    def losses(self) -> list[str]:
        """The list below the table of stations; that the numbers fit the table is seen there."""
        return [
            f"- {one['discipline']}, lost before `{one['station']}`: "
            + ", ".join(f"{reason} {number}" for reason, number in sorted(one["lost"].items()))
            for one in self.audit("attrition")
            if one["lost"]
        ]

    def points(self) -> Rows:
        found: Rows = []
        scored = self.ones[self.ones.split != "dev"]
        for discipline, lines in pd.DataFrame(self.audit("points")).groupby("discipline"):
            certificate = [c for c in self.audit("certificates") if c["discipline"] == discipline][-1][
                "certificate"
            ]
            level = certificate["settings"]["path_level"]
            carried = {
                "/".join(point.split("/")[:level])
                for points in scored[scored.discipline == discipline].knowledge_points
                for point in points
            }
            real = lines[~lines.stand_in]
            here = real[real.point.isin(carried)]
            assert set(here.point) == set(real[real.published > 0].point)
            assert certificate["points_covered"] == (real.chosen > 0).sum()
            counts = (len(real), (real.chosen > 0).sum(), len(here))
            shares = (percent(len(here), len(real)), percent(here.pool.sum(), real.pool.sum()))
            found.append([str(discipline), *map(str, counts), *shares])
        return found

    def repeats(self) -> Rows:
        lines = self.audit("repeats")
        return [
            [one["discipline"], str(one["questions"]), str(one["gave_way"]),
             f"{100 * one['gave_way'] / one['questions']:.2f}", str(one["groups"]), str(one["disputed"])]
            for one in lines
        ]  # fmt: skip

    def compared(self) -> Rows:
        found: Rows = []
        for one in self.audit("repeats"):
            mine = set(self.rows[self.rows.discipline == one["discipline"]].problem_id)
            for other in one["sets"]:
                assert round(other["pool_share"] * one["questions"]) == len(other["overlapping"])
                both = len(mine & set(other["overlapping"]))
                found.append([
                    other["name"], str(other["texts"]), one["discipline"],
                    percent(len(other["overlapping"]), one["questions"], 2), str(both), percent(both, len(mine), 2),
                    str(other["other_numbers"]),
                ])  # fmt: skip
        return found

    # --- reviews ----------------------------------------------------------------------------------------------
    @cached_property
    def reviews(self) -> pd.DataFrame:
        """Submitted annotations."""
        lines = pd.DataFrame(self.audit("reviews"))
        return lines[lines.state == "submitted"]

    def jobs(self) -> Rows:
        found: Rows = []
        for job in JOBS:
            lines = self.reviews[(self.reviews.job == job) & (self.reviews.slot != "adjudication")]
            if not lines.empty:
                by_item = lines.groupby(["item", "language", "shown"], dropna=False).reviewer.nunique()
                counts = (lines.reviewer.nunique(), len(by_item), (by_item > 1).sum())
                shares = (self.ratio("known", "right", job), self.ratio("kept", "kept", job))
                found.append([job, *map(str, counts), *shares])
        return found

    def bases(self) -> Rows:
        verdicts = Counter((line["job"], line["basis"]) for line in self.audit("verdicts"))
        return [[row[0], *(str(verdicts[row[0], basis]) for basis in BASES)] for row in self.jobs()]

    def ratio(self, name: str, column: str, job: str) -> str:
        lines = [line for line in self.audit(name) if line["job"] == job]
        answers = sum(line["answers"] for line in lines)
        return f"{100 * sum(line[column] for line in lines) / answers:.1f}" if answers else "-"

    def reviewed(self) -> Rows:
        found: Rows = []
        problems = set(self.rows.problem_id)
        said = self.reviews[self.reviews.undecided.isna() & self.reviews["item"].isin(problems)]
        for job in JOBS:
            lines = said[said.job == job]
            if lines.empty:
                continue
            people = lines[lines.slot != "adjudication"].groupby("item").reviewer.nunique()
            two, n = int((people > 1).sum()), len(problems)
            last = lines[lines.slot == "adjudication"]["item"].nunique()
            found.append(
                [job, str(len(people)), percent(len(people), n), str(two), percent(two, n), str(last)]
            )
        return found

    def agreement(self) -> Rows:
        found: Rows = []
        for measure in self.measures():
            if measure.pairable:
                kappa = measure.shown(measure.kappa) if measure.scale in ("nominal", "ordinal") else "-"
                weighted = " (weighted)" if measure.scale == "ordinal" else ""
                alpha = "-" if measure.scale is None else measure.shown(measure.alpha)
                equal = f"{100 * round(measure.figure(measure.equal)[0], 4):.1f}"
                found.append(
                    [measure.job, measure.name, str(measure.pairable), equal, kappa + weighted, alpha]
                )
        return found

    def measures(self) -> Iterator[Measure]:
        """In the order of `agreement.jsonl`."""
        answers = self.audit("answers")
        for line in self.audit("agreement"):
            name = line["figures"]["name"]
            mine = [one for one in answers if (one["job"], one["measure"]) == (line["job"], name)]
            yield Measure(line["job"], name, line["seed"], mine)

    # --- pictures, judges -------------------------------------------------------------------------------------
    def legibility(self) -> Rows:
        found: Rows = []
        lines = pd.DataFrame(self.audit("gates"))
        rendered = self.rows[self.rows.render.notna()]
        assert sorted(lines.row) == sorted(rendered.id)
        assert set(lines.sha256) == {images[0] for images in rendered.image_sha256}
        lines["place"] = lines.version.map(ORDER.index)
        for (_, language), of in lines.groupby(["place", "language"]):
            states = Counter(of.state)
            read = f"{100 * (1 - of.errors.sum() / of.characters.sum()):.2f}" if of.characters.sum() else "-"
            waiting = states["not-judged"] + states["unchecked"]
            counts = (len(of), states["passed"], states["failed"], waiting, of.characters.sum())
            found.append([of.version.iloc[0], str(language), *map(str, counts), read])
        return found

    def judges(self) -> Rows:
        found: Rows = []
        for line in self.audit("calibrations"):
            one = line["calibration"]
            n, right = one["decided"], one["decided"] - one["wrong"]
            z, share = 1.959963984540054, right / n
            half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
            low, high = ((share + z * z / (2 * n) + sign * half) / (1 + z * z / n) for sign in (-1, 1))
            name = f"{one['judge']['kind']}: {one['judge']['model']['name']}"
            interval = f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
            found.append([line["name"], name, str(one["n"]), str(n), interval, f"{one['kappa']:.2f}"])
        return found

    # --- the checklist ----------------------------------------------------------------------------------------
    def criteria(self) -> Rows:
        found: Rows = []
        for number, one in enumerate(self.checklist["criteria"], start=1):
            figure = CRITERIA[number](self) if number in CRITERIA else re.sub(r"\d", "?", one["figure"])
            found.append([str(number), one["name"], one["status"], figure])
        return found

    def rows_refused(self, *codes: str) -> int:
        """Rows that the check named for one of these codes."""
        return sum(self.checklist["findings"].get(code, 0) for code in codes)

    @cached_property
    def keyed(self) -> pd.DataFrame:
        """One row with a key of each problem."""
        rows = self.full[self.full.answer.notna()].sort_values(["language", "place"])
        return rows.drop_duplicates("problem_id").sort_values("problem_id")

    @cached_property
    def single(self) -> pd.DataFrame:
        return self.keyed[(self.keyed.question_type == "single-choice") & (self.keyed.options.map(len) > 0)]

    def always(self) -> tuple[str, float]:
        """The label that is right most often, the first of equals by name last, and its share."""
        found = []
        for label in sorted({option["label"] for options in self.single.options for option in options}):
            having = self.single[
                self.single.options.map(lambda of, label=label: label in [o["label"] for o in of])
            ]
            found.append(((having.answer == label).mean(), f"always {label}"))
        share, name = max(found)
        return name, share

    def longest(self) -> tuple[int, int]:
        """Right answers of whoever takes the only longest option, and problems that have one."""
        right = tried = 0
        for row in self.single.itertuples():
            lengths = sorted((len(option["text"].strip()), option["label"]) for option in row.options)
            if lengths[-1][0] > lengths[-2][0]:
                tried += 1
                right += lengths[-1][1] == row.answer
        return right, tried
