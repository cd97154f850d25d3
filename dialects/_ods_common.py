# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the generated operation classes import from their own package."""

from mlir.dialects._ods_common import *
from mlir.dialects._ods_common import _cext as _cext
