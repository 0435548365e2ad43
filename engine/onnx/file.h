// SPDX-License-Identifier: Apache-2.0
// Reads one protobuf message from a file that may be anything.
#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/onnx/onnx.pb.h"

namespace engine::onnx {

/// Fills the message from a regular file of 1 byte to 2 GiB (protobuf's limit). Refuses all else,
/// naming the file, without opening it. A model of absurdly many parts is refused before they are
/// made.
Result<void> read_model(const std::filesystem::path& file, ::onnx::ModelProto& model);
Result<void> read_tensor(const std::filesystem::path& file, ::onnx::TensorProto& tensor);

}  // namespace engine::onnx
