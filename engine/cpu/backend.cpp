// SPDX-License-Identifier: Apache-2.0
// The CPU backend: asks the list of kernels for each op, falls back to the op's reference, keeps
// library exceptions inside.
#include "engine/cpu/backend.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "engine/base/memory.h"
#include "engine/cpu/copy.h"
#include "engine/cpu/kernels.h"
#include "engine/cpu/parallel.h"
#include "engine/cpu/via_f32.h"

namespace engine::cpu {
namespace {

/// The op's own plain loops: the truth, slow.
class ReferenceOp final : public PreparedOp {
 public:
  ReferenceOp(const Node& node, KernelArguments arguments)
      : reference_(node.op->reference),
        attributes_(node.attributes),
        arguments_(std::move(arguments)) {
    arguments_.attributes = &attributes_;
  }
  void run() override { reference_(arguments_); }
  std::string kernel_name() const override { return "reference"; }

 private:
  void (*reference_)(KernelArguments&);
  Attributes attributes_;
  KernelArguments arguments_;
};

/// Tensors without elements and strange strides are the reference's: kernels may rely on neither
/// occurring.
bool any_empty(std::span<const TensorType> types) {
  return std::any_of(types.begin(), types.end(),
                     [](const TensorType& type) { return type.elements() == 0; });
}

std::vector<TensorType> types_of(const std::vector<Tensor>& tensors) {
  std::vector<TensorType> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// What a reference holds while it runs, at most: each element it sees as a double, and where its
/// row begins. A repeated axis counts in full here, though it has no bytes of its own.
double reference_bytes(const PrepareRequest& request) {
  const auto elements = [](const Tensor& t) { return static_cast<double>(t.type().elements()); };
  const auto &in = request.arguments.inputs, &out = request.arguments.outputs;
  double count = 0;
  for (const Tensor& tensor : in) count += elements(tensor);
  for (const Tensor& tensor : out) count += elements(tensor);
  if (request.node.op->name == "matmul" && count > 0) {  // repeats its operands over the batch
    const double k = static_cast<double>(in[0].shape().back()),
                 m = static_cast<double>(out[0].shape().end()[-2]),
                 n = static_cast<double>(out[0].shape().back());
    if (m > 0 && n > 0) count += elements(out[0]) / (m * n) * k * (m + n);
  }
  return count * static_cast<double>(sizeof(double) + sizeof(int64_t));
}

class CpuBackend final : public Backend {
 public:
  CpuBackend(DeviceInfo info, int threads, std::vector<MatmulTiming> timings)
      : info_(std::move(info)), context_(threads, std::move(timings)) {}

  const DeviceInfo& info() const override { return info_; }
  int threads() const override { return context_.threads; }

  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) override {
    if (size_bytes < 0)
      return usage_error(fmt::format("[cpu] cannot allocate {} bytes", size_bytes));
    return Storage::allocate_host(size_bytes);
  }

  Result<void> copy(const Tensor& from, const Tensor& to) override {
    return copy_tensor(from, to, context_.threads);
  }

  Result<void> supports(const Node& node, const Call& call) const override {
    if (node.op->reference != nullptr || node.op->view != nullptr) return {};
    const auto listed = kernels();
    if (std::any_of(listed.begin(), listed.end(),
                    [&](const Kernel& k) { return k.op == node.op->name; }))
      return {};
    return refused_error(
        fmt::format("[{}] the cpu has no kernel for it at {}", node.op->name,
                    call.inputs.empty() ? "no operands" : to_string(call.inputs[0])));
  }

  int64_t workspace_bytes(const Node& node, const Call& call) const override {
    if (any_empty(call.inputs) || any_empty(call.outputs)) return 0;
    set_calling_thread_count(context_.threads);
    int64_t bytes = 0;
    for (const Kernel& kernel : kernels()) {
      if (kernel.op != node.op->name || kernel.workspace_bytes == nullptr) continue;
      try {
        bytes = std::max(bytes, kernel.workspace_bytes(context_, node, call));
      } catch (const std::exception&) {  // prepare() meets the same refusal and falls back
      }
    }
    if (!has_16_bit_floats(call)) return bytes;
    try {
      bytes = std::max(bytes, via_f32_workspace(context_, node, call));
    } catch (const std::exception&) {  // as above
    }
    return bytes;
  }

  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    set_calling_thread_count(context_.threads);
    if (!any_empty(types_of(request.arguments.inputs)) &&
        !any_empty(types_of(request.arguments.outputs))) {
      Result<std::unique_ptr<PreparedOp>> prepared = prepare_kernel(request);
      if (!prepared || *prepared != nullptr) return prepared;
    }
    if (request.node.op->reference == nullptr) {
      return refused_error(fmt::format("[{}] {}: the cpu has no kernel for these types and layouts",
                                       request.node.op->name, request.node.layer));
    }
    const double needed = reference_bytes(request);
    const auto available = static_cast<double>(host_memory().available_bytes);
    if (available > 0 && needed > available) {
      return refused_error(fmt::format(
          "[{}] {}: is computed by plain loops on the cpu, which need {} of memory here; {} are "
          "available: make the batch or the shape smaller",
          request.node.op->name, request.node.layer, format_bytes(needed),
          format_bytes(available)));
    }
    return std::unique_ptr<PreparedOp>(
        std::make_unique<ReferenceOp>(request.node, request.arguments));
  }

