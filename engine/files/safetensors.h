// SPDX-License-Identifier: Apache-2.0
// Files of weights by name (.safetensors). Format: huggingface/safetensors, README: 8 bytes with the header's length, a
// JSON header, then the bytes of all tensors without gaps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

struct StoredTensor {
  std::string name;
  std::string dtype_name;      ///< as the file has it: "BF16"
  std::optional<DType> dtype;  ///< nothing: one that the engine lacks
  Shape shape;
  uint64_t begin = 0, end = 0;  ///< bytes of the file
};

/// Reads the header in `front` (all of it at least) of a file of `total_bytes` bytes; the tensors in the order of their
/// bytes. Refused, without the file's name: a header beyond its limit or the file, no JSON, a name that is there twice.
/// Bytes that do not fit dtype and shape, that overlap, leave gaps or pass the end.
Result<std::vector<StoredTensor>> parse_safetensors(std::string_view front, uint64_t total_bytes);
/// Bytes that `front` must have: the length that the first 8 bytes tell, or a refusal.
Result<uint64_t> safetensors_header_bytes(std::string_view first_8, uint64_t total_bytes);

/// One file, or the several of a model.safetensors.index.json, which is read in their place.
class WeightFile {
 public:
  /// Reads headers alone. Refused (naming the file): as parse_safetensors(), no regular file, an index that names files
  /// outside its folder or tensors that they do not have.
  static Result<WeightFile> open(const std::filesystem::path&);

  /// Null: there is none of this name.
  const StoredTensor* find(std::string_view name) const;
  size_t count() const { return entries_.size(); }
  std::string first_name() const { return entries_.empty() ? std::string() : entries_.front().tensor.name; }
  /// A row-major tensor of these bytes. Refused (naming file and tensor): a dtype that the engine lacks, memory that
  /// does not suffice, a file that has become shorter.
  Result<Tensor> read(const StoredTensor&) const;

 private:
  struct Entry {
    StoredTensor tensor;
    std::filesystem::path file;
  };
  Result<void> add(const std::filesystem::path& file);
  std::vector<Entry> entries_;  ///< by name
};

}  // namespace engine
