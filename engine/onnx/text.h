// SPDX-License-Identifier: Apache-2.0
// Names from foreign files, made safe for messages, captures and screens.
#pragma once

#include <string>
#include <string_view>

namespace engine::onnx {

/// engine::display_line() of at most 200 bytes.
std::string printable(std::string_view name);
/// printable(name) in quotes, for messages.
std::string in_quotes(std::string_view name);

}  // namespace engine::onnx
