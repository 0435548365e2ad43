// SPDX-License-Identifier: Apache-2.0
// The hand-made capture: tensors, ops with exact costs, a machine, and steps with plausible times.
#include "tests/support/sample_capture.h"

#include <array>
#include <limits>
#include <map>
#include <string>

#include "profiler/capture/facts_from_name.h"
#include "profiler/capture/layer_ranges.h"

namespace tests {
namespace {

using engine::DType;
using profiler::Activity;
using profiler::ActivityKind;
using profiler::CaptureBuilder;
using profiler::kNoOp;
using profiler::Measured;
using profiler::OperandRecord;
using profiler::OpId;
using profiler::OpRecord;
using profiler::Phase;
using profiler::Role;
using profiler::TensorId;

constexpr int64_t kBatch = 16, kChannels = 32, kClasses = 10, kPixels = 64 * 64;
constexpr int64_t kImage = kBatch * 3 * kPixels * 4;        // bytes
constexpr int64_t kMap = kBatch * kChannels * kPixels * 4;  // 8 MiB
constexpr int64_t kFeatures = kBatch * kChannels * 4, kLogits = kBatch * kClasses * 4;
constexpr int64_t kConvWeight = kChannels * 3 * 9 * 4, kFcWeight = kClasses * kChannels * 4, kFcBias = kClasses * 4;

Measured known(double median, double spread = 0.02) {
  return {.median = median, .low = median * (1 - spread), .high = median * (1 + spread), .samples = 9};
}

void describe_run(CaptureBuilder& b) {
  profiler::RunInfo& run = b.run();
  run.workload = "tiny_net";
  run.title = "Tiny net";
  run.arguments = {{"batch", "16"}, {"dtype", "f32"}, {"mode", "training"}};
  run.device = "cpu";
  run.threads = 2;
  run.seed = 18446744073709551615u;  // the largest: must survive a file
  run.command = "tensortide run tiny_net --batch 16";
  run.created_at = "2026-03-01T12:34:56+01:00";
  run.product_version = "0.1.0";
  run.parameter_count = (kConvWeight + kFcWeight + kFcBias) / 4;
  run.matrix_weight_count = (kConvWeight + kFcWeight) / 4;
  profiler::Honesty& honesty = b.honesty();
  honesty.cost_ratio = 0.004;
  honesty.cost_noise_ratio = 0.006;
  honesty.cost_bound_ratio = 0.00002;
  honesty.clock_drift_ratio = std::numeric_limits<double>::quiet_NaN();
  honesty.notes = {"No hardware counters: this machine's kernel offers none (perf_event_paranoid = 3)."};
}

void describe_machine(CaptureBuilder& b) {
  profiler::Machine& m = b.machine();
  m.info.device = {.kind = "cpu", .index = 0};
  m.info.model = "Sample CPU @ 2.00 GHz";
  m.info.cores = 2;
  m.info.hardware_threads = 4;
  m.info.vector_bits = 256;
  m.info.features = {"avx2", "fma"};
  m.info.caches = {{.name = "L1d", .size_bytes = 32 << 10, .line_bytes = 64, .ways = 8, .shared_by_cores = 1},
                   {.name = "L2", .size_bytes = 1 << 20, .line_bytes = 64, .ways = 16, .shared_by_cores = 1},
                   {.name = "L3", .size_bytes = 32 << 20, .line_bytes = 64, .ways = 16, .shared_by_cores = 2}};
  m.info.memory_bytes = int64_t{8} << 30;
  m.info.memory_available_bytes = int64_t{6} << 30;
  m.info.libraries = {"oneDNN 2.6.3"};
  for (const int threads : {1, 2}) {
    m.compute.push_back({.dtype = DType::float32,
                         .threads = threads,
                         .flop_per_s = known(50e9 * threads),
                         .method = "register-only FMA, 256-bit"});
    m.compute.push_back({.dtype = DType::float64,
                         .threads = threads,
                         .flop_per_s = known(25e9 * threads),
                         .method = "register-only FMA, 256-bit"});
  }
  struct Level {
    const char* name;
    double one_thread, two_threads;
    int64_t working_set;
  };
  for (const Level& level : {Level{"L1", 200e9, 400e9, 16 << 10}, Level{"L2", 60e9, 120e9, 512 << 10},
                             Level{"L3", 20e9, 40e9, 2 << 20}, Level{"DRAM", 8e9, 10e9, 256 << 20}}) {
    for (const int threads : {1, 2}) {
      const double read = threads == 1 ? level.one_thread : level.two_threads;
      for (const auto& [mix, share] :
           {std::pair{profiler::AccessMix::read, 1.0}, std::pair{profiler::AccessMix::write, 0.5},
            std::pair{profiler::AccessMix::copy, 0.7}, std::pair{profiler::AccessMix::triad, 0.75}}) {
        m.bandwidth.push_back({.level = level.name,
                               .mix = mix,
                               .threads = threads,
                               .bytes_per_s = known(read * share, 0.05),
                               .working_set_bytes = level.working_set});
      }
    }
  }
  m.latency = {{.working_set_bytes = 16 << 10, .latency_ns = known(2)},
               {.working_set_bytes = 512 << 10, .latency_ns = known(7)},
               {.working_set_bytes = 2 << 20, .latency_ns = known(25)},
               {.working_set_bytes = 256 << 20, .latency_ns = known(95)}};
  m.levels = {{.name = "L1",
               .specified_size_bytes = 32 << 10,
               .effective_size_bytes = 32 << 10,
               .line_bytes = 64,
               .shared_by_threads = 1,
               .latency_ns = known(2),
               .note = ""},
              {.name = "L2",
               .specified_size_bytes = 1 << 20,
               .effective_size_bytes = 1 << 20,
               .line_bytes = 64,
               .shared_by_threads = 1,
               .latency_ns = known(7),
               .note = ""},
              {.name = "L3",
               .specified_size_bytes = 32 << 20,
               .effective_size_bytes = 4 << 20,
               .line_bytes = 64,
               .shared_by_threads = 2,
               .latency_ns = known(25),
               .note = "bandwidth falls to DRAM speed at 4 MiB"},
              {.name = "DRAM",
               .specified_size_bytes = int64_t{8} << 30,
               .effective_size_bytes = int64_t{8} << 30,
               .line_bytes = 64,
               .shared_by_threads = 2,
               .latency_ns = known(95),
               .note = ""}};
  m.probed_at = "2026-03-01T12:00:00+01:00";
  m.probe_seconds = 12.5;
  m.timer_ns = 7;
  m.fork_join_ns = 1500;
}

/// Adds tensors by name and remembers their ids, so that ops read like the net.
class Net {
 public:
  explicit Net(CaptureBuilder& b) : b_(b) {}

