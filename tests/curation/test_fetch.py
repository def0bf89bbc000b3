"""Remote pictures: refused by default; fetched from checked addresses only, pinned by hash, resumed, never swapped."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchwright.curation.fetch import FetchedPicture, RemotePictures, fetched_path
from benchwright.curation.fetch_guard import PictureClient, checked_addresses, is_public, wire_url
from benchwright.curation.ingest import IngestOptions, IngestResult, ingest
from benchwright.schemas.digest import sha256_bytes
from benchwright.schemas.errors import ImageRejected
from benchwright.schemas.images import ImageLimits
from benchwright.schemas.journal import read_jsonl
from benchwright.schemas.records import Question, Rejected
from benchwright.schemas.tables import read_records
from benchwright.schemas.workspace import Workspace

FETCH = IngestOptions(fetch_images=True)


@pytest.fixture
def pictures(server_module: Callable[[str], Any]) -> Iterator[Callable[..., Any]]:
    """Factory: a running server of pictures; `pictures({"/a.png": data})`."""
    module = server_module("picture_server")
    with ExitStack() as stack:

        def start(replies: dict[str, Any], **options: Any) -> Any:
            made = {
                path: r if isinstance(r, module.Reply) else module.Reply(r) for path, r in replies.items()
            }
            return stack.enter_context(module.PictureServer(made, **options))

        yield start


@pytest.fixture
def reply(server_module: Callable[[str], Any]) -> Any:
    """What a server of pictures gives at one path."""
    return server_module("picture_server").Reply


@pytest.fixture
def open_workspace(make_workspace: Callable[..., Workspace]) -> Workspace:
    """A workspace whose recipe lets this machine's servers be asked."""
    return make_workspace('[fetch]\nallow_hosts = ["127.0.0.1", "pictures.test"]\nseconds = 20\n')


def reasons(workspace: Workspace) -> dict[str, str]:
    return {entry.item_id: entry.reason for entry in read_records(workspace.pool_rejected, Rejected)}


def kept(workspace: Workspace) -> dict[str, Question]:
    return {
        q.id: q for name in workspace.pool_disciplines() for q in read_records(workspace.pool(name), Question)
    }


def one(workspace: Workspace, path: Path, options: IngestOptions) -> IngestResult:
    (result,) = ingest(workspace, [path], options)
    return result


def test_a_picture_at_a_url_is_refused_unless_fetching_is_asked_for(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
) -> None:
    server = pictures({"/a.png": png()})
    path = jsonl({"id": "q", "question": "Q?", "image": f"{server.url}/a.png"})
    ingest(open_workspace, [path], IngestOptions())
    (entry,) = read_records(open_workspace.pool_rejected, Rejected)
    assert (entry.reason, "--fetch-images" in entry.detail) == ("image-remote", True)
    assert server.requests == []


def test_fetched_pictures_are_pinned_and_used_again_without_asking(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
) -> None:
    first, second = png((1, 2, 3)), png((9, 9, 9))
    server = pictures({"/b%20b.png?x=1": second, "/a": first})
    path = jsonl(
        {"id": "q1", "question": "Q?", "image": f"{server.url}/a"},
        {
            "id": "q2",
            "question": "Q?",
            "choices": [{"text": "x"}, {"image": f"{server.url}/b b.png?x=1"}],
            "answer": "B",
        },
        {"id": "q3", "question": "Another?", "image": f"{server.url}/a#part"},
    )
    result = one(open_workspace, path, FETCH)
    assert (result.counts.n_kept, result.fetched) == (3, 3)
    pinned = read_jsonl(fetched_path(open_workspace, "pool"), FetchedPicture)
    assert [(entry.url.removeprefix(server.url), entry.sha256, entry.bytes) for entry in pinned] == [
        ("/a", sha256_bytes(first), len(first)), ("/a#part", sha256_bytes(first), len(first)),
        ("/b b.png?x=1", sha256_bytes(second), len(second)),
    ]  # fmt: skip
    assert kept(open_workspace)["q1"].images[0].source_sha256 == sha256_bytes(first)
    server.replies.clear()
    asked = list(server.requests)
    for options in (IngestOptions(), FETCH):
        again = one(open_workspace, path, options)
        assert (again.ran, again.fetched) == (False, 0)
    assert server.requests == asked, "pinned pictures are never asked for again"


