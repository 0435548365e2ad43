// SPDX-License-Identifier: Apache-2.0
// load_batch: what the loader hands over becomes numbers in the step's tensor.
#include "engine/cpu/data_loading.h"

#include <fmt/format.h>

#include <limits>
#include <new>
#include <utility>

#include "engine/base/clock.h"
#include "engine/runtime/batch_loader.h"

namespace engine::cpu {
namespace {

class LoadBatch final : public PreparedOp {
 public:
  LoadBatch(std::unique_ptr<DataSet> set, Tensor target, BatchLoader::Way way, int64_t delay_us)
      : loader_(std::move(set), way, delay_us), target_(std::move(target)) {}

  void run() override {
    BatchLoader::Load load = loader_.take();
    copy(load);
    loader_.give_back(std::move(load));
  }
  KernelFacts facts() const override {
    return {.name = loader_.ahead()                              ? "own load_batch: reads and decodes ahead (zlib)"
                    : loader_.way() == BatchLoader::Way::in_turn ? "own load_batch: reads and decodes in turn (zlib)"
                                                                 : "own load_batch: a batch that is in memory",
            .indivisible = true};
  }
  bool reports() const override { return true; }
  void report(Observer& observer, uint32_t op) override { loader_.report(observer, op); }
  bool only_submits() const override { return false; }

 private:
  /// Into the tensor of the step; what could not be read is NaN, so that it shows.
  void copy(const BatchLoader::Load& load) {
    const int64_t begin = now_ticks();
    auto* y = target_.data_as<float>();
    const auto count = static_cast<size_t>(target_.type().elements());
    for (size_t i = 0; i < count; ++i) {
      y[i] = load.pixels.empty() ? std::numeric_limits<float>::quiet_NaN()
                                 : static_cast<float>(std::to_integer<int>(load.pixels[i])) * (1 / 127.5F) - 1.0F;
    }
    loader_.note("copy", load.item, count * sizeof(float), begin);
  }

  BatchLoader loader_;
  Tensor target_;
};

}  // namespace

Result<std::unique_ptr<PreparedOp>> prepare_load_batch(const PrepareRequest& request) {
  const Attributes& a = request.node.attributes;
  const Tensor& target = request.arguments.outputs[0];
  auto set =
      DataSet::make(a.get_int("batches", 1), target.type().elements(), static_cast<uint64_t>(a.get_int("seed", 1)));
  if (!set) return set.error();
  try {
    return std::unique_ptr<PreparedOp>(
        std::make_unique<LoadBatch>(*std::move(set), target, BatchLoader::way_of(a), a.get_int("delay", 0)));
  } catch (const std::bad_alloc&) {
    return refused_error(
        fmt::format("[load_batch] {}: not enough memory for the batches of its loader; use a smaller "
                    "batch",
                    request.node.layer));
  }
}

}  // namespace engine::cpu
