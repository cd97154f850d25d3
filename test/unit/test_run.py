# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pyfusion-run: IR from a file, called on arrays."""

import subprocess
import sys

import numpy as np

SOURCE = """
func.func @scale(%x: tensor<?xf32>, %y: tensor<?xf32>, %s: f32) -> (tensor<?xf32>, tensor<f32>) {
  %t = fusion.full %s [] : f32 to tensor<f32>
  %0 = fusion.multiply %x, %t : tensor<?xf32>, tensor<f32>
  %1 = fusion.add %0, %y : tensor<?xf32>, tensor<?xf32>
  %2 = fusion.sum %1 axes [0] : tensor<?xf32>
  return %1, %2 : tensor<?xf32>, tensor<f32>
}
"""


def run(folder, *arguments, source=SOURCE):
    file = folder / "file.mlir"
    file.write_text(source)
    np.save(folder / "x.npy", np.arange(5, dtype=np.float32))
    np.save(folder / "short.npy", np.ones(4, np.float32))
    np.save(folder / "double.npy", np.ones(5))
    command = [sys.executable, "-m", "pyfusion.tools.run", str(file), "--entry", "scale"]
    return subprocess.run(
        [*command, "--args", *arguments], capture_output=True, text=True, cwd=folder
    )


def test_results_are_printed(tmp_path):
    done = run(tmp_path, "x.npy", "x.npy", "2.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split("\n") == ["[ 0.   3.5  7.  10.5 14. ]", "35.", ""]


def test_results_are_written(tmp_path):
    run(tmp_path, "x.npy", "x.npy", "1", "-o", "out")
    assert np.load(tmp_path / "out0.npy").tolist() == [0, 2, 4, 6, 8]
    assert np.load(tmp_path / "out1.npy") == 20


def failure(folder, *arguments, **kwargs):
    done = run(folder, *arguments, **kwargs)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_bad_arguments_are_diagnosed(tmp_path):
    assert "meets extents" in failure(tmp_path, "x.npy", "short.npy", "2")
    assert "3 arguments, not 1" in failure(tmp_path, "x.npy")
    assert "does not take float64" in failure(tmp_path, "double.npy", "x.npy", "2")
    assert "argument 2" in failure(tmp_path, "x.npy", "x.npy", "two")
    assert "none.npy" in failure(tmp_path, "none.npy", "x.npy", "2")


def test_bad_ir_is_diagnosed(tmp_path):
    assert "error" in failure(tmp_path, source="nonsense")
    assert "no function @scale" in failure(tmp_path, source="module {}")
    there = "func.func @scales() { return }"
    assert "did you mean 'scales'?; there are @scales" in failure(tmp_path, source=there)


def test_scalars_of_each_kind(tmp_path):
    source = "func.func @scale(%x: {0}) -> {0} {{ return %x : {0} }}"
    for type_, text, shown in (
        ("bf16", "2.5", "2.5"),
        ("f16", "-1", "-1."),
        ("i1", "true", "True"),
        ("i1", "0", "False"),
        ("ui8", "200", "200"),
        ("index", "-3", "-3"),
    ):
        assert run(tmp_path, text, source=source.format(type_)).stdout == f"{shown}\n"
    for type_, text in (("i1", "2"), ("ui8", "-1"), ("bf16", "x"), ("i32", "1.5")):
        assert f"argument 0: {type_}" in failure(tmp_path, text, source=source.format(type_))


def test_views_are_checked(tmp_path):
    view = """
func.func @scale(%x: tensor<?xf32>, %o: index, %n: index, %t: index) -> tensor<?xf32> {{
  %0 = fusion.{} : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}}
"""
    slices = view.format("slice %x[%o] [%n] [%t]")
    assert run(tmp_path, "x.npy", "4", "5", "-1", source=slices).stdout == "[4. 3. 2. 1. 0.]\n"
    for bounds in (("2", "20", "1"), ("3", "5", "1"), ("-1", "5", "1"), ("0", "5", "0")):
        assert "leave an extent of 5" in failure(tmp_path, "x.npy", *bounds, source=slices)
    shape = ("7", "0", "0")
    assert "not the elements" in failure(
        tmp_path, "x.npy", *shape, source=view.format("reshape %x [%o]")
    )
    assert "does not broadcast" in failure(
        tmp_path, "x.npy", *shape, source=view.format("broadcast %x [%o]")
    )


def test_calls_and_unranked_arguments_are_diagnosed(tmp_path):
    calls = """
func.func @scale(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @scale(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
    assert "calls another one" in failure(tmp_path, "x.npy", source=calls)
    unranked = "func.func @scale(%x: tensor<*xf32>) { return }"
    assert "tensor<*xf32>" in failure(tmp_path, "x.npy", source=unranked)
    missing = str(tmp_path / "no" / "out")
    assert "No such file" in failure(tmp_path, "x.npy", "x.npy", "1", "-o", missing)


OPS = """
import numpy as np, pyfusion as pf
@pf.custom.op
def sorted_(x):
    return np.sort(x)[::-1]
@pf.custom.op(fused=True)
def halved(x):
    return x / 2
"""


def test_custom_operations_of_a_module(tmp_path):
    ops = tmp_path / "ops.py"
    ops.write_text(OPS)
    kind = "(tensor<?xf32>) -> tensor<?xf32>"
    source = f"""
    func.func @scale(%x: tensor<?xf32>) -> tensor<?xf32> {{
      %0 = fusion.custom_call "custom.sorted_"(%x) : {kind}
      %1 = fusion.custom_call "custom.halved"(%0) : {kind}
      return %1 : tensor<?xf32>
    }}
    """
    done = run(tmp_path, "x.npy", "--load", str(ops), source=source)
    assert (done.stdout, done.stderr) == ("[2.  1.5 1.  0.5 0. ]\n", "")
    done = run(tmp_path, "x.npy", source=source)
    assert done.returncode == 1 and "the backend knows no 'custom.sorted_'" in done.stderr
    done = run(tmp_path, "x.npy", "--load", "no_such_module", source=source)
    assert done.returncode == 1 and "--load=no_such_module: ModuleNotFoundError" in done.stderr
