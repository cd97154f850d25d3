# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of a user's as text of the dialect's operations."""

import numpy as np
import pytest
from custom_common import counted

import pyfusion as pf

SCALED = """
    func.func @test_scaled(%x: tensor<?xf32>, %s: f32) -> tensor<?xf32> {
      %0 = fusion.full %s [] : f32 to tensor<f32>
      %1 = fusion.multiply %x, %0 : tensor<?xf32>, tensor<f32>
      return %1 : tensor<?xf32>
    }
"""
scaled = pf.custom.from_ir(SCALED)


@pytest.mark.fused
def test_ir_fuses():
    x = pf.asarray(np.arange(4, dtype=np.float32))

    def f(x, s):
        return pf.exp(scaled(x + 1, s) - 1)

    got, report = counted(f, x, 0.5)
    np.testing.assert_allclose(got, np.exp((np.arange(4) + 1) * 0.5 - 1), rtol=1e-5)
    assert (report.kernels, report.unfused) == (1, [])
    _, report = counted(f, x, 0.25)
    assert report.compiles == 0
    assert len(pf.explain(f, x, 0.5).kernels) == 1
    assert "test_custom_ir.py" in str(_site(lambda: f(x, 0.5)))


def _site(f):
    sites = []

    class Observer:
        def registered(self, operation):
            sites.append(operation.site)

    with pf.observer.install(Observer()):
        f()
    return sites[2]  # the multiplication in the text


def test_ir_is_the_same_everywhere():
    x = np.arange(5, dtype=np.float32)
    pf.testing.assert_same_everywhere(lambda x: scaled(x * 2, 3.0) + 1, x)


EVERY_KIND = """
func.func @test_kinds(%x: tensor<?x3xf32>, %n: index) -> (tensor<?xf32>, tensor<3x?xf32>) {
  %c = fusion.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %0 = fusion.add %x, %c : tensor<?x3xf32>, tensor<3xf32>
  %1 = fusion.sum %0 axes [1] : tensor<?x3xf32>
  %2 = fusion.slice %0[0, 2] [%n, 3] [1, -1] : tensor<?x3xf32> to tensor<?x3xf32>
  %3 = fusion.transpose %2 perm [1, 0] : tensor<?x3xf32>
  return %1, %3 : tensor<?xf32>, tensor<3x?xf32>
}
"""


def test_ir_of_every_kind_with_several_results():
    kinds = pf.custom.from_ir(EVERY_KIND)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    total, part = kinds(x, 2)
    y = x + [1, 2, 3]
    assert np.asarray(total).tolist() == y.sum(1).tolist()
    assert np.asarray(part).tolist() == y[:2, ::-1].T.tolist()
    pf.testing.assert_same_everywhere(lambda x: kinds(x, 3), x)
    with pytest.raises(pf.ShapeError, match="takes 5 elements from 0 by 1 of 4"):
        kinds(x, 5)
    with pytest.raises(pf.ShapeError, match=r"float32\[\?, 3\], not an array of float32\[4, 2\]"):
        kinds(pf.asarray(x[:, :2]), 2)
    with pytest.raises(TypeError, match="argument 1 is an index, not 2.0"):
        kinds(x, 2.0)


OVERLOADED = """
func.func @test_twice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fusion.add %x, %x : tensor<?xf32>, tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @test_twice_matrix(%x: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %0 = fusion.add %x, %x : tensor<?x?xi32>, tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}
"""


def test_ir_of_several_functions():
    twice = pf.custom.from_ir(OVERLOADED)
    assert twice(np.ones(2, np.float32)).tolist() == [2, 2]
    assert twice(np.ones((1, 2), np.int32)).tolist() == [[2, 2]]
    with pytest.raises(pf.DTypeError, match="(?s)takes no .an array of float64.*@test_twice_matr"):
        twice(np.ones(2))


