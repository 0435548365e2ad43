// SPDX-License-Identifier: Apache-2.0
// Memory, copies between host and device, and the list of kernels asked for each op.
#include "engine/opencl/backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/opencl/context.h"
#include "engine/opencl/copy.h"
#include "engine/opencl/kernels.h"
#include "engine/runtime/nothing_op.h"

namespace engine::opencl {

void Context::note(cl_int code, const std::string& where) {
  const std::lock_guard lock(mutex_);
  if (error_) return;
  error_ = refused_error(fmt::format("{}: {} reports {}", where, device.info.model, error_words(code)));
}

std::optional<Error> Context::first_error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

namespace {

class OpenclBackend final : public Backend {
 public:
  explicit OpenclBackend(std::unique_ptr<Context> context) : context_(std::move(context)) {}
  ~OpenclBackend() override { synchronize(); }

  const DeviceInfo& info() const override { return context_->device.info; }
  int threads() const override { return 1; }

  Result<std::shared_ptr<Storage>> allocate(int64_t size_bytes) override {
    return context_->memory->allocate(size_bytes);
  }

  Result<void> copy(const Tensor& from, const Tensor& to) override {
    if (const auto error = context_->first_error()) return *error;
    return copy_tensor(*context_, from, to);
  }

  Result<void> supports(const Node& node, const Call& call) const override {
    if (node.op->view != nullptr) return {};
    const auto wide = [](const TensorType& type) { return type.dtype == DType::float64; };
    if (!context_->device.doubles &&
        (std::ranges::any_of(call.inputs, wide) || std::ranges::any_of(call.outputs, wide)))
      return refused_error(fmt::format("[{}] {} has no f64; use --dtype f32", node.op->name, info().model));
    bool listed = false;
    for (const Kernel& kernel : kernels()) {
      if (kernel.op != node.op->name) continue;
      if (kernel.takes(node, call)) return {};
      listed = true;
    }
    if (!listed) return refused_error(fmt::format("[{}] opencl has no kernel for it", node.op->name));
    return refused_error(fmt::format("[{}] opencl has no kernel for it at {} with these settings", node.op->name,
                                     call.inputs.empty() ? "no operands" : to_string(call.inputs[0])));
  }

  int64_t workspace_bytes(const Node& node, const Call& call) const override {
    const Kernel* const kernel = kernel_of(node, call);
    return kernel == nullptr || kernel->workspace_bytes == nullptr ? 0 : kernel->workspace_bytes(node, call);
  }

  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    std::vector<TensorType> inputs, outputs;
    for (const Tensor& tensor : request.arguments.inputs) inputs.push_back(tensor.type());
    for (const Tensor& tensor : request.arguments.outputs) outputs.push_back(tensor.type());
    if (auto nothing = nothing_op(outputs)) return nothing;
    const Call call{request.node.attributes, inputs, outputs};
    if (Result<void> supported = supports(request.node, call); !supported) return supported.error();
    if (any_empty(inputs))
      return refuse(request, "opencl kernels take no operand without elements; run this on --device cpu");
    const Kernel* const kernel = kernel_of(request.node, call);
    if (kernel == nullptr) return refuse(request, "is a view: nothing runs");
    return kernel->prepare(*context_, request);
  }

  void synchronize() override {
    if (const cl_int code = context_->queue->finish(); code != CL_SUCCESS) context_->note(code, "[synchronize]");
  }

  Result<void> health() const {
    if (const auto error = context_->first_error()) return *error;
    return {};
  }

 private:
  static const Kernel* kernel_of(const Node& node, const Call& call) {
    for (const Kernel& kernel : kernels()) {
      if (kernel.op == node.op->name && kernel.takes(node, call)) return &kernel;
    }
    return nullptr;
  }

  std::unique_ptr<Context> context_;
};

}  // namespace

Result<void> health(const Backend& backend) { return static_cast<const OpenclBackend&>(backend).health(); }

Result<std::unique_ptr<Backend>> make_backend(const ModuleBackendOptions& options) {
  return make_backend_on(devices_here(), options);
}

Result<std::unique_ptr<Backend>> make_backend_on(const Found& found, const ModuleBackendOptions& options) {
  if (found.probe.state != DriverState::ready)
    return refused_error(fmt::format("[opencl] {}; {}", found.probe.why, found.probe.remedy));
  if (options.index < 0 || static_cast<size_t>(options.index) >= found.devices.size())
    return usage_error(fmt::format("[opencl] there is no device {}: {}", options.index, found.probe.why));
  auto context = std::make_unique<Context>();
  context->api = found.api;
  context->device = found.devices[static_cast<size_t>(options.index)];
  cl_int code = CL_SUCCESS;
  const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                              reinterpret_cast<cl_context_properties>(context->device.platform), 0};
  cl_context made = found.api.create_context(properties, 1, &context->device.device, nullptr, nullptr, &code);
  if (made == nullptr || code != CL_SUCCESS) {
    return refused_error(fmt::format("[opencl] {} cannot be used: {}", context->device.info.model, error_words(code)));
  }
  context->handle = {made, [release = found.api.release_context](cl_context c) { release(c); }};
  const DeviceInfo& info = context->device.info;
  context->memory = std::make_shared<DeviceMemory>(context->api, context->handle, info.device, info.model,
                                                   context->device.most_bytes);
  context->programs = std::make_unique<Programs>(context->api, context->device, context->handle);
  Result<std::unique_ptr<Queue>> queue = Queue::make(context->api, context->device, context->handle);
  if (!queue) return queue.error();
  context->queue = *std::move(queue);
  return std::unique_ptr<Backend>(std::make_unique<OpenclBackend>(std::move(context)));
}

}  // namespace engine::opencl
