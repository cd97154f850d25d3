# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Windows one by one, in float64: what the functions of `pyfusion.nn` are compared with."""

from itertools import product

import numpy as np


def conv(x, w, bias=None, stride=None, padding=None, dilation=None, groups=1):
    """Each output element is the sum over its window, written out."""
    dims = w.ndim - 2
    stride, dilation = stride or (1,) * dims, dilation or (1,) * dims
    padding = padding or (0,) * dims
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    n, c = x.shape[:2]
    o, per_group, *kernel = w.shape
    about = zip(x.shape[2:], kernel, stride, dilation, strict=True)
    out = [(e - d * (k - 1) - 1) // s + 1 for e, k, s, d in about]
    y = np.zeros((n, o, *out))
    for place in product(*map(range, out)):
        for channel in range(o):
            first = channel // (o // groups) * per_group
            for tap in product(*map(range, kernel)):
                at = tuple(
                    p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation, strict=True)
                )
                window = x[(slice(None), slice(first, first + per_group), *at)]
                y[(slice(None), channel, *place)] += window @ w[(channel, slice(None), *tap)]
    return y if bias is None else y + bias.reshape(-1, *[1] * dims)


def conv_transpose(x, w, bias, stride, padding, padding_out, dilation, groups=1):
    """Each input element adds a kernel to the result."""
    dims = w.ndim - 2
    n, c, *spatial = x.shape
    per_group, kernel = w.shape[1], w.shape[2:]
    about = list(zip(spatial, kernel, stride, dilation, strict=True))
    whole = [(e - 1) * s + d * (k - 1) + 1 for e, k, s, d in about]
    y = np.zeros(
        (n, per_group * groups, *[e + po for e, po in zip(whole, padding_out, strict=True)])
    )
    for channel in range(c):
        first = channel // (c // groups) * per_group
        for place in product(*map(range, spatial)):
            for tap in product(*map(range, kernel)):
                at = tuple(
                    p * s + t * d for p, s, t, d in zip(place, stride, tap, dilation, strict=True)
                )
                part = np.outer(x[(slice(None), channel, *place)], w[(channel, slice(None), *tap)])
                y[(slice(None), slice(first, first + per_group), *at)] += part
    cut = tuple(slice(p, e + po - p) for p, e, po in zip(padding, whole, padding_out, strict=True))
    y = y[(slice(None), slice(None), *cut)]
    return y if bias is None else y + bias.reshape(-1, *[1] * dims)


def pool(x, kernel, stride, padding, dilation, out, reduce):
    """`reduce(elements, places, taps)` of the elements of each window that are inside; places are
    row-major, taps counts those that lie in the image or its padding."""
    spatial = x.shape[2:]
    y = np.zeros((*x.shape[:2], *out))
    for n, c in product(*map(range, x.shape[:2])):
        for place in product(*map(range, out)):
            inside, where, taps = [], [], 0
            for tap in product(*map(range, kernel)):
                about = zip(place, stride, tap, dilation, padding, strict=True)
                at = tuple(p * s + t * d - pad for p, s, t, d, pad in about)
                if all(-p <= a < e + p for a, e, p in zip(at, spatial, padding, strict=True)):
                    taps += 1
                if all(0 <= a < e for a, e in zip(at, spatial, strict=True)):
                    inside.append(x[(n, c, *at)])
                    where.append(np.ravel_multi_index(at, spatial))
            y[(n, c, *place)] = reduce(np.array(inside), where, taps)
    return y


def cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def lanczos(d):
    return np.sinc(d) * np.sinc(d / 3) if abs(d) < 3 else 0.0


