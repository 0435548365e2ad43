// SPDX-License-Identifier: Apache-2.0
// XXH3-64 in pieces.
#include "profiler/model/content_hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <memory>
#include <vector>

namespace profiler {

engine::Result<std::string> content_hash(const std::filesystem::path& file) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(file, code)) return engine::refused_error(fmt::format("{}: is no regular file", file.string()));
  std::ifstream in(file, std::ios::binary);
  if (!in) return engine::refused_error(fmt::format("{}: cannot be read", file.string()));
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (state == nullptr || XXH3_64bits_reset(state.get()) != XXH_OK) return engine::refused_error(fmt::format("{}: no memory to hash it", file.string()));
  std::vector<char> piece(size_t{1} << 20);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())) || in.gcount() > 0) {
    XXH3_64bits_update(state.get(), piece.data(), static_cast<size_t>(in.gcount()));
  }
  if (in.bad()) return engine::refused_error(fmt::format("{}: cannot be read to its end", file.string()));
  return fmt::format("xxh3:{:016x}", XXH3_64bits_digest(state.get()));
}

}  // namespace profiler
