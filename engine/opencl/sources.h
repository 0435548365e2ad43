// SPDX-License-Identifier: Apache-2.0
// The files engine/opencl/*.cl as text. The build writes them (cmake/opencl_sources.cmake).
#pragma once

#include <span>
#include <string_view>

namespace engine::opencl {

struct Source {
  std::string_view file, text;
};
std::span<const Source> sources();

}  // namespace engine::opencl
