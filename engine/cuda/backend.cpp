// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: memory, copies between host and GPU, and the list of kernels asked for each op.
#include "engine/cuda/backend.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/memory.h"
#include "engine/cuda/context.h"
#include "engine/cuda/copy.h"
#include "engine/cuda/cublas_lt.h"
#include "engine/cuda/cudnn.h"
#include "engine/cuda/kernels.h"
#include "engine/cuda/probe.h"
#include "engine/runtime/nothing_op.h"

namespace engine::cuda {

std::string error_words(cudaError_t code) {
  return fmt::format("{}: {}", cudaGetErrorName(code), cudaGetErrorString(code));
}

void Context::note(cudaError_t code, const std::string& where) {
  const std::lock_guard lock(mutex_);
  if (error_) return;
  error_ = refused_error(fmt::format("{}: the GPU {} reports {}", where, info.model, error_words(code)));
}

std::optional<Error> Context::first_error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

namespace {

/// A CUDA graph, made from what a stream was given.
class GraphOp final : public PreparedOp {
 public:
  GraphOp(Context& context, cudaGraphExec_t graph, size_t nodes) : context_(context), graph_(graph), nodes_(nodes) {}
  ~GraphOp() override {
    context_.activate();
    static_cast<void>(cudaStreamSynchronize(context_.launcher.stream));
    static_cast<void>(cudaGraphExecDestroy(graph_));
  }
  GraphOp(const GraphOp&) = delete;
  GraphOp& operator=(const GraphOp&) = delete;

  void run() override {
    context_.activate();
    if (const cudaError_t code = cudaGraphLaunch(graph_, context_.launcher.stream); code != cudaSuccess)
      context_.note(code, "[--graph] replay");
  }
  KernelFacts facts() const override { return {.name = fmt::format("CUDA graph of {} nodes", nodes_)}; }

 private:
  Context& context_;
  cudaGraphExec_t graph_;
  const size_t nodes_;
};

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(std::unique_ptr<Context> context) : context_(std::move(context)) {}
  ~CudaBackend() override { synchronize(); }

  const DeviceInfo& info() const override { return context_->info; }
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
    bool listed = false;
    for (const Kernel& kernel : kernels()) {
      if (kernel.op != node.op->name) continue;
      if (kernel.takes(node, call)) return {};
      listed = true;
    }
    if (!listed)
      return refused_error(fmt::format("[{}] cuda has no kernel for it; run this on --device cpu", node.op->name));
    return refused_error(fmt::format("[{}] cuda has no kernel for it at {}; choose another dtype, or --device cpu",
                                     node.op->name, call.inputs.empty() ? "no operands" : to_string(call.inputs[0])));
  }

  int64_t workspace_bytes(const Node& node, const Call& call) const override {
    int64_t bytes = 0;
    for (const Kernel& kernel : kernels()) {
      if (kernel.op != node.op->name || kernel.workspace_bytes == nullptr || !kernel.takes(node, call)) continue;
      bytes = std::max(bytes, kernel.workspace_bytes(*context_, node, call));
    }
    return bytes;
  }

  Result<std::unique_ptr<PreparedOp>> prepare(const PrepareRequest& request) override {
    context_->activate();
    std::vector<TensorType> inputs, outputs;
    for (const Tensor& tensor : request.arguments.inputs) inputs.push_back(tensor.type());
    for (const Tensor& tensor : request.arguments.outputs) outputs.push_back(tensor.type());
    if (auto nothing = nothing_op(outputs)) return nothing;
    const Call call{request.node.attributes, inputs, outputs};
    for (const Kernel& kernel : kernels()) {
      if (kernel.op != request.node.op->name || !kernel.takes(request.node, call)) continue;
      if (any_empty(inputs))
        return refuse(request, "cuda kernels take no operand without elements; run this on --device cpu");
      return kernel.prepare(*context_, request);
    }
    return supports(request.node, call).error();
  }

  void synchronize() override {
    context_->activate();
    if (const cudaError_t code = cudaStreamSynchronize(context_->launcher.stream); code != cudaSuccess)
      context_->note(code, "[synchronize]");
  }

  Result<void> begin_graph() override {
    context_->activate();
    const cudaError_t code = cudaStreamBeginCapture(context_->launcher.stream, cudaStreamCaptureModeThreadLocal);
    if (code == cudaSuccess) return {};
    return refused_error(fmt::format("[--graph] replay: the stream cannot be noted down: {}", error_words(code)));
  }