def test_extents_that_meet_must_be_equal():
    add = pf.custom.from_ir("""
        func.func @test_add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
          %0 = fusion.add %x, %y : tensor<?xf32>, tensor<?xf32>
          return %0 : tensor<?xf32>
        }""")
    x, one = np.ones(3, np.float32), np.ones(1, np.float32)
    assert add(one, one).tolist() == [2]
    with pytest.raises(pf.ShapeError, match="extents 1 and 3: only an extent whose type says 1"):
        add(x, one)


@pytest.mark.parametrize(
    "body, match",
    [
        ("%0 = fusion.no_such %x", "no_such"),
        ("%0 = fusion.exp %y : tensor<?xf32>", "undeclared SSA value"),
        ('%0 = fusion.custom_call "numpy.sort"(%x) : (tensor<?xf32>) -> tensor<?xf32>', "may hold"),
    ],
)
def test_wrong_ir_raises_at_the_call(body, match):
    op = pf.custom.from_ir(
        "func.func @test_bad(%x: tensor<?xf32>) -> tensor<?xf32> {" + body + "\n"
        "return %0 : tensor<?xf32> }"
    )
    with pytest.raises(pf.CompileError, match=match):
        op(np.ones(2, np.float32))


BOUNDED = """
func.func @test_bounded(%x: tensor<?xi8>, %v: i8, %n: index) -> tensor<?xi8> {
  %0 = fusion.full %v [%n] : i8 to tensor<?xi8>
  return %0 : tensor<?xi8>
}
"""


def test_numbers_out_of_range_name_the_operation_and_the_argument():
    op = pf.custom.from_ir(BOUNDED)
    x = np.ones(2, np.int8)
    assert op(x, -128, 2).tolist() == [-128, -128]
    for number in (128, -129, 1 << 70):
        with pytest.raises(
            OverflowError, match=r"^custom\.test_bounded: argument 1 is a number of i"
        ):
            op(x, number, 2)
    for extent in (1 << 63, -(1 << 70)):
        with pytest.raises(OverflowError, match=r"test_bounded: argument 2 is an index.*64 bits"):
            op(x, 1, extent)
    for extent, match in ((1 << 62, "larger than the maximum size"), (-1, "negative extent")):
        with pytest.raises(ValueError, match=f"test_bounded: .*{match}"):
            op(x, 1, extent)
    with pytest.raises(TypeError, match=r"^custom\.test_bounded: an argument: arrays of dtype"):
        op(np.array(["a"]), 1, 2)
    wide = pf.custom.from_ir(BOUNDED + BOUNDED.replace("i8", "i64").replace("bounded", "wide"))
    assert wide(np.ones(2, np.int64), 128, 1).tolist() == [128]


PRIVATE = "func.func private @test_private(tensor<?xf32>) -> tensor<?xf32>"


BODY = " { return %x : tensor<?xf32> }"


@pytest.mark.parametrize("text", [PRIVATE, PRIVATE.replace("(t", "(%x: t") + BODY])
@pytest.mark.parametrize("first", [False, True])
def test_private_functions_are_refused(text, first):
    text = text + SCALED if first else SCALED + text
    op = pf.custom.from_ir(text, name="test.private")
    with pytest.raises(pf.CompileError, match="@test_private is not public, and nothing can call"):
        op(np.ones(2, np.float32), 1.0)


def test_of_several_public_functions_that_fit_the_first_is_called():
    other = SCALED.replace("test_scaled", "test_added").replace("multiply", "add")
    both = pf.custom.from_ir(SCALED + other, name="test.several")
    assert both(np.ones(2, np.float32), 3.0).tolist() == [3, 3]
    both = pf.custom.from_ir(other + SCALED, name="test.several_more")
    assert both(np.ones(2, np.float32), 3.0).tolist() == [4, 4]


def test_an_abort_of_the_child_is_an_error_here(monkeypatch):
    from pyfusion.custom import ir_text

    monkeypatch.setattr(ir_text, "_CHILD", "import os; os.abort(); ")
    with pytest.raises(pf.CompileError, match="ended with signal 6"):
        pf.custom.from_ir(SCALED, name="test.abort")(np.ones(2, np.float32), 1.0)


def test_ir_without_a_function():
    with pytest.raises(ValueError, match="no func.func"):
        pf.custom.from_ir("module {}")
