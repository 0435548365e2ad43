// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as an ONNX model, then as one tensor.
#include "engine/onnx/import.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string file = fuzz::file_of(data, size);
  const auto model = engine::onnx::load_model(file);
  if (!model && model.error().message.empty()) fuzz::finding("refused a model without a word");
  fuzz::count(model.ok());
  const auto tensor = engine::onnx::load_tensor(file);
  if (!tensor && tensor.error().message.empty()) fuzz::finding("refused a tensor without a word");
  return 0;
}
