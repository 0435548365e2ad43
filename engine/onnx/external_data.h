// SPDX-License-Identifier: Apache-2.0
// External data: tensors whose bytes lie in a file beside the model. The file is the model's choice, so it is confined.
#pragma once

#include <filesystem>

#include "engine/onnx/onnx.pb.h"
#include "engine/tensor/tensor.h"

namespace engine::onnx {

bool is_external(const ::onnx::TensorProto& proto);
/// Reads the bytes of `type` (row-major) from the file that the tensor names. Refused, naming field and file: outside
/// `folder` or reached by a symbolic link out of it, no regular file, or a file with hard links. Also refused where it
/// is shorter than offset and length.
Result<Tensor> read_external(const ::onnx::TensorProto& proto, TensorType type, const std::filesystem::path& folder);

}  // namespace engine::onnx
