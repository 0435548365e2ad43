// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a JSON trace; the first byte chooses between PyTorch's and Chrome's.
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const char* format = data[0] % 2 == 0 ? "kineto" : "chrome";
  fuzz::import_bytes(data + 1, size - 1, format);
  return 0;
}
