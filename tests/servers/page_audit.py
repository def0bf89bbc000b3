"""What every page of ours has to hold, asked of a real browser: see `audit`."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
_WATCH = """
window.trouble = [];
const note = (text) => { window.trouble.push(String(text)); };
window.addEventListener("error", (e) => note(e.message || `not loaded: ${e.target.src || e.target.href}`), true);
window.addEventListener("unhandledrejection", (e) => note(e.reason));
document.addEventListener("securitypolicyviolation", (e) => note(`policy: ${e.violatedDirective} ${e.blockedURI}`));
const said = console.error;
console.error = (...words) => { note(words.join(" ")); said(...words); };
"""
_SCRIPTS = Path(__file__).resolve().parent
_LOOK, _FOCUSABLE, _HERE = (
    (_SCRIPTS / f"page_{name}.js").read_text(encoding="utf-8") for name in ("look", "focusable", "here")
)
_MOST_TABS = 80


class Pages:
    """A browser for pages of ours."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)

    def open(self, path: Path, width: int, scheme: str, ready: str = "true") -> None:
        """Show a page at a width and in a scheme."""
        call = self.browser.call
        call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.browser.open(path.as_uri())
        self.browser.wait(f"document.title !== '' && ({ready})")

    def faults(self) -> list[str]:
        """What is wrong with the page as it is shown, each in words."""
        return [str(one) for one in self.browser.run(_LOOK)]

    def press(self, key: str, code: int, text: str = "") -> None:
        """A key with a name, such as Tab."""
        more = {"text": text} if text else {}
        for kind in ("keyDown", "keyUp"):
            self.browser.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                **(more if kind == "keyDown" else {}),
            )  # fmt: skip

    def keyboard_faults(self) -> list[str]:
        """Walk through the page with Tab: every control is reached and is seen to be reached."""
        count = int(self.browser.run(_FOCUSABLE))
        found: dict[str, None] = {}
        for _ in range(min(count, _MOST_TABS)):
            self.press("Tab", 9)
            here = self.browser.run(_HERE)
            if here["end"]:
                break
            if not here["shown"]:
                found[f"no ring around {here['name']}"] = None
        if count <= _MOST_TABS:
            left = self.browser.run("[...window.wanted].map((n) => n.outerHTML.slice(0, 80))")
            found |= {f"Tab does not reach {one}": None for one in left}
        return list(found)

    def screenshot(self) -> bytes:
        """The whole page, at most 4000 px of it."""
        height = int(self.browser.run("Math.min(4000, document.documentElement.scrollHeight)"))
        width = int(self.browser.run("window.innerWidth"))
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        shot = self.browser.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        return base64.b64decode(shot["data"])
