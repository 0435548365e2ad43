// SPDX-License-Identifier: Apache-2.0
// Names of a probe's figures.
#include "profiler/machine/probe_figures.h"

#include <fmt/format.h>

#include "engine/base/memory.h"
#include "profiler/base/words.h"

namespace profiler {
namespace {

std::string on_threads(int threads) { return counted(static_cast<uint64_t>(threads), "thread"); }

}  // namespace

std::string figure_name(const ComputeRoof& roof) {
  return fmt::format("{} arithmetic, {}", engine::name(roof.dtype), on_threads(roof.threads));
}

std::string figure_name(const BandwidthRoof& roof) {
  return fmt::format("{} {}, {}", roof.level, name(roof.mix), on_threads(roof.threads));
}

std::string figure_name(const LatencyPoint& point) {
  return fmt::format("latency at {}", engine::format_bytes(static_cast<double>(point.working_set_bytes)));
}

std::string figure_name(const engine::MatmulTiming& t) {
  return fmt::format("{} product {} x {} x {}, {}", engine::name(t.dtype), t.m, t.n, t.k, on_threads(t.threads));
}

std::string figure_name(const engine::WinogradTiming& t) {
  return fmt::format("convolution of {0} channels of {1} x {1}", t.channels, t.extent);
}

std::string products_figure(engine::DType dtype) {
  return fmt::format("{} matrix multiplications by each library", engine::name(dtype));
}

}  // namespace profiler
