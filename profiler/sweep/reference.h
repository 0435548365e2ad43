// SPDX-License-Identifier: Apache-2.0
// Published step times to lay beside a sweep's own, with what is known against each of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "profiler/base/table.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// Whether a published cell may enter a statistic.
enum class CellQuality : uint8_t {
  good,       ///< as printed, or with an obvious slip of the text recognition put right (the note says which)
  uncertain,  ///< digits may be wrong: shown, in no statistic
  mismatch,   ///< the tool ran something else than the row says, or waited for its input: shown with the reason, in no
              ///< statistic
  missing,    ///< not run, not supported, or unreadable
};

/// One cell: training time of one minibatch.
struct ReferenceCell {
  std::string network;   ///< "FCN-S"
  int minibatch = 0;     ///< samples (LSTM: sequences)
  std::string tool;      ///< "Caffe"
  std::string platform;  ///< "server_cpu_2x_e5-2630v3"
  int threads = 0;       ///< 0: a GPU
  double seconds = 0;    ///< NaN: missing
  std::string note;
  CellQuality quality = CellQuality::good;
};

/// Table 7 of S. Shi, Q. Wang, P. Xu, X. Chu, "Benchmarking State-of-the-Art Deep Learning Software Tools", arXiv
/// 1608.07249 v7, 2017. It has 7 networks, 5 tools, 13 platforms. It was read from an OCR text, so each cell keeps its
/// note.
const std::vector<ReferenceCell>& shi2016_table7();
/// Lines `network,minibatch,tool,platform,threads,seconds,note`. Fails (refused) naming the line and the field.
engine::Result<std::vector<ReferenceCell>> parse_reference(std::string_view csv);

/// The cells of the network that a point runs, at its minibatch and in training; empty: Table 7 has none.
std::vector<const ReferenceCell*> reference_of(const Sweep&, size_t point);
/// The network's name in Table 7: "FCN-S"; empty: none.
std::string reference_network(const Sweep&, size_t point);

/// Range over the tools, of good cells alone.
struct ReferenceRange {
  double fastest_s = 0, slowest_s = 0;
  std::string fastest_tool;
  int tools = 0;    ///< good cells
  int flagged = 0;  ///< cells that have a time but stay out
};
/// Over the cells of one platform and thread count; tools == 0: none is good.
ReferenceRange reference_range(std::span<const ReferenceCell* const>, std::string_view platform, int threads);

/// One row per point and published platform: our time, the published range, both ratios, and what was left out and why.
/// No rows where the sweep runs none of the networks.
Table reference_table(const Sweep&);
/// One sentence per point that Table 7 has.
std::vector<std::string> reference_sentences(const Sweep&);

}  // namespace profiler
