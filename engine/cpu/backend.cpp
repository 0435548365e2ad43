// SPDX-License-Identifier: Apache-2.0
// The CPU backend: what it is, what it allocates and copies; prepare.cpp makes its ops ready.
#include "engine/cpu/backend.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>

#include "engine/base/thread_team.h"
#include "engine/cpu/data_loading.h"
#include "engine/kernels/core/copy.h"
#include "engine/kernels/core/kernels.h"

namespace engine::cpu {
namespace {

class CpuBackend final : public Backend {
 public:
  CpuBackend(DeviceInfo info, const BackendOptions& options) : info_(std::move(info)), context_(options) {}

  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return context_.threads; }

  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) override {
    if (size_bytes < 0) return usage_error(fmt::format("[cpu] cannot allocate {} bytes", size_bytes));
    return Storage::allocate_host(size_bytes);
  }

  Result<void> copy(const Tensor& from, const Tensor& to) override { return copy_tensor(from, to, context_.threads); }

  Result<void> supports(const Node& node, const Call& call) const override {
    if (node.op->reference != nullptr || node.op->view != nullptr || node.op->name == kLoadBatchName) return {};
    if (!kernels_of(context_, *node.op).empty()) return {};
    return refused_error(fmt::format("[{}] the cpu has no kernel for it at {}", node.op->name,
                                     call.inputs.empty() ? "no operands" : to_string(call.inputs[0])));
  }

  int64_t workspace_bytes(const Node& node, const Call& call) const override {
    return op_workspace(context_, node, call);
  }

  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    return request.node.op->name == kLoadBatchName ? prepare_load_batch(request) : prepare_op(context_, request);
  }

  Shortcut shortcut(const Node& node, const Call& call, bool constant_weights) const override {
    return op_shortcut(context_, node, call, constant_weights);
  }

  void synchronize() override {}  // every op has ended when run() returns

 private:
  DeviceInfo info_;
  mutable Context context_;  // oneDNN descriptors are made through it also in const questions
};

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(const BackendOptions& options) {
  int threads = options.threads;
  DeviceInfo info = describe();
  const int most = 4 * std::max(1, info.hardware_threads);
  if (threads < 0 || threads > most) {
    return usage_error(
        fmt::format("[cpu] threads = {}, expected 0 (all cores) to {} (four times the {} hardware threads)", threads,
                    most, info.hardware_threads));
  }
  // A team smaller than the one a primitive was made for would wait for ever for those who are not there.
  const int granted = reserve_threads(threads > 0 ? threads : std::max(1, info.cores));
  if (threads > granted) {
    return refused_error(
        fmt::format("[cpu] threads = {}, but this process can have {}: raise OMP_THREAD_LIMIT or the limit of "
                    "processes (ulimit -u), or take fewer",
                    threads, granted));
  }
  threads = granted;
  openblas_set_num_threads(1);  // its own pool beside ours costs 4-5x; we split its products ourselves
  BackendOptions decided = options;
  decided.threads = threads;
  try {
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(std::move(info), decided));
  } catch (const std::exception& error) {
    return refused_error(fmt::format("[cpu] oneDNN did not start: {}", error.what()));
  }
}

}  // namespace engine::cpu
