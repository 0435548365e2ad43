// SPDX-License-Identifier: Apache-2.0
// From a kernel's launch in engine/cuda to the emulated GPU's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/simt/grid.h"

namespace engine::simt {

/// "engine::cuda::gemm_kernel<engine::cuda::{anonymous}::Matrices<float, true, true> >".
template <auto kKernel>
constexpr std::string_view kernel_name() {
  std::string_view words =
      __PRETTY_FUNCTION__;  // "... [with auto kKernel = NAME; ...]", of clang "... [kKernel = &NAME]"
  words.remove_prefix(words.find("kKernel = ") + std::string_view("kKernel = ").size());
  if (words.starts_with('&')) words.remove_prefix(1);
  const size_t behind = words.find("; std::string_view");
  return words.substr(0, behind == std::string_view::npos ? words.rfind(']') : behind);
}

/// What a kernel is given, as far as it may be addresses. Among `words`, those of structs, may be old addresses between
/// the members (GCC 12 cannot clear what lies there: in arrays of structs its __builtin_clear_padding hits members).
struct Addresses {
  std::vector<uintptr_t> pointers, words;

  template <class T>
  void note(const T& argument) {
    if constexpr (std::is_pointer_v<T>) {
      pointers.push_back(reinterpret_cast<uintptr_t>(argument));
    } else if constexpr (std::is_class_v<T>) {
      const size_t first = words.size();
      words.resize(first + sizeof argument / sizeof(uintptr_t));
      std::memcpy(words.data() + first, &argument, (words.size() - first) * sizeof(uintptr_t));
    }
  }
};

/// Puts a launch into the order of a stream.
cudaError_t submit(cudaStream_t, std::string_view kernel, Launch, const Addresses&);

template <class... Parameters>
std::tuple<std::decay_t<Parameters>...> parameters_of(void (*)(Parameters...));

template <auto kKernel, class... Arguments>
cudaError_t submit(cudaStream_t stream, unsigned blocks, unsigned threads, const Arguments&... arguments) {
  using Parameters = decltype(parameters_of(kKernel));
  const auto kept = std::make_shared<const Parameters>(arguments...);
  Addresses addresses;
  std::apply([&](const auto&... one) { (addresses.note(one), ...); }, *kept);
  return submit(stream, kernel_name<kKernel>(), {blocks, threads, [kept] { std::apply(kKernel, *kept); }}, addresses);
}

}  // namespace engine::simt
