// SPDX-License-Identifier: Apache-2.0
// Examples of the conformance catalog at the sizes of real layers, and in the layouts in which graphs bring operands.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "tests/support/op_examples.h"

namespace benchmarks {

/// How operands lie: as the example has them; cut out of a tensor twice as wide along their second axis (chunk, split),
/// of rank 1 every other element; all axes in the opposite order in memory (a transposition before the op).
enum class OperandLayout { plain, chunk, transposed };
inline constexpr OperandLayout kOperandLayouts[] = {OperandLayout::plain, OperandLayout::chunk,
                                                    OperandLayout::transposed};
std::string_view name(OperandLayout);

/// The example with extents doubled as long as the op takes it, until its operands and results have about 8 MiB or it
/// computes 2 GFLOP. Extents of one size stand for one thing and grow together; those that attributes fix stay, unless
/// catalog_sizes.cpp lists sizes for the op.
test::OpExample grown(const test::OpExample&);
/// The examples of an op to be measured: those listed by hand, else grown ones. Equal ones once.
std::vector<test::OpExample> measured_examples(std::string_view op);
/// Nothing where the layout makes no difference.
std::optional<test::OpExample> laid_out(const test::OpExample&, OperandLayout);

}  // namespace benchmarks
