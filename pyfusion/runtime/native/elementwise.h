// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYFUSION_ELEMENTWISE_H
#define PYFUSION_ELEMENTWISE_H

#include "dims.h"
#include "kernel.h"
#include "threads.h"

namespace pf {

// How a tile of an operand is presented to the compiled loop, which wants unit stride.
enum class How : uint8_t {
  Fixed,     // dense, uniform or scalar: the same pointer throughout
  Direct,    // unit stride along the inner dimension: used in place
  Line,      // packed line by line (a broadcast or strided inner dimension)
  Square,    // packed for all rows of the tile at once, by transposition
  Flat,      // packed in flat order
  Periodic,  // packed once: any tile is a window of it
};

struct TiledOperand {
  int index;  // in the kernel's operands
  int itemsize;
  How how;
  bool store;  // a result: tiles are copied from the scratch, not to it
  char* ptr;
  const int64_t* str;  // along the launch's merged dimensions
  Dims own;            // merged for itself alone (flat order)
  int64_t period;      // elements after which it repeats
  int64_t scratch;     // offset of its tile in the thread's scratch
};

// One element-wise launch with operands that are not dense, as all its threads read it.
struct TilePlan {
  const Launch* launch;
  int n_strided;
  TiledOperand* strided;
  int n;         // merged dimensions of all operands together
  int64_t* ext;
  int64_t scratch_bytes;
  int64_t packed_bytes;  // per element, for the statistics
  // flat: the tile length
  int64_t length;
  // boxes: rows along dimension row_dim (-1: none) by columns along the innermost one
  int row_dim;
  int64_t rows, cols, row_tiles, col_tiles, tiles;
  // the parts of the job, in elements (flat) or tiles (boxes)
  int64_t units, parts;
};

// Fills the arguments that do not depend on the tile.
void fill_frame(const Launch& launch, Frame& frame, int64_t* begin, int64_t* end);

// The bodies of the two tile modes; the context is a TilePlan.
void flat_tiles_body(const void* context, Parts& parts);
void boxes_body(const void* context, Parts& parts);

constexpr int64_t kGrain = 1024;  // elements: part borders fall on whole cache lines of any type
constexpr int64_t kTileBudget = 24 << 10;   // bytes of packed tiles of a thread, to leave half of a small L1
constexpr int64_t kSquareBudget = 32 << 10;  // the same when transposing: the tile is all there is
constexpr int64_t kShortInner = 64;         // up to here lines are too short for a call each

}  // namespace pf

#endif  // PYFUSION_ELEMENTWISE_H
