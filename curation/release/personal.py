"""Personal data in what is published: e-mail addresses, telephone numbers, and the accounts of those who reviewed.

Names of reviewers stand in `people.json` alone. The part of an address before its `@` counts as an account name where
it looks like one (it holds a digit, a dot, a hyphen or an underscore); in a question a plain "anna" is a person of the
question, so such a name is looked for only in texts that are ours: card, licences, audit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchwright.curation.release.check_withheld import table_records
from benchwright.curation.release.findings import Trouble
from benchwright.curation.screen_privacy import found_marks
from benchwright.schemas.errors import UsageError
from benchwright.schemas.records import ReleaseRow

_CODES = {"e-mail": "e-mail-address", "phone-number": "phone-number", "messenger-id": "messenger-account"}
_LOOKS_LIKE_AN_ACCOUNT = re.compile(r"[\d._+-]")
_WORTH_A_LOOK = re.compile(r"@|\d{4}|\d[\d ()（）+-]{6,}\d|QQ|qq|微信|we ?chat|weixin", re.IGNORECASE)
"""Without any of these a text holds no address, number or account: most texts need no closer look."""
_UNBROKEN = re.compile(r"\S{500,}")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_SHORTEST = 3
"""Characters from which a plain name before an `@` is looked for."""


@dataclass(frozen=True)
class AccountNames:
    """Accounts that may stand in nothing that is published, in lower case."""

    addresses: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    """The parts before the `@` that look like account names."""
    plain: frozenset[str] = frozenset()
    """Those that might be anybody's name."""

    @classmethod
    def of(cls, addresses: Iterable[str]) -> AccountNames:
        """From e-mail addresses."""
        whole = frozenset(address.strip().casefold() for address in addresses)
        local = {address.partition("@")[0] for address in whole}
        local = {name for name in local if len(name) >= _SHORTEST}
        accounts = frozenset(name for name in local if _LOOKS_LIKE_AN_ACCOUNT.search(name))
        return cls(whole, accounts, frozenset(local) - accounts)

    def without(self, named: Iterable[str]) -> AccountNames:
        """The same, but for plain names that the release gives to its authors anyway.

        Args:
            named: the authors' names, or parts of them.
        """
        public = {part for name in named for part in (name.casefold(), *name.casefold().split())}
        return AccountNames(self.addresses, self.names, self.plain - public)

    @classmethod
    def read(cls, path: Path) -> AccountNames:
        """From `people.json`; none where there is no such file.

        Raises:
            UsageError: it is not what `annotate` writes.
        """
        if not path.is_file():
            return cls()
        try:
            people = json.loads(path.read_text(encoding="utf-8"))["people"]
            return cls.of(str(address) for address in people.values())
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{path} cannot be read as the list of reviewers, so nobody can say that no name is published: "
                "put back the file that `annotate` wrote."
            ) from error


def personal_marks(
    text: str, accounts: AccountNames, *, ours: bool = False, allowed: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Code and wording of personal data in one text.

    Args:
        text: any text.
        accounts: of the reviewers.
        ours: the text is no question but was written for the release, so that plain names count too.
        allowed: addresses that are meant to be read, for questions about the release.
    """
    cleaned = text
    for address in allowed:
        cleaned = cleaned.replace(address, " ")
    lowered = cleaned.casefold()
    names = (*accounts.addresses, *accounts.names, *(accounts.plain if ours else ()))
    for name in sorted(names):
        if name in lowered and re.search(rf"(?<![\w@]){re.escape(name)}(?![\w])", lowered):
            yield "account-name", _hidden(name)
            break
    for code, words in found_marks(cleaned) if _WORTH_A_LOOK.search(cleaned) else ():
        if code in _CODES:
            yield _CODES[code], words


def personal_troubles(rows: Iterable[ReleaseRow], accounts: AccountNames) -> Iterator[Trouble]:
    """Personal data in the texts of rows; each wording is looked at once."""
    known: dict[str, tuple[tuple[str, str], ...]] = {}
    for row in rows:
        for text in texts_of(row):
            if text not in known:
                known[text] = tuple(personal_marks(text, accounts))
            for code, words in known[text]:
                yield Trouble(code, row.id, words)


def texts_of(row: ReleaseRow) -> Iterator[str]:
    """Every text of a row that a source or a reviewer wrote, empty ones left out."""
    options = (option.text for option in row.options)
    parts = (row.question, row.full_question, row.stem, row.core_question, row.knowledge_cue)
    said = (row.answer, row.unit, row.solution, row.source, row.source_license, row.subject)
    for text in (*parts, *row.conditions, *row.knowledge_detail, *row.knowledge_points, *options, *said):
        if text:
            yield text


def personal_in_folder(
    folder: Path, accounts: AccountNames, allowed: Collection[str] = ()
) -> tuple[Trouble, ...]:
    """Personal data in the files of a built release, but for the tables below `data/`, whose rows are checked before.

    Args:
        folder: `release/<tag>/`.
        accounts: of the reviewers.
        allowed: addresses that are meant to be read.

    Returns:
        Troubles whose row is the file's path inside the folder.
    """
    found: dict[Trouble, None] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and not name.startswith("data/"):
            for line in dict.fromkeys(_lines(path)):
                for code, words in personal_marks(line, accounts, ours=True, allowed=allowed):
                    found[Trouble(code, name, words)] = None
    return tuple(found)


def _lines(path: Path) -> Iterator[str]:
    """A file's lines without pictures in base64 and the like; none for a picture."""
    if path.suffix == ".parquet":
        yield from (str(record) for record in table_records(path))
        return
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    yield from (_UNBROKEN.sub(" ", line) for line in text.splitlines())


def addresses_in(text: str) -> tuple[str, ...]:
    """The e-mail addresses that a text names, sorted."""
    return tuple(sorted(set(_ADDRESS.findall(text))))


def _hidden(name: str) -> str:
    """A name so that its owner knows it and a log does not hold it."""
    return f"{name[:2]}… ({len(name)} characters)"
