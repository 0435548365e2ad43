// SPDX-License-Identifier: Apache-2.0
// Programs: our OpenCL C, which is embedded in the module, built for a device the first time that a kernel of it is
// wanted. Drivers keep the machine code in caches of their own.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/opencl/probe.h"
#include "engine/tensor/dtype.h"

namespace engine::opencl {

/// Which source, and what it is built with.
struct ProgramKey {
  std::string_view file;     ///< "product.cl"
  bool doubles = false;      ///< `real` is double, else float
  std::string options = {};  ///< "-D OPERANDS=2"
  bool tile = false;         ///< gemm_tile.cl comes behind it
  friend auto operator<=>(const ProgramKey&, const ProgramKey&) = default;
};

class Programs {
 public:
  Programs(const Api& api, const FoundDevice& device, std::shared_ptr<_cl_context> context)
      : api_(api), device_(device), context_(std::move(context)) {}
  /// A kernel object of its own. Refused with the first lines of the compiler's log.
  Result<std::shared_ptr<_cl_kernel>> kernel(const ProgramKey&, const std::string& name);

 private:
  Result<std::shared_ptr<_cl_program>> program(const ProgramKey&);

  const Api api_;
  const FoundDevice& device_;
  const std::shared_ptr<_cl_context> context_;
  std::mutex mutex_;
  std::map<ProgramKey, std::shared_ptr<_cl_program>> built_;
};

}  // namespace engine::opencl
