# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans written to a file and read again, in this process and in another."""

import contextlib
import os
import subprocess
import sys
import threading
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from fake_gpu import fake_gpus

import pyfusion as pf
from pyfusion.compile import saved
from pyfusion.runtime.statistics import statistics
from pyfusion.stream import engine

PROGRAM = """
import numpy as np, pyfusion as pf, sys
from pyfusion.runtime.statistics import statistics
def f(x):
    y = pf.exp(x * 2 + 1)
    return y.sum(axis=0), y @ y.T, y[::2, ::-1] + 0, pf.argmax(y), pf.sort(y)
x = pf.asarray(np.linspace(0, 1, 12, dtype="float32").reshape(3, 4))
"""

WRITE = """
pf.config.keep_plans = True
found = f(x)
np.savez(sys.argv[2], *map(np.asarray, found))
assert pf.save_plans(sys.argv[1]) == 1
"""

READ = """
assert pf.load_plans(sys.argv[1]) == 1
found = f(x)
for got, want in zip(map(np.asarray, found), np.load(sys.argv[2]).values()):
    assert (got == want).all() and got.dtype == want.dtype
assert (statistics.loaded, statistics.compiles) == (1, 0)
y = pf.asarray(np.ones((5, 9), "float32"))  # other lengths
kept = f(y)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 0
z = pf.asarray(np.ones((5, 9)))  # another type
kept = f(z)
assert np.asarray(kept[0]).size == 9 and statistics.compiles == 1
"""


@pytest.fixture(autouse=True)
def forget():
    engine.plans.clear()
    yield
    saved._loaded.clear()
    engine.plans.clear()


def test_another_process_does_not_compile(tmp_path):
    files = [str(tmp_path / "plans"), str(tmp_path / "values.npz")]
    for part in (WRITE, READ):
        command = [sys.executable, "-c", PROGRAM + part, *files]
        subprocess.run(command, check=True, timeout=120)


def test_plans_of_a_gpu_serve_the_others_of_its_kind(tmp_path):
    def run(device):
        x = pf.asarray(np.arange(6.0).reshape(2, 3), device=device)
        return np.asarray((x.T + 1).sum(axis=0) * 2)

    with fake_gpus(), pf.config.scope(keep_plans=True):
        want = run("cuda:0")
        assert pf.save_plans(tmp_path / "plans") == 1
        engine.plans.clear()
        assert pf.load_plans(tmp_path / "plans") == 1
        before = statistics.compiles
        np.testing.assert_array_equal(run("cuda:1"), want)
        assert statistics.compiles == before
        run("cpu")  # of another kind
        assert statistics.compiles == before + 1
        engine.plans.clear()


def test_only_kept_plans_are_written(tmp_path):
    np.asarray(pf.ones(3) + 1)
    assert pf.save_plans(tmp_path / "plans") == 0


def compiles_of(run):
    before = statistics.compiles
    run()
    return statistics.compiles - before


def matrix(shape=(3, 4), dtype="float32"):
    return pf.asarray(np.arange(float(np.prod(shape)), dtype=dtype).reshape(shape))


def evaluate(function, *arrays):
    """Reads the results; the arrays are held by the caller."""
    found = function(*arrays)
    for one in found if isinstance(found, tuple) else (found,):
        np.asarray(one)


def precision(second):
    with pf.config.scope(precision="fast" if second else "strict"):
        evaluate(lambda x: x * 2 + 1, matrix(dtype="float16"))


def dying_leaves(second):
    if second:
        result = matrix() + 1
    else:
        x = matrix()
        result = x + 1
    np.asarray(result)


def contiguity(second):
    x = np.arange(24, dtype="float32").reshape(4, 6)
    x = pf.asarray(x.T if second else x, copy=False)
    evaluate(lambda x: x + 1, x)


def masks_of_leaves(second):
    """The results' extents are the same."""
    evaluate(lambda x: x.sum(axis=1), matrix((3, 1) if second else (3, 4)))


