// SPDX-License-Identifier: Apache-2.0
// XXH3-64 in pieces.
#include "profiler/base/content_hash.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/base/display_text.h"
#include "engine/base/read_file.h"

namespace profiler {

engine::Result<std::string> content_hash(const std::filesystem::path& path,
                                         const std::function<bool(uint64_t, uint64_t)>& go_on) {
  const engine::Result<engine::RegularFile> file = engine::RegularFile::open(path);
  if (!file) return file.error();
  const auto refused = [&](const std::string& why) {
    return engine::refused_error(fmt::format("{}: {}", engine::display_line(path.native()), why));
  };
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
  if (state == nullptr || XXH3_64bits_reset(state.get()) != XXH_OK) return refused("no memory to hash it");
  std::vector<char> piece(size_t{1} << 20);
  // One that grows, or does not say how much it holds, might never end.
  for (uint64_t have = 0;;) {
    const ssize_t got = ::read(file->descriptor(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refused(fmt::format("cannot be read to its end: {}", std::strerror(errno)));
    if (got == 0) return fmt::format("xxh3:{:016x}", XXH3_64bits_digest(state.get()));
    have += static_cast<uint64_t>(got);
    if (have > file->size_bytes())
      return refused(fmt::format("had {} bytes when it was opened and more when it was read", file->size_bytes()));
    if (go_on && !go_on(have, file->size_bytes())) return refused("cancelled");
    XXH3_64bits_update(state.get(), piece.data(), static_cast<size_t>(got));
  }
}

std::string text_hash(std::string_view text) {
  return fmt::format("xxh3:{:016x}", XXH3_64bits(text.data(), text.size()));
}

}  // namespace profiler
