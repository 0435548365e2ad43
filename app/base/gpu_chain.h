// SPDX-License-Identifier: Apache-2.0
// The chain from this program to a traced GPU: module, driver and device, CUPTI, other profilers, counters.
#pragma once

#include <vector>

#include "app/base/module_loader.h"
#include "profiler/gpu/tracer.h"

namespace app {

/// Walks up to the first broken link. `attach`: also tries whether another profiler is in the way; not in a process
/// that is about to trace. Of this process: gpu_chain(), to gpu_module(); of a module that was found: chain_of().
std::vector<profiler::ChainLink> gpu_chain(bool attach);
/// The chain to the GPU that a run on `device` would use: the emulated one's for "emu:0", else gpu_chain(false).
std::vector<profiler::ChainLink> gpu_chain_of(const std::string& device);
std::vector<profiler::ChainLink> chain_of(const DeviceModule&, const engine::Result<LoadedModule>&, bool attach);

/// The profiler's table of a module; null: it was built without CUPTI.
const profiler::GpuModule* gpu_module_of(const LoadedModule&);

/// Starts tracing what this process will do on `device`, once. Refused in the words of the chain, or because no GPU
/// does it.
engine::Result<std::unique_ptr<profiler::GpuTracer>> start_gpu_trace(const std::string& device);

/// Whether runs on the device are traced without being asked (GpuModule::in_every_run).
bool traces_every_run(const std::string& device);
/// Starts that trace; null: the device has none.
engine::Result<std::unique_ptr<profiler::GpuTracer>> start_standing_trace(const std::string& device);

/// Counters of a GPU that this process uses, once no trace runs. Refused in the words of the chain, or of CUPTI.
engine::Result<std::unique_ptr<profiler::GpuCounters>> start_gpu_counters(const engine::Device& device,
                                                                          profiler::CounterSet, size_t most_ops);

/// Samples of a GPU that this process uses, from now on. Refused as the others.
engine::Result<std::unique_ptr<profiler::GpuSampler>> start_gpu_samples(const engine::Device& device);

}  // namespace app
