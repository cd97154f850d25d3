# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the environment makes impossible, told by the command-line tools in one line.

Python imports the package before it comes to a tool in it, so it is the package that has to know
whether the process is a tool.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

TOOLS = ("pyfusion-compile", "pyfusion-opt", "pyfusion-run")
_MODULES = {f"pyfusion.tools.{tool.partition('-')[2]}": tool for tool in TOOLS}


def tool_of_this_process() -> str:
    """The name of the tool that this process was started as; empty if it is none."""
    given = sys.argv[0] if getattr(sys, "argv", None) else ""
    if given == "-m":  # Python looks for the module
        options = sys.orig_argv
        following = options[options.index("-m") + 1 :] if "-m" in options else []
        return _MODULES.get(following[0], "") if following else ""
    name = os.path.basename(given)
    return name if name in TOOLS else ""


@contextmanager
def one_line_in_tools() -> Iterator[None]:
    """Ends a tool with exit code 1 and the error that a flag or a missing library raises."""
    try:
        yield
    except (ValueError, ImportError) as error:
        tool = tool_of_this_process()
        if not tool:
            raise
        sys.exit(f"{tool}: error: {error}")
