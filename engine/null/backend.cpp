// SPDX-License-Identifier: Apache-2.0
// The null device: real memory, no arithmetic.
#include "engine/null/backend.h"

#include <fmt/format.h>

#include <utility>

#include "engine/base/memory.h"

namespace engine::null {
namespace {

class NullOp final : public PreparedOp {
 public:
  void run() override {}
  KernelFacts facts() const override { return unknown_facts("null"); }
};

class NullBackend final : public Backend {
 public:
  explicit NullBackend(DeviceInfo info) : info_(std::move(info)) {}

  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return 1; }

  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) override {
    Result<std::shared_ptr<Storage>> host = Storage::allocate_host(size_bytes);
    if (!host) return host;
    std::byte* data = (*host)->data();
    // The release keeps the host storage alive and lets it go; the bytes bear this device's name.
    return std::make_shared<Storage>(info_.device, data, size_bytes,
                                     [kept = std::move(*host)](std::byte*) mutable { kept.reset(); });
  }

  Result<void> copy(const Tensor& from, const Tensor& to) override {
    if (from.shape() != to.shape() || from.dtype() != to.dtype()) {
      return usage_error(fmt::format("[copy] {} does not fit {}", to_string(from.type()), to_string(to.type())));
    }
    copy_elements(from, to);
    return {};
  }

  Result<void> supports(const Node&, const Call&) const override { return {}; }
  int64_t workspace_bytes(const Node&, const Call&) const override { return 0; }
  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest&) override {
    return std::unique_ptr<PreparedOp>(std::make_unique<NullOp>());
  }
  void synchronize() override {}

 private:
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(DeviceInfo info) { return std::make_unique<NullBackend>(std::move(info)); }

std::unique_ptr<Backend> make_backend() {
  const HostMemory memory = host_memory();
  DeviceInfo info;
  info.device = {"null", 0};
  info.model = "computes nothing";
  info.cores = 1;
  info.hardware_threads = 1;
  info.memory_bytes = memory.total_bytes;
  info.memory_available_bytes = memory.available_bytes;
  return make_backend(std::move(info));
}

}  // namespace engine::null
