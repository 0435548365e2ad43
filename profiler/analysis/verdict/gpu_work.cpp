// SPDX-License-Identifier: Apache-2.0
// Kernels, calls and copies summed per op; roofs and block slots from the data sheet.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "profiler/analysis/base/intervals.h"
#include "profiler/analysis/base/op_samples.h"
#include "profiler/analysis/gpu/graph_launches.h"
#include "profiler/analysis/verdict/gpu_verdict.h"
#include "profiler/base/unknown.h"
#include "profiler/capture/communication.h"
#include "profiler/capture/facts_from_name.h"
#include "profiler/capture/host_copies.h"
#include "profiler/capture/op_devices.h"
#include "profiler/capture/timed_steps.h"

namespace profiler {
namespace {

/// Per multiprocessor. Sources: CUDA C++ Programming Guide, "Arithmetic Instructions" (FMA lanes) and "Technical
/// Specifications per Compute Capability"; tensor-core FMA rates from NVIDIA's architecture white papers (V100, A100,
/// GA102, AD102, H100), dense: TF32 half of 16-bit floats, FP8 twice.
struct Multiprocessor {
  int major, minor;
  int f32_lanes, tensor_f16_fma, tensor_tf32_fma, tensor_fp8_fma;  ///< FMA per cycle; 0: unknown, or there is none
  int threads, blocks;
};
/// Bytes per cycle that L2 serves to all multiprocessors. Source: NVIDIA A100 Tensor Core GPU Architecture (white
/// paper, 2020), "A100 L2 cache": 5120 of A100, 2048 of V100. Of others NVIDIA publishes none.
constexpr double l2_bytes_per_cycle(const GpuDevice& device) {
  if (device.compute_major == 8 && device.compute_minor == 0) return 5120;
  return device.compute_major == 7 && device.compute_minor == 0 ? 2048 : kUnknown;
}
constexpr std::array kMultiprocessors{
    Multiprocessor{6, 0, 64, 0, 0, 0, 2048, 32},         Multiprocessor{6, 1, 128, 0, 0, 0, 2048, 32},
    Multiprocessor{7, 0, 64, 512, 0, 0, 2048, 32},       Multiprocessor{7, 5, 64, 512, 0, 0, 1024, 16},
    Multiprocessor{8, 0, 64, 1024, 512, 0, 2048, 32},    Multiprocessor{8, 6, 128, 512, 256, 0, 1536, 16},
    Multiprocessor{8, 9, 128, 512, 256, 1024, 1536, 24}, Multiprocessor{9, 0, 128, 2048, 1024, 4096, 2048, 32}};
constexpr double kRegisters = 65536, kWarp = 32;

const Multiprocessor* multiprocessor(const GpuDevice& device) {
  for (const Multiprocessor& m : kMultiprocessors) {
    if (m.major == device.compute_major && m.minor == device.compute_minor) return &m;
  }
  return nullptr;
}

/// Sums of one op in one step.
struct Sums {
  double kernel_ns = 0, call_ns = 0, copy_ns = 0, exposed_ns = 0, bytes = 0, communication_ns = 0,
         exposed_communication_ns = 0;
  int kernels = 0, copies = 0;
};

/// 0 where the size is unknown, or too small to show a rate.
double rate_of(const Capture& capture, const CopyRecord& copy) {
  const auto ns = static_cast<double>(capture.activities().duration_ns[copy.activity]);
  const auto bytes = static_cast<double>(copy.bytes);
  return shows_rate(bytes, ns) ? bytes / ns * 1e9 : 0;
}

/// Copies of one op in all steps, those of known rate.
struct CopySums {
  double bytes = 0, ns = 0, at_best_ns = 0;
  bool pageable = false;
};

class Collector {
 public:
  explicit Collector(const Capture& capture)
      : capture_(capture),
        counted_(capture),
        rank_of_(capture),
        communication_(capture),
        work_(capture.ops().size()),
        sums_(capture.ops().size()),
        copies_(capture.ops().size()),
        longest_(capture.ops().size(), 0) {
    const ActivityColumns& a = capture.activities();
    const std::unordered_set<uint64_t> graphs = graph_launches(capture);
    for (const ApiCallRecord& call : capture.gpu().api_calls) {
      if (a.correlation[call.activity] != 0 && !graphs.contains(a.correlation[call.activity]))
        calls_[a.correlation[call.activity]] = static_cast<double>(a.duration_ns[call.activity]);
    }
    std::map<Place, std::vector<Interval>> spans, computing;
    for (const KernelRecord& k : capture.gpu().kernels) {
      const Interval span{a.start_ns[k.activity], a.start_ns[k.activity] + a.duration_ns[k.activity]};
      spans[place(k)].push_back(span);
      if (!communication_.is(k.activity)) computing[place(k)].push_back(span);
    }
    for (auto& [device, list] : spans) kernels_[device] = IntervalSet(std::move(list));
    for (auto& [device, list] : computing) computing_[device] = IntervalSet(std::move(list));
    for (const KernelRecord& k : capture.gpu().kernels) add(k);
    for (const CopyRecord& c : capture.gpu().copies) {
      if (!is_host_copy(c)) add(c);
    }
    sum_copies();
  }

