"""Names of data sets on the command line."""

from jostle.cli.errors import BAD_INPUT, stop

ALL = "all"


def dataset_names(names: list[str]) -> list[str]:
    """The names without repetitions, ``all`` replaced by every set; exits on an unknown name."""
    from jostle.datasets import catalog

    return list(
        dict.fromkeys(
            each
            for name in names
            for each in (catalog.CATALOG if name == ALL else [dataset_name(name)])
        )
    )


def dataset_name(name: str) -> str:
    """The name itself; exits if there is no such data set."""
    from jostle.core.validation import unknown
    from jostle.datasets import catalog

    if name not in catalog.CATALOG:
        stop(unknown("data set", name, catalog.CATALOG), BAD_INPUT)
    return name