  void tensor(const std::string& name, Role role, std::vector<int64_t> shape, int64_t size_bytes, OpId first, OpId last,
              DType dtype = DType::float32) {
    profiler::TensorRecord t;
    t.name = b_.intern(name);
    t.dtype = dtype;
    t.shape = shape;
    t.strides.assign(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) t.strides[i - 1] = t.strides[i] * shape[i];
    t.role = role;
    t.persistent = first == kNoOp;
    t.size_bytes = size_bytes;
    t.first_op = t.persistent ? 0 : first;
    t.last_op = t.persistent ? SampleOps::count - 1 : last;
    int64_t& next = t.persistent ? persistent_bytes_ : arena_bytes_;
    t.offset_bytes = next;
    next += (size_bytes + 63) / 64 * 64;
    ids_[name] = b_.add_tensor(t);
    roles_[name] = role;
    sizes_[name] = size_bytes;
  }
  void view(const std::string& name, std::vector<int64_t> shape, const std::string& of) {
    profiler::TensorRecord t = b_.so_far().tensors()[ids_[of]];
    t.name = b_.intern(name);
    t.shape = std::move(shape);
    t.strides = {t.shape[1], 1};
    t.alias_of = ids_[of];
    ids_[name] = b_.add_tensor(t);
    roles_[name] = roles_[of];
    sizes_[name] = sizes_[of];
  }
  /// Reads and writes every byte of each operand once.
  void op(const std::string& layer, const std::string& type, Phase phase, double flops,
          const std::vector<std::string>& inputs, const std::vector<std::string>& outputs, const std::string& kernel) {
    std::vector<OperandRecord> operands;
    const bool view = kernel == "view";
    for (const std::string& in : inputs) {
      operands.push_back({.op = kNoOp,
                          .tensor = ids_.at(in),
                          .role = roles_.at(in),
                          .output = false,
                          .read_bytes = view ? 0 : sizes_.at(in),
                          .written_bytes = 0});
    }
    for (const std::string& out : outputs) {
      operands.push_back({.op = kNoOp,
                          .tensor = ids_.at(out),
                          .role = roles_.at(out),
                          .output = true,
                          .read_bytes = 0,
                          .written_bytes = view ? 0 : sizes_.at(out)});
    }
    OpRecord record;
    record.name = b_.intern(layer + "/" + type);
    record.type = b_.intern(type);
    record.layer = b_.intern(layer);
    record.kernel = b_.intern(kernel);
    record.phase = phase;
    record.view = view;
    record.flops = flops;
    b_.set_facts(b_.add_op(record, std::move(operands)), profiler::facts_from_name(kernel));
  }
  int64_t persistent_bytes() const { return persistent_bytes_; }
  int64_t arena_bytes() const { return arena_bytes_; }

