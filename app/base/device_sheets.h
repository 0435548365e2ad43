// SPDX-License-Identifier: Apache-2.0
// This machine beside other devices, and its balance: what the command line and the window show of them.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "app/base/answers.h"
#include "engine/base/result.h"
#include "profiler/capture/capture.h"
#include "profiler/machine/machine_balance.h"
#include "profiler/predict/device_figures.h"

namespace app {

/// The clock of the first processor as the system states it now [Hz]; NaN: it states none.
double stated_clock_hz();
/// This machine's processor: what the last probe measured and the system states.
profiler::DeviceFigures this_processor();
/// A device that is here ("cuda", "opencl"), a modelled GPU's key, or a data sheet's name. Fails (usage) naming the
/// nearest.
engine::Result<profiler::DeviceFigures> other_device(const std::string& name);
/// The GPUs that a capture describes, or the one it names as its device.
engine::Result<std::vector<profiler::DeviceFigures>> recorded_gpus(const profiler::Capture&, const std::string& file);

/// "here", or the key of a machine that is not. `disk`: its folder, whose disk is read cold; empty: not measured.
engine::Result<profiler::MachineBalance> machine_balance(const std::string& machine, const std::filesystem::path& disk,
                                                         const std::atomic<bool>& stop);
engine::Result<Answer> balance_answer(const std::string& machine, const std::filesystem::path& disk,
                                      const std::atomic<bool>& stop);

}  // namespace app
