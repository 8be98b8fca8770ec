"""Sphinx: MyST pages and docstrings to a site that needs no network, with Furo's theme."""

import sys
from pathlib import Path

import jostle

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "jostle"
author = "the authors of jostle"
copyright = "the authors of jostle"
release = version = jostle.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "commands",
    "mathml",
    "plain_docstrings",
]
highlight_language = "none"  # indented blocks are commands, output and equations
exclude_patterns = ["_build"]
nitpicky = False
# Annotations of shapes, such as (k, features), are not references.
suppress_warnings = ["ref.python"]

html_theme = "furo"
html_title = f"jostle {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_search_summary = False  # the page would fetch others, which browsers refuse from a folder
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
napoleon_custom_sections = [("Arguments", "params_style")]
napoleon_use_rtype = False

linkcheck_timeout = 20
linkcheck_anchors = False
linkcheck_ignore = [r"http://localhost.*"]
