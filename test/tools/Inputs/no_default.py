# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A pass whose option has no default."""

from dataclasses import dataclass

from pyfusion.passes import Pass, register_pass


@register_pass
@dataclass(frozen=True)
class NoDefault(Pass):
    """Does nothing."""

    name = "no-default"
    limit: int

    def run(self, module, context):
        pass
