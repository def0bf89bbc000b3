"""The tagging page as a reviewer meets it: in a real browser, on a real server, by keyboard."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from benchwright.annotation.client import ReviewServer
from benchwright.annotation.connection import find_connection
from benchwright.annotation.jobs.tagging import TaggingJob
from benchwright.annotation.private import read_private
from benchwright.annotation.pull import pull_job
from benchwright.annotation.push import push_job
from benchwright.annotation.server import Credentials, ManagedServer, credentials_path
from benchwright.schemas.jobs import Review
from benchwright.schemas.journal import Journal

pytestmark = [pytest.mark.labelstudio, pytest.mark.browser]

CHECKED = "[...document.querySelectorAll('input:checked')].map(e => e.closest('label').innerText)"


def log_in(browser: Any, url: str, account: Credentials) -> None:
    browser.open(f"{url}/user/login/")
    browser.wait("document.querySelector('input[name=password]') !== null")
    fill = (
        "(() => {{ document.querySelector('input[name=email]').value = {0};"
        " document.querySelector('input[name=password]').value = {1};"
        " document.querySelector('form').submit(); return true }})()"
    )
    browser.run(fill.format(json.dumps(account.username), json.dumps(account.password)))
    browser.wait("!location.pathname.startsWith('/user/login')")


def test_a_proposal_is_seen_changed_by_keyboard_submitted_and_pulled(
    tmp_path: Path, make_workspace, browser: Any
) -> None:
    workspace = make_workspace(tmp_path / "ws", 2, name="browser-test")
    job = TaggingJob()
    with ManagedServer(workspace, print) as managed, ReviewServer(find_connection(workspace)) as server:
        (page,) = push_job(server, workspace, job)
        account = read_private(credentials_path(workspace), Credentials)
        assert account is not None
        log_in(browser, managed.url, account)
        browser.open(f"{managed.url}/projects/{page.project}/data?labeling=1")
        browser.wait("document.querySelectorAll('input:checked').length === 2")
        browser.key("Escape", "Escape")  # the guidelines
        first = browser.run(CHECKED)
        assert first[0].startswith("Mechanics"), "the proposal of the first question is preselected"
        assert first[1].startswith("1 · Basic")

        shapes = (
            "[...document.querySelectorAll('.bw-q svg {0}')]"
            ".filter(e => e.getBoundingClientRect().width > 1).length"
        )
        assert browser.run(shapes.format("path")) >= 4, "the formula's letters are drawn"
        assert browser.run(shapes.format("rect")) >= 1, "the fraction bar is drawn"
        browser.wait("[...document.querySelectorAll('.bw-q img')].every(e => e.complete)")
        assert browser.run("[...document.querySelectorAll('.bw-q img')].map(e => e.naturalWidth)") == [320]
        assert len(Image.open(io.BytesIO(browser.screenshot())).getcolors(1 << 24) or []) > 50

        browser.key("4", "Digit4")
        browser.wait(f"{CHECKED}[0].startsWith('Optics')", 10)
        browser.key("c", "KeyC")
        browser.wait(f"{CHECKED}[1].startsWith('3 · Intermediate')", 10)
        browser.run(
            "[...document.querySelectorAll('button')].find(b => b.innerText.trim() === 'Submit').click()"
        )
        end = time.monotonic() + 30
        while not list(server.annotated(page.project)):
            assert time.monotonic() < end, "the submission did not arrive"
            time.sleep(0.3)
        pull_job(server, workspace, job)
    reviews = Journal(workspace.reviews("tagging")).read(Review)
    assert [(r.item_id, r.field, r.value, r.origin) for r in reviews] == [
        ("q0000", "subject", "optics", "prediction-changed"),
        ("q0000", "difficulty", 3, "prediction-changed"),
    ]
    assert all(r.lead_time is not None and r.lead_time > 0 for r in reviews)
