"""How a test steers the Hub: what shall fail, what shall happen at some moment, what was asked so far."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from hub_store import Reply, Store


class Steering:
    """The part of a request that belongs to the test; mixed into the handler of requests."""

    store: Store
    command: str
    route: str

    def json(self) -> Any:
        """Body as JSON."""
        raise NotImplementedError

    def _fault(self) -> dict[str, Any] | None:
        if self.route.startswith("/-/"):
            return None
        for fault in self.store.faults:
            if (
                fault["method"] == self.command
                and re.search(fault["match"], self.route)
                and fault["statuses"]
            ):
                status = fault["statuses"].pop(0)
                return None if status == 200 else {**fault, "status": status}
        return None

    def _before(self) -> None:
        """What a test wants done at this very moment."""
        if self.route.startswith("/-/"):
            return
        for wanted in list(self.store.before):
            if wanted["method"] == self.command and re.search(wanted["match"], self.route):
                self.store.before.remove(wanted)
                if wanted["do"] == "delete":
                    self.store.repos.pop(wanted["repo"])
                else:
                    self._flip(wanted)

    def faults(self) -> Reply:
        """What shall fail from now on."""
        self.store.faults = self.json()
        return Reply({})

    def before(self) -> Reply:
        """What shall be done before some request."""
        self.store.before = self.json()
        return Reply({})

    def corrupt(self) -> Reply:
        """Flip the middle byte of a stored object, keeping its size."""
        self._flip(self.json())
        return Reply({})

    def _flip(self, wanted: dict[str, Any]) -> None:
        repo = self.store.repos[wanted["repo"]]
        entry = repo.commits[repo.resolve(wanted.get("revision", "main"))][wanted["path"]]
        path = self.store.objects / entry.sha256
        place = path.stat().st_size // 2 if path.exists() else None
        if place is None:
            path, place = self.store.block_of(entry.sha256)
            self.store.damaged.add(path)
        data = bytearray(path.read_bytes())
        data[place] ^= 0xFF
        path.write_bytes(bytes(data))

    def scrub(self) -> Reply:
        """Throw away what is damaged, as a storage's own check would."""
        broken = [
            p for p in self.store.objects.iterdir() if hashlib.sha256(p.read_bytes()).hexdigest() != p.name
        ]
        if self.store.damaged:  # with the block goes every index that names it
            broken += [p for p in self.store.cas.rglob("*") if p.is_file()]
            self.store.damaged.clear()
        for path in broken:
            path.unlink()
        return Reply({"removed": len(broken)})

    def requests(self) -> Reply:
        """What was asked so far."""
        seen = list(self.store.log)
        if self.command == "DELETE":
            self.store.log.clear()
        return Reply(seen)
