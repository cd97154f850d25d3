# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions of the user's that cannot be shown or changed, or that end a thread: one of them fails
its own operation, and the thread can go on."""

import asyncio
import dataclasses

import numpy as np
import pytest

import pyfusion as pf

pytestmark = pytest.mark.host


class Mute(Exception):
    def __str__(self):
        raise LookupError("no text")

    __repr__ = __str__


@dataclasses.dataclass(frozen=True)
class Frozen(Exception):
    code: int = 7


class Hidden(Exception):
    def __getattribute__(self, name):
        if name in ("args", "__cause__", "__traceback__"):
            raise LookupError(name)
        return super().__getattribute__(name)


ARGUMENTS = {SystemExit: (3,)}


@pf.custom.op(name="test.odd")
def odd(x, cls):
    raise cls(*ARGUMENTS.get(cls, ()))


@pf.custom.op(name="test.odd_lowered")
def odd_lowered(x, cls):
    raise cls(*ARGUMENTS.get(cls, ()))


@odd_lowered.lowering
def _(op, fusion):
    return None


@pytest.mark.parametrize("mode", ["fused", "single", "backend"])
@pytest.mark.parametrize(
    "cls, text",
    [(Mute, "Mute: <no message: __str__ raised LookupError>"), (Frozen, "Frozen"), (Hidden, "")],
)
@pytest.mark.parametrize("body", [odd, odd_lowered])
def test_an_exception_that_cannot_be_shown_or_changed_is_a_failure(mode, cls, text, body):
    with pf.config.scope(mode=mode):
        x = pf.ones(3)
        pf.sync()
        bad, good = body(x, cls), x + 1
        assert good.tolist() == [2, 2, 2]
        for _ in range(2):
            with pytest.raises(pf.ExecutionError) as found:
                np.asarray(bad)
            assert text in str(found.value)
            assert type(found.value.cause) is cls
        assert (x * 3).tolist() == [3, 3, 3]


@pytest.mark.parametrize("cls", [Mute, Frozen])
def test_a_fallback_is_told_whatever_the_exception(cls):
    @pf.custom.op(name="test.odd_lowering")
    def body(x):
        return x + 1

    @body.lowering
    def _(op, fusion):
        raise cls()

    with pf.config.scope(strict=False):
        if pf.config.mode == "fused":
            with pytest.warns(pf.FallbackWarning, match=cls.__name__):
                assert body(pf.ones(2)).tolist() == [2, 2]
        assert body(pf.ones(2)).tolist() == [2, 2]


@pytest.mark.parametrize("mode", ["fused", "single", "backend"])
@pytest.mark.parametrize(
    "error",
    [SystemExit(3), GeneratorExit(), asyncio.CancelledError(), pytest.fail.Exception("made to")],
    ids=lambda error: type(error).__name__,
)
def test_what_ends_a_thread_is_raised_on_once(mode, error):
    calls = []

    @pf.custom.op(shape=lambda x: [x.shape, x.shape], name="test.ending")
    def ending(x):
        calls.append(1)
        raise error

    with pf.config.scope(mode=mode):
        x = pf.ones(3)
        pf.sync()
        first, second = ending(x)
        good = x + 1
        with pytest.raises(type(error)):
            pf.flush()
        assert good.tolist() == [2, 2, 2]
        for bad in (second, first, first + 1):
            with pytest.raises(pf.ExecutionError, match=r"test\.ending: ") as found:
                np.asarray(bad)
            assert type(found.value.cause) is type(error)
            assert found.value.cause.args == error.args
            assert found.value.cause.__traceback__ is None
    assert calls == [1]


def test_what_ends_a_thread_is_a_failure_of_an_operation_with_a_lowering():
    x = pf.ones(3)
    pf.sync()
    bad, good = odd_lowered(x, SystemExit), x + 1
    with pytest.raises(pf.ExecutionError, match="SystemExit: 3"):
        np.asarray(bad)
    assert good.tolist() == [2, 2, 2]


def test_an_interrupt_is_not_a_failure():
    errors = [KeyboardInterrupt()]

    @pf.custom.op(name="test.interrupted_body")
    def body(x):
        if errors:
            raise errors.pop()
        return x + 1

    y = body(pf.ones(2))
    with pytest.raises(KeyboardInterrupt):
        np.asarray(y)
    assert y.tolist() == [2, 2]
