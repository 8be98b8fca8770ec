"""The mutants of a source file, by Cosmic Ray's operators, and a random sample of those of a room.

A sample draws *places* first and then one mutant of each, so that an operator with many
replacements does not count for more. Samples are nested: the first hundred are those of a sample of
fifty and fifty more.
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from parso.tree import NodeOrLeaf

BINARY = {
    "Add": ["Sub"],
    "Sub": ["Add"],
    "Mul": ["Div", "Add"],
    "Div": ["Mul"],
    "FloorDiv": ["Mul"],
    "Mod": ["FloorDiv"],
    "Pow": ["Mul"],
    "BitAnd": ["BitOr"],
    "BitOr": ["BitAnd"],
}
COMPARISONS = {
    "Eq": ["NotEq"],
    "NotEq": ["Eq"],
    "Lt": ["LtE", "Gt"],
    "LtE": ["Lt", "Gt"],
    "Gt": ["GtE", "Lt"],
    "GtE": ["Gt", "Lt"],
    "Is": ["IsNot"],
    "IsNot": ["Is"],
}
OTHERS = [
    "ReplaceUnaryOperator_USub_UAdd",
    "ReplaceUnaryOperator_Delete_Not",
    "AddNot",
    "ReplaceTrueWithFalse",
    "ReplaceFalseWithTrue",
    "ReplaceAndWithOr",
    "ReplaceOrWithAnd",
    "ReplaceBreakWithContinue",
    "ReplaceContinueWithBreak",
    "ExceptionReplacer",
    "NumberReplacer",
    "ZeroIterationForLoop",
]
OPERATORS = [
    *(f"ReplaceBinaryOperator_{a}_{b}" for a, others in BINARY.items() for b in others),
    *(f"ReplaceComparisonOperator_{a}_{b}" for a, others in COMPARISONS.items() for b in others),
    *OTHERS,
]
"""Not ``RemoveDecorator``: without ``jax.jit`` a program is slower and the same."""


@dataclass(frozen=True)
class Mutant:
    """One fault: the ``occurrence``-th place of ``file`` where ``operator`` applies."""

    file: str
    operator: str
    occurrence: int
    line: int
    column: int

    def code(self, original: str) -> str:
        """The file's text with this fault in it."""
        mutated = mutate_code(original, get_operator(f"core/{self.operator}")(), self.occurrence)
        assert mutated is not None
        return str(mutated)

    def diff(self, original: str) -> list[str]:
        """The lines taken away and put in."""
        lines = unified_diff(original.splitlines(), self.code(original).splitlines(), n=0)
        return [line for line in lines if line[:3] not in ("---", "+++") and line[:2] != "@@"]


def mutants(file: str, original: str) -> Iterator[Mutant]:
    """Every mutant of a file but those in annotations, which say nothing when the program runs."""
    tree = get_ast(original)
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        places = (
            (node, start)
            for node in ast_nodes(tree)
            for start, _ in operator.mutation_positions(node)
        )
        for occurrence, (node, (line, column)) in enumerate(places):
            if not _annotates(node) and not _marks_a_parameter(node):
                yield Mutant(file, name, occurrence, line, column)


def sample(root: Path, files: list[str], size: int, seed: int) -> list[Mutant]:
    """The first ``size`` mutants of these files in an order that the seed decides."""
    places: dict[tuple[str, int, int], list[Mutant]] = defaultdict(list)
    for file in files:
        for mutant in mutants(file, (root / file).read_text()):
            places[file, mutant.line, mutant.column].append(mutant)
    rng = random.Random(seed)
    order = sorted(places)
    rng.shuffle(order)
    return [rng.choice(places[place]) for place in order[:size]]


def _annotates(node: NodeOrLeaf) -> bool:
    """Whether a node is part of the annotation of a name, a parameter or a result."""
    while (parent := node.parent) is not None:
        if parent.type == "annassign" and parent.children[1] is node:
            return True
        if parent.type == "tfpdef" and parent.children[-1] is node:
            return True
        if parent.type == "funcdef" and parent.annotation is node:
            return True
        node = parent
    return False


def _marks_a_parameter(node: NodeOrLeaf) -> bool:
    """Whether a star or a slash stands alone among parameters, where it multiplies nothing."""
    return node.parent is not None and node.parent.type == "parameters"