  std::vector<std::optional<GpuOpWork>> finish() {
    for (OpId op = 0; op < work_.size(); ++op) {
      if (!work_[op]) continue;
      std::array<std::vector<double>, 9> values;
      for (const auto& [step, s] : sums_[op]) {
        const std::array<double, 9> row{s.kernel_ns,
                                        s.call_ns,
                                        s.copy_ns,
                                        s.exposed_ns,
                                        s.bytes,
                                        double(s.kernels),
                                        double(s.copies),
                                        s.communication_ns,
                                        s.exposed_communication_ns};
        for (size_t i = 0; i < row.size(); ++i) values[i].push_back(row[i]);
      }
      const auto of_step = [this](const std::vector<double>& sums) {
        return of_a_step(capture_, sums, counted_.count());
      };
      GpuOpWork& w = *work_[op];
      w.kernel_ns = step_spread(capture_, values[0], counted_.count());
      // A step whose call is unknown makes the sum unknown, not smaller.
      w.call_ns =
          std::ranges::any_of(values[1], [](double v) { return std::isnan(v); }) ? kUnknown : of_step(values[1]);
      w.copy_ns = of_step(values[2]), w.exposed_ns = of_step(values[3]);
      w.copied_bytes =
          std::ranges::any_of(values[4], [](double v) { return std::isnan(v); }) ? kUnknown : of_step(values[4]);
      w.kernels = of_step(values[5]), w.copies = of_step(values[6]);
      w.communication_ns = of_step(values[7]), w.exposed_communication_ns = of_step(values[8]);
      const CopySums& copied = copies_[op];
      w.copy_bytes_per_s = copied.ns > 0 ? copied.bytes / copied.ns * 1e9 : kUnknown;
      w.copy_use_ratio = copied.ns > 0 ? copied.at_best_ns / copied.ns : kUnknown;
      w.pageable = copied.pageable;
    }
    return std::move(work_);
  }

