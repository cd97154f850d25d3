# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions in forked children."""

import os
import time
import warnings


def forked(function):
    """Runs a function in a forked child; its exit code is 0 if that returns true."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if function() else 2
        finally:
            os._exit(code)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return "hangs"
