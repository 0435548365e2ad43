// SPDX-License-Identifier: Apache-2.0
// What stands in inputs of integers when nobody says it: numbers that their use allows.
#pragma once

#include <string>

#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/random.h"

namespace engine::onnx {

/// Inputs that index an initializer, such as token numbers, get indices within it. Others get ones, which are valid as
/// a mask, a length or a type.
Fill integer_fill(const ::onnx::GraphProto& graph, const std::string& input);

}  // namespace engine::onnx
