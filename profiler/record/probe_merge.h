// SPDX-License-Identifier: Apache-2.0
// Of two probes that other programs disturbed, what each figure is worth: interference only lowers a rate, and only
// raises a latency.
#pragma once

#include <vector>

#include "profiler/machine/machine.h"

namespace profiler::probe {

/// The better reading of each figure of two probes of one machine: of rates the higher median, of latencies and of
/// times of products and convolutions the lower. Where the two drew the borders of the caches elsewhere, they are drawn
/// again from the better latencies, and a bandwidth whose working set does not lie in its level by those loses against
/// one that does. What is not `latest`'s own is listed (Machine::kept) with the date of its probe; the date, notes and
/// system are `latest`'s, less what a kept figure refutes.
Machine better_of(const Machine& earlier, Machine latest);

/// Gives `latest` the timings of products and convolutions that it had no time for and `earlier` has; a note says so.
void take_choices(const Machine& earlier, Machine& latest);

/// Puts fresh timings of products of `dtype` in the place of those of the same shape and thread count. Of the
/// `left_out` shapes that others disturbed too much the earlier timings stay; returns how many have none.
int renew(std::vector<engine::MatmulTiming>&, engine::DType dtype, const std::vector<engine::MatmulTiming>& fresh,
          int left_out);

}  // namespace profiler::probe
