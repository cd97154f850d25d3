# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops: a full queue is cut where the body of a loop begins, so that few plans serve a long loop.

A queue that is cut wherever it happens to be full is cut at another place of the loop each time,
and each cut makes a new key. So when it is full, the sequence of operations in it is searched for
its period, and it is cut at multiples of that. What follows no period, as a branch that is taken
now and then, is a block of its own. A body longer than the queue is cut at landmarks. Nothing here
decides what is computed: a period that is none only makes blocks that do not come again.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ir.value import Value

_GRAM = 4  # operations in a row that have to come again to propose a period
_TRIES = 6  # proposals that are looked at, of each kind
_LONGEST = 512  # operations of a block of several bodies: compiling takes longer than linearly
_OUTSIDE = -1
_SCALAR = -2
_REMEMBERED = 256

_LONG_GRAM = 8
_GRAMS = 1 << 14

# Of full queues, by the hashes of their tokens: the loop that they are in, or where else to cut.
_seen: dict[int, Loop | int] = {}
# Runs of operations in full queues without a period.
_grams: dict[int, None] = {}


class Loop(NamedTuple):
    """The body of a loop.

    Attributes:
        tokens: what each operation is, see `tokens_of`.
        wiring: what each operation takes, see `_wiring`.
    """

    tokens: list[int]
    wiring: list[tuple[int, ...]]

    def group(self, limit: int) -> int:
        """Bodies in a block: what a full queue holds but for one that stays and one begun."""
        period = len(self.tokens)
        return max(1, min(limit // period - 2, _LONGEST // period))


class Unit(NamedTuple):
    """A body, or the operations between two bodies."""

    length: int
    is_body: bool


def tokens_of(queue: list[Value]) -> list[int]:
    """A number for each operation: its kind, its element type and its attributes."""
    return [hash((v.record[0].code, v.dtype.code, v.record[2])) for v in queue]


def _wiring(queue: list[Value]) -> list[tuple[int, ...]]:
    """For each operation the numbers of those in the queue whose results it takes."""
    numbers = {id(v): number for number, v in enumerate(queue)}
    return [
        tuple(
            [numbers.get(id(a), _OUTSIDE) if a.__class__ is Value else _SCALAR for a in v.record[1]]
        )
        for v in queue
    ]


def cuts(
    known: Loop | None, queue: list[Value], limit: int, goes_on: bool
) -> tuple[Loop | None, list[int]]:
    """Where to cut a full queue.

    Args:
        known: the loop that the stream was in when its queue was full the last time.
        queue: pending values, those that nobody needs taken out.
        limit: the length at which a queue is full.
        goes_on: the queue begins where it was cut the last time.

    Returns:
        The loop that the queue is in, and the lengths of the blocks to run now. What is left of the
        queue is to be kept. No lengths: the whole queue is to be run.
    """
    tokens = tokens_of(queue)
    units = [] if known is None else _units(known, queue, tokens)
    bodies = sum(unit.is_body for unit in units)
    loop = known
    if not goes_on or 3 * (len(units) - bodies) > bodies:
        other = _look_up(queue, tokens)
        if isinstance(other, int):
            if not units:
                return None, [other] if other else []
        elif other is not known:
            found = _units(other, queue, tokens)
            if known is None or not _is_as_good(known, units, other, found):
                loop, units = other, found
    assert loop is not None
    return loop, _cut(loop, units, limit)


def _look_up(queue: list[Value], tokens: list[int]) -> Loop | int:
    """The loop of a queue, searched for if the queue is new; or where to cut it, 0 for nowhere."""
    name = hash(tuple(tokens))
    found = _seen.get(name)
    if found is None:
        while len(_seen) >= _REMEMBERED:
            del _seen[next(iter(_seen))]
        loop = _find(queue, tokens)
        found = _seen[name] = _landmark(queue) if loop is None else loop
    return found


def _landmark(queue: list[Value]) -> int:
    """Where to cut a queue that shows no period, but holds what others have held: the body of the
    loop is longer than the queue. A place in its second half that depends on nothing but the
    operations there: so it is found again in the next bodies, wherever the queue begins. 0 if most
    of the queue is new."""
    # No attributes: the hashes of strings in them differ between processes, which may share plans.
    tokens = [hash((v.record[0].code, v.dtype.code)) for v in queue]
    count = len(tokens) - _LONG_GRAM
    grams = [hash(tuple(tokens[place : place + _LONG_GRAM])) for place in range(count)]
    known = sum(gram in _grams for gram in grams)
    while len(_grams) + count > _GRAMS and _grams:
        del _grams[next(iter(_grams))]
    _grams.update(dict.fromkeys(grams))
    if 4 * known < 3 * count or count < 2 * _LONG_GRAM:
        return 0
    return min(range(len(tokens) // 2, count), key=grams.__getitem__)


def _is_as_good(loop: Loop, units: list[Unit], other: Loop, others: list[Unit]) -> bool:
    """Whether two loops are one, taken to begin at different places, and the first place is no
    worse for a queue that gives these units."""
    if not units or len(loop.tokens) != len(other.tokens):
        return False
    if not others:
        return True
    first = units[0].is_body or not others[0].is_body
    return first and sum(u.is_body for u in units) >= sum(u.is_body for u in others)


def parts(loop: Loop, queue: list[Value], limit: int) -> list[int]:
    """The lengths of the blocks of a queue that is run to its end, its beginning having been cut
    off: groups as before, and one block of what remains."""
    lengths = _cut(loop, _units(loop, queue, tokens_of(queue)), limit)
    rest = len(queue) - sum(lengths)
    return [*lengths, rest] if rest else lengths


# --- Cutting --------------------------------------------------------------------------------------


def _units(loop: Loop, queue: list[Value], tokens: list[int]) -> list[Unit]:
    """The bodies in the queue and what is between them; the end that is no body is left out.

    Nothing if the bodies are less than half of it.
    """
    body = loop.tokens
    period = len(body)
    count = len(tokens)
    work = 16 * count  # keeps the time linear
    found: list[Unit] = []
    bodies = 0
    start = place = 0
    in_step = False  # right behind a body: what looks like one is one
    while place + period <= count and work > 0:
        work -= period
        if tokens[place : place + period] == body and (
            in_step or _wiring(queue[place : place + period]) == loop.wiring
        ):
            if start < place:
                found.append(Unit(place - start, False))
            found.append(Unit(period, True))
            bodies += 1
            start = place = place + period
            in_step = True
            continue
        in_step = False
        try:
            place = tokens.index(body[0], place + 1)
        except ValueError:
            break
    return found if 2 * bodies * period >= count else []


def _cut(loop: Loop, units: list[Unit], limit: int) -> list[int]:
    """The lengths of the blocks that can be cut off.

    The last unit stays: while it was recorded, the program let go of what it held of those before.
    Bodies that are too few for a group stay too, unless something else follows them.
    """
    period = len(loop.tokens)
    group = loop.group(limit)
    lengths: list[int] = []
    bodies = 0
    for unit in units[:-1]:
        if unit.is_body:
            bodies += 1
            if bodies == group:
                lengths.append(bodies * period)
                bodies = 0
            continue
        size = group
        while bodies:  # groups of few sizes, so that few plans serve any number
            size = max(size // 4, 1)
            lengths += [size * period] * (bodies // size)
            bodies %= size
        lengths.append(unit.length)
    return lengths


# --- Finding the period ---------------------------------------------------------------------------


def _find(queue: list[Value], tokens: list[int]) -> Loop | None:
    """The loop whose body comes again in most of the queue, if it does in three quarters of it."""
    wiring = _wiring(queue)
    best: tuple[int, int, int, int] | None = None
    for period in sorted(_proposals(tokens, wiring)):
        covered, start, end = _coverage(tokens, wiring, period)
        if 4 * covered >= 3 * len(tokens) and (best is None or covered > best[0]):
            best = covered, period, start, end
    if best is None:
        return None
    _, period, start, end = best
    first = _narrowest(wiring, period, start, end)
    place = slice(first, first + period)
    return Loop(tokens[place], _wiring(queue[place]))


def _proposals(tokens: list[int], wiring: list[tuple[int, ...]]) -> set[int]:
    """The distances at which operations most often come again."""
    count = len(tokens)
    relative = [
        hash((token, tuple([place - a if a >= 0 else a for a in args])))
        for place, (token, args) in enumerate(zip(tokens, wiring, strict=True))
    ]
    found: set[int] = set()
    for sequence in (tokens, relative):
        last: dict[tuple[int, ...], int] = {}
        votes: dict[int, int] = {}
        for place in range(count - _GRAM + 1):
            gram = tuple(sequence[place : place + _GRAM])
            distance = place - last.get(gram, place)
            last[gram] = place
            if 0 < distance <= count // 2:
                votes[distance] = votes.get(distance, 0) + 1
        found.update(sorted(votes, key=lambda d: (-votes[d], d))[:_TRIES])
    return found


def _coverage(
    tokens: list[int], wiring: list[tuple[int, ...]], period: int
) -> tuple[int, int, int]:
    """How many operations are in stretches of at least two bodies, and where the longest one starts
    and ends."""
    least = max(period, 2 * _GRAM)
    covered = longest = start = end = begin = 0
    last = len(tokens) - period
    for place in range(last + 1):
        same = place < last and tokens[place] == tokens[place + period]
        if same and _alike(wiring[place], wiring[place + period], begin, period):
            continue
        if place - begin >= least:
            covered += place - begin + period
            if place - begin > longest:
                longest = place - begin
                start, end = begin, place + period
        begin = place if same else place + 1
    return covered, start, end


def _alike(one: tuple[int, ...], other: tuple[int, ...], begin: int, period: int) -> bool:
    """Whether an operation of a stretch takes what the one a period later does: what was computed a
    period before that, or the same; in the first body something from before the stretch."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other, strict=True):
        if a == b or (b - a == period and a >= 0):
            continue
        if a == _SCALAR or a >= begin or not begin <= b < begin + period:
            return False
    return True


def _narrowest(wiring: list[tuple[int, ...]], period: int, start: int, end: int) -> int:
    """The first place at or after the start of a stretch where the fewest results are needed on
    both sides: a cut there writes least."""
    last_use = list(range(len(wiring)))
    for place, args in enumerate(wiring):
        for a in args:
            if a >= 0:
                last_use[a] = place
    crossing = [0] * (len(wiring) + 2)
    for place, last in enumerate(last_use):
        crossing[place + 1] += 1
        crossing[last + 1] -= 1
    for place in range(1, len(crossing)):
        crossing[place] += crossing[place - 1]
    # Counted a body later, where the loop is under way.
    shift = period if start + 2 * period < end else 0
    return min(range(start, start + period), key=lambda place: crossing[place + shift])
