"""Sphinx: how `make docs` builds the site. Everything it needs lies in the site; nothing is fetched from elsewhere."""

from __future__ import annotations

project = "Benchwright"
author = "the Benchwright authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4  # links like page.md#a-heading are checked
exclude_patterns = ["make", "acceptance"]
highlight_language = "none"  # a fence without a language is a command line
html_theme = "furo"
html_title = "Benchwright"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
nitpicky = True
