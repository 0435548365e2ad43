// SPDX-License-Identifier: Apache-2.0
// What kind of code computes an op: made for speed, or plain loops that are there to be right.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace engine {

/// In the order of how slow the code is. A kernel of several parts is of the kind of its slowest part.
enum class CodeKind : uint8_t {
  unknown,            ///< nobody said: traces of other tools, captures of versions that did not record it
  fast,               ///< a kernel made for speed, ours or a library's
  library_reference,  ///< a library's own reference loops (oneDNN's "ref")
  reference,          ///< the op's reference: one element after the other, in double
};
inline constexpr std::array<std::string_view, 4> kCodeKindNames{"unknown", "fast", "library reference", "reference"};
inline std::string_view name(CodeKind kind) { return kCodeKindNames[static_cast<size_t>(kind)]; }

/// Whether it is slow by construction.
inline bool is_reference(CodeKind kind) { return kind >= CodeKind::library_reference; }

}  // namespace engine
