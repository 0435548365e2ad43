// SPDX-License-Identifier: Apache-2.0
// The one place that reads facts out of a kernel's name. Captures before format 3 held nothing else. In other tools'
// traces the names are the data.
#pragma once

#include <string_view>

#include "engine/graph/kernel_facts.h"

namespace profiler {

/// Key of an op attribute in captures before format 3: it marks ops that ran in reference code. Its value is the name
/// of an engine::CodeKind.
inline constexpr std::string_view kCodeKindKey = "code";

/// As this program named its kernels until format 3. Other names are of fast kernels, of which only the tile of
/// libraries' GPU kernels is known ("..._128x64_..."). The tile is the first two such extents that are multiples of 8
/// from 16 to 512.
engine::KernelFacts facts_from_name(std::string_view kernel);

/// Of a trace of another tool: the same, but nobody said what kind of code a kernel is that is not named as our
/// reference.
engine::KernelFacts facts_of_imported_kernel(std::string_view kernel);

/// Of another tool's trace: whether the kernel only changes the order in which a tensor's elements lie, between
/// channels first (NCHW) and last (NHWC). Libraries put such kernels around their own. Known are names of cuDNN,
/// MIOpen, TensorRT and TensorFlow. A transpose that the program itself asked for is none.
bool converts_layout(std::string_view kernel);

/// Part of a convolution's FLOPs that the kernel computes. By Winograd's F(m x m, r x r): (m + r - 1)^2 / (m r)^2.
/// Known are cuDNN's F(4x4, 3x3), F(5x5, 5x5) and the fused F(2x2, 3x3), and MIOpen's F(2x2, 3x3); NaN: another one.
/// Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2016.
double flops_ratio_of(std::string_view kernel);

}  // namespace profiler
