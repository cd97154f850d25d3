// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element-wise operations: arithmetic, math, comparison, logic, bits.
#ifndef FUSION_ELEMENTWISE
#define FUSION_ELEMENTWISE

include "FusionBase.td"

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

class Fusion_Unary<string mnemonic, string numpy, Type operandType,
                   list<Trait> traits = []>
    : Fusion_Op<mnemonic, "elementwise",
                !listconcat([Pure, SameOperandsAndResultType,
                             Fusion_Elementwise], traits)> {
  let arguments = (ins operandType:$operand);
  let results = (outs operandType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
  let hasFolder = 1;
  let fusionNumpy = numpy;
}

class Fusion_Math<string mnemonic, string numpy = mnemonic>
    : Fusion_Unary<mnemonic, numpy, Fusion_FloatTensor> {
  let fusionCost = "math";
  // Folding would call the host's library, whose results differ in last bits.
  let hasFolder = 0;
}

class Fusion_UnaryPredicate<string mnemonic>
    : Fusion_Op<mnemonic, "elementwise",
                [Pure, Fusion_Elementwise,
                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let arguments = (ins Fusion_Tensor:$operand);
  let results = (outs Fusion_BoolTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
  let fusionNumpy = mnemonic;
  let extraClassDefinition = Fusion_Infer<"predicate(operands)">.definition;
}

class Fusion_Binary<string mnemonic, string numpy, Type operandType,
                    list<Trait> traits = []>
    : Fusion_Op<mnemonic, "elementwise",
                !listconcat([Pure, Fusion_Elementwise,
                             DeclareOpInterfaceMethods<InferTypeOpInterface>],
                            traits)> {
  let arguments = (ins operandType:$lhs, operandType:$rhs);
  let results = (outs operandType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasFolder = 1;
  let fusionNumpy = numpy;
  let extraClassDefinition = Fusion_Infer<"elementwise(operands)">.definition;
}

class Fusion_Compare<string mnemonic, list<Trait> traits = []>
    : Fusion_Op<mnemonic, "elementwise",
                !listconcat([Pure, Fusion_Elementwise,
                             DeclareOpInterfaceMethods<InferTypeOpInterface>],
                            traits)> {
  let arguments = (ins Fusion_Tensor:$lhs, Fusion_Tensor:$rhs);
  let results = (outs Fusion_BoolTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasFolder = 1;
  let fusionNumpy = mnemonic;
  let extraClassDefinition = Fusion_Infer<"predicate(operands)">.definition;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// On i1, add is a logical or and multiply a logical and, as in NumPy.
def Fusion_AddOp : Fusion_Binary<"add", "add", Fusion_Tensor, [Commutative]> {
  let summary = "addition; integers wrap, booleans: logical or";
  let hasCanonicalizeMethod = 1;
}
def Fusion_SubtractOp
    : Fusion_Binary<"subtract", "subtract", Fusion_NumberTensor> {
  let summary = "subtraction; integers wrap";
  let hasCanonicalizeMethod = 1;
}
def Fusion_MultiplyOp
    : Fusion_Binary<"multiply", "multiply", Fusion_Tensor, [Commutative]> {
  let summary = "multiplication; integers wrap, booleans: logical and";
  let hasCanonicalizeMethod = 1;
}
def Fusion_DivideOp : Fusion_Binary<"divide", "divide", Fusion_FloatTensor> {
  let summary = "IEEE 754 division";
  let hasCanonicalizeMethod = 1;
}
def Fusion_FloorDivideOp
    : Fusion_Binary<"floor_divide", "floor_divide", Fusion_NumberTensor> {
  let summary = "floor of the quotient, as Python's //";
  let description = [{
    Integers: x // 0 is 0 and the lowest value // -1 is itself. Floats: derived
    from the exact remainder, as Python's divmod.
  }];
}
def Fusion_RemainderOp
    : Fusion_Binary<"remainder", "remainder", Fusion_NumberTensor> {
  let summary = "remainder with the sign of the divisor, as Python's %";
  let description = [{
    Integers: x % 0 is 0 and the lowest value % -1 is 0. Floats: exact.
  }];
}
def Fusion_PowOp : Fusion_Binary<"pow", "power", Fusion_NumberTensor> {
  let summary = "power; integers by repeated squaring, which wraps";
  let description = [{
    Floats: IEEE 754 pow. A negative integer exponent gives the integer part of
    the exact result: 0 but for bases 1 and -1.
  }];
  let fusionCost = "math";
}
def Fusion_Atan2Op : Fusion_Binary<"atan2", "arctan2", Fusion_FloatTensor> {
  let summary = "angle of the point (rhs, lhs)";
  let fusionCost = "math";
  let hasFolder = 0;
}
def Fusion_HypotOp
    : Fusion_Binary<"hypot", "hypot", Fusion_FloatTensor, [Commutative]> {
  let summary = "square root of lhs^2 + rhs^2, without overflow on the way";
  let fusionCost = "math";
  let hasFolder = 0;
}
def Fusion_LogaddexpOp
    : Fusion_Binary<"logaddexp", "logaddexp", Fusion_FloatTensor, [Commutative]> {
  let summary = "logarithm of e to the lhs + e to the rhs";
  let fusionCost = "math";
  let hasFolder = 0;
}
def Fusion_MaximumOp
    : Fusion_Binary<"maximum", "maximum", Fusion_Tensor, [Commutative]> {
  let summary = "larger of two values; NaN wins, +0 is above -0";
}
def Fusion_MinimumOp
    : Fusion_Binary<"minimum", "minimum", Fusion_Tensor, [Commutative]> {
  let summary = "smaller of two values; NaN wins, -0 is below +0";
}
def Fusion_NegativeOp
    : Fusion_Unary<"negative", "negative", Fusion_NumberTensor> {
  let summary = "negation; integers wrap";
}
def Fusion_AbsOp : Fusion_Unary<"abs", "absolute", Fusion_Tensor, [Idempotent]> {
  let summary = "absolute value; the lowest integer is its own";
}
def Fusion_SignOp : Fusion_Unary<"sign", "sign", Fusion_NumberTensor> {
  let summary = "-1, 0 or 1; NaN stays NaN and zeros give +0";
}
def Fusion_FloorOp : Fusion_Unary<"floor", "floor", Fusion_FloatTensor> {
  let summary = "round toward minus infinity";
}
def Fusion_CeilOp : Fusion_Unary<"ceil", "ceil", Fusion_FloatTensor> {
  let summary = "round toward plus infinity";
}
def Fusion_TruncOp : Fusion_Unary<"trunc", "trunc", Fusion_FloatTensor> {
  let summary = "round toward zero";
}
def Fusion_RoundOp : Fusion_Unary<"round", "rint", Fusion_FloatTensor> {
  let summary = "round to nearest, ties to even";
}
def Fusion_ClampOp
    : Fusion_Op<"clamp", "elementwise",
                [Pure, Fusion_Elementwise,
                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "minimum(maximum(x, lo), hi); NaN wins";
  let arguments = (ins Fusion_NumberTensor:$operand, Fusion_NumberTensor:$lo,
                       Fusion_NumberTensor:$hi);
  let results = (outs Fusion_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `,` $lo `,` $hi attr-dict `:` type($operand) `,` type($lo) `,`
    type($hi)
  }];
  let hasFolder = 1;
  let fusionNumpy = "clip";
  let extraClassDefinition = Fusion_Infer<"elementwise(operands)">.definition;
}

//===----------------------------------------------------------------------===//
// Math functions
//===----------------------------------------------------------------------===//

def Fusion_ExpOp : Fusion_Math<"exp"> { let summary = "e to the x"; }
def Fusion_Exp2Op : Fusion_Math<"exp2"> { let summary = "2 to the x"; }
def Fusion_Expm1Op : Fusion_Math<"expm1"> { let summary = "e to the x, less 1"; }
def Fusion_LogOp : Fusion_Math<"log"> { let summary = "natural logarithm"; }
def Fusion_Log2Op : Fusion_Math<"log2"> { let summary = "logarithm of base 2"; }
def Fusion_Log10Op : Fusion_Math<"log10"> {
  let summary = "logarithm of base 10";
}
def Fusion_Log1pOp : Fusion_Math<"log1p"> { let summary = "log of 1 + x"; }
def Fusion_SqrtOp : Fusion_Math<"sqrt"> {
  let summary = "square root, correctly rounded";
  let fusionCost = "cheap";
}
def Fusion_RsqrtOp : Fusion_Math<"rsqrt", ""> {
  let summary = "1 / sqrt(x), of -0 -inf";
}
def Fusion_CbrtOp : Fusion_Math<"cbrt"> { let summary = "cube root"; }
def Fusion_SinOp : Fusion_Math<"sin"> { let summary = "sine of radians"; }
def Fusion_CosOp : Fusion_Math<"cos"> { let summary = "cosine of radians"; }
def Fusion_TanOp : Fusion_Math<"tan"> { let summary = "tangent of radians"; }
def Fusion_AsinOp : Fusion_Math<"asin", "arcsin"> {
  let summary = "inverse sine, in radians";
}
def Fusion_AcosOp : Fusion_Math<"acos", "arccos"> {
  let summary = "inverse cosine, in radians";
}
def Fusion_AtanOp : Fusion_Math<"atan", "arctan"> {
  let summary = "inverse tangent, in radians";
}
def Fusion_SinhOp : Fusion_Math<"sinh"> { let summary = "hyperbolic sine"; }
def Fusion_CoshOp : Fusion_Math<"cosh"> { let summary = "hyperbolic cosine"; }
def Fusion_TanhOp : Fusion_Math<"tanh"> { let summary = "hyperbolic tangent"; }
def Fusion_AsinhOp : Fusion_Math<"asinh", "arcsinh"> {
  let summary = "inverse hyperbolic sine";
}
def Fusion_AcoshOp : Fusion_Math<"acosh", "arccosh"> {
  let summary = "inverse hyperbolic cosine";
}
def Fusion_AtanhOp : Fusion_Math<"atanh", "arctanh"> {
  let summary = "inverse hyperbolic tangent";
}
def Fusion_SigmoidOp : Fusion_Math<"sigmoid", ""> {
  let summary = "1 / (1 + e to the -x)";
}
def Fusion_ErfOp : Fusion_Math<"erf", ""> { let summary = "error function"; }
def Fusion_ErfcOp : Fusion_Math<"erfc", ""> {
  let summary = "1 less the error function";
}
def Fusion_LgammaOp : Fusion_Math<"lgamma", ""> {
  let summary = "logarithm of the absolute value of the gamma function";
}
def Fusion_SincOp : Fusion_Math<"sinc", "sinc"> {
  let summary = "sin(pi x) / (pi x), and 1 at 0";
}

//===----------------------------------------------------------------------===//
// Comparison, logic, bits, selection, conversion
//===----------------------------------------------------------------------===//

def Fusion_EqualOp : Fusion_Compare<"equal", [Commutative]> {
  let summary = "x == y";
}
def Fusion_NotEqualOp : Fusion_Compare<"not_equal", [Commutative]> {
  let summary = "x != y";
}
def Fusion_LessOp : Fusion_Compare<"less"> { let summary = "x < y"; }
def Fusion_LessEqualOp : Fusion_Compare<"less_equal"> { let summary = "x <= y"; }
def Fusion_GreaterOp : Fusion_Compare<"greater"> { let summary = "x > y"; }
def Fusion_GreaterEqualOp : Fusion_Compare<"greater_equal"> {
  let summary = "x >= y";
}
def Fusion_IsnanOp : Fusion_UnaryPredicate<"isnan"> {
  let summary = "whether x is NaN; false for integers";
}
def Fusion_IsinfOp : Fusion_UnaryPredicate<"isinf"> {
  let summary = "whether x is infinite; false for integers";
}
def Fusion_IsfiniteOp : Fusion_UnaryPredicate<"isfinite"> {
  let summary = "whether x is neither NaN nor infinite";
}

def Fusion_LogicalAndOp : Fusion_Binary<"logical_and", "logical_and",
                                        Fusion_BoolTensor, [Commutative]> {
  let summary = "logical and";
}
def Fusion_LogicalOrOp : Fusion_Binary<"logical_or", "logical_or",
                                       Fusion_BoolTensor, [Commutative]> {
  let summary = "logical or";
}
def Fusion_LogicalXorOp : Fusion_Binary<"logical_xor", "logical_xor",
                                        Fusion_BoolTensor, [Commutative]> {
  let summary = "logical exclusive or";
}
def Fusion_LogicalNotOp
    : Fusion_Unary<"logical_not", "logical_not", Fusion_BoolTensor,
                   [Involution]> {
  let summary = "logical not";
}
def Fusion_BitwiseAndOp : Fusion_Binary<"bitwise_and", "bitwise_and",
                                        Fusion_BitsTensor, [Commutative]> {
  let summary = "bitwise and";
}
def Fusion_BitwiseOrOp : Fusion_Binary<"bitwise_or", "bitwise_or",
                                       Fusion_BitsTensor, [Commutative]> {
  let summary = "bitwise or";
}
def Fusion_BitwiseXorOp : Fusion_Binary<"bitwise_xor", "bitwise_xor",
                                        Fusion_BitsTensor, [Commutative]> {
  let summary = "bitwise exclusive or";
}
def Fusion_BitwiseInvertOp
    : Fusion_Unary<"bitwise_invert", "invert", Fusion_BitsTensor,
                   [Involution]> {
  let summary = "bitwise complement";
}
def Fusion_BitwiseLeftShiftOp
    : Fusion_Binary<"bitwise_left_shift", "left_shift", Fusion_ShiftTensor> {
  let summary = "left shift; by the width or more, or by less than 0: 0";
}
def Fusion_BitwiseRightShiftOp
    : Fusion_Binary<"bitwise_right_shift", "right_shift", Fusion_ShiftTensor> {
  let summary = "arithmetic (unsigned: logical) right shift";
  let description = [{
    By the width or more, or by less than 0: all sign bits.
  }];
}

def Fusion_SelectOp
    : Fusion_Op<"select", "elementwise",
                [Pure, Fusion_Elementwise,
                 DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "x where the condition holds, else y";
  let arguments = (ins Fusion_BoolTensor:$condition, Fusion_Tensor:$x,
                       Fusion_Tensor:$y);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = [{
    $condition `,` $x `,` $y attr-dict `:` type($condition) `,` type($x) `,`
    type($y)
  }];
  let hasFolder = 1;
  let fusionNumpy = "where";
  let extraClassDefinition = Fusion_Infer<"select(operands)">.definition;
}

def Fusion_CastOp : Fusion_Op<"cast", "elementwise",
                              [Pure, Fusion_Elementwise]> {
  let summary = "conversion of the element type";
  let description = [{
    Float to integer truncates, saturates at the ends of the range and makes
    NaN 0. Integer to integer wraps. To `i1`: whether the value is not zero
    (NaN is not zero). A cast rounds its operand and its result with precision
    "fast" too, also one of f16 or bf16 to the same type.
  }];
  let arguments = (ins Fusion_Tensor:$operand);
  let results = (outs Fusion_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let fusionNumpy = "astype";
}

#endif // FUSION_ELEMENTWISE
