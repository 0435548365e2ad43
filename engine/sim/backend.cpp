// SPDX-License-Identifier: Apache-2.0
// A simulated device: a host backend whose memory bears another device's name.
#include "engine/sim/backend.h"

#include <utility>

#include "engine/base/check.h"
#include "engine/tensor/device_name.h"

namespace engine::sim {
namespace {

class SimulatedBackend final : public Backend {
 public:
  SimulatedBackend(int index, std::unique_ptr<Backend> host)
      : host_(std::move(host)), info_(describe(index, host_->info())) {}

  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return host_->threads(); }

  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) override {
    Result<std::shared_ptr<Storage>> bytes = host_->allocate(size_bytes);
    if (!bytes) return bytes;
    std::byte* data = (*bytes)->data();
    return std::make_shared<Storage>(info_.device, data, size_bytes,
                                     [kept = std::move(*bytes)](std::byte*) mutable { kept.reset(); });
  }

  Result<void> copy(const Tensor& from, const Tensor& to) override { return host_->copy(from, to); }
  Result<void> supports(const Node& node, const Call& call) const override { return host_->supports(node, call); }
  int64_t workspace_bytes(const Node& node, const Call& call) const override {
    return host_->workspace_bytes(node, call);
  }
  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    return host_->prepare(request);
  }
  void synchronize() override { host_->synchronize(); }

 private:
  std::unique_ptr<Backend> host_;
  DeviceInfo info_;
};

}  // namespace

DeviceInfo describe(int index, DeviceInfo host) {
  host.device = {"sim", index};
  host.cores = share_of(host.cores);
  host.hardware_threads = share_of(host.hardware_threads);
  host.model = "simulated by " + host.model;
  return host;
}

std::unique_ptr<Backend> make_backend(int index, std::unique_ptr<Backend> host) {
  CHECK(index >= 0 && index < kSimulatedDevices && host != nullptr);
  return std::make_unique<SimulatedBackend>(index, std::move(host));
}

}  // namespace engine::sim
