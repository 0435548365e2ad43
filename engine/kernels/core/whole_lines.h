// SPDX-License-Identifier: Apache-2.0
// How parts of a workspace are laid out.
#pragma once

#include <cstddef>
#include <cstdint>

namespace engine::cpu {

/// `bytes` rounded up to whole 64-byte lines.
inline size_t whole_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

inline int64_t whole_lines_of(int64_t bytes) { return static_cast<int64_t>(whole_lines(static_cast<size_t>(bytes))); }

}  // namespace engine::cpu
