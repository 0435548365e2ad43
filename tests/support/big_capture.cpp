// SPDX-License-Identifier: Apache-2.0
// Makes big captures.
#include "tests/support/big_capture.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/check.h"
#include "profiler/store/capture_file.h"
#include "tests/support/sample_capture.h"

namespace tests {

using namespace profiler;
using engine::Result;

BigCapture::BigCapture() {
  CaptureBuilder& b = builder_;
  b.machine() = sample_capture()->machine();
  b.run().workload = b.run().title = "synthetic";
  b.run().created_at = "2026-01-01T00:00:00Z";
  host_ = b.add_track({TrackKind::host_thread, "main thread", "Host"});
  api_ = b.add_track({TrackKind::host_thread, "CUDA API", "Host"});
  for (int i = 0; i < 4; ++i) streams_[i] = b.add_track({TrackKind::stream, fmt::format("stream {}", i), "GPU 0"});
  copy_in_ = b.add_track({TrackKind::copy_engine, "copies to the device", "GPU 0"});
  copy_out_ = b.add_track({TrackKind::copy_engine, "copies to the host", "GPU 0"});
  for (int i = 0; i < 16; ++i) kernels_[i] = b.intern(fmt::format("kernel_{}x{}_f32", 16 << (i % 4), 32 << (i / 4)));
  launch_ = b.intern("cudaLaunchKernel");
  copy_ = b.intern("cudaMemcpyAsync");
  wait_ = b.intern("cudaStreamSynchronize");
  const TensorId tensor =
      b.add_tensor({.name = b.intern("x"), .shape = {1 << 20}, .strides = {1}, .size_bytes = 4 << 20});
  for (size_t i = 0; i < kOps; ++i) {
    const std::string layer = fmt::format("block{}", i / 4);
    layers_[i / 4] = b.intern(layer);
    OpRecord op;
    op.name = b.intern(fmt::format("{}/op{}", layer, i));
    op.type = b.intern(i % 4 == 0 ? "matmul" : "relu");
    op.layer = layers_[i / 4];
    op.kernel = kernels_[i % 16];
    op.phase = i < kOps / 3 ? Phase::forward : i < kOps - 20 ? Phase::backward : Phase::update;
    op.flops = 1e6 * static_cast<double>(i + 1);
    b.add_op(op, {{.tensor = tensor, .output = true, .read_bytes = 4 << 20, .written_bytes = 4 << 20}});
  }
}

uint32_t BigCapture::random(uint32_t below) {
  seed_ = seed_ * 1664525u + 1013904223u;
  return static_cast<uint32_t>((uint64_t{seed_} * below) >> 32);
}

void BigCapture::add(ActivityKind kind, TrackId track, NameId name, OpId op, int64_t start, int64_t ns,
                     uint64_t correlation) {
  made_.push_back({.start_ns = start,
                   .duration_ns = ns,
                   .correlation = correlation,
                   .name = name,
                   .op = op,
                   .step = step_,
                   .track = track,
                   .kind = kind});
}

void BigCapture::next_step(std::vector<Activity>& activities, std::vector<StepRecord>& steps) {
  made_.clear();
  const int64_t begin = now_ns_;
  int64_t t = begin + 500, free_at[4] = {}, layer_begin = t;
  for (size_t i = 0; i < kOps; ++i) {
    if (i % 4 == 0) layer_begin = t;
    const int64_t ns = 1500 + random(3000);
    const size_t stream = i % 8 < 4 ? 0 : 1 + i % 3;
    const NameId name = builder_.so_far().ops()[i].name;
    add(ActivityKind::op, host_, name, static_cast<OpId>(i), t, ns, 0);
    add(ActivityKind::api, api_, launch_, static_cast<OpId>(i), t + 200, 800 + random(400), ++correlation_);
    const int64_t overlap = stream == 3 && random(4) == 0 ? 700 : 0;
    const int64_t start = std::max(t + 2500, free_at[stream] - overlap), kernel_ns = 1000 + random(6000);
    add(ActivityKind::kernel, streams_[stream], kernels_[i % 16], kNoOp, start, kernel_ns, correlation_);
    free_at[stream] = start + kernel_ns + 100;
    t += ns + 50;
    if (i % 4 == 3) add(ActivityKind::layer, host_, layers_[i / 4], kNoOp, layer_begin, t - layer_begin - 50, 0);
    if (i % 20 == 0) {
      add(ActivityKind::api, api_, copy_, kNoOp, t - 40, 30, ++correlation_);
      add(ActivityKind::copy, i % 40 == 0 ? copy_in_ : copy_out_, copy_, kNoOp, t + 1000, 5000, correlation_);
    }
  }
  int64_t end = t;
  for (const int64_t at : free_at) end = std::max(end, at);
  end = std::max(end, t + 6000);
  add(ActivityKind::synchronization, api_, wait_, kNoOp, t + 100, end - t, 0);
  const auto before = [](const Activity& a, const Activity& b) {
    const auto depth = [](ActivityKind k) { return k == ActivityKind::layer ? 1 : 2; };
    if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
    if (a.duration_ns != b.duration_ns) return a.duration_ns > b.duration_ns;
    if (depth(a.kind) != depth(b.kind)) return depth(a.kind) < depth(b.kind);
    return a.kind < b.kind;
  };
  std::sort(made_.begin(), made_.end(), before);
  activities.insert(activities.end(), made_.begin(), made_.end());
  steps.push_back({step_, begin, end + 200 - begin, true, step_ == 0});
  ++step_;
  now_ns_ = end + 5000 + random(20000);
}

std::shared_ptr<const Capture> big_capture(size_t events) {
  BigCapture big;
  std::vector<Activity> activities;
  std::vector<StepRecord> steps;
  for (size_t made = 0; made < events || steps.empty(); made += activities.size()) {
    activities.clear();
    steps.clear();
    big.next_step(activities, steps);
    for (const Activity& a : activities) big.builder().add_activity(a);
    for (const StepRecord& s : steps) big.builder().add_step(s);
  }
  auto capture = big.builder().finish();
  CHECK(capture.ok());
  return *capture;
}

Result<void> write_big_capture(const std::filesystem::path& file, size_t events) {
  BigCapture big;
  auto writer = CaptureWriter::create(file);
  if (!writer) return writer.error();
  if (Result<void> done = (*writer)->write_header(big.builder().so_far()); !done) return done;
  std::vector<Activity> activities;
  std::vector<StepRecord> steps;
  size_t made = 0;
  while (made < events) {
    activities.clear();
    steps.clear();
    while (activities.size() < 50000 && made + activities.size() < events) big.next_step(activities, steps);
    made += activities.size();
    if (Result<void> done = (*writer)->append(activities, steps, big.builder().so_far()); !done) return done;
  }
  return (*writer)->close(big.builder().run(), big.builder().honesty(), big.builder().machine());
}

}  // namespace tests
