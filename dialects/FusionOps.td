// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every operation of the dialect, by family.
#ifndef FUSION_OPS
#define FUSION_OPS

include "FusionElementwise.td"
include "FusionViews.td"
include "FusionReductions.td"
include "FusionRegions.td"

#endif // FUSION_OPS
