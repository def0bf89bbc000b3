"""`benchwright generate-pool`: a large made-up pool, for trials at the size of a real one."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.cli.common import SummaryTable, emit, json_option, progress


@click.command("generate-pool")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--items", type=click.IntRange(min=1), default=150_000, show_default=True, help="Questions.")
@click.option(
    "--discipline",
    type=click.Choice(["physics", "mathematics", "chemistry"]),
    default="physics",
    show_default=True,
    help="Of all questions.",
)
@click.option(
    "--points", type=click.IntRange(min=1), default=1000, show_default=True, help="Knowledge points."
)
@click.option(
    "--pictures",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Different pictures to draw; half of the questions then show one.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another one gives another pool.")
@json_option
def generate_pool(
    folder: Path, items: int, discipline: str, points: int, pictures: int, seed: int, as_json: bool
) -> None:
    """Write a made-up pool to FOLDER: pool.jsonl, and truth.jsonl with the repeats that were planted.

    For trying things out at the size of a real pool; no benchmark should be made from it.
    """
    from benchwright.examples.generated_pool import write_generated_pool

    with progress(items, "questions") as bar:
        made = write_generated_pool(
            folder,
            items,
            discipline,
            points,
            pictures,
            seed,
            lambda done: bar.advance(done - bar.done),
        )
    rows = [["questions", made.items], ["knowledge points", made.points]]
    rows += [[f"planted: {kind}", count] for kind, count in made.planted.items()]
    result = {
        "pool": str(made.path),
        "truth": str(made.truth),
        "items": made.items,
        "points": made.points,
        "planted": made.planted,
    }
    emit(
        result, SummaryTable("Generated pool", ["what", "count"], rows), as_json, f"curate ingest {made.path}"
    )
