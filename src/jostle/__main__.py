"""The ``jostle`` command, also as ``python -m jostle``."""

import sys


def main() -> None:
    """Run the command, or say what to install if this is jostle without its laboratory."""
    try:
        from jostle.cli import app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "jostle":
            raise
        sys.exit(
            f"jostle: the command needs {error.name}, which is not installed. "
            "Install the laboratory: pip install 'jostle[lab]'"
        )
    app()


if __name__ == "__main__":
    main()
