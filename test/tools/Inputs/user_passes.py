# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Passes of a user, good and bad ones."""

from dataclasses import dataclass

from pyfusion.passes import Pass, option, register_pass


@register_pass
@dataclass(frozen=True)
class CountOps(Pass):
    """Prints how many operations each function has."""

    name = "user-count-ops"
    scale: int = option(1, "What to multiply the number by.")

    def run(self, module, context):
        for op in module.body.operations:
            count = len(list(op.regions[0].blocks[0].operations))
            print(f"// {op.name.value}: {count * self.scale} operations")


@register_pass
@dataclass(frozen=True)
class Misbehave(Pass):
    """Does something bad."""

    name = "user-misbehave"
    how: str = option("raise", "raise, report, break or abort.")

    def run(self, module, context):
        from mlir import ir

        func = module.body.operations[0]
        block = func.regions[0].blocks[0]
        if self.how == "raise":
            raise LookupError("nothing here")
        if self.how == "report":
            func.location.emit_error("not with me")
        elif self.how == "break":
            block.arguments[0].set_type(ir.F64Type.get(module.context))
        else:
            block.operations[0].erase()  # it is used: MLIR aborts


@register_pass
@dataclass(frozen=True)
class Patterns(Pass):
    """Makes negations absolute values, and does not like cosines."""

    name = "user-patterns"
    greedy: bool = option(False, "Until nothing changes.")

    def run(self, module, context):
        from pyfusion.dialects import fusion
        from pyfusion.passes.rewriting import rewrite_greedily, rewrite_once

        def negative(op, rewriter):
            with rewriter.ip, op.location:
                rewriter.replace_op(op, [fusion.abs(op.operand)])
            return True

        def cosine(op, rewriter):
            raise ArithmeticError("a cosine")

        rewrite = rewrite_greedily if self.greedy else rewrite_once
        rewrite(module.operation, [("fusion.negative", negative), ("fusion.cos", cosine)])