 private:
  CaptureBuilder& b_;
  std::map<std::string, TensorId> ids_;
  std::map<std::string, Role> roles_;
  std::map<std::string, int64_t> sizes_;
  int64_t persistent_bytes_ = 0, arena_bytes_ = 0;
};

void add_tensors(Net& net) {
  using Ops = SampleOps;
  const std::vector<int64_t> map{kBatch, kChannels, 64, 64};
  net.tensor("images", Role::input, {kBatch, 3, 64, 64}, kImage, kNoOp, kNoOp);
  net.tensor("labels", Role::input, {kBatch}, kBatch * 8, kNoOp, kNoOp, DType::int64);
  for (const auto& [suffix, role] :
       {std::pair{std::string(), Role::weight}, std::pair{std::string(".momentum"), Role::optimizer_state}}) {
    net.tensor("features.conv1.weight" + suffix, role, {kChannels, 3, 3, 3}, kConvWeight, kNoOp, kNoOp);
    net.tensor("head.fc.weight" + suffix, role, {kClasses, kChannels}, kFcWeight, kNoOp, kNoOp);
    net.tensor("head.fc.bias" + suffix, role, {kClasses}, kFcBias, kNoOp, kNoOp);
  }
  net.tensor("features.conv1.output", Role::activation, map, kMap, Ops::conv, Ops::relu);
  net.tensor("features.relu1.output", Role::activation, map, kMap, Ops::relu, Ops::relu_gradient);
  net.tensor("features.pool.output", Role::activation, {kBatch, kChannels, 1, 1}, kFeatures, Ops::pool,
             Ops::linear_weight_gradient);
  net.view("head.flatten.output", {kBatch, kChannels}, "features.pool.output");
  net.tensor("head.fc.output", Role::activation, {kBatch, kClasses}, kLogits, Ops::linear, Ops::loss_gradient);
  net.tensor("loss.output", Role::activation, {}, 4, Ops::loss, Ops::bias_update);
  net.tensor("head.fc.output.gradient", Role::gradient, {kBatch, kClasses}, kLogits, Ops::loss_gradient,
             Ops::linear_input_gradient);
  net.tensor("head.fc.weight.gradient", Role::gradient, {kClasses, kChannels}, kFcWeight, Ops::linear_weight_gradient,
             Ops::linear_update);
  net.tensor("head.fc.bias.gradient", Role::gradient, {kClasses}, kFcBias, Ops::linear_bias_gradient, Ops::bias_update);
  net.tensor("features.pool.output.gradient", Role::gradient, {kBatch, kChannels, 1, 1}, kFeatures,
             Ops::linear_input_gradient, Ops::pool_gradient);
  net.tensor("features.relu1.output.gradient", Role::gradient, map, kMap, Ops::pool_gradient, Ops::relu_gradient);
  net.tensor("features.conv1.output.gradient", Role::gradient, map, kMap, Ops::relu_gradient,
             Ops::conv_weight_gradient);
  net.tensor("features.conv1.weight.gradient", Role::gradient, {kChannels, 3, 3, 3}, kConvWeight,
             Ops::conv_weight_gradient, Ops::conv_update);
}

void add_ops(Net& net) {
  constexpr double kConvFlops = 2.0 * kBatch * kChannels * kPixels * 27, kElements = double{kMap} / 4;
  constexpr double kFcFlops = 2.0 * kBatch * kChannels * kClasses;
  net.op("features.conv1", "conv2d", Phase::forward, kConvFlops, {"images", "features.conv1.weight"},
         {"features.conv1.output"}, "oneDNN brgconv:avx2");
  net.op("features.relu1", "relu", Phase::forward, kElements, {"features.conv1.output"}, {"features.relu1.output"},
         "own relu (Highway)");
  net.op("features.pool", "global_average_pool", Phase::forward, kElements, {"features.relu1.output"},
         {"features.pool.output"}, "own mean (Highway)");
  net.op("head.flatten", "reshape", Phase::forward, 0, {"features.pool.output"}, {"head.flatten.output"}, "view");
  net.op("head.fc", "linear", Phase::forward, kFcFlops + kBatch * kClasses,
         {"head.flatten.output", "head.fc.weight", "head.fc.bias"}, {"head.fc.output"}, "oneDNN brgemm:avx2");
  net.op("loss", "softmax_cross_entropy", Phase::forward, 4.0 * kBatch * kClasses, {"head.fc.output", "labels"},
         {"loss.output"}, "own softmax_cross_entropy");
  net.op("loss", "softmax_cross_entropy_gradient", Phase::backward, 4.0 * kBatch * kClasses,
         {"head.fc.output", "labels"}, {"head.fc.output.gradient"}, "own softmax_cross_entropy");
  net.op("head.fc", "linear_grad_weight", Phase::backward, kFcFlops, {"head.fc.output.gradient", "head.flatten.output"},
         {"head.fc.weight.gradient"}, "oneDNN brgemm:avx2");
  net.op("head.fc", "linear_grad_bias", Phase::backward, kBatch * kClasses, {"head.fc.output.gradient"},
         {"head.fc.bias.gradient"}, "own sum");
  net.op("head.fc", "linear_grad_input", Phase::backward, kFcFlops, {"head.fc.output.gradient", "head.fc.weight"},
         {"features.pool.output.gradient"}, "oneDNN brgemm:avx2");
  net.op("features.pool", "global_average_pool_gradient", Phase::backward, kElements, {"features.pool.output.gradient"},
         {"features.relu1.output.gradient"}, "own expand");
  net.op("features.relu1", "relu_gradient", Phase::backward, kElements,
         {"features.relu1.output.gradient", "features.relu1.output"}, {"features.conv1.output.gradient"},
         "own relu (Highway)");
  net.op("features.conv1", "conv2d_grad_weight", Phase::backward, kConvFlops,
         {"images", "features.conv1.output.gradient"}, {"features.conv1.weight.gradient"}, "oneDNN jit:avx2");
  const std::pair<const char*, int64_t> updates[] = {
      {"features.conv1.weight", kConvWeight}, {"head.fc.weight", kFcWeight}, {"head.fc.bias", kFcBias}};
  for (const auto& [weight, size] : updates) {
    const std::string w(weight);
    const std::string layer = w.substr(0, w.rfind('.'));
    const std::string type = w.ends_with("bias") ? "sgd_update_bias" : "sgd_update";
    net.op(layer, type, Phase::update, double(size), {w, w + ".gradient", w + ".momentum"}, {w, w + ".momentum"},
           "own sgd (Highway)");
  }
}

void add_step(CaptureBuilder& b, const profiler::LayerRanges& layers, uint32_t index, bool traced, int64_t& now) {
  const bool warmup = index == 0;
  const int64_t start = now;
  now += 400;  // from the step's begin to its first op
  std::vector<Activity> ops, all;
  for (OpId op = 0; op < SampleOps::count; ++op) {
    const int64_t ns = sample_op_ns(op, index) * (warmup ? 2 : 1);
    if (ns == 0) continue;
    ops.push_back({.start_ns = now,
                   .duration_ns = ns,
                   .correlation = 0,
                   .name = b.so_far().ops()[op].name,
                   .op = op,
                   .step = index,
                   .track = 0,
                   .kind = ActivityKind::op,
                   .flags = 0});
    now += ns;
  }
  now += 200;
  b.add_step({.index = index, .start_ns = start, .duration_ns = now - start, .traced = traced, .warmup = warmup});
  Activity whole{.start_ns = start,
                 .duration_ns = now - start,
                 .correlation = 0,
                 .name = b.intern(warmup   ? "warm-up step"
                                  : traced ? "step"
                                           : "untraced step"),
                 .op = kNoOp,
                 .step = index,
                 .track = 0,
                 .kind = ActivityKind::step,
                 .flags = 0};
  all.push_back(whole);
  if (traced) layers.append(ops, all);
  for (const Activity& a : all) b.add_activity(a);
  if (traced) {
    b.add_activity({.start_ns = now + 1000,
                    .duration_ns = 250000,
                    .correlation = 0,
                    .name = b.intern("write capture"),
                    .op = kNoOp,
                    .step = index,
                    .track = 1,
                    .kind = ActivityKind::overhead,
                    .flags = 0});
  }
  now += 300000;
}

}  // namespace

int64_t sample_op_ns(OpId op, uint32_t step) {
  // conv at 80 % of the f32 peak; the big elementwise ops near DRAM speed (read + write +
  // write-allocate at 10 GB/s)
  constexpr std::array<int64_t, SampleOps::count> kTimes{1415000, 2600000, 870000,  0,       4000,    6000, 5000, 5200,
                                                         1500,    4100,    1700000, 3500000, 1900000, 2200, 1400, 900};
  const int64_t per_mille = step % 4 == 1 ? 1000 : step % 4 == 2 ? 1010 : 990;
  return kTimes[op] * per_mille / 1000;
}

CaptureBuilder sample_builder() {
  CaptureBuilder b;
  describe_run(b);
  describe_machine(b);
  b.add_track({.kind = profiler::TrackKind::host_thread, .name = "main thread", .group = "Host"});
  b.add_track({.kind = profiler::TrackKind::overhead, .name = "profiler", .group = "Profiler"});
  Net net(b);
  add_tensors(net);
  add_ops(net);
  b.run().persistent_bytes = net.persistent_bytes();
  b.run().arena_bytes = b.run().arena_bytes_without_reuse = net.arena_bytes();
  b.run().workspace_bytes = 65536;
  const profiler::LayerRanges layers(b);
  int64_t now = 5'000'000'000'000;
  for (uint32_t step = 0; step < 5; ++step) add_step(b, layers, step, step != 3, now);
  return b;
}

std::shared_ptr<const profiler::Capture> sample_capture() {
  CaptureBuilder builder = sample_builder();
  auto capture = builder.finish();
  CHECK(capture.ok());
  return *capture;
}

}  // namespace tests
