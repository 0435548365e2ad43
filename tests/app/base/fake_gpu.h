// SPDX-License-Identifier: Apache-2.0
// A GPU that computes nothing but takes time, and is traced and counted: the fake module's. One per process.
#pragma once

#include <memory>

#include "engine/runtime/backend.h"
#include "engine/tensor/product_format.h"
#include "profiler/gpu/tracer.h"

namespace test {

/// Around a backend: waits until the fake GPU is idle, and notes steps down as graphs. `fp8`: what its products say
/// they are done in.
std::unique_ptr<engine::Backend> make_fake_gpu(std::unique_ptr<engine::Backend> inner, engine::Fp8 fp8);
/// Its tracer and counters.
const profiler::GpuModule& fake_gpu_module();

}  // namespace test
