# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's with a body in Python, for the backend."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..array.core import emit, wrap
from ..array.promote import broadcast, result_dtype, scalar
from ..dtypes import DType, bool_
from ..errors import (
    BodyStopped,
    DTypeError,
    InsideFlushError,
    frames_of,
    message,
    retell,
    without_frames,
)
from ..ir.device import Device
from ..ir.table import OpInfo, user_op
from ..ir.value import Value
from ..runtime import devices
from ..runtime.memory import host_order
from .form import Form
from .structure import (
    Flat,
    TensorSpec,
    flatten,
    rebuild,
    results_of,
    spec,
    specs_of,
)

# In keys of saved plans: a lowering may be another one elsewhere.
_PROCESS = secrets.token_hex(8)
_lowerings = itertools.count()

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")

_PACKAGE = str(Path(__file__).parents[1])
_INSIDE = (
    "the body used an array of pyfusion that has not been run, inside of the flush that runs the "
    "body. It is given NumPy arrays: use NumPy's functions on them, and take other arrays as "
    "arguments; a body of pyfusion's functions is one of op(fused=True)"
)

# Of each name: where the function is from that has it.
_owners: dict[str, tuple[str, str]] = {}


def claim_name(name: Any, module: str, qualname: str) -> str:
    """The name that IR calls an operation, `custom.` and the one given.

    Raises:
        ValueError: it is no name, or another function's.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ValueError(
            f"a custom operation's name is made of letters, digits, '_' and '.', not {name!r}; "
            "give one as name="
        )
    owner = _owners.setdefault(name, (module, qualname))
    if owner != (module, qualname):
        raise ValueError(
            f"there is a custom operation {name!r} already, of {'.'.join(owner)}; give another "
            "one as name="
        )
    return f"custom.{name}"


def _place(rule: Callable[..., Any], error: Exception) -> str:
    """The line of a rule that raised; that of the rule where it could not be called."""
    for file, line, _ in frames_of(error):
        if not file.startswith(_PACKAGE):
            return f"its rule at {file}:{line}"
    code = getattr(rule, "__code__", None)
    return "its rule" if code is None else f"its rule at {code.co_filename}:{code.co_firstlineno}"


def _check_body(name: str, body: Any) -> inspect.Signature:
    """The signature of a body. Raises TypeError for what is no function that can be a body."""
    if inspect.iscoroutinefunction(body) or inspect.isgeneratorfunction(body):
        kind = "a coroutine" if inspect.iscoroutinefunction(body) else "a generator"
        raise TypeError(f"{name}: the body is {kind} function; it has to return its result")
    try:
        return inspect.signature(body)
    except ValueError:
        raise TypeError(
            f"{name}: Python knows no signature of {body!r:.100}; call it from a function of yours"
        ) from None


class Call:
    """One call of an operation: what its results have to be, and those that nobody has taken yet.

    It is an operand of the recorded operations, as numbers are: it is not in keys.

    Attributes:
        form: what the body is run with: the record's may be an equal one, of an earlier call.
        stopped: what the body raised, if it is no Exception. It is raised on once, as what ends a
            thread or a task has to be; the next flush finds a failure of the operation.
    """

    __slots__ = ("specs", "form", "results", "stopped")

    def __init__(self, specs: list[TensorSpec], form: Form):
        self.specs = specs
        self.form = form
        self.results: list[Any] = []
        self.stopped: BaseException | None = None

    def __repr__(self) -> str:
        return "<call>"


class CustomOp:
    """An operation of a user's; call it like the function that it was made of.

    Attributes:
        name: what IR calls it, `custom.` and its name.
    """

    def __init__(
        self,
        body: Callable[..., Any],
        name: str | None,
        shape: Any,
        dtype: Any,
        results: Callable[..., Any] | None,
    ):
        if not callable(body) or isinstance(body, CustomOp):
            raise TypeError(
                f"a custom operation is made of a function, not of {body!r:.100}: write @op above "
                "the function, or @op(...) with its rules"
            )
        own = name if name is not None else getattr(body, "__name__", None)
        module = getattr(body, "__module__", None) or "__main__"
        self.name = claim_name(own, module, getattr(body, "__qualname__", repr(body)))
        if results is not None and (shape is not None or dtype is not None):
            raise TypeError(f"{self.name}: give either results= or shape= and dtype=")
        self.body = body
        self._signature = _check_body(self.name, body)
        self._shape = shape
        self._dtype = dtype
        self._results = results
        self.__name__ = self.name
        self.__doc__ = body.__doc__
        self.__wrapped__ = body

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{type(self).__name__} does not say how it is called")

    def flat(self, args: tuple, kwargs: dict) -> Flat:
        """The arguments, with defaults, by the names of the parameters. TypeError: they do not
        fit."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from None
        bound.apply_defaults()
        return flatten(self.name, dict(bound.arguments))

    def run(self, function: Callable[..., Any], tree: Any, arrays: Any, scalars: Any) -> Any:
        """`function` on arguments of that tree."""
        given = rebuild(tree, iter(arrays), iter(scalars))
        bound = inspect.BoundArguments(self._signature, given)
        return function(*bound.args, **bound.kwargs)

    def specs(self, flat: Flat) -> tuple[list[TensorSpec], Any]:
        """What the rules say of the results, and how they are nested."""
        given = [TensorSpec(v.shape, v.dtype) for v in flat.arrays]

        def asked(rule: Any) -> Any:
            if not callable(rule):
                return rule
            try:
                return self.run(rule, flat.tree, given, flat.scalars)
            except Exception as error:
                retell(error, f"{self.name}: {message(error)} ({_place(rule, error)})")
                raise

        if self._results is not None:
            return specs_of(self.name, asked(self._results))
        shape = broadcast(self.name, tuple([v.shape for v in flat.arrays]) or ((),))
        shapes = shape if self._shape is None else asked(self._shape)
        dtypes = self._common(flat) if self._dtype is None else self._asked_dtype(asked)
        if isinstance(dtypes, list) and not dtypes:
            raise TypeError(f"{self.name}: the rule of the types gave none")
        if isinstance(shapes, list):
            if shapes and all(isinstance(d, (int, np.integer)) for d in shapes):
                raise TypeError(
                    f"{self.name}: the rule gave the shape {shapes!r:.100}, not a tuple of ints: "
                    "a list is of the shapes of several results"
                )
            each = dtypes if isinstance(dtypes, list) else [dtypes] * len(shapes)
            if len(each) != len(shapes):
                raise TypeError(
                    f"{self.name}: the rules gave {len(shapes)} shapes and {len(each)} types"
                )
            if not shapes:
                raise TypeError(f"{self.name}: the rule of the shapes gave none")
            found = [spec(self.name, s, d) for s, d in zip(shapes, each, strict=True)]
            return found, ("sequence", tuple, (("array",),) * len(found))
        if isinstance(dtypes, list):
            found = [spec(self.name, shapes, d) for d in dtypes]
            return found, ("sequence", tuple, (("array",),) * len(found))
        return [spec(self.name, shapes, dtypes)], ("array",)

    def _asked_dtype(self, asked: Callable[[Any], Any]) -> Any:
        """What names a type may be callable, as `float` is, and is no rule."""
        is_type = isinstance(self._dtype, (type, DType))
        return self._dtype if is_type else asked(self._dtype)

    def _common(self, flat: Flat) -> Any:
        keys = [v.dtype for v in flat.arrays]
        keys += [bool_ if type(s) is bool else type(s) for s in flat.scalars]
        if not keys:
            raise TypeError(f"{self.name}: without arrays and numbers it needs a dtype= rule")
        return result_dtype(*keys)