def test_a_changed_picture_is_reported_and_never_swapped_in(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
    reply: Any,
) -> None:
    before, after = png((1, 2, 3)), png((200, 2, 3))
    server = pictures({"/a.png": before})
    url = f"{server.url}/a.png"
    path = jsonl({"id": "q", "question": "Q?", "image": url})
    one(open_workspace, path, FETCH)
    server.replies["/a.png"] = reply(after)
    result = one(open_workspace, path, IngestOptions(recheck_images=True))
    assert list(result.changed_pictures) == [url]
    assert sha256_bytes(after) in result.changed_pictures[url]
    assert kept(open_workspace)["q"].images[0].source_sha256 == sha256_bytes(before)
    # Also where the pinned bytes were lost: other bytes do not take their place.
    for file in (open_workspace.root / "images").rglob("*.png"):
        file.unlink()
    one(open_workspace, path, FETCH)
    assert reasons(open_workspace) == {"q": "image-fetch-changed"}
    server.replies["/a.png"] = reply(before)
    one(open_workspace, path, FETCH)
    assert kept(open_workspace)["q"].images[0].source_sha256 == sha256_bytes(before)


def test_what_is_no_picture_or_does_not_come_rejects_its_row_alone(
    make_workspace: Callable[..., Workspace],
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
    reply: Any,
) -> None:
    workspace = make_workspace(
        '[ingest]\nmax_image_bytes = 20000\n[fetch]\nallow_hosts = ["127.0.0.1"]\nseconds = 5\n'
    )
    server = pictures({
        "/good": png(), "/page": b"<html>no picture</html>", "/svg": b"<svg xmlns='x'></svg>",
            "/half": png(size=(90, 90))[:-30],
        "/big": b"\0" * 30_000, "/cut": reply(png()[:20], declared=400), "/slow": reply(png(), drip=0.3),
        "/packed": reply(png(), headers={"Content-Encoding": "gzip"}), "/empty": b"",
        "/hop": reply(status=302, headers={"Location": "/good"}),
        "/round": reply(status=302, headers={"Location": "/round"}),
    })  # fmt: skip
    names = [*(name.strip("/") for name in server.replies), "absent"]
    path = jsonl(*({"id": name, "question": f"{name}?", "image": f"{server.url}/{name}"} for name in names))
    one(workspace, path, FETCH)
    assert set(kept(workspace)) == {"good", "hop"}
    found = reasons(workspace)
    assert found == {
        "page": "image-not-an-image", "svg": "image-svg", "half": "image-truncated", "big": "image-too-many-bytes",
        "cut": "image-fetch-failed", "slow": "image-fetch-failed", "packed": "image-fetch-failed",
        "empty": "image-empty", "round": "image-fetch-failed", "absent": "image-fetch-failed",
    }  # fmt: skip
    assert {entry.url.rsplit("/", 1)[1] for entry in read_jsonl(fetched_path(workspace, "pool"), FetchedPicture)} == {
        "good", "hop",
    }  # fmt: skip
    server.replies["/absent"] = reply(png())
    one(workspace, path, FETCH)
    assert "absent" in kept(workspace), "what failed is tried again by the next run"


def test_a_server_sees_two_connections_at_most(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
) -> None:
    server = pictures(
        {f"/{n}.png": png((n, 0, 0)) for n in range(12)}, on_request=lambda path: time.sleep(0.03)
    )
    path = jsonl(
        *({"id": f"q{n}", "question": f"Q{n}?", "image": f"{server.url}/{n}.png"} for n in range(12))
    )
    assert one(open_workspace, path, FETCH).fetched == 12
    assert server.most_at_once <= 2


INNER = (
    "http://localhost:{port}/a.png", "http://[::1]:{port}/a.png", "http://[::ffff:127.0.0.1]:{port}/a.png",
    "http://2130706433:{port}/a.png", "http://0x7f.1:{port}/a.png", "http://0:{port}/a.png",
    "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/a.png", "http://[fe80::1]/a.png",
    "http://[64:ff9b::7f00:1]:{port}/a.png", "http://[2002:7f00:1::]:{port}/a.png",
)  # fmt: skip