 private:
  using Place = std::pair<uint32_t, int32_t>;  // rank, device
  template <class Record>
  Place place(const Record& record) const {
    return {rank_of_(capture_.activities().track[record.activity]), record.place.device};
  }
  Sums* sums_of(uint32_t activity, int32_t device) {
    const ActivityColumns& a = capture_.activities();
    const OpId op = a.op[activity];
    if (op >= work_.size() || (counted_.count() > 0 && !counted_.contains(a.step[activity]))) return nullptr;
    if (!work_[op]) work_[op].emplace(), work_[op]->device = device, work_[op]->waves = kUnknown;
    return &sums_[op][a.step[activity]];
  }
  void add(const KernelRecord& k) {
    Sums* s = sums_of(k.activity, k.place.device);
    if (s == nullptr) return;
    const ActivityColumns& a = capture_.activities();
    const auto ns = static_cast<double>(a.duration_ns[k.activity]);
    s->kernel_ns += ns;
    ++s->kernels;
    if (communication_.is(k.activity)) {
      const int64_t begin = a.start_ns[k.activity];
      const auto beside = computing_.find(place(k));
      s->communication_ns += ns;
      s->exposed_communication_ns +=
          ns - (beside == computing_.end()
                    ? 0
                    : static_cast<double>(beside->second.covered_ns(begin, begin + a.duration_ns[k.activity])));
    }
    const OpId of = a.op[k.activity];
    const double ratio = flops_ratio(a.name[k.activity]);
    double& of_op = work_[of]->flops_ratio;
    if (std::isnan(ratio) || ratio < of_op) of_op = ratio;
    // One op with the gradients of input and weights, of which Winograd may compute one: how much is unknown.
    if (of_op < 1 && capture_.name(capture_.ops()[of].type) == "aten::convolution_backward") of_op = kUnknown;
    const auto call = calls_.find(a.correlation[k.activity]);
    s->call_ns += call == calls_.end() ? kUnknown : call->second;
    const GpuDevice* device = gpu_device(capture_, k.place.device);
    if (ns <= longest_[of] || device == nullptr) return;
    longest_[of] = ns;
    work_[of]->waves = waves_of(k, *device);
  }
  /// Of a kernel, by its name: GpuOpWork::flops_ratio.
  double flops_ratio(NameId name) {
    const auto [known, fresh] = flops_ratios_.try_emplace(name, 1.0);
    if (!fresh) return known->second;
    known->second = flops_ratio_of(capture_.name(name));
    return known->second;
  }
  void add(const CopyRecord& c) {
    Sums* s = sums_of(c.activity, c.place.device);
    if (s == nullptr) return;
    const ActivityColumns& a = capture_.activities();
    const int64_t begin = a.start_ns[c.activity], end = begin + a.duration_ns[c.activity];
    const auto busy = kernels_.find(place(c));
    s->copy_ns += static_cast<double>(end - begin);
    s->exposed_ns +=
        static_cast<double>(end - begin - (busy == kernels_.end() ? 0 : busy->second.covered_ns(begin, end)));
    s->bytes += c.bytes >= 0 ? static_cast<double>(c.bytes) : kUnknown;
    ++s->copies;
  }

  void sum_copies() {
    std::map<CopyKind, double> best;
    for (const CopyRecord& c : capture_.gpu().copies) best[c.kind] = std::max(best[c.kind], rate_of(capture_, c));
    const ActivityColumns& a = capture_.activities();
    for (const CopyRecord& c : capture_.gpu().copies) {
      const OpId op = a.op[c.activity];
      if (op >= copies_.size() || !(rate_of(capture_, c) > 0)) continue;
      CopySums& s = copies_[op];
      s.bytes += static_cast<double>(c.bytes);
      s.ns += static_cast<double>(a.duration_ns[c.activity]);
      s.at_best_ns += static_cast<double>(c.bytes) / best[c.kind] * 1e9;
      s.pageable = s.pageable || c.source == MemoryKind::pageable || c.destination == MemoryKind::pageable;
    }
  }

