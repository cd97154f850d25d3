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

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

LogicalResult FusedOp::verify() {
  if (getKind() != "elementwise" && getKind() != "reduction")
    return emitOpError("has the kind ")
           << getKindAttr() << "; there are \"elementwise\" and \"reduction\"";
  if (getOutputs().empty())
    return emitOpError("has no results");
  std::optional<ArrayRef<int64_t>> takesOver = getTakesOver();
  if (!takesOver)
    return success();
  if (takesOver->size() != getNumResults())
    return emitOpError("has ") << takesOver->size() << " entries in takes_over for "
                               << getNumResults() << " results";
  llvm::SmallDenseSet<int64_t> taken;
  for (auto [result, input] : llvm::enumerate(*takesOver)) {
    if (input == -1)
      continue;
    if (input < 0 || input >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("result #") << result << " takes over input #" << input
                                     << ", which does not exist";
    if (!taken.insert(input).second)
      return emitOpError("two results take over input #") << input;
    Type from = getInputs()[input].getType(), to = getResult(result).getType();
    if (from != to)
      return emitOpError("result #") << result << " of type " << to
                                     << " cannot take over input #" << input
                                     << " of type " << from;
  }
  return success();
}

/// The body's arguments are the inputs and what it yields are the results.
static LogicalResult verifySignature(FusedOp op) {
  Block &body = op.getBody().front();
  if (body.getNumArguments() != op.getInputs().size())
    return op.emitOpError("has ")
           << op.getInputs().size() << " inputs but its body has "
           << body.getNumArguments() << " arguments";
  for (auto [arg, input] : llvm::zip_equal(body.getArguments(), op.getInputs()))
    if (arg.getType() != input.getType())
      return op.emitOpError("argument #")
             << arg.getArgNumber() << " of the body has type " << arg.getType()
             << " but the input has type " << input.getType();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op.emitOpError("body must end with fusion.yield");
  if (yield.getValues().getTypes() == op.getOutputs().getTypes())
    return success();
  InFlightDiagnostic error = op.emitOpError("results have types (");
  error << op.getOutputs().getTypes() << ") but the body yields others";
  error.attachNote(yield.getLoc())
      << "yields (" << yield.getValues().getTypes() << ")";
  return error;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// From the reduction on there is one shape, which the kernel's second part
/// iterates.
static LogicalResult verifyAfterReduction(FusedOp op, Operation *reduction) {
  llvm::SmallPtrSet<Operation *, 16> after = {reduction};
  ArrayRef<int64_t> shape = shapeOf(reduction->getResult(0));
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (llvm::none_of(inner.getOperands(), [&](Value operand) {
          return after.contains(operand.getDefiningOp());
        }))
      continue;
    after.insert(&inner);
    if (shapesAgree(shapeOf(inner.getResult(0)), shape))
      continue;
    InFlightDiagnostic error = op.emitOpError(
        "holds an operation after the reduction with another shape");
    error.attachNote(inner.getLoc())
        << inner.getResult(0).getType() << " is not of the shape of "
        << reduction->getResult(0).getType();
    return error;
  }
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  if (failed(verifySignature(*this)))
    return failure();
  Block &body = getBody().front();
  SmallVector<Operation *> reductions;
  for (Operation &op : body.without_terminator()) {
    if (op.hasTrait<OpTrait::FusionReduction>()) {
      reductions.push_back(&op);
    } else if (!op.hasTrait<OpTrait::FusionElementwise>() &&
               !op.hasTrait<OpTrait::FusionCreation>()) {
      InFlightDiagnostic error = emitOpError(
          "may hold element-wise, creation and reduction operations only");
      error.attachNote(op.getLoc()) << "found '" << op.getName() << "'";
      return error;
    }
  }
  size_t wanted = getKind() == "reduction" ? 1 : 0;
  if (reductions.size() != wanted) {
    InFlightDiagnostic error = emitOpError("of kind ");
    error << getKindAttr() << " must hold " << wanted << " reductions, not "
          << reductions.size();
    for (Operation *op : reductions)
      error.attachNote(op->getLoc()) << "a reduction";
    return error;
  }
  if (wanted && failed(verifyAfterReduction(*this, reductions.front())))
    return failure();

  // All results are written by one iteration.
  Value first = wanted ? reductions.front()->getResult(0) : getResult(0);
  for (Value result : getOutputs())
    if (!shapesAgree(shapeOf(result), shapeOf(first)))
      return emitOpError("results must have one shape")
             << (wanted ? ", that of the reduction: " : ": ") << first.getType()
             << " and " << result.getType();
  return success();
}

LogicalResult CustomCallOp::verify() {
  if (getCallee().empty())
    return emitOpError("has an empty callee");
  return success();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {

/// Drops inputs that the body does not read, unless a result takes them over,
/// and reads repeated ones once.
struct SimplifyInputs : OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    SmallVector<int64_t> takesOver(
        op.getTakesOver().value_or(ArrayRef<int64_t>()));
    // For each input the one that stands for it; -1 for none.
    SmallVector<int64_t> keeper(op.getInputs().size());
    llvm::SmallDenseMap<Value, int64_t> seen;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      bool isRead = !body.getArgument(index).use_empty() ||
                    llvm::is_contained(takesOver, index);
      keeper[index] = isRead ? seen.try_emplace(input, index).first->second : -1;
    }
    llvm::BitVector drop(keeper.size());
    for (auto [index, kept] : llvm::enumerate(keeper))
      if (kept != static_cast<int64_t>(index))
        drop.set(index);
    if (drop.none())
      return rewriter.notifyMatchFailure(op, "each input is needed");

    for (unsigned index : drop.set_bits())
      if (keeper[index] >= 0)
        rewriter.replaceAllUsesWith(body.getArgument(index),
                                    body.getArgument(keeper[index]));
    for (int64_t &input : takesOver)
      if (input >= 0) {
        int64_t kept = keeper[input];
        input = kept - llvm::count_if(drop.set_bits(),
                                      [&](int64_t d) { return d < kept; });
      }
    rewriter.modifyOpInPlace(op, [&] {
      body.eraseArguments(drop);
      op->eraseOperands(drop);
      if (op.getTakesOver())
        op.setTakesOver(takesOver);
    });
    return success();
  }
};

