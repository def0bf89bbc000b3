"""Names of disciplines and subjects as plots show them: English, and Chinese where the release holds Chinese."""

from __future__ import annotations

from benchwright.curation.release.plots.inputs import Name
from benchwright.schemas.taxonomy import Taxonomy

LEVELS_ZH = ("基础", "容易", "中等", "较难", "专家")
"""Levels 1 to 5."""


class Names:
    """Looks names up.

    Args:
        taxonomy: where the names stand; what it does not have is named by its id.
        chinese: whether Chinese names are wanted beside the English ones.
    """

    def __init__(self, taxonomy: Taxonomy | None, *, chinese: bool) -> None:
        self._disciplines = {} if taxonomy is None else {entry.id: entry for entry in taxonomy.disciplines}
        self.chinese = chinese

    def discipline(self, discipline: str) -> Name:
        """Name of a discipline."""
        entry = self._disciplines.get(discipline)
        return self._name(discipline, {} if entry is None else entry.names)

    def subject(self, discipline: str, subject: str) -> Name:
        """Name of a subject."""
        entry = self._disciplines.get(discipline)
        found = [one.names for one in entry.subjects if one.id == subject] if entry is not None else []
        return self._name(subject, found[0] if found else {})

    def others(self, count: int) -> Name:
        """Name of several small subjects drawn as one."""
        return Name(en=f"{count} smaller subjects", zh=f"其他 {count} 个" if self.chinese else "")

    def _name(self, key: str, names: dict[str, str]) -> Name:
        plain = key.replace("-", " ").replace("_", " ").strip()
        return Name(
            en=names.get("en") or plain[:1].upper() + plain[1:],
            zh=names.get("zh", "") if self.chinese else "",
        )