class _Code:
    """What the calls of an operation record, until it is given another lowering. What was recorded
    before keeps the one that it was recorded with.

    Attributes:
        lowering: says what IR the operation is; None for one that is not compiled.
        token: names the lowering; "" for none.
    """

    __slots__ = ("owner", "lowering", "token", "_ops")

    def __init__(self, owner: BackendOp, lowering: Callable[..., Any] | None):
        self.owner = owner
        self.lowering = lowering
        self.token = "" if lowering is None else f"{_PROCESS}.{next(_lowerings)}"
        self._ops: dict[int, OpInfo] = {}
        self.op(0)

    def op(self, number: int) -> OpInfo:
        """The operation that takes the result of that number. Two threads may both make one; only
        the first is used."""
        return self._ops.get(number) or self._ops.setdefault(number, self._made(number))

    def _made(self, number: int) -> OpInfo:
        owner = self.owner
        inline = None if self.lowering is None else functools.partial(self._inline, number)
        if number == 0:
            return user_op(owner.name, owner._execute, inline)

        def take(*operands: Any, form: Form) -> Any:
            if form.lowered:
                return owner._lowered_results(operands, form)[number]
            return operands[-1].results[number]

        return user_op(f"{owner.name}.{number}", take, inline)

    def _inline(self, at: int, op: Any) -> Any:
        """The value of one result: each is a call of its own in IR, that the body is shared by."""
        from ..dialects import fusion

        assert self.lowering is not None
        try:
            found = self.lowering(op, fusion)
        except Exception as error:
            retell(error, f"{self.owner.name}: its lowering raised: {message(error)}")
            raise
        if found is None:
            return None
        several = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(op.results) > 1:  # of IR that nobody recorded
            return several
        if at >= len(several):
            name = self.owner.name
            raise TypeError(f"{name}: the lowering gives {len(several)} results, not {at + 1}")
        return [several[at]]


