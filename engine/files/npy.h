// SPDX-License-Identifier: Apache-2.0
// NumPy's files: an array (.npy) and a bundle of named arrays (.npz), read and written.
// Format: numpy.lib.format, versions 1 to 3; the bundle is a ZIP archive (APPNOTE.TXT), stored or deflated.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/tensor.h"

namespace engine {

/// What the beginning of an array file says.
struct NpyHeader {
  TensorType type;           ///< Fortran order has strides of its own
  uint64_t data_offset = 0;  ///< bytes before the first element
};

/// Reads the header in `front` (the first 64 KiB at least, or all) of `total_bytes` bytes. Refused, without the file's
/// name: no .npy, a dtype that the engine lacks, an extent or size that does not fit the bytes.
Result<NpyHeader> parse_npy_header(std::string_view front, uint64_t total_bytes);
/// A row-major tensor of the bytes of a whole .npy file. Refused: as parse_npy_header().
Result<Tensor> parse_npy(std::string_view bytes);
/// Refused (naming the file): what parse_npy() refuses, no regular file, more bytes than the memory that is available.
Result<Tensor> read_npy(const std::filesystem::path&);

struct NamedTensor {
  std::string name;  ///< as in the archive, without ".npy"
  Tensor tensor;
};
/// Names of the arrays in an archive, in its order. Refused (naming the file): no ZIP archive, or one that is damaged.
Result<std::vector<std::string>> npz_names(const std::filesystem::path&);
/// One array of an archive. Refused also: an array that unpacks to more than its bytes can hold.
Result<Tensor> read_npz(const std::filesystem::path&, const std::string& name);

/// The bytes of a .npy file, version 1.0, C order. bf16, which NumPy lacks, is widened to f32 (exact).
Result<std::string> npy_bytes(const Tensor&);

}  // namespace engine
