// SPDX-License-Identifier: Apache-2.0
// Names from foreign files, made safe for messages, captures and screens.
#include "engine/onnx/text.h"

#include "engine/base/display_text.h"

namespace engine::onnx {

std::string printable(std::string_view name) { return display_line(name, 200); }

std::string in_quotes(std::string_view name) { return '"' + printable(name) + '"'; }

}  // namespace engine::onnx
