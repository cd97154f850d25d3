# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Develops photographs: white balance, tone curve, unsharp mask, vignette, gamma.

    python examples/photo.py

The photographs are those that scikit-image ships, enlarged to 12 megapixels. `develop` is plain
NumPy code and is called with NumPy and with pyfusion.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import graph
import numpy as np
from PIL import Image
from skimage import data

import pyfusion as pf

MEGAPIXELS = 12


def white_balance(xp: Any, image: Any, strength: float = 0.6) -> Any:
    """The grey-world rule, in part: the means of the channels come nearer to each other."""
    # Rows first: over both axes NumPy would add 12 M f32 one by one, and be off by 1 percent.
    means = xp.mean(xp.mean(image, axis=1), axis=0)
    return image * (1 - strength + strength * xp.mean(means) / means)


def tone_curve(xp: Any, image: Any) -> Any:
    """An S-curve for contrast, over a shoulder that keeps highlights."""
    exposed = image * 1.1
    shoulder = exposed * (1 + exposed * 0.25) / (1 + exposed)
    x = xp.clip(shoulder * 1.5, 0, 1)
    return 0.4 * x + 0.6 * (x * x * (3 - 2 * x))


def unsharp_mask(xp: Any, image: Any, amount: float = 0.8) -> Any:
    """Adds what a 3 x 3 binomial blur takes away; one pixel less at each edge."""
    middle = image[1:-1, 1:-1]
    sides = image[:-2, 1:-1] + image[2:, 1:-1] + image[1:-1, :-2] + image[1:-1, 2:]
    corners = image[:-2, :-2] + image[:-2, 2:] + image[2:, :-2] + image[2:, 2:]
    blurred = 0.25 * middle + 0.125 * sides + 0.0625 * corners
    return xp.clip(middle + amount * (middle - blurred), 0, 1)


def vignette(xp: Any, image: Any, strength: float = 0.35) -> Any:
    """Darkens towards the corners."""
    height, width, _ = image.shape
    y = xp.arange(height, dtype=xp.float32) * (2 / (height - 1)) - 1
    x = xp.arange(width, dtype=xp.float32) * (2 / (width - 1)) - 1
    radius2 = y[:, None] * y[:, None] + x * x
    return image * (1 - strength * radius2 * radius2 / 4)[:, :, None]


def develop(xp: Any, linear: Any) -> Any:
    """From linear light, f32 of 0 to 1, to what a screen shows, f32 of 0 to 1."""
    balanced = white_balance(xp, linear)
    toned = tone_curve(xp, balanced)
    sharp = unsharp_mask(xp, toned)
    return vignette(xp, sharp) ** (1 / 2.2)


def enlarged(photo: np.ndarray) -> np.ndarray:
    """The photograph with about 12 megapixels, in linear light."""
    height, width = photo.shape[:2]
    factor = (MEGAPIXELS * 1e6 / (height * width)) ** 0.5
    size = (round(width * factor), round(height * factor))
    large = Image.fromarray(photo).resize(size, Image.Resampling.BICUBIC)
    return (np.asarray(large, np.float32) / 255) ** 2.2


def save(image: np.ndarray, path: Path) -> None:
    """An image of 0 to 1 as PNG, at a quarter of its width and height."""
    small = np.round(image[::4, ::4] * 255).astype(np.uint8)
    Image.fromarray(small).save(path)


def main() -> None:
    common.OUT.mkdir(exist_ok=True)
    for name in ("coffee", "astronaut", "rocket"):
        photo = enlarged(getattr(data, name)())
        height, width, _ = photo.shape
        title = f"photo {name}, {width} x {height} x 3 f32"
        done = common.compare(title, develop, photo, rounds=3)
        save(photo ** (1 / 2.2), common.OUT / f"photo-{name}-before.png")
        save(done.pyfusion[0], common.OUT / f"photo-{name}-after.png")
    sample = pf.asarray(photo[:64, :64])
    graph.save(lambda x: develop(pf, x), [sample], common.OUT / "photo-fused.svg")
    print(f"  pictures and the fused graph: {common.OUT.name}/photo-*.png, photo-fused.svg")


if __name__ == "__main__":
    main()
