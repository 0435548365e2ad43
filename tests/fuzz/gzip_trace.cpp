// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes behind gzip's two magic ones, and format by content.
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes = "\x1f\x8b";
  bytes.append(reinterpret_cast<const char*>(data), size);
  return fuzz::import_bytes(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), "");
}
