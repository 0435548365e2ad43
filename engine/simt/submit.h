// SPDX-License-Identifier: Apache-2.0
// From a kernel's launch in engine/cuda to the emulated GPU's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "engine/simt/grid.h"

namespace engine::simt {

/// "engine::cuda::gemm_kernel<engine::cuda::{anonymous}::Matrices<float, true, true> >".
template <auto kKernel>
constexpr std::string_view kernel_name() {
  std::string_view words = __PRETTY_FUNCTION__;  // "... [with auto kKernel = NAME; ...]", of clang "... [kKernel = &NAME]"
  words.remove_prefix(words.find("kKernel = ") + std::string_view("kKernel = ").size());
  if (words.starts_with('&')) words.remove_prefix(1);
  const size_t behind = words.find("; std::string_view");
  return words.substr(0, behind == std::string_view::npos ? words.rfind(']') : behind);
}

/// Puts a launch into the order of a stream. `arguments`: the bytes of what the kernel is given, in which addresses of the GPU's memory
/// are looked for.
cudaError_t submit(cudaStream_t, std::string_view kernel, Launch, std::span<const std::byte> arguments);

template <class... Parameters>
std::tuple<std::decay_t<Parameters>...> parameters_of(void (*)(Parameters...));

template <auto kKernel, class... Arguments>
cudaError_t submit(cudaStream_t stream, unsigned blocks, unsigned threads, const Arguments&... arguments) {
  using Parameters = decltype(parameters_of(kKernel));
  const auto kept = std::make_shared<const Parameters>(arguments...);
  return submit(stream, kernel_name<kKernel>(), {blocks, threads, [kept] { std::apply(kKernel, *kept); }}, std::as_bytes(std::span(kept.get(), 1)));
}

}  // namespace engine::simt
