// SPDX-License-Identifier: Apache-2.0
// What stands in inputs of integers when nobody says it: numbers that their use allows.
#pragma once

#include <string>

#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/random.h"

namespace engine::onnx {

/// Where the input picks elements of an initializer (token numbers and their like), any that there are; else ones,
/// which mean something as a mask, a length or a type.
Fill integer_fill(const ::onnx::GraphProto& graph, const std::string& input);

}  // namespace engine::onnx
