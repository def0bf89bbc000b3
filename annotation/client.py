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
_READ_LIMIT = 60.0
_WRITE_LIMIT = 180.0


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

    def __init__(self, connection: Connection) -> None:
        """Open a client; nothing is sent yet.

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
        rows = self._pages("/api/projects/", {"include": "id,title,description,label_config,model_version"})
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
        """All tasks of a project, ids and data only."""
        query = {
            "project": str(project),
            "fields": "task_only",
            "include": "id,data",
            "page_size": str(_PAGE),
        }
        return [Task(int(row["id"]), row["data"]) for row in self._pages("/api/tasks", query)]

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

        Args:
            project: which project.
            since: only tasks that changed after this server time; None for all.
        """
        if since is not None:
            changed = {
                "filter": "filter:tasks:updated_at",
                "operator": "greater",
                "type": "Datetime",
                "value": since,
            }
            yield from self._filtered(project, "and", [changed])
            return
        worked = [
            {
                "filter": f"filter:tasks:{count}_annotations",
                "operator": "greater",
                "type": "Number",
                "value": 0,
            }
            for count in ("total", "cancelled")
        ]
        yield from self._filtered(project, "or", worked)

    def drafted(self, project: int) -> list[JsonObject]:
        """Unsubmitted work of all reviewers: the drafts of every task that has one (`id`, `data`, `drafts`).

        The task list itself shows an account its own drafts only.
        """
        items = [
            {"filter": "filter:tasks:draft_exists", "operator": "equal", "type": "Boolean", "value": "true"}
        ]
        found = []
        for row in self._filtered(project, "and", items):
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
    def _filtered(self, project: int, conjunction: str, items: Sequence[JsonObject]) -> Iterator[JsonObject]:
        query = json.dumps({"filters": {"conjunction": conjunction, "items": list(items)}})
        yield from self._pages(
            "/api/tasks", {"project": str(project), "fields": "all", "page_size": "100", "query": query}
        )

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[JsonObject]:
        """Rows of a paged address; read as plain JSON, since the SDK's typed models break on partial fields."""
        page = 1
        while True:
            reply = self._get(path, {"page_size": str(_PAGE), **query, "page": str(page)})
            rows = reply["tasks"] if "tasks" in reply else reply["results"]
            yield from rows
            total = int(reply["total"] if "total" in reply else reply["count"])
            size = int({"page_size": str(_PAGE), **query}["page_size"])
            if page * size >= total or not rows:
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


def _project(row: JsonObject) -> Project:
    return Project(
        int(row["id"]),
        str(row["title"] or ""),
        str(row["description"] or ""),
        str(row["label_config"] or ""),
        str(row["model_version"] or ""),
    )
