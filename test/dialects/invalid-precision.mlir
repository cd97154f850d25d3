// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The precision is a property of a module.
//
// RUN: pyfusion-opt --split-input-file --verify-diagnostics %s

// expected-error @+1 {{has fusion.precision = "quick"; it is "strict" or "fast", on a module}}
module attributes {fusion.precision = "quick"} {
}

// -----

// expected-error @+1 {{has fusion.precision = "fast"; it is "strict" or "fast", on a module}}
func.func private @f() attributes {fusion.precision = "fast"}
