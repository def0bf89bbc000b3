"""The whole way through a real Label Studio: serve, push, review, pull, kill, restart."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from benchwright.annotation.client import ReviewServer, ServerTrouble
from benchwright.annotation.connection import find_connection
from benchwright.annotation.environment import SERVER_VERSION, ensure_environment
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.projects import our_projects
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import ManagedServer, credentials_path, running_server, state_path
from benchwright.schemas.errors import LockedError, UsageError
from benchwright.schemas.jobs import Proposal, Review, Verdict
from benchwright.schemas.journal import Journal, read_jsonl, write_jsonl
from benchwright.schemas.records import Question
from benchwright.schemas.tables import read_records, write_records
from benchwright.schemas.workspace import Workspace

pytestmark = pytest.mark.labelstudio

JOB = TaggingJob()


def result(subject: str, level: int, origin: str | None = None) -> list[dict[str, Any]]:
    regions = [
        {"from_name": name, "to_name": "question", "type": "choices", "value": {"choices": [value]}}
        for name, value in (("subject", subject), ("difficulty", str(level)))
    ]
    return [{**region, "origin": origin} for region in regions] if origin else regions


def send(server: ReviewServer, method: str, path: str, **payload: Any) -> Any:
    """What a reviewer's browser sends; not part of the product's client."""
    return server._request(method, path, payload=payload)


def task_ids(server: ReviewServer, workspace: Workspace) -> dict[str, int]:
    found: dict[str, int] = {}
    for project, _ in our_projects(server, workspace, JOB):
        for task in server.tasks(project.id):
            assert task.data["item_id"] not in found, "a task stands there twice"
            found[task.data["item_id"]] = task.id
    return found


def states(workspace: Workspace, item: str) -> list[tuple[str, str, Any]]:
    reviews = Journal(workspace.reviews("tagging")).read(Review)
    return [(r.field, r.state, r.value) for r in reviews if r.item_id == item]


def test_the_server_is_the_pinned_one_and_private(served: Workspace, server: ReviewServer) -> None:
    code = "import importlib.metadata as m; print(m.version('label-studio'))"
    done = subprocess.run(
        [str(ensure_environment(print)), "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == SERVER_VERSION
    assert server.check() == "owner@benchwright.localhost"
    assert server.connection.url.startswith("http://127.0.0.1:")
    for path in (credentials_path(served), state_path(served), served.label_studio / "label_studio.sqlite3"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_a_second_server_on_the_same_workspace_is_refused(served: Workspace) -> None:
    with pytest.raises(LockedError, match="runs already at http://127"), ManagedServer(served, print):
        pass
    assert running_server(served) is not None, "the refusal must not touch the running one"


def test_pushing_twice_changes_nothing(served: Workspace, server: ReviewServer) -> None:
    (first,) = push_job(server, served, JOB)
    assert (first.tasks, first.proposals) == (40, 36)
    ids, predictions = task_ids(server, served), server.predictions(first.project)
    (second,) = push_job(server, served, JOB)
    assert (second.project, second.new, second.proposals_changed) == (first.project, 0, 0)
    assert task_ids(server, served) == ids
    assert server.predictions(first.project) == predictions
    assert len(predictions) == 36


def test_pictures_are_served_to_a_logged_in_reviewer_only(served: Workspace, server: ReviewServer) -> None:
    import httpx

    push_job(server, served, JOB)
    image = JOB.groups(served)[0].items[0].images[0]
    address = f"{server.connection.url}/data/local-files/?d=tagging/{image.sha256}.png"
    with httpx.Client(trust_env=False) as client:
        assert client.get(address).status_code == 401
        reply = client.get(address, headers={"Authorization": f"Token {server.connection.token}"})
        assert reply.content == served.read_image(image.sha256)
        outside = f"{server.connection.url}/data/local-files/?d=../credentials.json"
        refused = client.get(outside, headers={"Authorization": f"Token {server.connection.token}"})
        assert refused.status_code >= 400


def test_answers_edits_skips_and_drafts_come_back(served: Workspace, server: ReviewServer) -> None:
    push_job(server, served, JOB)
    ids = task_ids(server, served)
    made = send(
        server, "POST", f"/api/tasks/{ids['q0000']}/annotations/", result=result("optics", 4), lead_time=12.5
    )
    send(
        server, "POST", f"/api/tasks/{ids['q0001']}/annotations/", result=result("mechanics", 2, "prediction")
    )
    send(server, "POST", f"/api/tasks/{ids['q0002']}/annotations/", result=[], was_cancelled=True)
    send(server, "POST", f"/api/tasks/{ids['q0003']}/drafts", result=result("optics", 1)[:1], lead_time=1.0)

    pulled = pull_job(server, served, JOB)
    assert dict(pulled.states) == {"submitted": 4, "skipped": 2, "draft": 2}
    assert dict(pulled.verdicts) == {"agreed": 4, "open": 4}
    assert states(served, "q0000") == [("subject", "submitted", "optics"), ("difficulty", "submitted", 4)]
    assert states(served, "q0003") == [("subject", "draft", "optics"), ("difficulty", "draft", None)]
    reviews = {(r.item_id, r.field): r for r in Journal(served.reviews("tagging")).read(Review)}
    assert reviews["q0000", "subject"].lead_time == 12.5
    assert reviews["q0000", "subject"].origin == "manual"
    assert reviews["q0001", "subject"].origin == "prediction"
    assert reviews["q0000", "subject"].pseudonym == "A01"
    assert "owner@" not in served.reviews("tagging").read_text(encoding="utf-8")

    assert pull_job(server, served, JOB).new == 0

    (draft,) = server._get(f"/api/tasks/{ids['q0003']}/drafts", {})
    send(server, "DELETE", f"/api/drafts/{draft['id']}/")
    assert dict(pull_job(server, served, JOB).states) == {"deleted": 2}
    assert [v.by for v in read_jsonl(served.verdicts("tagging"), Verdict) if v.item_id == "q0003"] == [(), ()]

    send(server, "PATCH", f"/api/annotations/{made['id']}/", result=result("mechanics", 5))
    again = pull_job(server, served, JOB)
    assert dict(again.states) == {"submitted": 2}
    verdicts = {(v.item_id, v.field): v.value for v in read_jsonl(served.verdicts("tagging"), Verdict)}
    assert (verdicts["q0000", "subject"], verdicts["q0000", "difficulty"]) == ("mechanics", 5)
    assert len(states(served, "q0000")) == 4, "the first answer stays in the journal"

    second = send(server, "POST", f"/api/tasks/{ids['q0001']}/annotations/", result=result("optics", 2))
    pull_job(server, served, JOB)
    verdicts = {(v.item_id, v.field): v.basis for v in read_jsonl(served.verdicts("tagging"), Verdict)}
    assert (verdicts["q0001", "subject"], verdicts["q0001", "difficulty"]) == ("open", "agreed")

    send(server, "DELETE", f"/api/annotations/{second['id']}/")
    assert dict(pull_job(server, served, JOB, full=True).states) == {"deleted": 2}
    verdicts = {(v.item_id, v.field): v.basis for v in read_jsonl(served.verdicts("tagging"), Verdict)}
    assert verdicts["q0001", "subject"] == "agreed"
    assert pull_job(server, served, JOB, full=True).new == 0


def test_a_new_round_of_proposals_replaces_the_old_one(
    served: Workspace, server: ReviewServer, propose
) -> None:
    (before,) = push_job(server, served, JOB)
    answered = list(server.annotated(before.project))
    questions = read_records(served.pool("physics"), Question)
    propose(served, questions, "second-tagger", 1)
    (page,) = push_job(server, served, JOB)
    assert page.proposals_changed == 36
    predictions = server.predictions(page.project)
    assert {p.model_version.split()[0] for p in predictions} == {"second-tagger"}
    assert len(predictions) == len({p.task for p in predictions}) == 36
    (project,) = [p for p, _ in our_projects(server, served, JOB)]
    assert project.model_version == predictions[0].model_version, "else the reviewer sees none"
    ids = {task: item for item, task in task_ids(server, served).items()}
    shown = {ids[p.task]: p.result[0]["value"]["choices"][0] for p in predictions}
    assert (shown["q0000"], shown["q0001"]) == ("electromagnetism", "mechanics")
    kept = list(server.annotated(before.project))
    assert [[a["id"] for a in row["annotations"]] for row in kept] == [
        [a["id"] for a in row["annotations"]] for row in answered
    ]

    propose(served, questions[:1], "second-tagger", 2)  # the same model changes its mind about one item
    (page,) = push_job(server, served, JOB)
    assert page.proposals == 1
    (left,) = server.predictions(page.project)
    assert left.result[0]["value"]["choices"] == ["mechanics"]


def test_a_doubled_task_is_removed_unless_it_was_worked_on(served: Workspace, server: ReviewServer) -> None:
    (page,) = push_job(server, served, JOB)
    ids = task_ids(server, served)
    originals = {task.id: task.data for task in server.tasks(page.project)}
    server.import_tasks(page.project, [{"data": originals[ids[item]]} for item in ("q0010", "q0011")])
    doubles = [task for task in server.tasks(page.project) if task.id not in originals]
    worked = next(task.id for task in doubles if task.data["item_id"] == "q0011")
    send(server, "POST", f"/api/tasks/{worked}/annotations/", result=result("optics", 1))
    (again,) = push_job(server, served, JOB)
    assert again.tasks == 40
    after = task_ids(server, served)
    assert after["q0010"] == ids["q0010"]
    assert after["q0011"] == worked


def without_pictures(workspace: Workspace) -> list[Question]:
    """Take the pictures out of the pool: the session's server may not read those of another workspace."""
    pool = read_records(workspace.pool("physics"), Question)
    questions = [question.model_copy(update={"images": ()}) for question in pool]
    write_records(workspace.pool("physics"), questions, Question)
    return questions


