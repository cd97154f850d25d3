# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of several files of tests."""

from __future__ import annotations

import pytest
from fake_gpu import fake_gpus
from gpu_emulator import Memory
from gpu_fakes import fresh
from native_kernels import abi_errors, kernels

import pyfusion as pf
from pyfusion import fusers
from pyfusion.compile import saved
from pyfusion.runtime import library as rt


@pytest.fixture
def checked_abi():
    """The hand-written kernels check what they are called with."""
    kernels()
    yield
    rt.load().pf_set_threads(0)
    assert abi_errors() == 0


@pytest.fixture(scope="module", params=["cuda", "rocm"])
def api(request):
    """A kind of GPU; the native run time has opened a fake driver of it."""
    with fresh(request.param):
        yield request.param


@pytest.fixture
def memory():
    """What the emulator of GPU kernels reads and writes."""
    return Memory()


@pytest.fixture
def gpu():
    """A backend of GPUs that are none."""
    pf.sync()
    with fake_gpus() as backend:
        yield backend
        pf.stream.engine.plans.clear()


@pytest.fixture
def only_the_compiler():
    """The test begins without plans, and leaves no fuser behind."""
    before = fusers.registered()
    pf.stream.engine.plans.clear()
    yield
    assert fusers.registered() == before
    pf.stream.engine.plans.clear()


@pytest.fixture
def no_plans():
    """The test begins without plans, of files neither, and leaves none behind."""
    saved._loaded.clear()
    pf.stream.engine.plans.clear()
    yield
    saved._loaded.clear()
    pf.stream.engine.plans.clear()
