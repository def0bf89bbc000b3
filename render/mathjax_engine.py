r"""The thorough engine: MathJax 3.2.2, run by QuickJS inside this process, from the data wheel django-static-mathjax.

Chemistry (`\ce`, `\pu`), bold digits, ruled arrays and whatever the main engine warns about. Switched off on
purpose: `noundefined` and `noerrors` (they draw unknown commands as red text), `newcommand`, `require`, `autoload`
(definitions would leak into later formulas). Chinese comes from our text font as outlines.

MathJax recurses deeply: the JavaScript engine lives in one thread of its own with a 32 MB stack, restarted after a
fork, with a new context every few thousand formulas because `\text` leaks objects.
"""

from __future__ import annotations

import html
import json
import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution, version
from pathlib import Path
from typing import Any

import quickjs

from benchwright.render.font import TextFont
from benchwright.render.formula import Drawing, Refusal

_STACK = 32 << 20
_JS_STACK = 24 << 20
_JS_MEMORY = 512 << 20
_RECYCLE = 5000
_DISTRIBUTION = "django-static-mathjax"
_FOLDER = "mathjax/static/mathjax/es5"
_FILES = ("startup", "core", "adaptors/liteDOM", "input/tex-full", "output/svg", "output/svg/fonts/tex")
_PACKAGES = "base ams amscd boldsymbol braket enclose cancel cases centernot color extpfeil gensymb mhchem"
_PACKAGES += " mathtools textcomp textmacros unicode upgreek bbox"
_SETUP = """
(function () {
  const _ = MathJax._;
  const adaptor = _.adaptors.liteAdaptor.liteAdaptor({fontSize: 16});
  let advances = {}, missing = '';
  adaptor.nodeSize = function (node) {
    let width = 0;
    for (const char of this.textContent(node)) {
      if (advances[char] === undefined) { missing += char; width += 1; } else { width += advances[char]; }
    }
    return [width, 0];
  };
  _.handlers.html_ts.RegisterHTMLHandler(adaptor);
  const rethrow = (jax, error) => { throw error; };
  const packages = "PACKAGES".split(" ");
  const tex = new _.input.tex_ts.TeX({packages: packages, tags: 'none', maxBuffer: 20000, formatError: rethrow});
  // The font must be given: without it letters work, but sums and arrows die.
  const svg = new _.output.svg_ts.SVG({font: new _.output.svg.fonts.tex_ts.TeXFont(), fontCache: 'none'});
  const fail = (document, math, error) => { throw error; };
  const jax = {InputJax: tex, OutputJax: svg, compileError: fail, typesetError: fail};
  const page = _.mathjax.mathjax.document('', jax);
  globalThis.typeset = function (source, display, widths) {
    advances = JSON.parse(widths); missing = '';
    try {
      const options = {display: display, em: 16, ex: 7.072, containerWidth: 1e6, lineWidth: 1e6, scale: 1};
      const node = page.convert(source, options);
      return JSON.stringify({svg: adaptor.outerHTML(adaptor.firstChild(node)), missing: missing});
    } catch (error) { return JSON.stringify({error: String(error.message || error)}); }
  };
})();
""".replace("PACKAGES", _PACKAGES)
_TEXT = re.compile(
    r'<text data-variant="[^"]*" transform="(translate\([^)]*\) )?scale\(1,-1\)" '
    r'font-size="([\d.]+)px"[^>]*>([^<]*)</text>'
)
_VIEW = re.compile(r'viewBox="([-\d.]+) ([-\d.]+) ([-\d.]+) ([-\d.]+)"')


class MathJaxEngine:
    """MathJax behind the `Engine` protocol.

    Args:
        font: where Chinese and other characters outside MathJax's own font come from.
    """

    name = "mathjax"

    def __init__(self, font: TextFont) -> None:
        self._font = font
        self.version = version(_DISTRIBUTION)
        self._process: int | None = None
        self._worker: ThreadPoolExecutor | None = None
        self._typeset: Any = None
        self._uses = 0
        self._lock = threading.Lock()

    def draw(self, tex: str, display: bool) -> Drawing:
        """Typeset one formula.

        Raises:
            Refusal: `formula` with MathJax's own message, or `missing-glyph`.
        """
        shrink = 1.0 / self._font.formula_scale  # so that Chinese in a formula is as large as that around it
        widths = {c: self._font.advance_em(c) * shrink for c in set(tex) if ord(c) > 126 and c in self._font}
        reply: dict[str, str] = json.loads(self._ask(tex, display, json.dumps(widths)))
        if "error" in reply:
            raise Refusal("formula", reply["error"])
        svg = reply["svg"]
        texts = "".join(html.unescape(match[3]) for match in _TEXT.finditer(svg))
        if lost := [c for c in dict.fromkeys(reply["missing"] + texts) if c not in self._font]:
            raise Refusal("missing-glyph", "no font has " + ", ".join(f"{c} (U+{ord(c):04X})" for c in lost))
        body = _TEXT.sub(self._outlines, svg)
        view = _VIEW.search(svg)
        if "<text" in body or view is None:
            raise Refusal("formula", "text that could not be turned into outlines")
        _, top, width, height = (float(view[i]) for i in range(1, 5))
        if width <= 1 or height > 50_000:
            raise Refusal("formula", f"a box of {width:g} x {height:g}")
        inner = body[body.index(">") + 1 : body.rindex("</svg>")]
        return Drawing(inner, width / 1000, -top / 1000, (height + top) / 1000, self.name)

    def _outlines(self, match: re.Match[str]) -> str:
        scale = float(match[2]) / self._font.units_per_em / self._font.formula_scale
        x = 0.0
        paths: list[str] = []
        for char in html.unescape(match[3]):
            paths.append(f'<path transform="translate({x:g},0)" d="{self._font.outline(char)}"/>')
            x += self._font.advance_em(char) * self._font.units_per_em
        return f'<g transform="{match[1] or ""}scale({scale:g})">{"".join(paths)}</g>'

    def _ask(self, tex: str, display: bool, widths: str) -> str:
        with self._lock:
            if self._process != os.getpid() or self._worker is None:
                self._start()
            assert self._worker is not None
            worker = self._worker
        return str(worker.submit(self._call, tex, display, widths).result())

    def _start(self) -> None:
        before = threading.stack_size(_STACK)
        try:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix="mathjax")
            self._worker.submit(self._boot).result()
        finally:
            threading.stack_size(before)
        self._process = os.getpid()

    def _boot(self) -> None:
        context = quickjs.Context()
        context.set_max_stack_size(_JS_STACK)
        context.set_memory_limit(_JS_MEMORY)
        context.eval("globalThis.MathJax = {startup: {typeset: false, ready() {}}, loader: {load: []}};")
        # The wheel's module is called `mathjax`, a name that others use too: ask for this wheel's own file.
        folder = Path(str(distribution(_DISTRIBUTION).locate_file(_FOLDER)))
        for name in _FILES:
            context.eval((folder / f"{name}.js").read_text("utf-8"))
        context.eval(_SETUP)
        self._typeset = context.get("typeset")
        self._uses = 0

    def _call(self, tex: str, display: bool, widths: str) -> str:
        if self._uses >= _RECYCLE:
            self._boot()
        self._uses += 1
        return str(self._typeset(tex, display, widths))
