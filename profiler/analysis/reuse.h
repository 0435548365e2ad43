// SPDX-License-Identifier: Apache-2.0
// Reuse of each buffer: how many bytes ops touch from one use of it to the next.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "profiler/analysis/analyze.h"
#include "profiler/base/table.h"

namespace profiler {

/// Reuses of one buffer in a step. The distance of a reuse is the size of all buffers that ops touch from the one use
/// to the next, both ops included. A cache of that size that evicts the least recently used keeps the buffer. Exact,
/// from shapes; buffers count whole, whatever part of them an op reads.
struct BufferReuse {
  TensorId tensor = kNoTensor;
  double bytes = 0;
  size_t uses = 0;                ///< ops of a step that read or write it
  std::vector<double> distances;  ///< bytes, one per reuse, in the order of the step; a buffer that lives across steps
                                  ///< has one more, from the step before
  double shortest() const;        ///< NaN: no reuse
  double longest() const;
};

/// In the order of first use. Views count as the buffer that they share.
std::vector<BufferReuse> buffer_reuse(const Capture&);

Table reuse_table(const Analyzed&);
/// Which buffers stream: every reuse comes after more bytes than the last cache holds.
std::vector<std::string> reuse_sentences(const Analyzed&);

}  // namespace profiler
