// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a profile of Proton.
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::import_bytes(data, size, "proton");
}