class BackendOp(CustomOp):
    """An operation whose body runs on NumPy arrays, and is not fused unless it has a lowering."""

    def __init__(self, *about: Any):
        super().__init__(*about)
        self._code = _Code(self, None)

    def lowering(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Decorator: says what IR the operation is, so that it fuses like a built-in one.

        Args:
            function: called as `function(op, fusion)` when a program with the operation is
                compiled. `op` is the `fusion.custom_call`: its operands are the arrays in order and
                then the numbers; arguments that are neither are in its attribute `options`. A
                number has the first array's element type. `fusion` has the builders of
                `pyfusion.dialects.fusion`, with the insertion point set. It returns the value of
                the result, a list of several, or None to leave this call to the body.

        The body still runs where nothing is compiled: in the mode `backend`, and for complex
        numbers. Tests should compare the two with `pyfusion.testing.assert_same_everywhere`.
        """
        if not callable(function):
            raise TypeError(f"{self.name}: a lowering is a function, not {function!r:.100}")
        self._code = _Code(self, function)  # what was compiled of it before is not used again
        return function

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        flat = self.flat(args, kwargs)
        specs, results = self.specs(flat)
        code = self._code
        lowered = code.lowering is not None
        scalars = self._typed(flat, specs) if lowered else flat.scalars
        form = Form(flat.tree, results, specs, code.token)
        device = None if flat.arrays else devices.default()
        call = Call(specs, form)
        last = () if lowered else (call,)

        def operands() -> tuple[Any, ...]:
            """Each record has a tuple of its own: the engine counts the references in them."""
            return (*flat.arrays, *scalars, *last)

        values = [self._record(code.op(0), operands(), form, specs[0], device)]
        for number, one in enumerate(specs[1:], 1):
            given = operands() if lowered else (values[0], call)  # so the body runs once
            values.append(self._record(code.op(number), given, form, one, device))
        return rebuild(results, iter([wrap(v) for v in values]), iter(()))

    def _record(
        self, op: OpInfo, operands: tuple, form: Form, one: TensorSpec, device: Device | None
    ) -> Value:
        attrs = (("form", form),)
        return emit(op, operands, attrs, (), one.shape, one.dtype, device)

    def _typed(self, flat: Flat, specs: list[TensorSpec]) -> list[Any]:
        """Numbers as they are where code is compiled: of the first array's type."""
        dtype = flat.arrays[0].dtype if flat.arrays else specs[0].dtype
        for number in flat.scalars:
            if type(number) is not bool and result_dtype(dtype, type(number)) is not dtype:
                raise DTypeError(
                    f"{self.name}: it has a lowering, and {number!r} is no {dtype.name}, the first "
                    "array's type"
                )
        return [scalar(number, dtype) for number in flat.scalars]

    def _execute(self, *operands: Any, form: Form | None = None) -> Any:
        """Runs the body on arrays of the backend; called when the operation's turn has come."""
        if form is None:  # of IR that nobody recorded
            return self.body(*operands)
        if form.lowered:  # the backend's caller checks shape and type
            return self._lowered_results(operands, form)[0]
        *flat, call = operands
        if call.stopped is not None:
            raise BodyStopped(call.stopped)
        try:
            found = self._results_of(flat, call.form)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            call.stopped = without_frames(error)
            raise
        for number, (array, one) in enumerate(zip(found, call.specs, strict=True)):
            which = f"result {number}" if len(found) > 1 else "the result"
            if array.shape != one.shape or array.dtype != one.dtype.numpy:
                raise TypeError(
                    f"{which} is {array.dtype}{list(array.shape)}, where the rule says "
                    f"{one.dtype.name}{list(one.shape)}"
                )
        call.results = found
        return found[0]

    def _lowered_results(self, operands: Any, form: Form) -> list[np.ndarray]:
        """The same where no operand is the call, which could note what is raised on."""
        try:
            return self._results_of(operands, form)
        except (Exception, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise BodyStopped(without_frames(error)) from None

    def _results_of(self, flat: Any, form: Form) -> list[np.ndarray]:
        """What the body gives for the arrays and then the numbers."""
        arrays = [a for a in flat if isinstance(a, np.ndarray)]
        try:
            given = self.run(self.body, form.tree, arrays, flat[len(arrays) :])
            return [host_order(r) for r in results_of("", form.results, given)]
        except InsideFlushError as error:
            retell(error, _INSIDE)
            raise