def test_a_proposal_that_the_page_cannot_show_is_counted_and_its_task_still_there(
    tmp_path: Path, make_workspace, server: ReviewServer, propose
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2, name="wrong-proposals")
    questions = without_pictures(workspace)
    propose(workspace, questions, "m", 0)
    proposals = read_jsonl(workspace.proposals("tagging"), Proposal)
    (wrong,) = [p for p in proposals if (p.item_id, p.field) == ("q0001", "subject")]
    rest = [p for p in proposals if p != wrong]
    write_jsonl(workspace.proposals("tagging"), [*rest, wrong.model_copy(update={"value": "Optics"})])
    (page,) = push_job(server, workspace, JOB)
    assert (page.tasks, page.proposals) == (2, 1)
    (reject,) = page.rejected
    assert (reject.item_id, reject.reason) == ("q0001", "proposal-not-in-config")
    assert "'Optics' is not a choice of 'subject'" in reject.detail
    assert len(server.predictions(page.project)) == 1


def test_pictures_out_of_the_servers_reach_are_an_error_before_anything_is_imported(
    tmp_path: Path, make_workspace, server: ReviewServer
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2, name="out-of-reach")
    with pytest.raises(UsageError, match="LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT"):
        push_job(server, workspace, JOB)
    for project, _ in our_projects(server, workspace, JOB):
        assert server.tasks(project.id) == []


