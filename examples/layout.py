# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Places the nodes of a directed acyclic graph in layers, top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Point = tuple[float, float]


class Layout:
    """Where nodes and edges go.

    Attributes:
        centre: the middle of each node.
        routes: for each edge the points it passes between its ends.
        width, height: of the whole.
    """

    def __init__(
        self,
        sizes: Sequence[tuple[float, float]],
        edges: Iterable[tuple[int, int]],
        top: Iterable[int] = (),
        bottom: Iterable[int] = (),
        gap: tuple[float, float] = (14, 22),
    ):
        """`top` and `bottom` are nodes that belong on the first and the last layer."""
        self.sizes = list(sizes)
        self.count = len(self.sizes)
        self.gap = gap
        self.edges = sorted(set(edges))
        self.layer = self._ranks(set(top), set(bottom))
        self._split_long_edges()
        self.rows: list[list[int]] = [[] for _ in range(max(self.layer, default=0) + 1)]
        for node, layer in enumerate(self.layer):
            self.rows[layer].append(node)
        self._order()
        self._place()

    # -- layers ------------------------------------------------------------------------------------

    def _ranks(self, top: set[int], bottom: set[int]) -> list[int]:
        after: list[list[int]] = [[] for _ in range(self.count)]
        waiting = [0] * self.count
        for a, b in self.edges:
            after[a].append(b)
            waiting[b] += 1
        layer = [0 if node in top else 1 if top else 0 for node in range(self.count)]
        ready = [node for node in range(self.count) if not waiting[node]]
        sources = [node for node in ready if node not in top]
        while ready:
            node = ready.pop()
            for follower in after[node]:
                layer[follower] = max(layer[follower], layer[node] + 1)
                waiting[follower] -= 1
                if not waiting[follower]:
                    ready.append(follower)
        for node in sources:  # near to what reads it
            if after[node]:
                layer[node] = min(layer[n] for n in after[node]) - 1
        last = max(layer, default=0)
        if bottom:
            last = max([layer[n] for n in range(self.count) if n not in bottom], default=0) + 1
        for node in bottom:
            layer[node] = last
        return layer

    def _split_long_edges(self) -> None:
        """Each layer that an edge crosses gets a point of no width to pass it at."""
        self.chains: dict[tuple[int, int], list[int]] = {}
        self.links: list[tuple[int, int]] = []
        for a, b in self.edges:
            chain = [a]
            for layer in range(self.layer[a] + 1, self.layer[b]):
                chain.append(len(self.layer))
                self.layer.append(layer)
                self.sizes.append((4, 0))
            chain.append(b)
            self.chains[a, b] = chain
            self.links += zip(chain, chain[1:], strict=False)
        total = len(self.layer)
        self.above: list[list[int]] = [[] for _ in range(total)]
        self.below: list[list[int]] = [[] for _ in range(total)]
        for a, b in self.links:
            self.below[a].append(b)
            self.above[b].append(a)

    # -- order and place ---------------------------------------------------------------------------

    def _order(self) -> None:
        """Sweeps down and up; each node goes to the mean place of its neighbours."""
        for sweep in range(12):
            down = sweep % 2 == 0
            neighbours = self.above if down else self.below
            for row in self.rows if down else reversed(self.rows):
                place = self._places()
                row.sort(
                    key=lambda n: (
                        sum(place[m] for m in neighbours[n]) / len(neighbours[n])
                        if neighbours[n]
                        else place[n]
                    )
                )

    def _places(self) -> list[float]:
        place = [0.0] * len(self.layer)
        for row in self.rows:
            for number, node in enumerate(row):
                place[node] = (number + 0.5) / len(row)
        return place

    def _place(self) -> None:
        x = [0.0] * len(self.layer)
        for row in self.rows:
            self._spread(row, {n: 0.0 for n in row}, x)
        for sweep in range(24):
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                wanted = {}
                for node in row:
                    near = self.above[node] + self.below[node]
                    wanted[node] = sum(x[m] for m in near) / len(near) if near else x[node]
                self._spread(row, wanted, x)
        left = min((x[n] - self.sizes[n][0] / 2 for n in range(len(x))), default=0)
        right = max((x[n] + self.sizes[n][0] / 2 for n in range(len(x))), default=0)
        y = 0.0
        middle, half = [0.0] * len(x), [0.0] * len(x)
        for row in self.rows:
            tall = max((self.sizes[n][1] for n in row), default=0)
            for node in row:
                middle[node], half[node] = y + tall / 2, tall / 2
            y += tall + self.gap[1]
        self.width, self.height = right - left, max(0.0, y - self.gap[1])
        self.centre: list[Point] = [(x[n] - left, middle[n]) for n in range(self.count)]
        self.routes = {  # straight down beside the nodes of each layer
            edge: [(x[n] - left, middle[n] + s * half[n]) for n in chain[1:-1] for s in (-1, 1)]
            for edge, chain in self.chains.items()
        }

    def _spread(self, row: list[int], wanted: dict[int, float], x: list[float]) -> None:
        """As near to the wanted places as the widths and the order allow."""

        def need(a: int, b: int) -> float:
            return (self.sizes[a][0] + self.sizes[b][0]) / 2 + self.gap[0]

        # Runs of nodes that touch move as one, to the mean of where their members want to be.
        runs: list[tuple[list[int], list[float]]] = []
        for node in row:
            run, offsets = [node], [0.0]
            while True:
                start = sum(wanted[n] - o for n, o in zip(run, offsets, strict=True)) / len(run)
                if not runs:
                    break
                before, behind = runs[-1]
                start_before = sum(
                    wanted[n] - o for n, o in zip(before, behind, strict=True)
                ) / len(before)
                step = behind[-1] + need(before[-1], run[0])
                if start_before + step <= start:
                    break
                runs.pop()
                run = before + run
                offsets = behind + [step + o for o in offsets]
            runs.append((run, offsets))
        for run, offsets in runs:
            start = sum(wanted[n] - o for n, o in zip(run, offsets, strict=True)) / len(run)
            for node, offset in zip(run, offsets, strict=True):
                x[node] = start + offset
