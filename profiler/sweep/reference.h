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
#include "profiler/base/unknown.h"
#include "profiler/sweep/sweep.h"

namespace profiler {

/// Whether a published cell may enter a statistic.
enum class CellQuality : uint8_t {
  good,        ///< as printed, or with an obvious slip of the text recognition put right: ReferenceCell::repaired
  uncertain,   ///< digits may be wrong: shown, in no statistic
  mismatch,    ///< the row is not like for like: the tool ran something else, or its time holds more than the step.
               ///< Shown with the reason, in no statistic
  impossible,  ///< what the row names needs more FLOP/s than the platform has: shown with the reason, in no statistic
  dash,        ///< a dash in the table: not run or not supported
  lost,        ///< the text recognition lost it
};
inline constexpr int kCellQualities = 6;
std::string_view name(CellQuality);  ///< "good", "uncertain", "not like for like", "impossible", "dash", "lost"

/// One cell: training time of one minibatch.
struct ReferenceCell {
  std::string network;   ///< "FCN-S"
  int minibatch = 0;     ///< samples (LSTM: sequences)
  std::string tool;      ///< "Caffe"
  std::string platform;  ///< "server_cpu_2x_e5-2630v3"
  int threads = 0;       ///< 0: a GPU
  double seconds = 0;    ///< NaN: a gap
  std::string note;
  CellQuality quality = CellQuality::good;
  bool repaired = false;  ///< a decimal point or a digit was put back: the table has other characters
  std::string raw = {};   ///< what the text recognition has instead; empty: the digits of `seconds`, or nothing
  std::string why = {};   ///< why it is in no statistic, or a gap; empty: it is good
  double flop_per_s = kUnknown, peak_flop_per_s = kUnknown;  ///< implied by the row; the platform's peak (specified)
  bool has_time() const { return seconds > 0; }
  /// Of the peak; over 1: impossible. NaN: no time, or no peak known.
  double peak_ratio() const { return flop_per_s / peak_flop_per_s; }
};

/// Table 7 of S. Shi, Q. Wang, P. Xu, X. Chu, "Benchmarking State-of-the-Art Deep Learning Software Tools", arXiv
/// 1608.07249 v7, 2017. It has 7 networks, 5 tools, 13 platforms. It was read from an OCR text, so each cell keeps its
/// note. Cells are judged by shi2016_facts().
const std::vector<ReferenceCell>& shi2016_table7();
/// Lines `network,minibatch,tool,platform,threads,seconds,note`. Cells are judged by their notes alone. Fails (refused)
/// naming the line and the field.
engine::Result<std::vector<ReferenceCell>> parse_reference(std::string_view csv);

/// The cells of the network that a point runs, at its minibatch and in training; empty: Table 7 has none.
std::vector<const ReferenceCell*> reference_of(const Sweep&, size_t point);
/// The network's name in Table 7: "FCN-S"; empty: none. A preset whose shape, minibatch, mode or dtype was changed is
/// none.
std::string reference_network(const Sweep&, size_t point);
/// Worker threads that a point was run with; 0: it does not say.
int threads_of(const Sweep&, size_t point);

/// Range over the tools, of good cells alone.
struct ReferenceRange {
  double fastest_s = 0, slowest_s = 0;
  std::string fastest_tool;
  int tools = 0;    ///< good cells
  int flagged = 0;  ///< cells that have a time but stay out
};
/// Over the cells of one platform and thread count; tools == 0: none is good.
ReferenceRange reference_range(std::span<const ReferenceCell* const>, std::string_view platform, int threads);

/// The good cell with the least time of a platform; null: none is good. `threads` 0: any.
const ReferenceCell* fastest_cell(std::span<const ReferenceCell* const>, std::string_view platform, int threads = 0);

/// One row per point and published platform: our time, the published range, the ratio, what was left out and why, and
/// gaps. No rows where the sweep runs none of the networks.
Table reference_table(const Sweep&);
/// One sentence per point that Table 7 has, beside published times with as many threads, and one that names the paper.
std::vector<std::string> reference_sentences(const Sweep&);

}  // namespace profiler
