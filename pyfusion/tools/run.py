# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion-run: compiles a function of fusion IR for the CPU and calls it on arrays.

    pyfusion-run file.mlir --entry main --args x.npy y.npy 2.5 -o out

Arguments are `.npy` files for tensors and numbers for scalars and indices, in order. Results are
printed, or written to `out0.npy`, `out1.npy`, ... The work is done in a child process; whatever
happens there becomes a diagnostic and exit code 1, a signal to the tool 128 + its number.
"""

from __future__ import annotations

import argparse
import sys

from .files import ToolError, add_version, file_name, load_modules
from .isolate import Note, isolated

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pyfusion-run",
        description="Call a function of fusion IR on arrays, on the CPU whatever PYFUSION_DEVICE "
        "says.",
        allow_abbrev=False,
    )
    add_version(parser)
    parser.add_argument(
        "file",
        type=file_name,
        metavar="FILE",
        help="IR in the fusion dialect, text or bytecode; - is stdin",
    )
    parser.add_argument("--entry", default="main", help="function to call (default: main)")
    parser.add_argument(
        "--args", nargs="*", default=[], help=".npy files for tensors, numbers for scalars"
    )
    parser.add_argument(
        "--load",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module or .py of custom operations",
    )
    parser.add_argument(
        "-o", dest="output", type=file_name, help="write results to OUTPUT0.npy, OUTPUT1.npy, ..."
    )
    return parser


def main() -> int:
    """The command-line tool."""

    def work(note: Note) -> int:
        arguments = _parser().parse_args(sys.argv[1:])
        from .run_driver import run

        try:
            load_modules(arguments.load)
            run(arguments.file, arguments.entry, arguments.args, arguments.output, note)
        except ToolError as error:
            print(error.text("pyfusion-run"), file=sys.stderr)
            return 1
        return 0

    return isolated("pyfusion-run", work)


if __name__ == "__main__":
    sys.exit(main())