def resized(x, size, mode, corners):
    """One axis after the other, each element by itself."""
    for axis, out in zip((2, 3), size, strict=True):
        n = x.shape[axis]
        parts = []
        for i in range(out):
            if corners:
                at = i * (n - 1) / (out - 1) if out > 1 else 0.0
            else:
                at = (i + 0.5) * n / out - 0.5
            if mode == "nearest":
                weights = {i * n // out: 1.0}
            elif mode == "nearest-exact":
                weights = {min(int((i + 0.5) * n / out), n - 1): 1.0}
            else:
                low = int(np.floor(at))
                if mode == "bilinear":
                    at = min(max(at, 0.0), n - 1)
                    low = int(np.floor(at))
                    taps = [(low, 1 - (at - low)), (low + 1, at - low)]
                elif mode == "bicubic":
                    taps = [(k, cubic(at - k)) for k in range(low - 1, low + 3)]
                else:
                    taps = [(k, lanczos(at - k)) for k in range(low - 2, low + 4) if 0 <= k < n]
                    total = sum(w for _, w in taps)
                    taps = [(k, w / total) for k, w in taps]
                weights = {}
                for k, w in taps:
                    k = min(max(k, 0), n - 1)
                    weights[k] = weights.get(k, 0.0) + w
            parts.append(sum(w * x.take(k, axis) for k, w in weights.items()))
        x = np.stack(parts, axis)
    return x


def sampled(x, grid, mode, padding, corners):
    """Each point by itself."""
    n, c, h, w = x.shape
    y = np.zeros((n, c, *grid.shape[1:3]))

    def place(at, extent):
        if padding == "reflection":
            low, high = (0, extent - 1) if corners else (-0.5, extent - 0.5)
            if high == low:
                return 0.0
            while not low <= at <= high:
                at = 2 * low - at if at < low else 2 * high - at
        return at if padding == "zeros" else min(max(at, 0), extent - 1)

    def read(item, row, column):
        inside = 0 <= row < h and 0 <= column < w
        return x[item, :, int(row), int(column)] if inside else np.zeros(c)

    for item, i, j in np.ndindex(n, *grid.shape[1:3]):
        gx, gy = grid[item, i, j]
        if corners:
            px, py = (gx + 1) / 2 * (w - 1), (gy + 1) / 2 * (h - 1)
        else:
            px, py = ((gx + 1) * w - 1) / 2, ((gy + 1) * h - 1) / 2
        if mode == "bicubic":
            top, left = np.floor(py), np.floor(px)
            for a, b in product(range(-1, 3), repeat=2):
                weight = cubic(py - top - a) * cubic(px - left - b)
                y[item, :, i, j] += weight * read(item, place(top + a, h), place(left + b, w))
            continue
        px, py = place(px, w), place(py, h)
        if mode == "nearest":
            y[item, :, i, j] = read(item, np.rint(py), np.rint(px))
            continue
        top, left = np.floor(py), np.floor(px)
        for a, b in product(range(2), repeat=2):
            weight = (1 - abs(py - top - a)) * (1 - abs(px - left - b))
            y[item, :, i, j] += weight * read(item, top + a, left + b)
    return y


def deformed(x, offset, w, mask, stride, padding, dilation, groups, moved):
    """Each tap of each window by itself."""
    n, c, h, width = x.shape
    o, per_group, kh, kw = w.shape
    oh, ow = offset.shape[2:]
    y = np.zeros((n, o, oh, ow))
    for item, row, column, i, j in np.ndindex(n, oh, ow, kh, kw):
        for channel in range(c):
            part = channel // (c // moved)
            tap = (part * kh + i) * kw + j
            at_y = row * stride[0] - padding[0] + i * dilation[0]
            at_x = column * stride[1] - padding[1] + j * dilation[1]
            at_y += offset[item, 2 * tap, row, column]
            at_x += offset[item, 2 * tap + 1, row, column]
            value = 0.0
            top, left = np.floor(at_y), np.floor(at_x)
            for a, b in product(range(2), repeat=2):
                if 0 <= top + a < h and 0 <= left + b < width:
                    weight = (1 - abs(at_y - top - a)) * (1 - abs(at_x - left - b))
                    value += weight * x[item, channel, int(top + a), int(left + b)]
            if mask is not None:
                value *= mask[item, tap, row, column]
            for out in range(o):
                if out // (o // groups) == channel // per_group:
                    y[item, out, row, column] += value * w[out, channel % per_group, i, j]
    return y


def ctc(log_probs, target, blank):
    """The probability of a target, summed over every path of labels."""
    frames, classes = log_probs.shape
    total = -np.inf
    for path in product(range(classes), repeat=frames):
        merged = [p for k, p in enumerate(path) if k == 0 or p != path[k - 1]]
        if [p for p in merged if p != blank] == list(target):
            total = np.logaddexp(total, sum(log_probs[t, p] for t, p in enumerate(path)))
    return -total
