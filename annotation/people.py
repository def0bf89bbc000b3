"""Pseudonyms: everywhere but in `people.json` (mode 600, never published) a reviewer is `A01`, `A02`, ..."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from benchwright.annotation.private import read_private, write_private
from benchwright.schemas.records import Record
from benchwright.schemas.workspace import Workspace

_LOCK_LIMIT = 60.0
"""Seconds that a change of the file waits for another one's end; each takes milliseconds."""


class PeopleFile(Record):
    """What `people.json` holds."""

    people: dict[str, str]
    """Pseudonym -> e-mail address of the account."""
    forgotten: tuple[str, ...] = ()
    """Pseudonyms whose names were erased; never given to anybody else."""


class People:
    """The pseudonyms of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._path = workspace.people
        self._lock = FileLock(workspace.label_studio / "people.lock", timeout=_LOCK_LIMIT)
        self._by_email: dict[str, str] = {}
        self._forgotten: tuple[str, ...] = ()
        self._read()

    def __len__(self) -> int:
        return len(self._by_email)

    @property
    def emails(self) -> Mapping[str, str]:
        """Pseudonym -> e-mail address, by pseudonym."""
        return {name: email for email, name in sorted(self._by_email.items(), key=lambda entry: entry[1])}

    @property
    def forgotten(self) -> tuple[str, ...]:
        """Pseudonyms without a name, sorted."""
        return self._forgotten

    def admit(self, emails: Iterable[str]) -> None:
        """Give a pseudonym to each account that has none yet, in the order given, and write it down first."""
        wanted = list(emails)
        if all(email in self._by_email for email in wanted):
            return
        with self._changing():
            for email in wanted:
                if email not in self._by_email:
                    self._by_email[email] = self._next()

    def pseudonym(self, email: str) -> str:
        """The pseudonym of an admitted account.

        Raises:
            KeyError: the account has not been admitted.
        """
        return self._by_email[email]

    def find(self, name: str) -> str | None:
        """The e-mail address behind a pseudonym, an address or its part before the `@`; None where it is nobody's."""
        wanted = name.lower()
        for email, pseudonym in self._by_email.items():
            if name == pseudonym or wanted == email.lower():
                return email
        local = [email for email in self._by_email if email.lower().partition("@")[0] == wanted]
        return local[0] if len(local) == 1 else None

    def forget(self, email: str) -> str:
        """Erase the name behind a pseudonym; returns the pseudonym, which nobody else will get.

        Raises:
            KeyError: the account has no pseudonym.
        """
        with self._changing():
            pseudonym = self._by_email.pop(email)
            self._forgotten = tuple(sorted({*self._forgotten, pseudonym}))
        return pseudonym

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """The file as it is now, changed by nobody else meanwhile; written at the end."""
        Path(self._lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
        with self._lock:
            self._read()
            yield
            people = {name: email for email, name in sorted(self._by_email.items())}
            write_private(self._path, PeopleFile(people=people, forgotten=self._forgotten))

    def _read(self) -> None:
        known = read_private(self._path, PeopleFile)
        self._by_email = {} if known is None else {email: name for name, email in known.people.items()}
        self._forgotten = () if known is None else known.forgotten

    def _next(self) -> str:
        names = (*self._by_email.values(), *self._forgotten)
        taken = {int(name[1:]) for name in names if name.startswith("A")}
        return f"A{max(taken, default=0) + 1:02d}"
