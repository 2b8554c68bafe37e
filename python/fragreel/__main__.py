"""``python -m fragreel``, and what pip installs as ``fragreel``: the command."""

import sys

from ._native import run_command


def main() -> None:
    """Runs the command with the words of this process."""
    sys.exit(run_command(sys.argv[1:]))


if __name__ == "__main__":
    main()