def masks_of_operations(second):
    """The arguments' extents are the same."""
    shape = (12, 1) if second else (6, 2)
    evaluate(lambda x: x.reshape(shape).sum(axis=1), matrix())


def static_attributes(second):
    evaluate(lambda x: x.sum(axis=int(second)), matrix())


def types_of_leaves(second):
    evaluate(lambda x: x > 1, matrix(dtype="float64" if second else "float32"))


def types_of_operations(second):
    evaluate(lambda x: x.astype("float64" if second else "int64"), matrix())


def operations(second):
    evaluate(lambda x: x - x if second else x + x, matrix())


def arguments(second):
    evaluate(lambda x, y: x * y - (y if second else x), matrix(), matrix())


def survivors(second):
    def function(x):
        y = pf.exp(x)
        return (y + 1, y) if second else y + 1

    evaluate(function, matrix())


@pytest.mark.host
@pytest.mark.parametrize(
    "part",
    [
        precision,
        dying_leaves,
        contiguity,
        masks_of_leaves,
        masks_of_operations,
        static_attributes,
        types_of_leaves,
        types_of_operations,
        operations,
        arguments,
        survivors,
    ],
    ids=lambda part: part.__name__,
)
def test_a_plan_fits_blocks_of_its_key_alone(tmp_path, part):
    with pf.config.scope(keep_plans=True):
        part(False)
    assert pf.save_plans(tmp_path / "plans") >= 1
    engine.plans.clear()
    pf.load_plans(tmp_path / "plans")
    assert compiles_of(lambda: part(False)) == 0
    assert compiles_of(lambda: part(True)) == 1


def save(path, function=lambda x: pf.exp(x) + 1):
    with pf.config.scope(keep_plans=True):
        evaluate(function, matrix())
    return pf.save_plans(path)


def test_loaded_plans_are_kept_when_others_are_saved(tmp_path):
    file = tmp_path / "plans"
    assert save(file) == 1
    engine.plans.clear()
    assert pf.load_plans(str(file)) == 1  # and nothing uses it
    assert save(str(file).encode(), lambda x: pf.log(x + 1)) == 2
    saved._loaded.clear()
    engine.plans.clear()
    assert pf.load_plans(file) == 2
    assert compiles_of(lambda: evaluate(lambda x: pf.exp(x) + 1, matrix())) == 0