  void synchronize() override {}  // every op has ended when run() returns

 private:
  /// Null when no kernel takes the op.
  Result<std::unique_ptr<PreparedOp>> prepare_kernel(const PrepareRequest& request) {
    std::vector<std::unique_ptr<PreparedOp> (*)(Context&, const PrepareRequest&)> ways;
    for (const Kernel& kernel : kernels()) {
      if (kernel.op == request.node.op->name) ways.push_back(kernel.prepare);
    }
    const auto inputs = types_of(request.arguments.inputs), outputs = types_of(request.arguments.outputs);
    if (has_16_bit_floats({request.node.attributes, inputs, outputs})) ways.push_back(prepare_via_f32);
    for (const auto prepare_way : ways) {
      try {
        if (auto prepared = prepare_way(context_, request)) return prepared;
      } catch (const dnnl::error& error) {
        if (error.status == dnnl_out_of_memory) return out_of_memory(request.node);
      } catch (const std::bad_alloc&) {
        return out_of_memory(request.node);
      }
    }
    return std::unique_ptr<PreparedOp>();
  }

  static Error out_of_memory(const Node& node) {
    return refused_error(
        fmt::format("[{}] {}: not enough memory to make the kernel ready; use a smaller batch",
                    node.op->name, node.layer));
  }

  DeviceInfo info_;
  mutable Context context_;  // oneDNN descriptors are made through it also in const questions
};

}  // namespace

Result<std::unique_ptr<Backend>> make_backend(int threads, std::vector<MatmulTiming> matmul_timings) {
  DeviceInfo info = describe();
  const int most = 4 * std::max(1, info.hardware_threads);
  if (threads < 0 || threads > most) {
    return usage_error(fmt::format(
        "[cpu] threads = {}, expected 0 (all cores) to {} (four times the {} hardware threads)",
        threads, most, info.hardware_threads));
  }
  if (threads == 0) threads = std::max(1, info.cores);
  openblas_set_num_threads(
      1);  // its own pool beside libgomp costs 4-5x; we split its products ourselves
  try {
    return std::unique_ptr<Backend>(std::make_unique<CpuBackend>(std::move(info), threads, std::move(matmul_timings)));
  } catch (const std::exception& error) {
    return refused_error(fmt::format("[cpu] oneDNN did not start: {}", error.what()));
  }
}

}  // namespace engine::cpu
