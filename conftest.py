# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of every test run."""

import os

# A block that falls back to the backend is a failure here.
os.environ.setdefault("PYFUSION_STRICT", "1")


def pytest_report_header():
    from pyfusion import config

    return f"pyfusion: mode {config.mode}, threads {config.threads or 'all'}"
