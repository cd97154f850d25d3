# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The flags: scopes of several threads, and errors."""

import threading

import pytest

import pyfusion as pf
from pyfusion.config import FLAGS, MAX_THREADS, Config
from pyfusion.runtime import library


def test_scopes_nest():
    with pf.config.scope(precision="fast", max_plans=7):
        with pf.config.scope(precision="strict"):
            assert (pf.config.precision, pf.config.max_plans) == ("strict", 7)
            pf.config.precision = "fast"  # the inner scope's
        pf.config.precision = "strict"
        assert pf.config.precision == "strict"
        with pf.config.scope(precision="fast"):
            pass
        assert pf.config.precision == "strict"
    assert pf.config.precision == FLAGS["precision"].default
    assert pf.config.max_plans == FLAGS["max_plans"].default


def test_scopes_of_two_threads_may_overlap():
    """The one opened first ends first."""
    before = pf.config.max_plans, pf.config.max_queue
    stream = pf.stream.stream.current()
    opened, end, ended = threading.Event(), threading.Event(), threading.Event()

    def first():
        with pf.config.scope(max_plans=11, max_queue=11):
            opened.set()
            assert end.wait(10)
        ended.set()

    thread = threading.Thread(target=first)
    thread.start()
    assert opened.wait(10)
    with pf.config.scope(max_plans=12, max_queue=12):
        end.set()
        assert ended.wait(10)
        thread.join()
        assert pf.config.max_plans == 12 and stream.limit == 12
    assert (pf.config.max_plans, pf.config.max_queue) == before
    assert stream.limit == before[1]


def test_many_threads():
    before = pf.config.max_plans

    def work(number):
        for _ in range(200):
            with pf.config.scope(max_plans=number), pf.config.scope(max_plans=number + 100):
                pass

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert pf.config.max_plans == before


def test_a_scope_that_cannot_be_opened_changes_nothing():
    before = repr(pf.config)
    with pytest.raises(ValueError), pf.config.scope(max_plans=3, mode="nonsense"):
        pass
    assert repr(pf.config) == before


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("mode", "quick", ValueError),
        ("precision", "quick", ValueError),
        ("gpu_backend", "jax", ValueError),
        ("device", "cud", ValueError),
        ("device", "", ValueError),
        ("device", "cuda:-1", ValueError),
        ("device", "cuda:00", ValueError),
        ("device", "rocm:01", ValueError),
        ("device", "cpu:0", ValueError),
        ("device", "cuda:1\n", ValueError),
        ("device", None, TypeError),
        ("debug", -1, ValueError),
        ("threads", "two", TypeError),
        ("threads", -1, ValueError),
        ("threads", 1025, ValueError),
        pytest.param("threads", 10**5000, ValueError, id="threads-huge"),
        ("threads", True, TypeError),
        ("threads", 2.5, TypeError),
        ("max_queue", 1 << 63, ValueError),
        pytest.param("pool_limit", 10**5000, ValueError, id="pool-huge"),
        ("strict", 1, TypeError),
    ],
)
def test_errors_name_the_flag(name, value, error):
    before = getattr(pf.config, name)
    with pytest.raises(error, match=f"^{name}"):
        setattr(pf.config, name, value)
    with pytest.raises(error, match=name), pf.config.scope(**{name: value}):
        pass
    assert getattr(pf.config, name) is before


@pytest.mark.parametrize("name", ["cpu", "cuda", "cuda:1", "rocm", "rocm:12"])
def test_names_of_devices(name):
    """Whether there is one is known when it is first used."""
    with pf.config.scope(device=name):
        assert pf.config.device == name


def test_errors_of_devices_say_what_would_work():
    with pytest.raises(ValueError, match="device = 'gpu': use one of 'cpu', 'cuda', 'cuda:N'"):
        pf.config.device = "gpu"


@pytest.mark.parametrize(
    "text", ["1" + "0" * 9, "-1", "True", "2.5", "x", pytest.param("9" * 5000, id="huge")]
)
def test_a_wrong_number_in_the_environment(text, monkeypatch):
    monkeypatch.setenv("PYFUSION_THREADS", text)
    with pytest.raises(
        ValueError, match="^PYFUSION_THREADS=.*: use a whole number from 0 to 1024$"
    ):
        Config()
    monkeypatch.setenv("PYFUSION_THREADS", "1024")
    assert Config().threads == 1024


def test_as_many_threads_as_are_allowed():
    with pf.config.scope(threads=1024):
        assert library.load().pf_threads() == 1024
        assert float((pf.ones(1 << 16, device="cpu") * 2).sum()) == 1 << 17
    assert library.load().pf_set_threads(1 << 20) == MAX_THREADS
    library.load().pf_set_threads(pf.config.threads)