  const Capture& capture_;
  CountedSteps counted_;
  RankOfTrack rank_of_;
  Communication communication_;
  std::unordered_map<uint64_t, double> calls_;  // by correlation; but of graphs
  std::map<Place, IntervalSet> kernels_, computing_;
  std::vector<std::optional<GpuOpWork>> work_;
  std::vector<std::map<uint32_t, Sums>> sums_;
  std::vector<CopySums> copies_;
  std::vector<double> longest_;
  std::unordered_map<NameId, double> flops_ratios_;
};

}  // namespace

std::vector<std::optional<GpuOpWork>> gpu_work(const Capture& capture) {
  if (!has_gpu_work(capture)) return std::vector<std::optional<GpuOpWork>>(capture.ops().size());
  return Collector(capture).finish();
}

namespace {

/// What the capture does not hold, from the data sheet of the GPU that it names.
GpuRoofs with_data_sheet(GpuRoofs roofs, const GpuDevice& device, engine::DType dtype, engine::ProductFormat format) {
  const GpuDataSheet* sheet = data_sheet_of(device);
  if (sheet == nullptr) return roofs;
  if (std::isnan(roofs.bytes_per_s)) roofs.bytes_per_s = sheet->memory_bytes_per_s;
  if (std::isnan(roofs.l2_bytes)) roofs.l2_bytes = sheet->l2_bytes;
  if (!std::isnan(roofs.flop_per_s) || format == engine::ProductFormat::fp8) return roofs;
  const bool tf32 = format == engine::ProductFormat::tf32 && !std::isnan(sheet->tf32_flop_per_s);
  if (dtype == engine::DType::float16) roofs.flop_per_s = sheet->f16_flop_per_s;
  if (dtype == engine::DType::bfloat16) roofs.flop_per_s = sheet->bf16_flop_per_s;
  if (dtype == engine::DType::float32) roofs.flop_per_s = tf32 ? sheet->tf32_flop_per_s : sheet->f32_flop_per_s;
  return roofs;
}

}  // namespace

const GpuDataSheet* data_sheet_of(const GpuDevice& device) {
  return find_data_sheet({.name = device.name,
                          .compute_major = device.compute_major,
                          .compute_minor = device.compute_minor,
                          .multiprocessors = device.multiprocessors,
                          .memory_bytes = device.memory_bytes});
}

GpuRoofs gpu_roofs(const GpuDevice& device, engine::DType dtype, engine::ProductFormat format) {
  GpuRoofs roofs{kUnknown, kUnknown, kUnknown, kUnknown};
  if (device.memory_bytes_per_s > 0) roofs.bytes_per_s = static_cast<double>(device.memory_bytes_per_s);
  if (device.l2_bytes > 0) roofs.l2_bytes = static_cast<double>(device.l2_bytes);
  if (device.clock_hz > 0) roofs.l2_bytes_per_s = l2_bytes_per_cycle(device) * static_cast<double>(device.clock_hz);
  const Multiprocessor* m = multiprocessor(device);
  if (m == nullptr || device.clock_hz <= 0 || device.multiprocessors <= 0)
    return with_data_sheet(roofs, device, dtype, format);
  const bool narrow = dtype == engine::DType::float16 || dtype == engine::DType::bfloat16;
  const int fma = format == engine::ProductFormat::fp8                              ? m->tensor_fp8_fma
                  : format == engine::ProductFormat::tf32 && m->tensor_tf32_fma > 0 ? m->tensor_tf32_fma
                  : narrow                                                          ? m->tensor_f16_fma
                  : dtype == engine::DType::float32                                 ? m->f32_lanes
                                                                                    : 0;
  if (fma > 0) roofs.flop_per_s = 2.0 * fma * device.multiprocessors * static_cast<double>(device.clock_hz);
  return with_data_sheet(roofs, device, dtype, format);
}

double waves_of(const KernelRecord& kernel, const GpuDevice& device) {
  const Multiprocessor* m = multiprocessor(device);
  double threads = 1, blocks = 1;
  for (size_t i = 0; i < 3; ++i) {
    if (kernel.block[i] <= 0 || kernel.grid[i] <= 0) return kUnknown;
    threads *= kernel.block[i];
    blocks *= kernel.grid[i];
  }
  if (m == nullptr || device.multiprocessors <= 0) return kUnknown;
  double fitting = std::min<double>(m->blocks, std::floor(m->threads / threads));
  if (kernel.registers_per_thread > 0) {
    const double rounded = std::ceil(threads / kWarp) * kWarp;
    fitting = std::min(fitting, std::floor(kRegisters / (rounded * kernel.registers_per_thread)));
  }
  return fitting >= 1 ? blocks / (fitting * device.multiprocessors) : kUnknown;
}

}  // namespace profiler