  Result<std::unique_ptr<PreparedOp>> end_graph() override {
    cudaGraph_t noted = nullptr;
    cudaGraphExec_t graph = nullptr;
    size_t nodes = 0;
    cudaError_t code = cudaStreamEndCapture(context_->launcher.stream, &noted);
    if (code == cudaSuccess) code = cudaGraphGetNodes(noted, nullptr, &nodes);
    if (code == cudaSuccess) code = cudaGraphInstantiate(&graph, noted, 0);
    if (noted != nullptr) static_cast<void>(cudaGraphDestroy(noted));
    // A launch that failed while it was noted down is not in the graph: the step would run without it.
    const auto first = context_->first_error();
    if (code == cudaSuccess && first) {
      static_cast<void>(cudaGraphExecDestroy(graph));
      return *first;
    }
    if (code == cudaSuccess) return std::unique_ptr<PreparedOp>(std::make_unique<GraphOp>(*context_, graph, nodes));
    static_cast<void>(cudaGetLastError());
    return refused_error(fmt::format("[--graph] replay: the step cannot become one launch: {}{}", error_words(code),
                                     first ? fmt::format(" ({})", first->message) : ""));
  }

  Result<void> health() const {
    if (const auto error = context_->first_error()) return *error;
    return {};
  }

 private:
  std::unique_ptr<Context> context_;
};

Error start_error(const std::string& what, cudaError_t code) {
  return refused_error(fmt::format("[cuda] {}: {}; see `tensortide doctor`", what, error_words(code)));
}

}  // namespace

Result<void> health(const Backend& backend) { return static_cast<const CudaBackend&>(backend).health(); }

Result<void> check_fp8(const Context& context, const std::string& no_cublas_lt) {
  constexpr int kFirst = 89;  // Ada; see cuBLAS, "Using the cuBLASLt API", FP8
  if (context.fp8 == Fp8::off) return {};
  const std::string_view asked = name(context.fp8);
  if (context.capability < kFirst) {
    return refused_error(
        fmt::format("[--fp8] {}: {} is sm_{}. Tensor cores for 8-bit floats need sm_{} (Ada) or sm_90 "
                    "(Hopper). Leave --fp8 out, or use --tf32 on or --dtype bf16",
                    asked, context.info.model, context.capability, kFirst));
  }
  if (context.cublas_lt == nullptr) {
    return refused_error(fmt::format(
        "[--fp8] {}: products in it are cuBLASLt's, which is not here ({}); install cuBLAS 13, or leave --fp8 out",
        asked, no_cublas_lt));
  }
  return {};
}

Result<std::unique_ptr<Backend>> make_backend(const ModuleBackendOptions& options) {
  const ModuleProbe found = probe();
  if (found.state != DriverState::ready) return refused_error(fmt::format("[cuda] {}; {}", found.why, found.remedy));
  const auto device =
      std::ranges::find(found.devices, options.index, [](const DeviceInfo& info) { return info.device.index; });
  if (device == found.devices.end()) {
    return usage_error(fmt::format("[cuda] there is no GPU {}: {}", options.index, found.why));
  }
  return make_backend_on(*device, options);
}

Result<std::unique_ptr<Backend>> make_backend_on(const DeviceInfo& device, const ModuleBackendOptions& options,
                                                 const std::string& no_libraries) {
  auto context = std::make_unique<Context>();
  context->info = device;
  context->index = options.index;
  context->deterministic = options.deterministic;
  context->tf32 = options.tf32;
  context->pageable = options.pageable;
  context->fp8 = options.fp8;
  if (const cudaError_t code = use_device(options.index); code != cudaSuccess) {
    return start_error(fmt::format("GPU {} cannot be used", options.index), code);
  }
  cudaDeviceProp properties{};
  if (const cudaError_t code = cudaGetDeviceProperties(&properties, options.index); code != cudaSuccess) {
    return start_error("the properties of the GPU cannot be read", code);
  }
  context->launcher.multiprocessors = properties.multiProcessorCount;
  context->capability = 10 * properties.major + properties.minor;
  context->shared_bytes_per_block = static_cast<int64_t>(properties.sharedMemPerBlockOptin);
  size_t free = 0, total = 0;
  if (const cudaError_t code = cudaMemGetInfo(&free, &total); code != cudaSuccess)
    return start_error("the GPU's memory", code);
  context->info.memory_available_bytes = static_cast<int64_t>(free);

  Result<std::shared_ptr<Stream>> stream = Stream::make(options.index);
  if (!stream) return stream.error();
  context->stream = *stream;
  context->launcher.stream = context->stream->get();
  context->memory = std::make_shared<DeviceMemory>(context->info.device, context->info.model, context->stream);
  Result<std::shared_ptr<Staging>> staging = Staging::make(options.index);
  if (!staging) return staging.error();
  context->staging = *staging;
  std::string why = no_libraries, why_no_cudnn = no_libraries;
  if (no_libraries.empty()) {
    context->cublas_lt = CublasLt::open(why);
    context->cudnn = Cudnn::open(context->launcher.stream, why_no_cudnn);
  }
  context->info.libraries = {
      fmt::format("CUDA runtime {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10),
      context->cublas_lt != nullptr ? context->cublas_lt->name() : "no cuBLASLt: " + why,
      context->cudnn != nullptr ? context->cudnn->name() : "no cuDNN, own convolutions: " + why_no_cudnn};
  if (Result<void> able = check_fp8(*context, why); !able) return able.error();
  return std::unique_ptr<Backend>(std::make_unique<CudaBackend>(std::move(context)));
}

}  // namespace engine::cuda
