// SPDX-License-Identifier: Apache-2.0
// A model before it is run: its graph and memory plan as a capture without times, and its sums.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/base/workbench.h"

namespace app {

struct ModelPreview {
  std::string title;
  std::shared_ptr<const profiler::Capture> capture;  ///< ops, tensors, memory; no steps, no times (exact)
  int64_t parameters = 0;                            ///< elements of all weights
  int64_t weight_bytes = 0;
  double flops = 0;             ///< per step; NaN: unknown of some op
  double compulsory_bytes = 0;  ///< per step: each operand byte of each op once
  double memory_bytes = 0;      ///< weights, inputs and arena; workspace of kernels is not known before a run
  std::string does_not_fit;     ///< why memory does not suffice, with both figures; empty: it does
};

/// Builds the graph of a request and plans its memory. Nothing is run, no device but the processor is opened, and no
/// memory is taken for tensors. Refused as by a run: a file that is no model, unsupported ops, settings out of range,
/// more than 63 bits of bytes.
engine::Result<ModelPreview> preview_model(const RunRequest&);

}  // namespace app