/// Drops results that nobody reads. What then computes them in the body is dead.
struct DropUnusedResults : OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<unsigned> kept;
    for (OpResult result : op.getOutputs())
      if (!result.use_empty())
        kept.push_back(result.getResultNumber());
    if (kept.empty() || kept.size() == op.getNumResults())
      return rewriter.notifyMatchFailure(op, "no result to drop");

    SmallVector<Type> types;
    SmallVector<Value> yielded;
    SmallVector<int64_t> takesOver;
    auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
    for (unsigned index : kept) {
      types.push_back(op.getResult(index).getType());
      yielded.push_back(yield.getValues()[index]);
      if (op.getTakesOver())
        takesOver.push_back((*op.getTakesOver())[index]);
    }
    rewriter.modifyOpInPlace(
        yield, [&] { yield.getValuesMutable().assign(yielded); });
    auto smaller = FusedOp::create(rewriter, op.getLoc(), types, op.getInputs(),
                                   op.getKindAttr(),
                                   /*takes_over=*/DenseI64ArrayAttr());
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    if (op.getTakesOver())
      smaller.setTakesOver(takesOver);
    rewriter.inlineRegionBefore(op.getBody(), smaller.getBody(),
                                smaller.getBody().begin());
    for (auto [from, to] : llvm::zip_equal(kept, smaller.getOutputs()))
      rewriter.replaceAllUsesWith(op.getResult(from), to);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A reduction that folded away, or was found dead, leaves element-wise work.
struct DropReductionKind : OpRewritePattern<FusedOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FusedOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getKind() != "reduction" ||
        llvm::any_of(op.getBody().front(), [](Operation &inner) {
          return inner.hasTrait<OpTrait::FusionReduction>();
        }))
      return rewriter.notifyMatchFailure(op, "the kind is right");
    rewriter.modifyOpInPlace(op, [&] { op.setKind("elementwise"); });
    return success();
  }
};

} // namespace

void FusedOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *context) {
  patterns.add<SimplifyInputs, DropUnusedResults, DropReductionKind>(context);
}
