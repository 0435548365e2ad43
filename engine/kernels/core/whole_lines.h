// SPDX-License-Identifier: Apache-2.0
// How parts of a workspace are laid out.
#pragma once

#include <cstddef>

namespace engine::cpu {

/// `bytes` rounded up to whole 64-byte lines.
inline size_t whole_lines(size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace engine::cpu
