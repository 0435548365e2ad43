// SPDX-License-Identifier: Apache-2.0
// The table of OpenCL kernels, one line per family; arguments and launches.
#include "engine/opencl/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace engine::opencl {
namespace {

class LaunchedOp final : public PreparedOp {
 public:
  LaunchedOp(Context& context, const PrepareRequest& request, KernelFacts facts, std::vector<Launch> launches)
      : context_(context),
        where_(fmt::format("[{}] {}", request.node.op->name, request.node.layer)),
        facts_(std::move(facts)),
        launches_(std::move(launches)) {}

  void run() override {
    for (const Launch& launch : launches_) {
      if (const cl_int code = context_.queue->run(launch); code != CL_SUCCESS)
        return context_.note(code, fmt::format("{}, kernel {}", where_, launch.name));
    }
  }
  KernelFacts facts() const override { return facts_; }

 private:
  Context& context_;
  const std::string where_;
  const KernelFacts facts_;
  const std::vector<Launch> launches_;
};

std::vector<Kernel> all_kernels() {
  std::vector<Kernel> all;
  for (const std::span<const Kernel> family : {
           attention_kernels(),
           convolution_kernels(),
           copy_kernels(),
           elementwise_kernels(),
           gather_kernels(),
           norm_kernels(),
           pooling_kernels(),
           product_kernels(),
           reduce_kernels(),
           softmax_kernels(),
           update_kernels(),
       }) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace

std::span<const Kernel> kernels() {
  static const std::vector<Kernel> all = all_kernels();
  return all;
}

bool takes_any(const Node&, const Call&) { return true; }

bool takes_reals(const Node&, const Call& call) {
  const DType dtype = call.outputs[0].dtype;
  const auto same = [&](const TensorType& type) { return type.dtype == dtype; };
  return is_real(dtype) && std::ranges::all_of(call.inputs, same) && std::ranges::all_of(call.outputs, same);
}

LaunchBuilder::LaunchBuilder(Context& context, ProgramKey key, std::string kernel)
    : context_(context), doubles_(key.doubles) {
  auto made = context.programs->kernel(key, kernel);
  if (made) {
    launch_.kernel = *std::move(made);
  } else {
    error_ = made.error();
  }
  launch_.name = std::move(kernel);
}

LaunchBuilder& LaunchBuilder::bytes(const void* value, size_t size) {
  if (error_) return *this;
  const cl_int code = context_.api.set_kernel_arg(launch_.kernel.get(), arguments_, size, value);
  if (code != CL_SUCCESS) {
    error_ = refused_error(fmt::format("[opencl] argument {} of {}: {}", arguments_, launch_.name, error_words(code)));
  }
  ++arguments_;
  return *this;
}

LaunchBuilder& LaunchBuilder::memory(const std::byte* address, int64_t element_bytes) {
  const Place place = context_.memory->find(address);
  bytes(&place.buffer, sizeof place.buffer);
  return whole(place.offset_bytes / element_bytes);
}

LaunchBuilder& LaunchBuilder::tensor(const Tensor& tensor) { return memory(tensor.data(), size_bytes(tensor.dtype())); }

LaunchBuilder& LaunchBuilder::whole(int64_t value) {
  const cl_long number = value;
  return bytes(&number, sizeof number);
}

LaunchBuilder& LaunchBuilder::real(double value) {
  const auto narrow = static_cast<cl_float>(value);
  return doubles_ ? bytes(&value, sizeof value) : bytes(&narrow, sizeof narrow);
}

LaunchBuilder& LaunchBuilder::constants(const void* data, size_t size) {
  if (error_) return *this;
  cl_int code = CL_SUCCESS;
  // The driver copies: it takes a pointer that is not const.
  cl_mem made = context_.api.create_buffer(context_.handle.get(), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, size,
                                           const_cast<void*>(data), &code);
  if (made == nullptr || code != CL_SUCCESS) {
    error_ = refused_error(fmt::format("[opencl] constants of {}: {}", launch_.name, error_words(code)));
    return *this;
  }
  launch_.constants.emplace_back(made, [release = context_.api.release_mem_object](cl_mem m) { release(m); });
  return bytes(&made, sizeof made);
}

Result<Launch> LaunchBuilder::over(int64_t items, int64_t per_group) {
  return groups((items + per_group - 1) / per_group, 1, 1, per_group);
}

Result<Launch> LaunchBuilder::groups(int64_t x, int64_t y, int64_t z, int64_t items) {
  if (error_) return *error_;
  launch_.groups = {static_cast<size_t>(x), static_cast<size_t>(y), static_cast<size_t>(z)};
  launch_.items = {static_cast<size_t>(items), 1, 1};
  return std::move(launch_);
}

PreparedKernel launched(Context& context, const PrepareRequest& request, KernelFacts facts,
                        std::vector<Result<Launch>> launches) {
  std::vector<Launch> ready;
  for (Result<Launch>& launch : launches) {
    if (!launch) return refuse(request, launch.error().message);
    ready.push_back(*std::move(launch));
  }
  return std::unique_ptr<PreparedOp>(
      std::make_unique<LaunchedOp>(context, request, std::move(facts), std::move(ready)));
}

PreparedKernel launched(Context& context, const PrepareRequest& request, std::string kernel_name,
                        Result<Launch> launch) {
  std::vector<Result<Launch>> one;
  one.push_back(std::move(launch));
  return launched(context, request, KernelFacts{.name = std::move(kernel_name)}, std::move(one));
}

Error refuse(const PrepareRequest& request, std::string_view why) {
  return refused_error(fmt::format("[{}] {}: {}", request.node.op->name, request.node.layer, why));
}

}  // namespace engine::opencl
