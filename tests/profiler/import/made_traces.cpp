// SPDX-License-Identifier: Apache-2.0
// Random traces of PyTorch's shape.
#include "tests/profiler/import/made_traces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace tests {
namespace {

class Maker {
 public:
  Maker(uint32_t seed, const MadeShape& shape) : random_(seed), shape_(shape) {}

  MadeTrace make() {
    const int64_t step_ns = 1'000'000;
    int64_t now = shape_.shift_ns + 10'000;
    out_.steps = shape_.steps;
    for (int step = -1; step <= shape_.steps; ++step) {  // the first and the last lie outside all steps
      const bool inside = step >= 0 && step < shape_.steps;
      if (inside)
        span("user_annotation", fmt::format("ProfilerStep#{}", shape_.first_step + step), 1, now, step_ns, "");
      step_ = inside ? shape_.first_step + step : -1;
      for (int thread = 1; thread <= shape_.threads; ++thread) {
        int64_t at = now + 1'000;
        const int ops = inside ? shape_.ops_per_step + pick(5) : 2;
        for (int i = 0; i < ops && at + 60'000 < now + step_ns; ++i) at = op(thread, at, 60'000, 0) + 500;
      }
      now += step_ns + (inside ? 0 : 5'000);
    }
    out_.json = fmt::format(
        "{{\"schemaVersion\": 1, \"deviceProperties\": [{{\"id\": 0, \"name\": \"made\"}}], \"traceEvents\": [{}]}}",
        events_);
    return out_;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  void span(const std::string& category, const std::string& name, int thread, int64_t start, int64_t duration,
            const std::string& arguments) {
    if (!events_.empty()) events_ += ",\n";
    events_ += fmt::format(
        "{{\"ph\": \"X\", \"cat\": \"{}\", \"name\": \"{}\", \"pid\": 7, \"tid\": {}, \"ts\": {}.{:03}, \"dur\": "
        "{}.{:03}, \"args\": {{{}}}}}",
        category, name, thread, start / 1000, start % 1000, duration / 1000, duration % 1000, arguments);
  }

  /// Returns where it ends.
  int64_t op(int thread, int64_t start, int64_t most_ns, int depth) {
    constexpr std::array kNames{"aten::addmm", "aten::relu", "aten::copy_", "aten::layer_norm", "MyOp"};
    const int64_t duration = most_ns / 2 + pick(static_cast<int>(most_ns / 4));
    const int rows = 1 + pick(6);  // shapes come and go
    span("cpu_op", kNames[static_cast<size_t>(pick(5))], thread, start, duration,
         fmt::format("\"Input Dims\": [[{}, 8], [8, 4]], \"Input type\": [\"float\", \"float\"], \"External id\": {}",
                     rows, ++external_));
    int64_t at = start + 200;
    const int inside = depth < 3 ? pick(3) : 0;
    for (int i = 0; i < inside; ++i) at = op(thread, at, duration / 4, depth + 1) + 10;
    if (shape_.gpu && (inside == 0 || pick(4) == 0) && at + 400 < start + duration) launch(thread, at);
    return start + duration;
  }

  void launch(int thread, int64_t at) {
    const int correlation = ++correlation_;
    span("cuda_runtime", "cudaLaunchKernel", thread, at, 300,
         fmt::format("\"correlation\": {}, \"External id\": {}", correlation, external_));
    const int kind = pick(10), device = pick(shape_.devices), stream = shape_.communication && kind == 0 ? 20 : 7;
    int64_t& free = free_at_[device * 100 + stream];
    const int64_t duration = 1'000 + pick(40'000), start = std::max(at + 2'000 + shape_.lag_ns, free);
    free = start + duration;
    const bool communication = stream == 20;
    const std::string name = communication ? "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
                             : kind == 1   ? "Memcpy HtoD (Pinned -> Device)"
                             : kind == 2   ? "Memset (Device)"
                                           : fmt::format("void made::kernel_{}<float>(float*)", pick(6));
    span(
        kind == 1   ? "gpu_memcpy"
        : kind == 2 ? "gpu_memset"
                    : "kernel",
        name, stream, start, duration,
        fmt::format(
            "\"device\": {}, \"stream\": {}, \"context\": 1, \"correlation\": {}, \"External id\": {}, \"bytes\": 4096",
            device, stream, correlation, external_));
    if (step_ < 0) {
      out_.stepless_ns += duration;
      return;
    }
    out_.device_ns += duration;
    out_.of_step_ns[step_] += duration;
    if (communication) out_.communication_ns += duration;
    ++out_.launches;
  }

  std::mt19937 random_;
  MadeShape shape_;
  MadeTrace out_;
  std::string events_;
  std::map<int, int64_t> free_at_;
  int correlation_ = 0, external_ = 0, step_ = -1;
};

}  // namespace

MadeTrace made_kineto(uint32_t seed, const MadeShape& shape) { return Maker(seed, shape).make(); }

}  // namespace tests
