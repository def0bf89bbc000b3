r"""math-verify as a second reader of formulas, in a process of its own with a time limit.

Only a single expression without a unit goes there, against another one: no option, no list, no words. What the worker
finds the same is consistent; what it finds different is inconsistent only where the values differ and nothing in
either text may be a unit. Everything else, and every time-out, abstains.

math-verify is an optional part: `pip install 'benchwright[math]'`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from contextlib import suppress
from importlib.util import find_spec
from queue import Empty, Queue
from types import TracebackType
from typing import Any

from benchwright.models.answer_compare import Comparison, Match
from benchwright.models.answer_final import FinalAnswer, extract_final, named_answer, readings
from benchwright.models.answer_quantity import parse_quantity, parse_unit
from benchwright.models.answer_text import without_latex
from benchwright.schemas.errors import UsageError

NOTHING_READ = ("math-no-expression", "math-no-final-answer")
"""Rules of comparisons in which there was nothing for the library."""
_MATCH = {"same": Match.CONSISTENT, "close": Match.CONSISTENT, "different": Match.INCONSISTENT}
_LETTERS = str.maketrans(
    {"π": r"\pi ", "Ω": r"\Omega ", "μ": r"\mu ", "·": r"\cdot ", "*": r"\cdot ", "≈": "="}
)
_FUNCTIONS = "arcsin arccos arctan sinh cosh tanh sin cos tan cot sec csc ln log lg exp"
_GREEK = "alpha beta gamma theta lambda omega phi rho sigma epsilon"
_GREEK_SIGNS = dict(zip("αβγθλωφρσε", _GREEK.split(), strict=True))
_COMMANDS = "|".join(
    (*_FUNCTIONS.split(" "), *_GREEK_SIGNS.values(), "mu", "varepsilon", "fraction", "radical")
)
_ALLOWED = re.compile(r"[A-Za-z0-9\s+\-*/^_().=√π·{}\\|!αβγθλωφρσεμΩ]+")
_GLUED_FUNCTION = re.compile(
    rf"(?<![A-Za-z])([A-Za-z]{{0,3}}?)\\?(?<!\\[A-Za-z])({_FUNCTIONS.replace(' ', '|')})(?![A-Za-z]{{2}})"
)
_KNOWN_COMMAND = re.compile(rf"\\(?:{_COMMANDS})(?![A-Za-z])")
_TWO_WAY_SLASH = re.compile(
    r"/\s*(?:\d++(?:\.\d++)?|[A-Za-z](?:_\w)?|\([^()]*\))(?:\^\{?\w+\}?)?\s*[A-Za-z0-9(\\√π]"
)
_BARE_SUM = re.compile(r"[\d.\s]+(?:[-+*·/][\d.\s]+)+")
_EQUALS = re.compile(r"[=≈＝]|\\(?:approx|simeq)(?![A-Za-z])")
_LONGEST = 200
_BIG_POWER = re.compile(r"\^\s*[({]*\s*-?\d{4,}|\^[^+\-*/=]*\^|\d{40,}|!\s*!|\d{4,}\s*!")


def as_expression(text: str) -> str | None:
    """A single expression or equation as LaTeX for the worker; None for anything else.

    Words, lists, intervals, inequalities, percentages, sums of bare numbers, a slash that can be read in two ways
    ("1/2mv") and figures that would fill the memory are something else. So are letters alone: "CAT" is no "ACT".
    """
    kept = re.sub(
        r"\\sqrt(?![A-Za-z])", r"\\radical", re.sub(r"\\[dtc]?frac(?![A-Za-z])", r"\\fraction", text)
    )
    said = without_latex(kept).strip().rstrip(".").strip()
    if not said or len(said) > _LONGEST or _ALLOWED.fullmatch(said) is None or _BIG_POWER.search(said):
        return None
    # "1 000" is no product and "3-5" rather a range.
    if re.search(r"\d\s+\d", said) or _BARE_SUM.fullmatch(said) or re.fullmatch(r"[A-Za-z\s]{2,}", said):
        return None
    if said.count("=") > 1 or any(said.count(one) != said.count(other) for one, other in ("()", "{}")):
        return None
    for sign, name in _GREEK_SIGNS.items():
        said = said.replace(sign, f"\\{name} ")
    said = _GLUED_FUNCTION.sub(_function, said)
    bare = _KNOWN_COMMAND.sub(" ", said)
    # A run of letters is a product (mgh) only when short; a longer one is a word.
    if "\\" in bare or re.search(r"[A-Za-z]{4,}", bare) or _TWO_WAY_SLASH.search(said):
        return None
    said = said.replace("\\fraction", "\\frac").replace("\\radical", "\\sqrt")
    said = _braced_roots(
        re.sub(r"√\s*(?=[{(])", r"\\sqrt", re.sub(r"√\s*(\d+|[A-Za-z])", r"\\sqrt{\1}", said))
    )
    said = re.sub(r"\^\s*\(([^()]*)\)", r"^{\1}", said)
    said = re.sub(r"\^\s*(-?\d+)", r"^{\1}", said)
    return None if "√" in said else said.translate(_LETTERS)


def _function(found: re.Match[str]) -> str:
    return f"{found[1]}\\{'log' if found[2] == 'lg' else found[2]} "


def _braced_roots(text: str) -> str:
    r"""`\sqrt(...)` with its bracket turned into a brace."""
    mark = r"\sqrt("
    while (start := text.find(mark)) >= 0:
        depth, place = 1, start + len(mark)
        while place < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
        text = f"{text[:start]}\\sqrt{{{text[start + len(mark) : place - 1]}}}{text[place:]}"
    return text


def may_hold_a_unit(text: str) -> bool:
    """Whether anything in the text can be read as a unit behind a number ("5 mm", "3 g")."""
    plain = without_latex(text)
    quantity = parse_quantity(plain)
    if quantity is not None and (quantity.unit is not None or quantity.percent):
        return True
    return any(
        parse_unit(found.group(1)) is not None
        for found in re.finditer(r"[\d)}]\s*([A-Za-zμΩ°]{1,5})(?![A-Za-z(])", plain)
    )


def capitals_matter(*texts: str) -> bool:
    """Whether one letter occurs both as a capital and small: the library would take the two for one."""
    letters = {letter for text in texts for letter in re.sub(r"\\[A-Za-z]+", "", text) if letter.isalpha()}
    return any(letter.swapcase() in letters for letter in letters)


def _logarithms_differ(left: str, right: str) -> bool:
    """`log` stands for the natural logarithm in some books and for the decimal one in others."""
    return any("\\ln" in one and "\\log" in other for one, other in ((left, right), (right, left)))


def _without_current(left: str, right: str) -> tuple[str, str]:
    """A capital I is a current; the library takes it for the imaginary unit, so another letter is put."""
    free = next((letter for letter in "JQUWZ" if letter.lower() not in (left + right).lower()), None)
    return (left, right) if free is None else (left.replace("I", free), right.replace("I", free))


def _value(answer: FinalAnswer) -> str:
    """The answer in its own notation, without its name."""
    return answer.raw if answer.name is None else _EQUALS.split(answer.raw, maxsplit=1)[-1]


class MathVerify:
    """Owner of the worker process. Calls from several threads queue up; a worker that hangs is ended and replaced.

    Args:
        timeout_s: seconds for one comparison.
        start_timeout_s: seconds until the library has to be loaded.
    """

    def __init__(self, timeout_s: float = 10.0, start_timeout_s: float = 120.0) -> None:
        self._timeout = timeout_s
        self._start_timeout = start_timeout_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._pump: threading.Thread | None = None
        self._lines: Queue[str | None] = Queue()

    def __enter__(self) -> MathVerify:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def compare(self, said: str, ground: str) -> Comparison:
        """Compare two answers that should each be one expression, in any notation."""
        left, right = as_expression(said), as_expression(ground)
        if left is None or right is None:
            return Comparison(Match.ABSTAIN, NOTHING_READ[0], said)
        if capitals_matter(left, right):
            return Comparison(Match.ABSTAIN, "math-capitals", said)
        if _logarithms_differ(left, right):
            return Comparison(Match.ABSTAIN, "math-logarithms", said)
        finding, why = self._ask(*_without_current(left, right))
        match = _MATCH.get(finding, Match.ABSTAIN)
        if match is not Match.ABSTAIN and (may_hold_a_unit(said) or may_hold_a_unit(ground)):
            return Comparison(Match.ABSTAIN, "math-unit", said)
        return Comparison(match, f"math-{why}", said)

    def judge(self, reply: str | None, ground: str) -> Comparison:
        """Compare the final answer of a reply with the ground answer.

        Abstains where the reply states no single final answer, or gives it another name than the ground has.
        """
        final = None if reply is None else extract_final(reply)
        if final is None:
            return Comparison(Match.ABSTAIN, NOTHING_READ[1])
        right = named_answer(ground)
        whole = final.name != right.name and (
            None not in (final.name, right.name) or "=" in (final.text if right.name else right.text)
        )
        first: Comparison | None = None
        for said in readings(final):
            found = self.compare(said.raw, ground) if whole else self.compare(_value(said), _value(right))
            if found.match is not Match.ABSTAIN:
                return found
            first = first or found
        assert first is not None
        return first

    def close(self) -> None:
        """End the worker."""
        with self._lock:
            self._end()

    def _ask(self, said: str, ground: str) -> tuple[str, str]:
        with self._lock:
            try:
                self._start()
                reply = self._exchange({"said": said, "ground": ground})
            except (TimeoutError, BrokenPipeError):
                self._end()
                return "unknown", "timeout"
        return (reply["finding"], reply["why"]) if reply is not None else ("unknown", "worker-ended")

    def _start(self) -> None:
        if self._process is not None and self._process.poll() is None:
            return
        self._end()
        check_installed()
        self._lines = Queue()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchwright.models.answer_math_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        self._pump = threading.Thread(target=_pump, args=(self._process, self._lines), daemon=True)
        self._pump.start()
        if self._read(self._start_timeout) is None:
            self._end()
            raise UsageError(
                "math-verify is installed but does not start: run `python -m benchwright.models.answer_math_worker` "
                "to see why."
            )

    def _exchange(self, asked: dict[str, str]) -> dict[str, Any] | None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return self._read(self._timeout)

    def _read(self, seconds: float) -> dict[str, Any] | None:
        """The worker's next line; None when it has ended.

        Raises:
            TimeoutError: nothing came.
        """
        try:
            line = self._lines.get(timeout=seconds)
        except Empty as error:
            raise TimeoutError from error
        if line is None:
            self._end()
            return None
        read: dict[str, Any] = json.loads(line)
        return read

    def _end(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        process.kill()
        process.wait()
        if self._pump is not None:
            self._pump.join()  # its pipe ended with the process
        with suppress(BrokenPipeError):  # what the worker did not read any more
            process.stdin.close()  # type: ignore[union-attr]
        process.stdout.close()  # type: ignore[union-attr]


def check_installed() -> None:
    """Make sure that math-verify is there.

    Raises:
        UsageError: it is not installed.
    """
    if find_spec("math_verify") is None:
        raise UsageError(
            "the judge math-verify needs a package that is not installed: pip install 'benchwright[math]'."
        )


def _pump(process: subprocess.Popen[str], lines: Queue[str | None]) -> None:
    """Carry the worker's lines over, then None: a pipe can only be read with a time limit by a thread."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(None)
