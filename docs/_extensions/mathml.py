"""Equations as MathML, which browsers draw themselves: no script, no images, no network."""

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def inline(writer: Any, node: nodes.math) -> None:
    """An equation within a line."""
    writer.body.append(f'<span class="math">{tex2mathml(node.astext())}</span>')
    raise nodes.SkipNode


def display(writer: Any, node: nodes.math_block) -> None:
    """An equation on lines of its own."""
    formula = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Offer the renderer under the name ``mathml``."""
    app.add_html_math_renderer("mathml", (inline, None), (display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
