# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Settings of every test run."""

import functools
import os

import pytest

# A block that falls back to the backend is a failure here.
os.environ.setdefault("PYFUSION_STRICT", "1")
# SciPy reads it when it is imported, by whichever test comes first.
os.environ.setdefault("SCIPY_ARRAY_API", "1")


def pytest_report_header():
    from pyfusion import config

    return (
        f"pyfusion: mode {config.mode}, threads {config.threads or 'all'}, device {config.device}"
    )


@functools.cache
def _missing(device):
    """Why tests on a device cannot run, or nothing."""
    from pyfusion.runtime import devices

    try:
        devices.find(device)
    except ValueError as error:
        return str(error)
    return ""


def pytest_runtest_setup(item):
    from pyfusion import config

    if missing := _missing(config.device):
        pytest.skip(missing)
    if item.get_closest_marker("fused") and config.mode != "fused":
        pytest.skip(f"about the mode fused, not {config.mode}")
    if item.get_closest_marker("host") and config.device != "cpu":
        pytest.skip(f"for arrays of the host, not of {config.device}")
    if item.get_closest_marker("gpu") and (missing := _missing("cuda")):
        pytest.skip(missing)
