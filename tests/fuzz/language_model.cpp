// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as a file of weights (.safetensors), or, where they begin with '{', as the config.json of a
// language model.
#include "engine/workloads/language_model.h"
#include "engine/files/safetensors.h"
#include "tests/fuzz/fuzz_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.starts_with('{')) {
    const auto model = engine::read_language_model(bytes, "config.json");
    fuzz::count(model.ok());
    if (!model && model.error().message.empty()) fuzz::finding("refused without a word");
    if (model && (engine::parameter_count(*model) <= 0 || engine::cache_elements(*model, 1000) < 0))
      fuzz::finding("counts overflow");
    return 0;
  }
  const auto tensors = engine::parse_safetensors(bytes, size);
  fuzz::count(tensors.ok());
  if (!tensors && tensors.error().message.empty()) fuzz::finding("refused without a word");
  if (!tensors) return 0;
  uint64_t at = tensors->empty() ? size : tensors->front().begin;
  for (const engine::StoredTensor& t : *tensors) {
    if (t.begin != at || t.end < t.begin || t.end > size) fuzz::finding("tensors do not fill the file");
    at = t.end;
  }
  if (at != size) fuzz::finding("tensors do not end with the file");
  return 0;
}
