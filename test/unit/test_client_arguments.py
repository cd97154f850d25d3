# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a client is given is checked where it is given: nothing wrong gets into a queue."""

import numpy as np
import pytest

import pyfusion as pf
from pyfusion.client import get_client
from pyfusion.ir.table import OPS, custom_op
from pyfusion.stream.stream import current

ADD = OPS["add"]


@pytest.mark.parametrize("given", [None, 3, b"cpu", ["cpu"], pf.float32])
def test_what_is_no_device(given):
    client = get_client("cpu")
    value = client.create(np.ones(2))
    wanted = "takes a device by its name, such as 'cpu'.*, not " + type(given).__name__
    for call in (get_client, lambda d: client.move(value, d)):
        with pytest.raises(TypeError, match=wanted):
            call(given)
    if given is not None:
        with pytest.raises(TypeError, match="sync " + wanted):
            pf.sync(given)
    for name in ("nope", "", "cpu:0"):
        with pytest.raises(pf.DeviceError, match=f"device '{name}' does not exist"):
            get_client(name)
    assert get_client(client.device) == client


@pytest.mark.parametrize("given", [None, 3, "x", [1.0]])
def test_what_is_no_array(given):
    with pytest.raises(TypeError, match=f"create takes a NumPy array, not {type(given).__name__}"):
        get_client("cpu").create(given)


def test_what_create_takes():
    client = get_client("cpu")
    with pytest.raises(TypeError, match="create takes a NumPy array, not Array: numpy.asarray"):
        client.create(pf.ones(2))
    with pytest.raises(TypeError, match="copy is a bool, not None"):
        client.create(np.ones(2), copy=None)
    with pytest.raises(TypeError, match="are not supported; the types are"):
        client.create(np.array(["a"]))
    assert client.read(client.create(np.float32(2))) == 2


@pytest.mark.parametrize("given", [None, 3, np.ones(2), pf.float32])
def test_what_is_no_value(given):
    client = get_client("cpu")
    for name, call in (("read", client.read), ("move", lambda v: client.move(v, "cpu"))):
        with pytest.raises(TypeError, match=f"{name} takes a Value.* not {type(given).__name__}"):
            call(given)


def test_what_is_no_function():
    client = get_client("cpu")
    with pytest.raises(TypeError, match="run takes a function without arguments, not int"):
        client.run(3)
    with pytest.raises(TypeError, match="sync takes a function without arguments, not str"):
        client.sync("x")
    with pytest.raises(TypeError, match="custom_op takes a name and a function"):
        custom_op("no_function", 3)


@pytest.mark.parametrize(
    "change, error, match",
    [
        ({"op": "add"}, TypeError, r"an operation of ir\.table, such as OPS\['add'\], not 'add'"),
        ({"op": None}, TypeError, "not None"),
        ({"op": OPS["fused"]}, TypeError, "fused is an operation of IR alone"),
        ({"op": OPS["constant"]}, TypeError, "constant is an operation of IR alone"),
        ({"args": ()}, TypeError, r"add takes 2 operands \(lhs, rhs\), not 0"),
        ({"args": (1, 2, 3)}, TypeError, "add takes 2 operands .*, not 3"),
        ({"args": None}, TypeError, "add: the operands are a tuple, not NoneType"),
        ({"args": (1.0, "x")}, TypeError, "add: operand 1 is str, not a Value"),
        ({"args": (None, 1.0)}, TypeError, "add: operand 0 is NoneType"),
        ({"args": (np.ones(3), 1)}, TypeError, "operand 0 is ndarray.*Client.create makes"),
        ({"args": (np.float32(1), 1)}, TypeError, "operand 0 is float32"),
        ({"shape": 3}, TypeError, "add: the shape is 3, not a tuple of ints"),
        ({"shape": None}, TypeError, "add: the shape is None"),
        ({"shape": (True,)}, TypeError, r"add: the shape is \(True,\)"),
        ({"shape": (-3,)}, ValueError, r"add: no array has the shape \(-3,\)"),
        ({"shape": (2**63,)}, ValueError, "add: no array has the shape"),
        ({"shape": (1,) * 65}, ValueError, "at most 64 extents"),
        ({"dtype": None}, TypeError, "add: None names no element type"),
        ({"dtype": "f33"}, TypeError, "add: 'f33' names no element type"),
        ({"attrs": ([0],)}, TypeError, r"add: the attributes are \(\[0\],\), not hashable"),
        (
            {"op": custom_op("takes_values", abs), "attrs": ("x",)},
            TypeError,
            "not pairs of a name and a v",
        ),
        (
            {"op": custom_op("takes_values", abs), "args": (np.ones(3),)},
            TypeError,
            "takes_values: operand 0 is nda",
        ),
        ({"dyn": "abc"}, TypeError, "add: dyn is 'abc', not a tuple of ints"),
    ],
)
def test_what_is_no_record(change, error, match):
    client = get_client("cpu")
    value = client.create(np.ones(3, np.float32))
    good = {"op": ADD, "args": (value, 1.0), "shape": (3,), "dtype": pf.float32}
    pf.flush()
    with pytest.raises(error, match=match):
        client.register(**(good | change))
    assert not current().queue
    same = client.register(**(good | {"args": [value, 1.0], "dtype": "float32"}))
    assert client.read(same).tolist() == [2, 2, 2]
