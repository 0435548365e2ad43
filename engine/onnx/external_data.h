// SPDX-License-Identifier: Apache-2.0
// External data: tensors whose bytes lie in a file beside the model. The file is the model's choice, so it is confined.
#pragma once

#include <filesystem>

#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/tensor.h"

namespace engine::onnx {

bool is_external(const ::onnx::TensorProto& proto);
/// Reads the bytes of `type` (row-major) from the file that the tensor names. Refused, naming field and file, unless it
/// is a regular file of one name (no hard links) in `folder` or below it, reached without symbolic links out of it, and
/// has all bytes that offset and length name.
Result<Tensor> read_external(const ::onnx::TensorProto& proto, TensorType type, const std::filesystem::path& folder);

}  // namespace engine::onnx
