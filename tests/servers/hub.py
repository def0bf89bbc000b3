"""A small server that speaks the Hub's protocol to the genuine clients: real HTTP, standard library only.

    python tests/servers/hub.py --root DIR --port 0 --port-file FILE [--token NAME=write|read ...]

It knows datasets only: create, preupload, LFS, commit, tags, branches, tree, resolve with byte ranges, and the xet
token routes with the store in a local folder (`casUrl` of the form `local://…`), which the genuine `hf-xet` writes
and reads. Which way a client goes is the client's choice (`HF_HUB_DISABLE_XET=1` means LFS).

Tests steer it under `/-/`: `POST /-/faults` (a list of `{"method", "match", "statuses", "after", "hold"}`; each
matching request takes the next status off the list, `after` meaning that the work is done before the failure is
answered, `hold` that the answer waits so many seconds),
`POST /-/corrupt` (`{"repo", "path", "revision"}`: one byte of the stored object, or of the xet block that holds it, is
flipped), `POST /-/scrub` (objects and blocks that are damaged are thrown away, so the Hub asks for them again),
`POST /-/before` (a list of `{"method", "match", "do": "corrupt" or "delete", …}`, with what these need; done once,
before the first matching request is handled), `GET /-/log` and `DELETE /-/log`.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))  # also when a test loads this file by its path

from hub_steering import Steering
from hub_store import Entry, HubError, Reply, Repo, Store, git_oid, ranged

DEFAULT_TOKENS = {"hf_testwrite": "write", "hf_testread": "read"}
LFS_SUFFIXES = {".parquet", ".png", ".jpg", ".jpeg", ".zip", ".svg", ".pdf", ".bin"}
START = "1970-01-01T00:00:00.000Z"


class Handler(Steering, BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: HubServer

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the log is asked for at /-/log."""

    def _serve(self) -> None:
        self.store = self.server.store
        parts = urlsplit(self.path)
        self.route, self.query = unquote(parts.path), parse_qs(parts.query)
        self.body = self._read_body()
        with self.store.lock:
            self._before()
            fault = self._fault()
            status = 200 if fault is None else fault["status"]
            try:
                if fault is not None and not fault.get("after"):
                    raise HubError(status, None, "injected by the test")
                reply = self._handle(parts.path)
                if fault is not None:
                    raise HubError(status, None, "injected by the test, after the work was done")
            except HubError as error:
                reply = Reply(error.body or {"error": error.message}, error.status)
                reply.headers["X-Error-Message"] = error.message
                if error.code:
                    reply.headers["X-Error-Code"] = error.code
            if not self.route.startswith("/-/"):
                self.store.log.append({"method": self.command, "path": self.route, "status": reply.status})
        if fault is not None:
            time.sleep(fault.get("hold", 0))
        self._send(reply)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _handle(self, raw_path: str) -> Reply:
        for method, pattern, action in ROUTES:
            if (match := pattern.fullmatch(raw_path)) and self.command in method.split("|"):
                return action(self, *(unquote(group or "") for group in match.groups()))
        raise HubError(404, None, f"no such route: {self.command} {self.route}")

    def _send(self, reply: Reply) -> None:
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(data)), **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    # --- who asks ------------------------------------------------------------------------------------------------
    def right(self) -> str | None:
        """`read`, `write` or None (no token)."""
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ").strip()
        if not token:
            return None
        if token not in self.store.tokens:
            raise HubError(401, None, "Invalid credentials in Authorization header")
        return self.store.tokens[token]

    def writer(self) -> None:
        """Refuse who may not write."""
        right = self.right()
        if right is None:
            raise HubError(401, None, "Invalid username or password.")
        if right != "write":
            raise HubError(403, None, "Forbidden: you must use a write token to upload to a repository.")

    def repo(self, repo_id: str, write: bool = False) -> Repo:
        """The repository of the request."""
        repo = self.store.repo(repo_id, self.right())
        if write:
            self.writer()
        return repo

    def json(self) -> Any:
        """Body as JSON."""
        return json.loads(self.body or b"{}")

    # --- repositories --------------------------------------------------------------------------------------------
    def whoami(self) -> Reply:
        """Who owns the token."""
        if self.right() is None:
            raise HubError(401, None, "Invalid username or password.")
        return Reply({"type": "user", "name": "tester", "orgs": [], "auth": {"type": "access_token"}})

    def create(self) -> Reply:
        """New repository, with the first commit that the Hub makes itself."""
        self.writer()
        wanted = self.json()
        repo_id = "/".join(part for part in (wanted.get("organization") or "tester", wanted["name"]) if part)
        answer = {"url": f"{self.server.url}/datasets/{repo_id}", "name": repo_id, "id": repo_id}
        if repo_id in self.store.repos:
            raise HubError(409, None, "You already created this dataset repo", answer)
        private = wanted.get("private") is True or wanted.get("visibility") == "private"
        repo = self.store.repos[repo_id] = Repo(private=private)
        data = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"
        entry = Entry(git_oid(data), self.store.put(data), len(data), False)
        repo.commit("main", {".gitattributes": entry}, "initial commit")
        return Reply(answer)

    def delete(self) -> Reply:
        """Remove a repository."""
        self.writer()
        wanted = self.json()
        repo_id = f"{wanted.get('organization') or 'tester'}/{wanted['name']}"
        if self.store.repos.pop(repo_id, None) is None:
            raise HubError(404, "RepoNotFound", "Repository not found")
        return Reply({})

    def settings(self, repo_id: str) -> Reply:
        """Private, gated."""
        repo, wanted = self.repo(repo_id, write=True), self.json()
        repo.private = wanted.get(
            "private", wanted.get("visibility", "private" if repo.private else "") == "private"
        )
        repo.gated = wanted.get("gated", repo.gated)
        return Reply({})

    def info(self, repo_id: str, revision: str = "") -> Reply:
        """What `dataset_info` shows."""
        repo = self.repo(repo_id)
        sha = repo.resolve(revision or "main")
        return Reply(
            {
                "_id": "0", "id": repo_id, "author": repo_id.split("/")[0], "sha": sha, "private": repo.private,
                "gated": repo.gated, "disabled": False, "lastModified": START, "createdAt": START, "tags": [],
                "downloads": 0, "likes": 0, "siblings": [{"rfilename": p} for p in sorted(repo.commits[sha])],
            }
        )  # fmt: skip

    def refs(self, repo_id: str) -> Reply:
        """Branches and tags."""
        repo = self.repo(repo_id)

        def listed(kind: str, known: dict[str, str]) -> list[dict[str, str]]:
            return [
                {"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": c} for n, c in sorted(known.items())
            ]

        return Reply(
            {"branches": listed("heads", repo.branches), "tags": listed("tags", repo.tags), "converts": []}
        )

    def commits(self, repo_id: str, revision: str) -> Reply:
        """History, newest first."""
        repo = self.repo(repo_id)
        sha: str | None = repo.resolve(revision)
        rows = []
        while sha is not None:
            title, parent = repo.titles[sha]
            rows.append({"id": sha, "title": title, "message": "", "authors": [], "date": START})
            sha = parent
        return Reply(rows)

    def tag(self, repo_id: str, name: str) -> Reply:
        """POST: tag the revision in the address; DELETE: remove the tag in the address."""
        repo = self.repo(repo_id, write=True)
        if self.command == "DELETE":
            if repo.tags.pop(name, None) is None:
                raise HubError(404, "RevisionNotFound", "no such tag")
            return Reply({})
        wanted = self.json()["tag"]
        if wanted in repo.tags:
            raise HubError(409, None, f"Tag {wanted} already exists")
        repo.tags[wanted] = repo.resolve(name)
        return Reply({})

    def branch(self, repo_id: str, name: str) -> Reply:
        """New branch."""
        repo = self.repo(repo_id, write=True)
        if name in repo.branches:
            raise HubError(409, None, f"Branch {name} already exists")
        repo.branches[name] = repo.resolve(self.json().get("startingPoint") or "main")
        return Reply({})

    # --- uploading -----------------------------------------------------------------------------------------------
    def validate_yaml(self) -> Reply:
        """Only that there is a front matter; the card's own checks are the pusher's."""
        good = str(self.json().get("content", "")).startswith("---\n")
        return Reply({"errors": [] if good else [{"message": "no front matter"}], "warnings": []})

    def preupload(self, repo_id: str, revision: str) -> Reply:
        """Regular or large, and what is there already."""
        repo = self.repo(repo_id, write=True)
        present = repo.commits[repo.resolve(revision)]
        files = []
        for wanted in self.json()["files"]:
            large = Path(wanted["path"]).suffix in LFS_SUFFIXES or wanted["size"] > 10_000_000
            row = {"path": wanted["path"], "uploadMode": "lfs" if large else "regular", "shouldIgnore": False}
            if (entry := present.get(wanted["path"])) is not None:
                row["oid"] = entry.sha256 if entry.lfs else entry.oid
            files.append(row)
        return Reply({"files": files})

    def lfs_batch(self, repo_id: str) -> Reply:
        """Where to put the large files that are not here yet."""
        self.repo(repo_id, write=True)
        objects = []
        for wanted in self.json()["objects"]:
            row: dict[str, Any] = {"oid": wanted["oid"], "size": wanted["size"], "authenticated": True}
            if not (self.store.objects / wanted["oid"]).exists():
                row["actions"] = {
                    "upload": {"href": f"{self.server.url}/-lfs/{wanted['oid']}", "header": {}},
                    "verify": {"href": f"{self.server.url}/-lfs/{wanted['oid']}/verify", "header": {}},
                }
            objects.append(row)
        return Reply({"transfer": "basic", "objects": objects})

    def lfs_put(self, sha256: str) -> Reply:
        """A large file's bytes."""
        if hashlib.sha256(self.body).hexdigest() != sha256:
            raise HubError(400, None, "the bytes do not have that sha256")
        self.store.put(self.body)
        return Reply({})

    def lfs_verify(self, sha256: str) -> Reply:
        """Did they arrive?"""
        if not (self.store.objects / sha256).exists():
            raise HubError(404, None, "not uploaded")
        return Reply({})

    def commit(self, repo_id: str, revision: str) -> Reply:
        """Everything of the body at once, or nothing."""
        repo = self.repo(repo_id, write=True)
        lines = [json.loads(line) for line in self.body.splitlines() if line.strip()]
        header = lines[0]["value"]
        head = repo.resolve(revision)
        if header.get("parentCommit") not in (None, head):
            raise HubError(412, None, "A commit has happened since. Please refresh and try again.")
        files = dict(repo.commits[head])
        known = self.store.xet_hashes()
        for line in lines[1:]:
            value, path = line["value"], line["value"]["path"]
            if line["key"] == "file":
                data = base64.b64decode(value["content"])
                files[path] = Entry(git_oid(data), self.store.put(data), len(data), False)
            elif line["key"] == "lfsFile":
                if not (self.store.objects / value["oid"]).exists() and value["oid"] not in known:
                    raise HubError(400, None, f"large file {path} was not uploaded")
                files[path] = self.store.lfs_entry(value["oid"], value.get("size") or repo.size(value["oid"]))
            elif line["key"] == "deletedFile":
                files.pop(path)
            elif line["key"] == "deletedFolder":
                files = {
                    name: entry
                    for name, entry in files.items()
                    if not name.startswith(path.rstrip("/") + "/")
                }
        sha = repo.commit(revision, files, header["summary"])
        url = f"{self.server.url}/datasets/{repo_id}/commit/{sha}"
        return Reply({"success": True, "commitOid": sha, "commitUrl": url, "hookOutput": ""})

    # --- reading -------------------------------------------------------------------------------------------------
    def _row(self, path: str, entry: Entry, xet: dict[str, str]) -> dict[str, Any]:
        row: dict[str, Any] = {"type": "file", "path": path, "oid": entry.oid, "size": entry.size}
        if entry.lfs:
            row["lfs"] = {"oid": entry.sha256, "size": entry.size, "pointerSize": 130}
            if entry.sha256 in xet:
                row["xetHash"] = xet[entry.sha256]
        return row

    def tree(self, repo_id: str, revision: str, folder: str = "") -> Reply:
        """Files and folders below a folder."""
        repo = self.repo(repo_id)
        files = repo.commits[repo.resolve(revision)]
        start = f"{folder}/" if folder else ""
        deep = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        rows: dict[str, dict[str, Any]] = {}
        xet = self.store.xet_hashes()
        for path, entry in sorted(files.items()):
            if not path.startswith(start):
                continue
            parts = path[len(start) :].split("/")
            for depth in range(1, len(parts) if deep else min(len(parts), 2)):
                name = start + "/".join(parts[:depth])
                rows[name] = {"type": "directory", "path": name, "oid": git_oid(name.encode()), "size": 0}
            if deep or len(parts) == 1:
                rows[path] = self._row(path, entry, xet)
        if not rows and folder:
            raise HubError(404, "EntryNotFound", f"{folder} does not exist on {revision}")
        return Reply([rows[name] for name in sorted(rows)])

    def paths_info(self, repo_id: str, revision: str) -> Reply:
        """Some files."""
        repo = self.repo(repo_id)
        files, xet = repo.commits[repo.resolve(revision)], self.store.xet_hashes()
        form = parse_qs(self.body.decode())  # the client sends a form here, no JSON
        return Reply([self._row(path, files[path], xet) for path in form["paths"] if path in files])

    def resolve(self, repo_id: str, revision: str, path: str) -> Reply:
        """A file's bytes, or a part of them."""
        repo = self.repo(repo_id)
        sha = repo.resolve(revision)
        entry = repo.commits[sha].get(path)
        if entry is None:
            raise HubError(404, "EntryNotFound", f"{path} does not exist on {revision}")
        headers = {"X-Repo-Commit": sha, "ETag": f'"{entry.oid}"', "Accept-Ranges": "bytes"}
        if entry.lfs:
            headers |= {"X-Linked-Size": str(entry.size), "X-Linked-Etag": f'"{entry.sha256}"'}
        xet = self.store.xet_hashes().get(entry.sha256) if entry.lfs else None
        if xet is not None:
            token = f"{self.server.url}/api/datasets/{repo_id}/xet-read-token/{sha}"
            headers |= {"X-Xet-Hash": xet, "Link": f'<{token}>; rel="xet-auth"'}
            if self.command == "HEAD":
                return Reply(b"", 200, headers)
        stored = self.store.objects / entry.sha256
        if not stored.exists():
            raise HubError(501, None, "this file lies in the xet store: read it with hf-xet")
        return ranged(stored, self.headers.get("Range"), headers, empty=self.command == "HEAD")

    def xet_token(self, repo_id: str, kind: str, revision: str) -> Reply:
        """Address of the xet store: a folder of this machine."""
        repo = self.repo(repo_id, write=kind == "write")
        repo.resolve(revision)
        token = {"casUrl": f"local://{self.store.cas}", "accessToken": "xet", "exp": 4_102_444_800}
        names = {
            "casUrl": "X-Xet-Cas-Url",
            "accessToken": "X-Xet-Access-Token",
            "exp": "X-Xet-Token-Expiration",
        }
        return Reply(token, 200, {names[key]: str(value) for key, value in token.items()})