def test_addresses_that_are_not_public_are_never_asked(
    workspace: Workspace, jsonl: Callable[..., Path], pictures: Callable[..., Any], png: Callable[..., bytes]
) -> None:
    server = pictures({"/a.png": png()})
    urls = [url.format(port=server.port) for url in (*INNER, "http://127.0.0.1:{port}/a.png")]
    path = jsonl(*({"id": f"q{n}", "question": f"Q{n}?", "image": url} for n, url in enumerate(urls)))
    one(workspace, path, FETCH)
    found = reasons(workspace)
    assert {
        urls[int(name[1:])]: reason for name, reason in found.items() if reason != "image-fetch-not-public"
    } == {}
    assert len(found) == len(urls)
    assert server.requests == []


def test_a_redirect_to_an_inner_address_is_not_followed(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
    reply: Any,
) -> None:
    inner = pictures({"/a.png": png()})
    target = f"http://localhost:{inner.port}/a.png"
    outer = pictures({"/go": reply(status=301, headers={"Location": target})})
    one(open_workspace, jsonl({"id": "q", "question": "Q?", "image": f"{outer.url}/go"}), FETCH)
    assert reasons(open_workspace) == {"q": "image-fetch-not-public"}
    assert (len(outer.requests), inner.requests) == (1, [])


def test_the_connection_goes_to_the_address_that_was_checked(
    pictures: Callable[..., Any], png: Callable[..., bytes]
) -> None:
    server = pictures({"/a.png": png()})
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        # A name that no resolver knows, and that would be another address at the second question.
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["203.0.113.9"]

    client = PictureClient(10_000, 5, ["pictures.test"], resolver)
    assert client.get(f"http://pictures.test:{server.port}/a.png") == png()
    client.close()
    assert asked == ["pictures.test"], "resolved once: what was checked is what is connected to"
    assert server.hosts == [f"pictures.test:{server.port}"]


def test_one_inner_address_among_several_refuses_the_host() -> None:
    with pytest.raises(ImageRejected) as caught:
        checked_addresses("mixed.test", 80, (), lambda host, port: ["8.8.8.8", "192.168.0.7"])
    assert caught.value.reason == "fetch-not-public"
    assert checked_addresses("fine.test", 80, (), lambda host, port: ["8.8.8.8", "2606:4700::1111"])
    assert checked_addresses("inner.test", 81, ["inner.test:81"], lambda host, port: ["10.0.0.1"]) == [
        "10.0.0.1"
    ]
    with pytest.raises(ImageRejected):
        checked_addresses("inner.test", 80, ["inner.test:81"], lambda host, port: ["10.0.0.1"])


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True), ("2606:4700:4700::1111", True), ("::ffff:8.8.8.8", True), ("127.0.0.1", False),
        ("10.1.2.3", False), ("100.64.0.1", False), ("169.254.169.254", False), ("192.0.2.1", False),
        ("224.0.0.1", False), ("255.255.255.255", False), ("0.0.0.0", False), ("::", False), ("::1", False),
        ("fe80::1%eth0", False), ("fc00::1", False), ("fec0::1", False), ("ff02::1", False),
        ("::ffff:10.0.0.1", False), ("::ffff:0:7f00:1", False), ("::127.0.0.1", False), ("64:ff9b::a00:1", False),
        ("2002:a00:1::1", False), ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False), ("words", False),
    ],
)  # fmt: skip
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("HTTP://Example.org", "http://example.org/"),
        ("https://example.org:8443/a b/ü.png?q=ü#top", "https://example.org:8443/a%20b/%C3%BC.png?q=%C3%BC"),
        ("https://bücher.example/a%20b", "https://xn--bcher-kva.example/a%20b"),
        ("http://[2606:4700::1]:80/x", "http://[2606:4700::1]:80/x"),
    ],
)
def test_urls_as_they_are_sent(url: str, sent: str) -> None:
    assert wire_url(url) == sent


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/a", "http:///a", "http://me:word@example.org/a", "http://a:x/", "file:///etc/hosts"],
)
def test_urls_that_are_not_sent(url: str) -> None:
    with pytest.raises(ImageRejected, match="fetch-bad-url"):
        wire_url(url)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Key and certificate of the host `pictures.test`, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    subject = ["-subj", "/CN=pictures.test", "-addext", "subjectAltName=DNS:pictures.test", "-days", "2"]
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        str(path),
        "-out",
        f"{path}.crt",
    ]
    subprocess.run([*made, *subject], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + Path(f"{path}.crt").read_bytes())
    return path


