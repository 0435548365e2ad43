// SPDX-License-Identifier: Apache-2.0
// round_trip: to the host's memory and back, in turn or both ways at once, on a stream per direction.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/cuda/kernels.h"

namespace engine::cuda {
namespace {

/// Host memory that only one op uses: page-locked, or as programs usually have it.
class HostBlock {
 public:
  static Result<HostBlock> make(int64_t size_bytes, bool pinned) {
    HostBlock block;
    if (!pinned) {
      Result<std::shared_ptr<Storage>> storage = Storage::allocate_host(std::max<int64_t>(size_bytes, 1));
      if (!storage) return storage.error();
      block.pageable_ = *std::move(storage);
      std::memset(block.pageable_->data(), 0, static_cast<size_t>(size_bytes));  // pages come with the first write
      return block;
    }
    void* data = nullptr;
    const cudaError_t code =
        cudaHostAlloc(&data, static_cast<size_t>(std::max<int64_t>(size_bytes, 1)), cudaHostAllocDefault);
    if (code != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return refused_error(fmt::format(
          "[round_trip] {} of page-locked host memory could not be had: {}; use a smaller block or memory=pageable",
          format_bytes(static_cast<double>(size_bytes)), error_words(code)));
    }
    block.pinned_.reset(static_cast<std::byte*>(data));
    return block;
  }
  std::byte* data() const { return pinned_ != nullptr ? pinned_.get() : pageable_->data(); }

 private:
  struct Free {
    void operator()(std::byte* data) const { static_cast<void>(cudaFreeHost(data)); }
  };
  std::unique_ptr<std::byte, Free> pinned_;
  std::shared_ptr<Storage> pageable_;
};

/// Copies are ordered on two streams of their own; the compute stream waits for the last of them. Times are the host's,
/// each copy waited for: those of the GPU itself are CUPTI's.
class RoundTrip final : public PreparedOp {
 public:
  RoundTrip(Context& context, const PrepareRequest& request, HostBlock host,
            std::array<std::shared_ptr<Stream>, 2> streams, bool pinned, bool overlap)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        host_(std::move(host)),
        streams_(std::move(streams)),
        x_(request.arguments.inputs[0]),
        y_(request.arguments.outputs[0]),
        pinned_(pinned),
        overlap_(overlap) {}

  void run() override {
    context_.activate();
    done_.clear();
    cudaError_t code = cudaStreamSynchronize(context_.launcher.stream);  // x is there, and nobody reads the old y
    const int64_t bytes = x_.type().elements() * size_bytes(x_.dtype()), half = overlap_ ? bytes / 2 : 0;
    if (code == cudaSuccess && half == 0) {
      code = in_turn(0, bytes);
    } else if (code == cudaSuccess) {
      code = down(0, half);
      if (code == cudaSuccess) code = both(half, bytes);
      if (code == cudaSuccess) code = up(half, bytes);
    }
    if (code != cudaSuccess) context_.note(code, where_);
  }
  KernelFacts facts() const override {
    return {.name = fmt::format("cudaMemcpyAsync there and back, {} host memory{}", pinned_ ? "pinned" : "pageable",
                                overlap_ ? ", both ways at once" : ""),
            .round_trip = true};
  }
  bool reports() const override { return true; }
  void report(Observer& observer, uint32_t op) override {
    for (const Transfer& transfer : done_) observer.transfer_done(op, transfer);
  }
  bool only_submits() const override { return false; }

 private:
  cudaError_t submit(bool to_host, int64_t begin, int64_t end) const {
    const auto bytes = static_cast<size_t>(end - begin);
    const cudaStream_t stream = streams_[to_host ? 0 : 1]->get();
    return to_host ? cudaMemcpyAsync(host_.data() + begin, x_.data() + begin, bytes, cudaMemcpyDeviceToHost, stream)
                   : cudaMemcpyAsync(y_.data() + begin, host_.data() + begin, bytes, cudaMemcpyHostToDevice, stream);
  }
  cudaError_t wait(bool to_host) const { return cudaStreamSynchronize(streams_[to_host ? 0 : 1]->get()); }
  void note(bool to_host, int64_t bytes, int64_t begin_ticks) {
    const Device host, here = context_.info.device;
    done_.push_back({.from = to_host ? here : host,
                     .to = to_host ? host : here,
                     .size_bytes = bytes,
                     .reason = Transfer::Reason::asked,
                     .pinned = pinned_,
                     .begin_ticks = begin_ticks,
                     .end_ticks = now_ticks()});
  }
  cudaError_t alone(bool to_host, int64_t begin, int64_t end) {
    const int64_t from = now_ticks();
    cudaError_t code = submit(to_host, begin, end);
    if (code == cudaSuccess) code = wait(to_host);
    note(to_host, end - begin, from);
    return code;
  }
  cudaError_t down(int64_t begin, int64_t end) { return alone(true, begin, end); }
  cudaError_t up(int64_t begin, int64_t end) { return alone(false, begin, end); }
  cudaError_t in_turn(int64_t begin, int64_t end) {
    const cudaError_t code = down(begin, end);
    return code == cudaSuccess ? up(begin, end) : code;
  }
  /// The first half back while the second comes.
  cudaError_t both(int64_t half, int64_t bytes) {
    const int64_t from = now_ticks();
    cudaError_t code = submit(true, half, bytes);
    if (code == cudaSuccess) code = submit(false, 0, half);
    if (code == cudaSuccess) code = wait(true);
    note(true, bytes - half, from);
    if (code == cudaSuccess) code = wait(false);
    note(false, half, from);
    return code;
  }

  Context& context_;
  const std::string where_;
  const HostBlock host_;
  const std::array<std::shared_ptr<Stream>, 2> streams_;  ///< to the host, to the GPU
  const Tensor x_, y_;
  const bool pinned_, overlap_;
  std::vector<Transfer> done_;
};

}  // namespace

PreparedKernel prepare_round_trip(Context& context, const PrepareRequest& request) {
  const Tensor &x = request.arguments.inputs[0], &y = request.arguments.outputs[0];
  if (context.launcher.on_host) {
    return launched(context, request, KernelFacts{.name = "memcpy there and back", .round_trip = true},
                    [x, y](const Launcher&) {
                      std::memcpy(y.data(), x.data(), static_cast<size_t>(x.type().elements() * size_bytes(x.dtype())));
                      return cudaSuccess;
                    });
  }
  const bool pinned = request.node.attributes.get_string("memory", "pinned") == "pinned";
  Result<HostBlock> host = HostBlock::make(x.type().elements() * size_bytes(x.dtype()), pinned);
  if (!host) return host.error();
  std::array<std::shared_ptr<Stream>, 2> streams;
  for (std::shared_ptr<Stream>& stream : streams) {
    Result<std::shared_ptr<Stream>> made = Stream::make(context.index);
    if (!made) return made.error();
    stream = *std::move(made);
  }
  return std::unique_ptr<PreparedOp>(std::make_unique<RoundTrip>(context, request, *std::move(host), std::move(streams),
                                                                 pinned,
                                                                 request.node.attributes.get_int("overlap", 0) != 0));
}

}  // namespace engine::cuda