_ID = r"([^/]+/[^/]+)"
_API = rf"/api/datasets/{_ID}"
_TABLE: tuple[tuple[str, str, Callable[..., Reply]], ...] = (
    ("GET", r"/api/whoami-v2", Handler.whoami),
    ("POST", r"/api/repos/create", Handler.create),
    ("DELETE", r"/api/repos/delete", Handler.delete),
    ("POST", r"/api/validate-yaml", Handler.validate_yaml),
    ("PUT", rf"{_API}/settings", Handler.settings),
    ("GET", _API, Handler.info),
    ("GET", rf"{_API}/revision/([^/]+)", Handler.info),
    ("GET", rf"{_API}/refs", Handler.refs),
    ("GET", rf"{_API}/commits/([^/]+)", Handler.commits),
    ("POST|DELETE", rf"{_API}/tag/([^/]+)", Handler.tag),
    ("POST", rf"{_API}/branch/([^/]+)", Handler.branch),
    ("POST", rf"{_API}/preupload/([^/]+)", Handler.preupload),
    ("POST", rf"/datasets/{_ID}\.git/info/lfs/objects/batch", Handler.lfs_batch),
    ("PUT", r"/-lfs/([0-9a-f]{64})", Handler.lfs_put),
    ("POST", r"/-lfs/([0-9a-f]{64})/verify", Handler.lfs_verify),
    ("POST", rf"{_API}/commit/([^/]+)", Handler.commit),
    ("GET", rf"{_API}/tree/([^/]+)(?:/(.+?))?/?", Handler.tree),
    ("POST", rf"{_API}/paths-info/([^/]+)", Handler.paths_info),
    ("GET|HEAD", rf"/datasets/{_ID}/resolve/([^/]+)/(.+)", Handler.resolve),
    ("GET", rf"{_API}/xet-(read|write)-token/([^/]+)", Handler.xet_token),
    ("POST", r"/-/faults", Handler.faults),
    ("POST", r"/-/before", Handler.before),
    ("POST", r"/-/corrupt", Handler.corrupt),
    ("POST", r"/-/scrub", Handler.scrub),
    ("GET|DELETE", r"/-/log", Handler.requests),
)
ROUTES = tuple((method, re.compile(pattern), action) for method, pattern, action in _TABLE)


class HubServer(ThreadingHTTPServer):
    """The server; `url` is what goes into HF_ENDPOINT."""

    daemon_threads = True

    def __init__(self, root: Path, port: int = 0, tokens: dict[str, str] | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.store = Store(root.resolve(), dict(tokens or DEFAULT_TOKENS))

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"http://127.0.0.1:{self.server_address[1]}"


def main() -> None:
    """Serve until stopped; the port is written once the server listens."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--port-file", type=Path)
    parser.add_argument("--token", action="append", default=[], metavar="NAME=RIGHT")
    options = parser.parse_args()
    tokens = dict(item.split("=", 1) for item in options.token) or None
    server = HubServer(options.root, options.port, tokens)
    if options.port_file is not None:
        part = options.port_file.with_suffix(".part")
        part.write_text(f"{server.server_address[1]}\n")
        part.replace(options.port_file)
    server.serve_forever()


if __name__ == "__main__":
    main()
