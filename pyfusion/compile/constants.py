# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of the IR as NumPy arrays."""

from __future__ import annotations

import re

import numpy as np
from mlir import ir

from ..dtypes import bfloat16, dtype_of
from .kernel_shape import element_dtype


def constant(attribute: ir.Attribute) -> np.ndarray:
    """The elements of a dense attribute, in its shape and element type."""
    elements = ir.DenseElementsAttr(attribute)
    kind = ir.RankedTensorType(attribute.type)
    dtype = element_dtype(kind.element_type)
    shape = tuple(kind.shape)
    if dtype is bfloat16:
        return _bfloat16(elements, shape)
    array = np.array(elements)
    if dtype_of(array.dtype) is not dtype:
        array = (
            array.view(dtype.numpy)
            if array.itemsize == dtype.itemsize
            else array.astype(dtype.numpy)
        )
    return array.reshape(shape)


def _bfloat16(elements: ir.DenseElementsAttr, shape: tuple[int, ...]) -> np.ndarray:
    """From the text: the bindings give no buffer of bfloat16."""
    kind = bfloat16.numpy
    if elements.is_splat:
        return np.full(shape, ir.FloatAttr(elements.get_splat_value()).value, kind)
    body = str(elements).partition("<")[2].rpartition(">")[0].rpartition(">")[0]
    if body.startswith('"0x'):  # many elements: their bytes
        return np.frombuffer(bytes.fromhex(body[3:-1]), kind).reshape(shape)
    array = np.empty(shape, kind)
    flat, bits = array.reshape(-1), array.view(np.uint16).reshape(-1)
    for number, text in enumerate(re.findall(r"[^\[\],\s]+", body)):
        if text.startswith("0x"):  # a NaN or an infinity: its bits
            bits[number] = int(text, 16)
        else:
            flat[number] = float(text)
    return array