def test_https_by_name_at_the_checked_address_and_never_back_to_http(
    certificate: Path, pictures: Callable[..., Any], png: Callable[..., bytes], reply: Any
) -> None:
    plain = pictures({"/a.png": png()})
    server = pictures({}, certificate=certificate)
    server.replies.update({
        "/a.png": reply(png()), "/down": reply(status=302, headers={"Location": f"{plain.url}/a.png"}),
    })  # fmt: skip
    hosts, url = ["pictures.test", "127.0.0.1"], f"https://pictures.test:{server.port}"
    trusting = PictureClient(
        9999, 20, hosts, lambda host, port: ["127.0.0.1"], ssl.create_default_context(cafile=certificate)
    )
    assert trusting.get(f"{url}/a.png") == png()
    with pytest.raises(ImageRejected, match="from https to http"):
        trusting.get(f"{url}/down")
    trusting.close()
    usual = PictureClient(9999, 20, hosts, lambda host, port: ["127.0.0.1"])
    with pytest.raises(ImageRejected, match="fetch-failed"):
        usual.get(f"{url}/a.png")
    usual.close()
    assert (plain.requests, server.requests) == ([], ["/a.png", "/down"])


def test_headers_that_drip_end_with_the_time(png: Callable[..., bytes]) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def drip() -> None:
        connection, _ = listening.accept()
        with connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
            while not stop.wait(0.1):
                connection.sendall(b"a")

    thread = threading.Thread(target=drip)
    thread.start()
    client = PictureClient(9999, 1.0, ["127.0.0.1"])
    try:
        with pytest.raises(ImageRejected, match="no whole picture within 1 s"):
            client.get(f"http://127.0.0.1:{listening.getsockname()[1]}/a.png")
    finally:
        client.close()
        stop.set()
        thread.join()
        listening.close()


_KILLED = """
import sys
from pathlib import Path
from benchwright.curation.ingest import IngestOptions, ingest
from benchwright.schemas.workspace import Workspace
ingest(Workspace.find(Path(sys.argv[1])), [Path(sys.argv[2])], IngestOptions(fetch_images=True))
"""


def test_a_killed_fetch_goes_on_where_it_stopped(
    open_workspace: Workspace,
    jsonl: Callable[..., Path],
    pictures: Callable[..., Any],
    png: Callable[..., bytes],
) -> None:
    running: list[subprocess.Popen[bytes]] = []

    def stop_it(path: str) -> None:
        if path == "/20.png" and running:
            os.kill(running.pop().pid, signal.SIGKILL)

    server = pictures({f"/{n}.png": png((n, 0, 0)) for n in range(10, 40)}, on_request=stop_it)
    path = jsonl(
        *({"id": f"q{n}", "question": f"Q{n}?", "image": f"{server.url}/{n}.png"} for n in range(10, 40))
    )
    running.append(subprocess.Popen([sys.executable, "-c", _KILLED, str(open_workspace.root), str(path)]))
    process = running[0]
    assert process.wait() == -signal.SIGKILL
    pinned = RemotePictures(open_workspace, "pool", ImageLimits()).pinned
    assert 1 <= len(pinned) <= 11
    before = len(server.requests)
    result = one(open_workspace, path, FETCH)
    assert (result.counts.n_kept, result.fetched) == (30, 30 - len(pinned))
    assert len(server.requests) - before == 30 - len(pinned)
    urls = [entry.url for entry in read_jsonl(fetched_path(open_workspace, "pool"), FetchedPicture)]
    assert urls == sorted(urls)
