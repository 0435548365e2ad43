// SPDX-License-Identifier: Apache-2.0
// Phases that a capture does not say are unknown, in tables and after an export and back.
#include "profiler/capture/phases.h"

#include <gtest/gtest.h>

#include "profiler/capture/capture_builder.h"

namespace profiler {
namespace {

std::shared_ptr<const Capture> of(const char* source) {
  CaptureBuilder builder;
  builder.run().source = source;
  return *builder.finish();
}

TEST(Phases, ImportedTracesNameBackwardAndUpdateAlone) {
  for (const char* source :
       {"PyTorch (Kineto) trace", "Nsight Systems export", "PyTorch (Kineto) trace, Chrome JSON of Tensortide"}) {
    EXPECT_EQ(phase_name(*of(source), Phase::forward), "unknown") << source;
    EXPECT_EQ(phase_name(*of(source), Phase::backward), "backward") << source;
    EXPECT_EQ(phase_name(*of(source), Phase::update), "update") << source;
  }
  for (const char* source : {"", "Chrome JSON of Tensortide"})
    EXPECT_EQ(phase_name(*of(source), Phase::forward), "forward") << source;
}

}  // namespace
}  // namespace profiler
