// SPDX-License-Identifier: Apache-2.0
// Names from foreign files, made safe for messages, captures and screens.
#include "engine/onnx/text.h"

namespace engine::onnx {
namespace {

constexpr size_t kLongest = 200;

/// Length of the well-formed UTF-8 sequence (Unicode 15, table 3-7) that `text` starts with; 0:
/// none.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // of the second byte
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) length = 2;
  if (first >= 0xE0 && first <= 0xEF) length = 3;
  if (first >= 0xF0 && first <= 0xF4) length = 4;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xBF) return 0;
  }
  return length;
}

}  // namespace

std::string printable(std::string_view name) {
  std::string out;
  size_t i = 0;
  while (i < name.size()) {
    const size_t length = utf8_length(name.substr(i));
    if (out.size() + (length == 0 ? 1 : length) > kLongest) {
      out += "...";
      break;
    }
    const auto byte = static_cast<unsigned char>(name[i]);
    const bool control = byte < 0x20 || byte == 0x7F;
    if (length == 0 || control) {
      out += '?';
      ++i;
    } else {
      out += name.substr(i, length);
      i += length;
    }
  }
  return out;
}

std::string in_quotes(std::string_view name) { return '"' + printable(name) + '"'; }

}  // namespace engine::onnx
