"""The fields of Croissant's RAI vocabulary (responsible use), each from figures or a person's words."""

from __future__ import annotations

from typing import Any

from benchwright.curation.release.documents.counted import (
    criterion,
    drawn,
    estimated,
    left_out,
    tasks,
    varieties,
)
from benchwright.curation.release.documents.stated import stated
from benchwright.curation.release.edition import Edition


def rai_fields(edition: Edition) -> dict[str, Any]:
    """All of them but the timeframe of the collection, which nobody can state in the dates that it asks for."""
    release, figures = edition.release, edition.figures
    sources = "; ".join(f"{one.source} ({one.licence}, {one.problems} problems)" for one in edition.terms)
    jobs = tasks(edition)
    fields: dict[str, Any] = {
        "dataCollection": stated(release, "collection"),
        "dataCollectionType": ["Secondary Data Analysis", *(["Manual Human Curator"] if jobs else [])],
        "dataCollectionRawData": f"Questions of these sources: {sources}.",
        "dataCollectionMissingData": f"{left_out(edition)} rows could not be made; "
        + (", ".join(f"{count} {version} ({why})" for version, why, count in figures.left_out) or "none")
        + ".",
        "dataImputationProtocol": _imputed(edition),
        "dataPreprocessingProtocol": [
            "Metadata is cut from pictures; other changes to their pixels are made only where the format demands it.",
            f"Repeats (criterion 16 of the checklist): {criterion(edition, 16)}",
            f"Overlap with other sets (criterion 17): {criterion(edition, 17)}",
        ],
        "dataManipulationProtocol": _adapted(edition),
        "dataAnnotationProtocol": [
            f"{one.job}: {one.people} people, {one.items} items, {one.by_two} by two or more, "
            f"{one.adjudicated} values adjudicated"
            for one in jobs
        ]
        or ["No figures of reviews are on record."],
        "dataAnnotationPlatform": ["Label Studio"] if jobs else [],
        "dataAnnotationAnalysis": [
            f"{one.job}, {one.field}: {one.items} items, equal {one.equal} %, kappa {one.kappa}, alpha {one.alpha}"
            for one in edition.found.agreed_fields
        ],
        "annotationsPerItem": "; ".join(
            f"{one.job}: {one.by_two} of {one.items} by two or more" for one in jobs
        ),
        "annotatorDemographics": [stated(release, "annotators")],
        "machineAnnotationTools": [
            f"{job}: {', '.join(models)}" for job, models in sorted(edition.machines.items())
        ],
        "dataBiases": [stated(release, "biases")],
        "dataLimitations": [stated(release, "limitations")],
        "dataSocialImpact": stated(release, "impact"),
        "dataUseCases": [stated(release, "uses")],
        "personalSensitiveInformation": [
            f"Licences and personal data (criterion 26 of the checklist): {criterion(edition, 26)}"
        ],
        "dataReleaseMaintenancePlan": f"A corrected row makes a new tag, ERRATA.md lists it; an old tag never moves. "
        f"{stated(release, 'retirement')} Contact: {stated(release, 'contact')}",
    }
    return {f"rai:{name}": value for name, value in fields.items() if value not in ("", [])}


def _imputed(edition: Edition) -> str:
    machine = estimated(edition)
    if not machine:
        return "No value is filled in: each is a source's or a person's."
    return "Values that are a machine's alone: " + ", ".join(
        f"{field} of {count} problems ({origin})" for field, origin, count in machine
    )


def _adapted(edition: Edition) -> str:
    parts = [
        f"translated into {one.language}: {one.translated} problems"
        for one in varieties(edition)
        if one.translated
    ]
    parts += [f"drawn for {version}: {count} pictures" for version, count in drawn(edition).items()]
    return ("; ".join(parts) or "Nothing was translated or drawn") + "."
