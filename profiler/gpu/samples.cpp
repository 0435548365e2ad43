// SPDX-License-Identifier: Apache-2.0
// Samples kept in bounded memory.
#include "profiler/gpu/samples.h"

#include <algorithm>

namespace profiler {

void SampleStore::add(int64_t start_ns, int64_t end_ns, const std::vector<double>& sums) {
  if (end_ns <= start_ns || sums.size() != sums_.size()) return;
  if (in_last_ > 0 && in_last_ < merged_) {
    end_ns_.back() = end_ns;
    covered_ns_.back() += end_ns - start_ns;
    for (size_t f = 0; f < sums.size(); ++f) sums_[f].back() += sums[f];
    ++in_last_;
    return;
  }
  if (start_ns_.size() == most_) halve();
  if (in_last_ > 0 && in_last_ < merged_) return add(start_ns, end_ns, sums);  // the halving left an entry open
  start_ns_.push_back(start_ns);
  end_ns_.push_back(end_ns);
  covered_ns_.push_back(end_ns - start_ns);
  for (size_t f = 0; f < sums.size(); ++f) sums_[f].push_back(sums[f]);
  in_last_ = 1;
}

void SampleStore::halve() {
  const size_t count = start_ns_.size(), kept = (count + 1) / 2;
  for (size_t i = 0; i < kept; ++i) {
    const size_t from = 2 * i, with = std::min(from + 1, count - 1);
    start_ns_[i] = start_ns_[from];
    end_ns_[i] = end_ns_[with];
    covered_ns_[i] = covered_ns_[from] + (with > from ? covered_ns_[with] : 0);
    for (std::vector<double>& sums : sums_) sums[i] = sums[from] + (with > from ? sums[with] : 0);
  }
  start_ns_.resize(kept), end_ns_.resize(kept), covered_ns_.resize(kept);
  for (std::vector<double>& sums : sums_) sums.resize(kept);
  in_last_ = count % 2 == 0 ? 2 * merged_ : merged_;
  merged_ *= 2;
}

void SampleStore::hand_out(GpuSamples& samples) const {
  samples.start_ns = start_ns_;
  samples.end_ns = end_ns_;
  samples.merged = merged_;
  for (size_t f = 0; f < std::min(sums_.size(), samples.figures.size()); ++f) {
    std::vector<double>& values = samples.figures[f].values;
    values.resize(start_ns_.size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = sums_[f][i] / static_cast<double>(covered_ns_[i]);
  }
}

}  // namespace profiler
