// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and the choice between two operands. Operands are broadcast (numpy).
#pragma once

#include "engine/graph/builder.h"

namespace engine::ops {

extern const Op kEqual;         ///< equal(a, b) -> y: any one dtype, y bool as with all comparisons; NaN equals nothing
extern const Op kNotEqual;      ///< not_equal(a, b) -> y
extern const Op kLess;          ///< less(a, b) -> y
extern const Op kLessEqual;     ///< less_equal(a, b) -> y
extern const Op kGreater;       ///< greater(a, b) -> y
extern const Op kGreaterEqual;  ///< greater_equal(a, b) -> y
extern const Op kLogicalAnd;    ///< logical_and(a, b) -> y: bool
extern const Op kLogicalOr;     ///< logical_or(a, b) -> y: bool
extern const Op kLogicalXor;    ///< logical_xor(a, b) -> y: bool
extern const Op kLogicalNot;    ///< logical_not(x) -> y: bool
extern const Op kIsNan;         ///< is_nan(x) -> y: floating types, y bool
extern const Op kIsInf;         ///< is_inf(x) -> y {detect_positive = 1, detect_negative = 1}: floating types, y bool
extern const Op kWhere;  ///< where(condition, a, b) -> y: a where the bool condition holds, else b; any one dtype

ValueId equal(GraphBuilder&, ValueId a, ValueId b);
ValueId not_equal(GraphBuilder&, ValueId a, ValueId b);
ValueId less(GraphBuilder&, ValueId a, ValueId b);
ValueId less_equal(GraphBuilder&, ValueId a, ValueId b);
ValueId greater(GraphBuilder&, ValueId a, ValueId b);
ValueId greater_equal(GraphBuilder&, ValueId a, ValueId b);
ValueId logical_and(GraphBuilder&, ValueId a, ValueId b);
ValueId logical_or(GraphBuilder&, ValueId a, ValueId b);
ValueId logical_xor(GraphBuilder&, ValueId a, ValueId b);
ValueId logical_not(GraphBuilder&, ValueId x);
ValueId is_nan(GraphBuilder&, ValueId x);
ValueId is_inf(GraphBuilder&, ValueId x, bool detect_positive = true, bool detect_negative = true);
ValueId where(GraphBuilder&, ValueId condition, ValueId a, ValueId b);

std::span<const Op* const> compare_ops();

}  // namespace engine::ops