def test_a_new_look_keeps_the_project_and_a_new_subject_makes_another(
    tmp_path: Path, make_workspace, server: ReviewServer, propose
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2, name="config-change")
    questions = without_pictures(workspace)
    propose(workspace, questions, "m", 0)
    source = resources.files("benchwright.schemas") / "taxonomies" / "visscience.toml"
    taxonomy = source.read_text(encoding="utf-8")
    own = workspace.taxonomies / "visscience.toml"
    own.parent.mkdir()
    own.write_text(taxonomy, encoding="utf-8")
    (first,) = push_job(server, workspace, JOB)
    own.write_text(taxonomy.replace("力学", "力学与平衡"), encoding="utf-8")
    (second,) = push_job(server, workspace, JOB)
    assert (second.project, second.new) == (first.project, 0)
    (shown,) = [p.config for p, _ in our_projects(server, workspace, JOB)]
    assert "力学与平衡" in shown
    # An older version, or a person in the settings, showed the button that hides a task for good.
    server._sdk.projects.update(first.project, show_skip_button=True)
    assert [p.can_skip for p, _ in our_projects(server, workspace, JOB)] == [True]
    push_job(server, workspace, JOB)
    assert [p.can_skip for p, _ in our_projects(server, workspace, JOB)] == [False]
    own.write_text(taxonomy.replace('id = "mechanics"', 'id = "classical-mechanics"'), encoding="utf-8")
    (third,) = push_job(server, workspace, JOB)
    assert third.project != first.project
    assert (third.new, third.proposals) == (2, 1), "the proposal of a subject that is gone cannot be shown"
    assert len(our_projects(server, workspace, JOB)) == 2


