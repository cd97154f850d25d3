// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifier says of views and creation.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

func.func @short_permutation(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'fusion.transpose' op permutation [1] does not name each dimension of 'tensor<4x3xf32>' once}}
  %0 = fusion.transpose %x perm [1] : tensor<4x3xf32>
  return
}

// -----

func.func @repeated_dimension(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'fusion.transpose' op permutation [0, 0] does not name each dimension}}
  %0 = fusion.transpose %x perm [0, 0] : tensor<4x3xf32>
  return
}

// -----

func.func @axis_of_result(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.expand_dims' op axis 2 is not a dimension of the result, whose rank is 2}}
  %0 = fusion.expand_dims %x axes [2] : tensor<4xf32>
  return
}

// -----

func.func @negative_axis(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.flip' op axis -1 is not a dimension of the operand, whose rank is 1}}
  %0 = fusion.flip %x axes [-1] : tensor<4xf32>
  return
}

// -----

func.func @unsorted_axes(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'fusion.flip' op axes must be sorted and distinct, but 0 follows 1}}
  %0 = fusion.flip %x axes [1, 0] : tensor<4x3xf32>
  return
}

// -----

func.func @missing_axes(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.flip' op requires attribute 'axes'}}
  %0 = "fusion.flip"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @squeezed_extent(%x: tensor<?x1xf32>) {
  // expected-error @+1 {{'fusion.squeeze' op axis 0 of 'tensor<?x1xf32>' cannot go: its extent is not a static 1}}
  %0 = fusion.squeeze %x axes [0] : tensor<?x1xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{'fusion.slice' op has 1 offsets for rank 2}}
  %0 = fusion.slice %x[0] [2, 2] [1, 1] : tensor<4x4xf32> to tensor<2x2xf32>
  return
}

// -----

func.func @slice_operands(%x: tensor<?xf32>, %n: index) {
  // expected-error @+1 {{'fusion.slice' op has 1 operands for 0 dynamic offsets}}
  %0 = "fusion.slice"(%x, %n) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 2>, static_steps = array<i64: 1>} : (tensor<?xf32>, index) -> tensor<2xf32>
  return
}

// -----

func.func @slice_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.slice' op dimension 0 of the result type 'tensor<3xf32>' should be 2}}
  %0 = fusion.slice %x[0] [2] [1] : tensor<4xf32> to tensor<3xf32>
  return
}

// -----

func.func @slice_dynamic_size(%x: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{'fusion.slice' op dimension 0 of the result type 'tensor<3xf32>' should be dynamic, as its extent is an operand}}
  %0 = fusion.slice %x[0] [%n] [1] : tensor<4xf32> to tensor<3xf32>
  return
}

// -----

func.func @slice_first_element(%x: tensor<4xf32>, %n: index) {
  // expected-error @+1 {{'fusion.slice' op takes element 4 of dimension 0, whose extent is 4}}
  %0 = fusion.slice %x[4] [%n] [1] : tensor<4xf32> to tensor<?xf32>
  return
}

// -----

func.func @slice_last_element(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.slice' op takes element 5 of dimension 0, whose extent is 4}}
  %0 = fusion.slice %x[1] [3] [2] : tensor<4xf32> to tensor<3xf32>
  return
}

// -----

// Where the extent is not known, indices can still be too low.
func.func @slice_below(%x: tensor<?xf32>) {
  // expected-error @+1 {{'fusion.slice' op takes element -1 of dimension 0}}
  %0 = fusion.slice %x[1] [3] [-1] : tensor<?xf32> to tensor<3xf32>
  return
}

// -----

// Without elements nothing is out of range.
func.func @slice_empty(%x: tensor<0xf32>) {
  %0 = fusion.slice %x[-1] [0] [-1] : tensor<0xf32> to tensor<0xf32>
  return
}

// -----

func.func @slice_step(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.slice' op has step 0 in dimension 0}}
  %0 = fusion.slice %x[0] [3] [0] : tensor<4xf32> to tensor<3xf32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<3xf32>) {
  // expected-error @+1 {{'fusion.broadcast' op cannot broadcast 'tensor<3xf32>' to 'tensor<2x4xf32>'}}
  %0 = fusion.broadcast %x [2, 4] : tensor<3xf32> to tensor<2x4xf32>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<1x3xf32>) {
  // expected-error @+1 {{'fusion.broadcast' op cannot broadcast 'tensor<1x3xf32>' to 'tensor<3xf32>'}}
  %0 = fusion.broadcast %x [3] : tensor<1x3xf32> to tensor<3xf32>
  return
}

// -----

func.func @broadcast_type(%x: tensor<3xf32>) {
  // expected-error @+1 {{'fusion.broadcast' op changes the element type: 'tensor<3xf32>' to 'tensor<3xf64>'}}
  %0 = fusion.broadcast %x [3] : tensor<3xf32> to tensor<3xf64>
  return
}

// -----

func.func @reshape_count(%x: tensor<4x3xf32>) {
  // expected-error @+1 {{'fusion.reshape' op changes the number of elements: 'tensor<4x3xf32>' has 12, 'tensor<2x5xf32>' has 10}}
  %0 = fusion.reshape %x [2, 5] : tensor<4x3xf32> to tensor<2x5xf32>
  return
}

// -----

func.func @negative_extent(%x: tensor<4xf32>) {
  // expected-error @+1 {{'fusion.reshape' op has the negative extent -4}}
  %0 = fusion.reshape %x [-4] : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

func.func @full_type(%s: f64) {
  // expected-error @+1 {{'fusion.full' op fills 'tensor<4xf32>' with a value of type 'f64'}}
  %0 = fusion.full %s [4] : f64 to tensor<4xf32>
  return
}

// -----

func.func @full_shape(%s: f32, %n: index) {
  // expected-error @+1 {{'fusion.full' op has 1 extents for rank 2}}
  %0 = fusion.full %s [%n] : f32 to tensor<?x?xf32>
  return
}

// -----

func.func @iota_type(%s: i32, %t: i64) {
  // expected-error @+1 {{'fusion.iota' op fills 'tensor<4xi32>' from values of type 'i32' and 'i64'}}
  %0 = fusion.iota %s, %t [4] : i32, i64 to tensor<4xi32>
  return
}

// -----

func.func @iota_rank(%s: i32) {
  // expected-error @+1 {{'fusion.iota' op makes one dimension, not 'tensor<2x2xi32>'}}
  %0 = fusion.iota %s, %s [2, 2] : i32, i32 to tensor<2x2xi32>
  return
}

// -----

func.func @insert_type(%x: tensor<4xf32>, %v: tensor<2xf64>) {
  // expected-error @+1 {{'fusion.insert_slice' op changes the element type: 'tensor<2xf64>' to 'tensor<4xf32>'}}
  %0 = fusion.insert_slice %v into %x[0] [2] [1] : tensor<2xf64> into tensor<4xf32>
  return
}

// -----

func.func @insert_size(%x: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{'fusion.insert_slice' op dimension 0 of the value type 'tensor<3xf32>' should be 2}}
  %0 = fusion.insert_slice %v into %x[0] [2] [1] : tensor<3xf32> into tensor<4xf32>
  return
}

// -----

func.func @insert_outside(%x: tensor<4xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{'fusion.insert_slice' op takes element 4 of dimension 0, whose extent is 4}}
  %0 = fusion.insert_slice %v into %x[3] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return
}
