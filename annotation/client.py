"""A thin, typed layer over label-studio-sdk 2.1: no repeated writes, time limits, plain values out.

The SDK repeats a POST after errors, while the server may have carried it out: imports would double. So nothing is
retried here; `benchwright.annotation.push` looks at what arrived and sends only what is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from benchwright.annotation.connection import Connection
from benchwright.schemas.errors import BenchwrightError, UsageError

if TYPE_CHECKING:
    import httpx
    from label_studio_sdk import LabelStudio

JsonObject = dict[str, Any]
_PAGE = 500
ROWS_A_REQUEST = 200
"""Tasks with all that hangs on them, asked for at once: about 2 MB."""
_NEEDED = "id,data,annotations,result,completed_by,was_cancelled,lead_time,updated_at"
"""Fields of tasks and of their annotations that are read: to work out the others takes the server twice as long."""
_READ_LIMIT = 180.0
_WRITE_LIMIT = 180.0
"""Seconds for one reply: thousands of proposals in one list take long on a busy machine."""


class ServerTrouble(BenchwrightError):
    """The server refused, failed or did not answer; for a write it is unknown whether it was carried out."""


@dataclass(frozen=True)
class Project:
    """A Label Studio project."""

    id: int
    title: str
    description: str
    config: str
    model_version: str
    can_skip: bool = False
    """True when the page shows Skip, which lies beside Submit and hides a task from its reviewer for good."""


@dataclass(frozen=True)
class Task:
    """A task as listed, without annotations."""

    id: int
    data: JsonObject


@dataclass(frozen=True)
class Prediction:
    """A stored proposal."""

    id: int
    task: int
    model_version: str
    result: list[JsonObject]


class ReviewServer:
    """One account on one Label Studio server."""

    def __init__(self, connection: Connection, rows_a_request: int = ROWS_A_REQUEST) -> None:
        """Open a client; nothing is sent yet.

        Args:
            connection: address and token.
            rows_a_request: tasks with all that hangs on them to ask for at once.

        Raises:
            UsageError: the SDK is not installed.
        """
        try:
            import httpx
            from label_studio_sdk import LabelStudio
        except ModuleNotFoundError as error:
            raise UsageError(
                f"{error.name} is missing: install the review client with `pip install 'benchwright[annotate]'`."
            ) from error
        self.connection = connection
        self._rows_a_request = rows_a_request
        # One HTTP client for the SDK and for the two addresses it lacks. Proxy settings count for remote servers only.
        self._http: httpx.Client = httpx.Client(
            timeout=_READ_LIMIT, trust_env=not connection.loopback, follow_redirects=True
        )
        self._sdk: LabelStudio = LabelStudio(
            base_url=connection.url,
            api_key=connection.token,
            timeout=_READ_LIMIT,
            max_retries=0,
            httpx_client=self._http,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def check(self) -> str:
        """E-mail address of the account behind the token.

        Raises:
            UsageError: no Label Studio answers there, or it refuses the token.
        """
        try:
            return str(self._get("/api/current-user/whoami", {})["email"])
        except (ServerTrouble, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"no Label Studio at {self.connection.url} accepts this token ({error}): check address and token, "
                "and that legacy tokens are switched on there."
            ) from error

    # --- projects --------------------------------------------------------------------------------------------
    def projects(self) -> list[Project]:
        """All projects, oldest first."""
        fields = "id,title,description,label_config,model_version,show_skip_button"
        rows = self._pages("/api/projects/", {"include": fields})
        return sorted((_project(row) for row in rows), key=lambda project: project.id)

    def create_project(self, title: str, description: str, config: str, instruction: str) -> Project:
        """Make a project whose proposals are shown to reviewers and whose tasks come in the order of import.

        Raises:
            ServerTrouble: it was refused, or the outcome is unknown.
        """
        made = self._call(
            "create a project",
            lambda: self._sdk.projects.create(
                title=title,
                description=description,
                label_config=config,
                expert_instruction=instruction,
                show_instruction=True,
                show_skip_button=False,
                show_collab_predictions=True,
                maximum_annotations=1,
                sampling="Sequential sampling",
                request_options={"max_retries": 0, "timeout_in_seconds": int(_WRITE_LIMIT)},
            ),
        )
        return Project(int(made.id), title, description, config, "")

    def restyle(self, project: int, config: str, instruction: str, description: str) -> None:
        """Change how a project's page looks; the caller has checked that its controls and options stay the same."""
        self._call(
            "change the look of a project",
            lambda: self._sdk.projects.update(
                project,
                label_config=config,
                expert_instruction=instruction,
                show_skip_button=False,
                description=description,
                request_options={"max_retries": 0},
            ),
        )

    def let_answer(self, project: int, people: int) -> None:
        """Choose how many people the server asks for an answer to each task of a project."""
        self._call(
            "choose how many people answer a task",
            lambda: self._sdk.projects.update(
                project, maximum_annotations=people, request_options={"max_retries": 0}
            ),
        )

    def show_predictions_of(self, project: int, model_version: str) -> None:
        """Choose which round of proposals reviewers see preselected."""
        self._call(
            "choose the proposals to show",
            lambda: self._sdk.projects.update(
                project,
                model_version=model_version,
                show_collab_predictions=True,
                request_options={"max_retries": 0},
            ),
        )

    def serve_folder(self, project: int, folder: str, title: str) -> None:
        """Let a project's tasks show the images of a folder on the server's machine.

        Raises:
            UsageError: the server cannot or may not read that folder.
        """
        storages = self._call(
            "list image folders", lambda: self._sdk.import_storage.local.list(project=project)
        )
        if any(storage.path == folder for storage in storages):
            return
        try:
            self._call(
                "open the image folder",
                lambda: self._sdk.import_storage.local.create(
                    project=project,
                    path=folder,
                    title=title,
                    use_blob_urls=True,
                    request_options={"max_retries": 0},
                ),
            )
        except ServerTrouble as error:
            raise UsageError(
                f"the server at {self.connection.url} cannot show the images in {folder} ({error}): start it with "
                "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED=true and LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT set to the "
                "folder above it, on this machine."
            ) from error

    # --- tasks -----------------------------------------------------------------------------------------------
    def tasks(self, project: int) -> list[Task]:
        """All tasks of a project, ids and data only, by id."""
        query = {"fields": "task_only", "include": "id,data", "page_size": str(_PAGE)}
        return [Task(int(row["id"]), row["data"]) for row in self._rows(project, [], query)]

    def import_tasks(self, project: int, tasks: Sequence[JsonObject]) -> None:
        """Import tasks, once.

        Raises:
            ServerTrouble: it was refused, or the outcome is unknown: list the tasks to know.
        """
        self._call(
            f"import {len(tasks)} tasks",
            lambda: self._sdk.projects.import_tasks(
                project,
                request=tasks,
                request_options={"max_retries": 0, "timeout_in_seconds": int(_WRITE_LIMIT)},
            ),
        )

    def update_task(self, task: int, data: JsonObject) -> None:
        """Replace what a task shows; its proposals stay."""
        self._request("PATCH", f"/api/tasks/{task}/", payload={"data": data})

    def delete_task(self, task: int) -> None:
        """Delete one task with all that hangs on it."""
        self._call(
            f"delete task {task}",
            lambda: self._sdk.tasks.delete(str(task), request_options={"max_retries": 0}),
        )

    def annotated(self, project: int, since: str | None = None) -> Iterator[JsonObject]:
        """Tasks with annotations, as the server tells them (`id`, `data`, `annotations`, `updated_at`).

        Of annotations: `id`, `result`, `completed_by`, `was_cancelled`, `lead_time`, `updated_at`.

        Args:
            project: which project.
            since: only tasks that changed after this server time; None for all.
        """
        if since is not None:
            yield from self._rows(project, [_condition("updated_at", "Datetime", "greater", since)])
            return
        seen: set[int] = set()
        for count in ("total", "cancelled"):
            worked = _condition(f"{count}_annotations", "Number", "greater", 0)
            for row in self._rows(project, [worked]):
                if row["id"] not in seen:
                    seen.add(row["id"])
                    yield row

    def drafted(self, project: int) -> list[JsonObject]:
        """Unsubmitted work of all reviewers: the drafts of every task that has one (`id`, `data`, `drafts`).

        The task list itself shows an account its own drafts only.
        """
        found = []
        for row in self._rows(project, [_condition("draft_exists", "Boolean", "equal", "true")]):
            found.append({**row, "drafts": self._get(f"/api/tasks/{row['id']}/drafts", {})})
        return found

    # --- proposals -------------------------------------------------------------------------------------------
    def predictions(self, project: int) -> list[Prediction]:
        """All stored proposals of a project, oldest first."""
        rows = self._get("/api/predictions/", {"project": str(project)})
        found = [
            Prediction(
                int(row["id"]), int(row["task"]), str(row["model_version"] or ""), list(row["result"] or [])
            )
            for row in rows
        ]
        return sorted(found, key=lambda prediction: prediction.id)

    def import_predictions(self, project: int, predictions: Sequence[JsonObject]) -> None:
        """Store proposals, once.

        Raises:
            ServerTrouble: it was refused, or the outcome is unknown: list the predictions to know.
        """
        self._call(
            f"store {len(predictions)} proposals",
            lambda: self._sdk.projects.import_predictions(
                project,
                request=predictions,
                request_options={"max_retries": 0, "timeout_in_seconds": int(_WRITE_LIMIT)},
            ),
        )

    def create_prediction(self, prediction: JsonObject) -> None:
        """Store one proposal by the call that does not look into it.

        Label Studio leaves out of a bulk what its own checker does not know (cards of a Repeater), answers 201 all the
        same, and stores it when it is sent alone.

        Raises:
            ServerTrouble: it was refused, or the outcome is unknown.
        """
        self._request("POST", "/api/predictions/", payload=prediction)

    def delete_prediction(self, prediction: int) -> None:
        """Delete one proposal; annotations made from it stay."""
        self._call(
            f"delete proposal {prediction}",
            lambda: self._sdk.predictions.delete(prediction, request_options={"max_retries": 0}),
        )

    def delete_round(self, project: int, model_version: str) -> None:
        """Delete all proposals of one round; annotations made from them stay."""
        self._request(
            "DELETE", f"/api/projects/{project}/model-versions/", payload={"model_version": model_version}
        )

    # --- people ----------------------------------------------------------------------------------------------
    def emails(self) -> dict[int, str]:
        """E-mail address of every account, by user id."""
        users = self._call("list the accounts", lambda: list(self._sdk.users.list()))
        return {int(user.id): str(user.email) for user in users}

    def invitation(self) -> str:
        """The token of the invite link: who has it may sign up.

        Raises:
            ServerTrouble: the account behind our token may not invite.
        """
        return str(self._get("/api/invite", {})["token"])

    def delete_account(self, user: int) -> None:
        """Delete an account; its annotations stay without an author, its drafts go.

        Raises:
            ServerTrouble: it was refused (only the organization's owner may), or the outcome is unknown.
        """
        self._request("DELETE", f"/api/users/{user}/")

    # --- below -----------------------------------------------------------------------------------------------
    def _rows(
        self, project: int, conditions: Sequence[JsonObject], shown: Mapping[str, str] | None = None
    ) -> Iterator[JsonObject]:
        """Tasks that fulfil all conditions, by id, each once whatever reviewers do meanwhile.

        The next request asks for what comes after the last id. Label Studio's numbered pages would shift: an annotation
        deleted while page 1 is read makes page 2 begin one task later, and that task would never be seen.
        """
        shown = shown or {"fields": "all", "include": _NEEDED, "page_size": str(self._rows_a_request)}
        last = 0
        while True:
            items = [*conditions, _condition("id", "Number", "greater", last)]
            query = json.dumps({"filters": {"conjunction": "and", "items": items}})
            rows = self._get("/api/tasks", {"project": str(project), "query": query, **shown})["tasks"]
            yield from rows
            if len(rows) < int(shown["page_size"]):
                return
            last = max(int(row["id"]) for row in rows)

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[JsonObject]:
        """Rows of a paged address; read as plain JSON, since the SDK's typed models break on partial fields."""
        page = 1
        while True:
            reply = self._get(path, {**query, "page_size": str(_PAGE), "page": str(page)})
            rows = reply["results"]
            yield from rows
            if page * _PAGE >= int(reply["count"]) or not rows:
                return
            page += 1

    def _get(self, path: str, query: Mapping[str, str]) -> Any:
        return self._request("GET", path, query=query)

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        payload: JsonObject | None = None,
    ) -> Any:
        import httpx

        headers = {"Authorization": f"Token {self.connection.token}"}
        try:
            reply = self._http.request(
                method, self.connection.url + path, params=query, json=payload, headers=headers
            )
        except httpx.HTTPError as error:
            raise ServerTrouble(f"{method} {path}: {type(error).__name__}: {error}") from error
        if reply.status_code >= 400:
            raise ServerTrouble(f"{method} {path}: HTTP {reply.status_code}: {reply.text[:300]}")
        return reply.json() if reply.content else None

    def _call(self, what: str, send: Any) -> Any:
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        try:
            return send()
        except ApiError as error:
            raise ServerTrouble(
                f"could not {what}: HTTP {error.status_code}: {str(error.body)[:300]}"
            ) from error
        except httpx.HTTPError as error:
            raise ServerTrouble(f"could not {what}: {type(error).__name__}: {error}") from error


def _condition(column: str, kind: str, operator: str, value: str | int) -> JsonObject:
    """One condition on tasks, in the words of Label Studio's data manager."""
    return {"filter": f"filter:tasks:{column}", "operator": operator, "type": kind, "value": value}


def _project(row: JsonObject) -> Project:
    return Project(
        int(row["id"]),
        str(row["title"] or ""),
        str(row["description"] or ""),
        str(row["label_config"] or ""),
        str(row["model_version"] or ""),
        bool(row["show_skip_button"]),
    )