def test_long_and_odd_texts_arrive_as_they_are(tmp_path: Path, make_workspace, server: ReviewServer) -> None:
    odd = (
        "é e\u0301 𠮷野家 العربية 👩🏽‍🔬 ∫ ≤ \u2028 \u00a0 </div><script>alert(1)</script> " + "long " * 2000
    )
    workspace = make_workspace(tmp_path / "ws", 1, name="odd-texts")
    (question,) = read_records(workspace.pool("physics"), Question)
    text = question.texts["en"].model_copy(update={"question": odd})
    changed = question.model_copy(update={"images": (), "texts": {"en": text}})
    write_records(workspace.pool("physics"), [changed], Question)
    (page,) = push_job(server, workspace, JOB)
    (task,) = server.tasks(page.project)
    (item,) = JOB.groups(workspace)[0].items
    assert task.data["html"] == item.data["html"]
    assert len(task.data["html"]) > 10_000
    assert "<script" not in task.data["html"]
    assert "𠮷野家 العربية 👩🏽" in task.data["html"]
    assert push_job(server, workspace, JOB)[0].new == 0


def push_through(proxy: Any, workspace: Workspace, token: str) -> Any:
    with ReviewServer(find_connection(workspace, url=proxy.url, token=token)) as spoiled:
        (page,) = push_job(spoiled, workspace, JOB)
        return page


@pytest.mark.parametrize(
    ("path", "faults"),
    [
        ("/import", ["lose-reply"]),
        ("/import", ["refuse", "lose-reply"]),
        ("/import", ["refuse", "refuse"]),
        ("/api/projects/", ["lose-reply"]),
    ],
)
def test_spoiled_requests_double_nothing_and_lose_nothing(
    tmp_path: Path, make_workspace, propose, server: ReviewServer, fault_proxy, path: str, faults: list[str]
) -> None:
    workspace = make_workspace(
        tmp_path / "ws", 30, name=f"spoiled-{path.strip('/').split('/')[0]}-{'-'.join(faults)}"
    )
    questions = without_pictures(workspace)
    propose(workspace, questions, "m", 0)
    with fault_proxy(server.connection.url, "POST", path, list(faults)) as proxy:
        page = push_through(proxy, workspace, server.connection.token)
        assert proxy.seen == faults, "the test must have spoiled what it meant to"
    assert page.tasks == 30
    assert len(task_ids(server, workspace)) == 30
    assert len(our_projects(server, workspace, JOB)) == 1
    assert (
        len({p.task for p in server.predictions(page.project)}) == len(server.predictions(page.project)) == 27
    )


def test_a_lost_reply_to_new_proposals_doubles_none(
    served: Workspace, server: ReviewServer, fault_proxy, propose
) -> None:
    push_job(server, served, JOB)
    propose(served, read_records(served.pool("physics"), Question), "third-tagger", 0)
    with fault_proxy(server.connection.url, "POST", "/import/predictions", ["lose-reply"]) as proxy:
        page = push_through(proxy, served, server.connection.token)
        assert proxy.seen == ["lose-reply"]
    predictions = server.predictions(page.project)
    current = [p for p in predictions if p.model_version.startswith("third-tagger")]
    assert len({p.task for p in current}) == len(current) == page.proposals


def test_a_server_that_keeps_failing_ends_the_push_and_the_next_one_finishes(
    tmp_path: Path, make_workspace, server: ReviewServer, fault_proxy
) -> None:
    workspace = make_workspace(tmp_path / "ws", 5, name="failing")
    without_pictures(workspace)
    with fault_proxy(server.connection.url, "POST", "/import", ["refuse"] * 3) as proxy:
        with pytest.raises(ServerTrouble, match="503"):
            push_through(proxy, workspace, server.connection.token)
        page = push_through(proxy, workspace, server.connection.token)
    assert (page.tasks, page.new) == (5, 5)


