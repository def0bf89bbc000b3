"""No outgoing connection: everything the served system does on the network, seen by strace (`make test-long`)."""

from __future__ import annotations

import ipaddress
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.environment import ensure_template
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.push import push_job
from benchwright.annotation.server import running_server
from benchwright.annotation.users import add_users

SERVE = "from benchwright.cli.annotate import annotate; annotate()"
_INET = re.compile(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([^"]+)"\)')
_INET6 = re.compile(r'sin6_port=htons\((\d+)\).*?inet_pton\(AF_INET6, "([^"]+)"')


def contacted(log: str) -> set[tuple[str, int]]:
    """(address, port) of everything that was connected or sent to."""
    found = set()
    for line in log.splitlines():
        if re.search(r"\b(connect|sendto|sendmsg|sendmmsg)\(", line):
            for port, address in [*_INET.findall(line), *_INET6.findall(line)]:
                found.add((address, int(port)))
    return found


def outside(contacts: set[tuple[str, int]]) -> set[tuple[str, int]]:
    """Those that leave the machine, or ask for a name (port 53, also through a resolver on this machine)."""
    return {(a, port) for a, port in contacts if port == 53 or not _loopback(a)}


def _loopback(address: str) -> bool:
    known = ipaddress.ip_address(address)
    mapped = getattr(known, "ipv4_mapped", None)
    return (mapped or known).is_loopback


def test_the_reading_of_a_trace_sees_what_leaves() -> None:
    log = """\
1 connect(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 ECONNREFUSED
1 connect(3, {sa_family=AF_INET, sin_port=htons(443), sin_addr=inet_addr("192.0.2.1")}, 16) = 0
1 sendto(3, "x", 1, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.53")}, 16) = 1
1 connect(3, {sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "2001:db8::1", &sin6_addr)}, 28) = 0
1 bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("192.0.2.9")}, 16) = 0
"""
    assert outside(contacted(log)) == {("192.0.2.1", 443), ("127.0.0.53", 53), ("2001:db8::1", 443)}


@pytest.mark.long
@pytest.mark.labelstudio
def test_a_served_system_makes_no_outgoing_connection(tmp_path: Path, make_workspace) -> None:
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    ensure_template(print)  # installing does use the network
    workspace = make_workspace(tmp_path / "ws", 20, name="outgoing")
    trace = tmp_path / "trace.txt"
    calls = "trace=connect,sendto,sendmsg,sendmmsg"
    command = [strace, "-f", "--seccomp-bpf", "-qq", "-e", calls, "-o", str(trace)]
    serve = [sys.executable, "-c", SERVE, "serve", "--workspace", str(workspace.root)]
    with subprocess.Popen(
        [*command, *serve], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as child:
        try:
            assert child.stdout is not None
            lines = [child.stdout.readline() for _ in range(3)]
            assert lines[0].startswith("review server: http://127.0.0.1:"), lines
            with ReviewServer(find_connection(workspace)) as server:
                (user,) = add_users(server, workspace, ["reviewer"])
                assert user.pseudonym == "A01"
                (page,) = push_job(server, workspace, TaggingJob())
                data = f"/projects/{page.project}/data"
                paths = ("/user/login/", "/projects/", data, "/api/version", "/heidi-tips/")
                told = {path: look(server, path) for path in paths}
            assert told["/heidi-tips/"] == 404, "this page asks GitHub, and must not have reached it"
            assert told["/user/login/"] == told["/api/version"] == 200
            state = running_server(workspace)
        finally:
            stop_traced(child)
    assert state is not None and child.returncode == 0 and running_server(workspace) is None
    contacts = contacted(trace.read_text(encoding="utf-8", errors="replace"))
    assert ("127.0.0.1", 9) in contacts, "the trace must have seen the request that ends at the dead proxy"
    assert outside(contacts) == set()


def stop_traced(strace: subprocess.Popen[str]) -> None:
    """Ask the traced command itself to end: a signal to strace would leave it running."""
    traced = Path(f"/proc/{strace.pid}/task/{strace.pid}/children").read_text(encoding="ascii").split()
    for pid in traced:
        os.kill(int(pid), signal.SIGTERM)
    strace.wait(120)


def look(server: ReviewServer, path: str) -> int:
    """Status of a page as the owner's browser asks for it."""
    headers = {"Authorization": f"Token {server.connection.token}"}
    url = server.connection.url + path
    return httpx.get(url, headers=headers, timeout=120.0, trust_env=False, follow_redirects=True).status_code
