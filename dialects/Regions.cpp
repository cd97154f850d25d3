// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusion.fused and fusion.custom_call: syntax, verifiers, canonicalization.
#include "Fusion.h"

using namespace mlir;
using namespace mlir::fusion;

//===----------------------------------------------------------------------===//
// Syntax: "kind" (%arg = %operand, ...) : (types) -> types attributes {...} {}
//===----------------------------------------------------------------------===//

ParseResult FusedOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> args;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  StringAttr kind;
  FunctionType type;
  if (parser.parseAttribute(kind, getKindAttrName(result.name),
                            result.attributes))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseArgument(args.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseInput) ||
      parser.parseColonType(type) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  if (type.getNumInputs() != args.size())
    return parser.emitError(loc) << "has " << args.size() << " inputs but "
                                 << type.getNumInputs() << " input types";
  for (auto [arg, argType] : llvm::zip_equal(args, type.getInputs()))
    arg.type = argType;
  result.addTypes(type.getResults());
  return failure(
      parser.resolveOperands(operands, type.getInputs(), loc,
                             result.operands) ||
      parser.parseRegion(*result.addRegion(), args));
}

void FusedOp::print(OpAsmPrinter &p) {
  p << ' ' << getKindAttr() << " (";
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getInputs()), p,
      [&](auto pair) { p << std::get<0>(pair) << " = " << std::get<1>(pair); });
  p << ") : ";
  p.printFunctionalType(getInputs().getTypes(), getOutputs().getTypes());
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {getKindAttrName()});
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

void FusedOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {
  for (BlockArgument arg : region.getArguments())
    setName(arg, "in");
}