def test_the_commands_work_against_a_server_given_by_address(served: Workspace, server: ReviewServer) -> None:
    from click.testing import CliRunner

    from benchwright.cli.annotate import annotate

    given = [
        "--workspace",
        str(served.root),
        "--url",
        server.connection.url,
        "--token",
        server.connection.token,
    ]
    pushed = CliRunner().invoke(annotate, ["push", "tagging", *given, "--json"])
    assert pushed.exit_code == 0, pushed.output
    (page,) = json.loads(pushed.stdout)["pages"]
    pulled = CliRunner().invoke(annotate, ["pull", "tagging", *given, "--full"])
    assert pulled.exit_code == 0, pulled.output
    told = CliRunner().invoke(annotate, ["status", "--workspace", str(served.root)])
    assert pulled.stdout.splitlines()[-1] == told.stdout.splitlines()[-1], "both name the same next command"
    assert pulled.stdout.splitlines()[-1].startswith("next: ")
    status = CliRunner().invoke(annotate, ["status", "--workspace", str(served.root), "--json"])
    reply = json.loads(status.stdout)
    assert reply["server"] == server.connection.url
    (state,) = reply["jobs"]
    assert state["items"] == page["tasks"]
    parts = ("agreed", "open", "skipped", "draft", "untouched")
    assert sum(state[part] for part in parts) == state["items"]


def test_a_wrong_token_is_a_usage_error(served: Workspace, server: ReviewServer) -> None:
    connection = find_connection(served, url=server.connection.url, token="0" * 40)
    with ReviewServer(connection) as stranger, pytest.raises(UsageError, match="accepts this token"):
        stranger.check()


def test_serve_stops_cleanly_on_sigterm(tmp_path: Path, make_workspace) -> None:
    workspace = make_workspace(tmp_path / "ws", 1, name="sigterm-test")
    command = [sys.executable, "-c", "from benchwright.cli.annotate import annotate; annotate()", "serve"]
    child = subprocess.Popen(
        [*command, "--workspace", str(workspace.root)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(3)]
    assert lines[0].startswith("review server: http://127.0.0.1:")
    assert "shown once" in lines[2]
    state = running_server(workspace)
    assert state is not None
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert "Traceback" not in err
    assert running_server(workspace) is None
    with pytest.raises(ProcessLookupError):
        os.kill(state.pid, 0)


def test_new_proposals_reach_the_pages_nobody_worked_on(
    tmp_path: Path, make_workspace, server: ReviewServer
) -> None:
    from benchwright.annotation.jobs.quality import QualityJob
    from benchwright.annotation.projects import guidelines_at
    from benchwright.schemas.jobs import quality_view, shown_digest

    workspace = make_workspace(tmp_path / "ws", 2, name="facts")
    questions = without_pictures(workspace)

    def measure(agree: int) -> None:
        view = [shown_digest(quality_view(q.text, q.images)) for q in questions]
        value = {"n": 5, "agree": agree, "disagree": 0}
        write_jsonl(
            workspace.proposals("quality"),
            [
                Proposal(
                    job="quality",
                    item_id=q.id,
                    language="en",
                    field="answer_check",
                    digest=digest,
                    value=value,
                    model="m",
                )
                for q, digest in zip(questions, view, strict=True)
            ],
        )

    measure(1)
    page = push_job(server, workspace, QualityJob())[0]
    assert page.project is not None
    (worked, _) = server.tasks(page.project)
    answer = [
        {
            "from_name": "undecided",
            "to_name": "question",
            "type": "choices",
            "value": {"choices": ["item-faulty"]},
        }
    ]
    send(server, "POST", f"/api/tasks/{worked.id}/annotations/", result=answer)
    measure(4)
    again = push_job(server, workspace, QualityJob())[0]
    assert (again.new, again.refreshed) == (0, 1)
    shown = {task.id: task.data["facts"] for task in server.tasks(page.project)}
    assert "1 of 5 agree" in shown.pop(worked.id), "as its reviewer saw it"
    (other,) = shown.values()
    assert "4 of 5 agree" in other
    assert push_job(server, workspace, QualityJob())[0].refreshed == 0

    pull_job(server, workspace, QualityJob())
    reviews = Journal(workspace.reviews("quality")).read(Review)
    assert {(r.item_id, r.value, r.undecided) for r in reviews} == {("q0000", None, "item-faulty")}
    (project,) = [
        p for p, mark in our_projects(server, workspace, QualityJob()) if mark.group == "physics.en"
    ]
    assert {r.guidelines for r in reviews} == {guidelines_at(project, reviews[0].updated_at)}
    assert reviews[0].guidelines == QualityJob().groups(workspace)[0].guidelines.sha256