def rewritten(path, change):
    """The file with other members; `change` gets and gives a dict."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w") as file:
        for name, data in change(members).items():
            file.writestr(name, data)


def of_kind(kind, data):
    return lambda members: {n: data if n.endswith(kind) else d for n, d in members.items()}


DAMAGES = {
    "no archive": lambda path: path.write_text("no plans"),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "bytes within": lambda path: path.write_bytes(
        (data := path.read_bytes())[: len(data) // 2] + bytes(30) + data[len(data) // 2 + 30 :]
    ),
    "no format": lambda path: rewritten(
        path, lambda m: {n: d for n, d in m.items() if n != "format"}
    ),
    "no code": lambda path: rewritten(
        path, lambda m: {n: d for n, d in m.items() if not n.endswith("mlirbc")}
    ),
    "no literal": lambda path: rewritten(path, of_kind(".plan", b"open('x')")),
    "no dict": lambda path: rewritten(path, of_kind(".plan", b"[1, 2]")),
    "a wrong part": lambda path: rewritten(path, of_kind(".plan", b"{'slots': '1'}")),
    "a wrong step": lambda path: rewritten(
        path,
        of_kind(
            ".plan",
            b"{'slots': 1, 'results': [], 'steps': [('view',)], 'variants': {}, 'refusals': []}",
        ),
    ),
    "no text": lambda path: rewritten(path, of_kind(".plan", bytes([200, 200]))),
    "no bytecode": lambda path: rewritten(path, of_kind(".mlirbc", b"module {}")),
    "another format": lambda path: rewritten(path, of_kind("format", b"pyfusion plans 0")),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files(tmp_path, damage):
    file = tmp_path / "the-plans"
    save(file)
    saved._loaded.clear()
    DAMAGES[damage](file)
    with pytest.raises(ValueError, match=r"the-plans .*: write it again with pf\.save_plans"):
        pf.load_plans(file)
    assert not saved._loaded


def test_damaged_data_of_zlib(tmp_path, monkeypatch):
    """What decompression raises, whichever byte it meets."""
    file = tmp_path / "the-plans"
    save(file)

    def read(self, name):
        raise zlib.error("invalid block type")

    monkeypatch.setattr(zipfile.ZipFile, "read", read)
    with pytest.raises(ValueError, match="the-plans .*invalid block type"):
        pf.load_plans(file)


def test_code_that_mlir_does_not_read(tmp_path):
    file = tmp_path / "the-plans"
    save(file)
    engine.plans.clear()
    rewritten(file, of_kind(".mlirbc", b"ML\xefR" + bytes(8)))
    assert pf.load_plans(file) == 1
    with pf.config.scope(strict=True), pytest.raises(pf.CompileError, match="the-plans"):
        evaluate(lambda x: pf.exp(x) + 1, matrix())


def test_the_format_names_version_and_libraries(tmp_path, monkeypatch):
    format_of = saved.format_of_this_process
    first = format_of()
    assert format_of() is first  # once in a process
    other_version = first.replace(f"pyfusion {pf.__version__},", "pyfusion 9.8.7,")
    monkeypatch.setattr(pf, "__version__", "9.8.7")
    assert format_of.__wrapped__() == other_version != first
    monkeypatch.undo()
    other = tmp_path / "library"
    other.write_bytes(b"another")
    for module, name, new in [
        (saved.library, "load", lambda: SimpleNamespace(path=str(other))),
        (saved.dialects, "library_file", lambda: other),
    ]:
        monkeypatch.setattr(module, name, new)
        assert format_of.__wrapped__() != first
        monkeypatch.undo()
    assert format_of.__wrapped__() == first


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    file = tmp_path / "plans"
    save(file)
    before = file.read_bytes()

    def writestr(self, name, data):
        if name != "format":
            raise OSError("no space")
        write(self, name, data)

    write = zipfile.ZipFile.writestr
    monkeypatch.setattr(zipfile.ZipFile, "writestr", writestr)
    with pytest.raises(OSError, match="no space"):
        pf.save_plans(file)
    monkeypatch.undo()
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["plans"]
    with pytest.raises(FileNotFoundError, match="absent/plans"):
        pf.save_plans(tmp_path / "absent" / "plans")


@pytest.mark.parametrize("linked", [False, True])
def test_only_regular_files_are_replaced(tmp_path, linked):
    """A device would be gone for the whole machine; a pipe stands for it."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with pytest.raises(ValueError, match="pipe is no regular file"):
        save(link if linked else pipe)
    assert pipe.is_fifo() and sorted(tmp_path.iterdir()) == [link, pipe]
    with pytest.raises(ValueError, match="is no regular file"):
        save(tmp_path)


def test_only_regular_files_are_read(tmp_path):
    """Others need not end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write():
        with contextlib.suppress(BrokenPipeError):
            pipe.write_bytes(b"no plans")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        with pytest.raises(ValueError, match="pipe is no regular file"):
            pf.load_plans(pipe)
    finally:
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # lets the writer go
        writer.join()
        os.close(reader)


def test_a_link_stays_a_link(tmp_path):
    file, link = tmp_path / "plans", tmp_path / "link"
    link.symlink_to(file)
    save(link)
    assert link.is_symlink() and pf.load_plans(file) == 1


@pytest.mark.parametrize("function", [pf.save_plans, pf.load_plans], ids=lambda f: f.__name__)
@pytest.mark.parametrize("path", [None, 3, 2.5, ["plans"]], ids=repr)
def test_paths_that_are_none(function, path):
    with pytest.raises(TypeError, match=rf"{function.__name__}: path .*{type(path).__name__}"):
        function(path)


def test_absent_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        pf.load_plans(tmp_path / "absent")
