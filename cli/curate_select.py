"""`curate select`: choose anew from what is there, or see in seconds about what would be chosen."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import emit, json_option, open_workspace, say, workspace_option
from benchwright.cli.curate_cluster import (
    certificate_remarks,
    certificate_row,
    chosen_disciplines,
    discipline_option,
    representatives_table,
    selection_summary,
)


@click.command()
@discipline_option
@click.option(
    "--budget", type=click.IntRange(min=1), help="How many to choose. Default: the recipe's budget."
)
@click.option(
    "--preview",
    "quick",
    is_flag=True,
    help="Greedy choice with exchanges instead of the exact one: shown, not proven, not written.",
)
@workspace_option
@json_option
def select(
    disciplines: tuple[str, ...], budget: int | None, quick: bool, workspace: Path | None, as_json: bool
) -> None:
    """Choose the representatives anew, after the recipe's `[selection]` or reviews have changed.

    Screening, duplicates, estimates and clusters are taken as they are. Questions that people have reviewed stay,
    those they rejected are not offered again.
    """
    from benchwright.curation.representatives import certificate_of, decide, select_again

    place = open_workspace(workspace)
    rows: list[tuple[object, ...]] = []
    result: dict[str, object] = {}
    for discipline in chosen_disciplines(place, disciplines):
        if quick:
            decided = decide(place, discipline, budget or place.recipe.budget(discipline), quick=True)
            certificate = certificate_of(discipline, decided, len({item.cluster for item in decided.items}))
            result[discipline] = {
                **certificate.model_dump(mode="json", exclude={"points", "rules", "prices"}),
                "chosen": [item.question_id for item in decided.choice.chosen],
            }
        else:
            done = select_again(place, discipline, budget)
            certificate = done.certificate
            result[discipline] = selection_summary(place, done)
        rows.append(certificate_row(certificate))
        for line in certificate_remarks(certificate):
            say(line)
    title = "Preview (not proven, not written)" if quick else "Representatives"
    emit(result, representatives_table(rows, title), as_json, "curate select" if quick else "curate tag")
