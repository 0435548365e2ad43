// SPDX-License-Identifier: Apache-2.0
// Places, in their order.
#include "engine/cuda/libraries.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace engine::cuda {

void* open_library(const char* variable, std::initializer_list<const char*> files, std::string& why) {
  std::vector<std::string> places;
  if (const char* named = std::getenv(variable); named != nullptr && *named != '\0') {
    if (std::string_view(named) == "none") {
      why = fmt::format("{}=none", variable);
      return nullptr;
    }
    places = {named};
  } else {
    const char* home = std::getenv("CUDA_HOME");
    for (const char* file : files) {
      places.emplace_back(file);
      for (const char* root : {home, "/usr/local/cuda"}) {
        if (root == nullptr || *root == '\0') continue;
        places.push_back(fmt::format("{}/lib64/{}", root, file));
        places.push_back(fmt::format("{}/lib/{}", root, file));
      }
    }
  }
  for (const std::string& place : places) {
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    if (why.empty()) why = dlerror();
  }
  return nullptr;
}

void* open_cudnn(std::string& why) { return open_library("TENSORTIDE_CUDNN", {"libcudnn.so.9", "libcudnn.so.8"}, why); }

std::string cudnn_name(size_t version) {
  if (version < 10000) return fmt::format("cuDNN {}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return fmt::format("cuDNN {}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace engine::cuda
