"""Pseudonyms: everywhere but in `people.json` (mode 600, never published) a reviewer is `A01`, `A02`, ..."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.annotation.private import read_private, write_private
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace


class PeopleFile(Record):
    """What `people.json` holds."""

    people: dict[str, str]
    """Pseudonym -> e-mail address of the account."""


class People:
    """The pseudonyms of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._path = workspace.people
        known = read_private(self._path, PeopleFile)
        self._by_email = {} if known is None else {email: name for name, email in known.people.items()}

    def __len__(self) -> int:
        return len(self._by_email)

    def admit(self, emails: Iterable[str]) -> None:
        """Give a pseudonym to each account that has none yet, in the order given, and write it down first."""
        added = False
        for email in emails:
            if email not in self._by_email:
                self._by_email[email] = self._next()
                added = True
        if added:
            write_private(
                self._path, PeopleFile(people={name: email for email, name in sorted(self._by_email.items())})
            )

    def pseudonym(self, email: str) -> str:
        """The pseudonym of an admitted account.

        Raises:
            KeyError: the account has not been admitted.
        """
        return self._by_email[email]

    def _next(self) -> str:
        taken = {int(name[1:]) for name in self._by_email.values() if name.startswith("A")}
        return f"A{max(taken, default=0) + 1:02d}"
