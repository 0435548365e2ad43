// SPDX-License-Identifier: Apache-2.0
// The text of resources/modelled_gpus.json, built into the program.
#pragma once

namespace profiler {

const char* modelled_gpus_text();

}  // namespace profiler
