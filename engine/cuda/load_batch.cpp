// SPDX-License-Identifier: Apache-2.0
// load_batch on the GPU: two pinned and two device buffers. While a step computes on one batch, the next goes up on a
// stream of its own, as pixels of 8 bits; a kernel makes numbers of them when its step begins.
#include "engine/cuda/load_batch.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/cuda/kernels.h"
#include "engine/runtime/batch_loader.h"

namespace engine::cuda {
namespace {

/// One batch's way up: page-locked memory, device memory, and when each is free again.
struct Lane {
  std::byte* host = nullptr;
  std::shared_ptr<Storage> device;
  cudaEvent_t uploaded = nullptr;   ///< host has been read, device is filled
  cudaEvent_t converted = nullptr;  ///< device has been read
  bool filled = false, readable = false;

  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    for (const cudaEvent_t event : {uploaded, converted}) {
      if (event == nullptr) continue;
      static_cast<void>(cudaEventSynchronize(event));
      static_cast<void>(cudaEventDestroy(event));
    }
    if (host != nullptr) static_cast<void>(cudaFreeHost(host));
  }
  Result<void> make(Context& context, int64_t bytes) {
    void* data = nullptr;
    cudaError_t code = cudaHostAlloc(&data, static_cast<size_t>(bytes), cudaHostAllocDefault);
    host = static_cast<std::byte*>(data);
    for (cudaEvent_t* event : {&uploaded, &converted}) {
      if (code == cudaSuccess) code = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    }
    if (code != cudaSuccess) {
      return refused_error(fmt::format("[load_batch] no page-locked host memory for a batch ({} wanted): {}",
                                       format_bytes(static_cast<double>(bytes)), error_words(code)));
    }
    Result<std::shared_ptr<Storage>> storage = context.memory->allocate(bytes);
    if (!storage) return storage.error();
    device = *std::move(storage);
    return {};
  }
};

class LoadBatch final : public PreparedOp {
 public:
  LoadBatch(Context& context, const PrepareRequest& request, std::unique_ptr<DataSet> set, BatchLoader::Way way,
            int64_t delay_us)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        loader_(std::move(set), way, delay_us),
        target_(request.arguments.outputs[0]),
        count_(target_.type().elements()) {}

  Result<void> make_lanes() {
    Result<std::shared_ptr<Stream>> stream = Stream::make(context_.index);
    if (!stream) return stream.error();
    copies_ = *std::move(stream);
    for (Lane& lane : lanes_) {
      if (Result<void> made = lane.make(context_, count_); !made) return made;
      // The block was allocated in the order of the computing stream: the first copy, on the other stream, waits for
      // that.
      note(cudaEventRecord(lane.converted, context_.launcher.stream));
    }
    return {};
  }

  void run() override {
    if (context_.launcher.on_host) return run_on_host();
    context_.activate();
    Lane& now = lanes_[turn_ % 2];
    if (!now.filled) upload(now, loader_.take());
    const cudaStream_t compute = context_.launcher.stream;
    cudaError_t code = cudaStreamWaitEvent(compute, now.uploaded, 0);
    const auto* pixels = now.readable ? reinterpret_cast<const uint8_t*>(now.device->data()) : nullptr;
    if (code == cudaSuccess) code = launch(context_.launcher, Pixels{target_.data_as<float>(), pixels, count_});
    if (code == cudaSuccess) code = cudaEventRecord(now.converted, compute);
    note(code);
    now.filled = false;
    ++turn_;
    BatchLoader::Load next;  // goes up beside this step's work
    if (loader_.ahead() && loader_.try_take(next)) upload(lanes_[turn_ % 2], std::move(next));
  }
  KernelFacts facts() const override {
    const bool memory = loader_.way() == BatchLoader::Way::memory;
    return {.name = memory            ? "own load_batch (CUDA): copies a batch that is in memory"
                    : loader_.ahead() ? "own load_batch (CUDA): reads, decodes and copies ahead, double-buffered"
                                      : "own load_batch (CUDA): reads, decodes and copies in turn",
            .indivisible = true};
  }
  bool reports() const override { return true; }
  void report(Observer& observer, uint32_t op) override { loader_.report(observer, op); }
  bool only_submits() const override { return false; }

 private:
  void upload(Lane& lane, BatchLoader::Load load) {
    const int64_t begin = now_ticks();
    lane.readable = load.pixels.size() == static_cast<size_t>(count_);
    cudaError_t code = cudaEventSynchronize(lane.uploaded);  // the batch before has left the host's buffer
    if (lane.readable) std::memcpy(lane.host, load.pixels.data(), load.pixels.size());
    if (code == cudaSuccess)
      code = cudaStreamWaitEvent(copies_->get(), lane.converted, 0);  // and the GPU's has been read
    if (code == cudaSuccess) {
      code = cudaMemcpyAsync(lane.device->data(), lane.host, static_cast<size_t>(count_), cudaMemcpyHostToDevice,
                             copies_->get());
    }
    if (code == cudaSuccess) code = cudaEventRecord(lane.uploaded, copies_->get());
    note(code);
    lane.filled = true;
    loader_.note("copy", load.item, load.pixels.size(), begin);
    loader_.give_back(std::move(load));
  }
  void run_on_host() {
    BatchLoader::Load load = loader_.take();
    const auto* pixels = load.pixels.empty() ? nullptr : reinterpret_cast<const uint8_t*>(load.pixels.data());
    note(launch(context_.launcher, Pixels{target_.data_as<float>(), pixels, count_}));
    loader_.give_back(std::move(load));
  }
  void note(cudaError_t code) {
    if (code != cudaSuccess) context_.note(code, where_);
  }

  Context& context_;
  const std::string where_;
  BatchLoader loader_;
  const Tensor target_;
  const int64_t count_;
  std::shared_ptr<Stream> copies_;
  std::array<Lane, 2> lanes_;
  size_t turn_ = 0;
};

PreparedKernel prepare_load_batch(Context& context, const PrepareRequest& request) {
  const Attributes& a = request.node.attributes;
  const Tensor& target = request.arguments.outputs[0];
  auto set =
      DataSet::make(a.get_int("batches", 1), target.type().elements(), static_cast<uint64_t>(a.get_int("seed", 1)));
  if (!set) return set.error();
  auto op =
      std::make_unique<LoadBatch>(context, request, *std::move(set), BatchLoader::way_of(a), a.get_int("delay", 0));
  if (!context.launcher.on_host) {
    if (Result<void> made = op->make_lanes(); !made) return made.error();
  }
  return std::unique_ptr<PreparedOp>(std::move(op));
}

}  // namespace

std::span<const Kernel> load_kernels() {
  static constexpr Kernel kKernels[] = {{"load_batch", takes_floats, prepare_load_batch}};
  return kKernels;
}

}  // namespace engine::cuda
