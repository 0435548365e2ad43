// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a capture of ours.
#include "profiler/store/capture_file.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto capture = profiler::open_capture(fuzz::file_of(data, size));
  fuzz::count(capture.ok());
  if (capture) {
    fuzz::look_at(**capture);
  } else if (capture.error().message.empty()) {
    fuzz::finding("refused without a word");
  }
  return 0;
}
