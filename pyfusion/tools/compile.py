# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion-compile: compiles the kernels of a file of fusion IR ahead of time, without a GPU.

    pyfusion-compile file.mlir --target=cuda:sm_90 --emit=ptx -o kernels.ptx
    pyfusion-compile file.mlir --target=rocm:gfx942 --emit=hsaco -o kernels.hsaco
    pyfusion-compile file.mlir --target=cpu --emit=obj -o kernels.o

What can be emitted:

    llvm   LLVM IR of the kernels, before LLVM optimises it
    asm    assembly: of this machine's CPU, AMD's, or PTX
    ptx    NVIDIA's portable assembly                                        (cuda)
    cubin  machine code of an NVIDIA chip; needs ptxas                       (cuda)
    hsaco  a code object for an AMD chip; needs an LLVM with that target     (rocm)
    obj    an object file of the host: the kernels of a CPU, or the functions that launch those of a
           GPU, with the PTX or code object in it; they call mgpu* functions, as pyfusion's run time
           and MLIR's have them

A file that pyfusion-opt has lowered in part, for the same target, is compiled from there. Kernels
are numbered in the order of the file. A host function is `_mlir_ciface_kernel_0` on a CPU; on a GPU
it has the variant of the kernel behind it, `_mlir_ciface_kernel_0_flat`. The work is done in a
child process; whatever happens there becomes a diagnostic and exit code 1, a signal to the tool
128 + its number.
"""

from __future__ import annotations

import argparse
import sys

from .files import ToolError, add_version, file_name
from .isolate import Note, isolated

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    assert __doc__
    summary, _, rest = __doc__.partition("\n\n")
    summary = summary.partition(": ")[2]
    parser = argparse.ArgumentParser(
        prog="pyfusion-compile",
        description=summary[0].upper() + summary[1:],
        epilog=rest[rest.index("What can") :],
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add_version(parser)
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        type=file_name,
        help="IR in the fusion dialect, text or bytecode; - is stdin",
    )
    add("--target", required=True, help="cpu, cuda[:sm_90] or rocm[:gfx942]")
    add("--emit", required=True, help="ptx, cubin, hsaco, asm, llvm or obj")
    add(
        "-o",
        dest="output",
        default="-",
        type=file_name,
        metavar="OUT",
        help="where the result goes (stdout)",
    )
    return parser


def main() -> int:
    """The command-line tool."""

    def work(note: Note) -> int:
        arguments = _parser().parse_args(sys.argv[1:])
        from .compile_driver import run

        try:
            run(arguments.file, arguments.target, arguments.emit, arguments.output, note)
        except ToolError as error:
            print(error.text("pyfusion-compile"), file=sys.stderr)
            return 1
        return 0

    return isolated("pyfusion-compile", work)


if __name__ == "__main__":
    sys.exit(main())
