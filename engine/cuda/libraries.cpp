// SPDX-License-Identifier: Apache-2.0
// Names, places and versions.
#include "engine/cuda/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace engine::cuda {
namespace {

/// Accepts a library that tells its version and has all functions.
LibraryCheck check(const char* version_function, std::string (*name)(size_t), const HasAll& has_all) {
  return [=](void* handle) -> Result<std::string> {
    const auto version = reinterpret_cast<size_t (*)()>(dlsym(handle, version_function));
    if (version == nullptr) return refused_error(fmt::format("it has no function {}", version_function));
    std::string named = name(version());
    if (has_all && !has_all(handle)) return refused_error(fmt::format("{} lacks a function that is needed", named));
    return named;
  };
}

}  // namespace

LibrarySearch search_cudnn(const HasAll& has_all) {
  return search_library(nvidia_library_places("TENSORTIDE_CUDNN", {"libcudnn.so.9", "libcudnn.so.8"}),
                        check("cudnnGetVersion", cudnn_name, has_all));
}

LibrarySearch search_cublas_lt(const HasAll& has_all) {
  return search_library(nvidia_library_places("TENSORTIDE_CUBLASLT", {"libcublasLt.so.13"}),
                        check("cublasLtGetVersion", cublas_lt_name, has_all));
}

std::string cudnn_name(size_t version) {
  if (version < 10000) return fmt::format("cuDNN {}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return fmt::format("cuDNN {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

std::string cublas_lt_name(size_t version) {
  return fmt::format("cuBLASLt {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace engine::cuda
