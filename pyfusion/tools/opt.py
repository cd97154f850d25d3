# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion-opt: runs passes on a file of IR, MLIR's and those of this project alike.

    pyfusion-opt --fusion-merge-elementwise=max-ops=8 --cse file.mlir
    pyfusion-opt --pass-pipeline='builtin.module(cse,fusion-merge-elementwise{max-ops=8})' file.mlir
    pyfusion-opt --target=cpu --stop-after=outlined file.mlir

The work is done in a child process; whatever happens there becomes a diagnostic and exit code 1, a
signal to the tool 128 + its number.
"""

from __future__ import annotations

import sys

from .isolate import Note, isolated

__all__ = ["main"]


def main() -> int:
    """The command-line tool."""

    def work(note: Note) -> int:
        from .opt_driver import run

        return run(sys.argv[1:], note)

    return isolated("pyfusion-opt", work)


if __name__ == "__main__":
    sys.exit(main())
