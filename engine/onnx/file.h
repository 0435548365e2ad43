// SPDX-License-Identifier: Apache-2.0
// Reads one protobuf message from a file that may be anything.
#pragma once

#include <google/protobuf/message_lite.h>

#include <filesystem>
#include <string_view>

#include "engine/base/result.h"

namespace engine::onnx {

/// Fills `message` from a regular file of 1 byte to 2 GiB (protobuf's limit). Refuses all else,
/// naming the file, without opening it; `what` says what it should have been: "ONNX model".
Result<void> read_message(const std::filesystem::path& file, std::string_view what,
                          google::protobuf::MessageLite& message);

}  // namespace engine::onnx
