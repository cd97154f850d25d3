# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of saved plans: damaged ones, their format, how they are replaced, their paths."""

import contextlib
import io
import os
import threading
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np
import pytest
from saved_common import compiles_of, matrix, save

import pyfusion as pf
from pyfusion.compile import saved
from pyfusion.stream import engine

pytestmark = pytest.mark.usefixtures("no_plans")


def rewritten(path, change):
    """The file with other members and the digest of them; `change` gets and gives a dict."""
    with zipfile.ZipFile(io.BytesIO(path.read_bytes().partition(b"\n")[2])) as file:
        members = {name: file.read(name) for name in file.namelist()}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in change(members).items():
            file.writestr(name, data)
    path.write_bytes(saved._first_line(archive.getvalue()) + archive.getvalue())


def of_kind(kind, data):
    return lambda members: {n: data if n.endswith(kind) else d for n, d in members.items()}


def empty_archive():
    archive = io.BytesIO()
    zipfile.ZipFile(archive, "w").close()
    return archive.getvalue()


DAMAGES = {
    "no archive": lambda path: path.write_text("no plans"),
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    "bytes within": lambda path: path.write_bytes(
        (data := path.read_bytes())[: len(data) // 2] + bytes(30) + data[len(data) // 2 + 30 :]
    ),
    "no first line": lambda path: path.write_bytes(path.read_bytes().partition(b"\n")[2]),
    "a byte behind": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "a byte in front": lambda path: path.write_bytes(b"x" + path.read_bytes()),
    "twice": lambda path: path.write_bytes(2 * path.read_bytes()),
    "another file's archive": lambda path: path.write_bytes(
        path.read_bytes().partition(b"\n")[0] + b"\n" + empty_archive()
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
    "another format": lambda path: path.write_bytes(
        path.read_bytes().replace(b"pyfusion plans", b"pyfusion blocks", 1)
    ),
    "another version": lambda path: path.write_bytes(path.read_bytes().replace(b"4,", b"3,", 1)),
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


def test_each_byte_counts(tmp_path):
    """Of the archive's directory too, which holds names and lengths that nothing else checks."""
    file = tmp_path / "the-plans"
    save(file)
    saved._loaded.clear()
    good = file.read_bytes()
    directory = good.index(b"PK\x01\x02")
    for place in [*range(0, directory, 97), *range(directory, len(good))]:
        file.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        with pytest.raises(ValueError, match="the-plans "):
            pf.load_plans(file)
    file.write_bytes(good)
    assert pf.load_plans(file) == 1


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

    def run():
        x = matrix()
        np.asarray(pf.exp(x) + 1)

    with pytest.warns(RuntimeWarning, match="the-plans: a plan cannot be used") as given:
        assert compiles_of(run) == 1
    assert [warning.filename for warning in given] == [__file__]
    engine.plans.clear()
    assert compiles_of(run) == 1  # and no word more: warnings are errors here


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

    def fchmod(number, mode):  # the new file is there, and empty
        raise OSError("no space")

    monkeypatch.setattr(os, "fchmod", fchmod)
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
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="symbolic links"):
        save(loop)
    assert loop.is_symlink()


def test_permissions_stay(tmp_path):
    file, link = tmp_path / "plans", tmp_path / "link"
    save(file)
    link.symlink_to(file)
    for mode in (0o600, 0o640):
        file.chmod(mode)
        save(link)
        assert file.stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("function", [pf.save_plans, pf.load_plans], ids=lambda f: f.__name__)
@pytest.mark.parametrize("path", [None, 3, 2.5, ["plans"]], ids=repr)
def test_paths_that_are_none(function, path):
    with pytest.raises(TypeError, match=rf"{function.__name__}: path .*{type(path).__name__}"):
        function(path)


@pytest.mark.parametrize("function", [pf.save_plans, pf.load_plans], ids=lambda f: f.__name__)
@pytest.mark.parametrize("path", ["", b""], ids=repr)
def test_empty_paths(function, path):
    with pytest.raises(ValueError, match=f"{function.__name__}: path is the name of a file"):
        function(path)


def test_absent_files(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        pf.load_plans(tmp_path / "absent")
