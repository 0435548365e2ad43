// SPDX-License-Identifier: Apache-2.0
// Resident memory of the recording process as series of its capture, read between steps.
#pragma once

#include <string_view>

namespace profiler {

/// resident: all pages of the process in memory. files: those of them that files back, code of libraries among them.
inline constexpr std::string_view kProcessMemoryGroup = "process memory", kResidentName = "resident",
                                  kResidentFilesName = "of files";

}  // namespace profiler
