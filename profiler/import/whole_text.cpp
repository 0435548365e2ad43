// SPDX-License-Identifier: Apache-2.0
// Reading a trace file in one piece.
#include "profiler/import/whole_text.h"

#include <fmt/format.h>

#include "profiler/store/sqlite.h"

namespace profiler {

engine::Result<std::string> whole_text(const std::filesystem::path& file, const ImportControl& control) {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  std::string text;
  constexpr size_t kPiece = size_t{1} << 20;
  for (;;) {
    const size_t have = text.size();
    text.resize(have + kPiece);
    const engine::Result<size_t> got = (*stream)->read(text.data() + have, kPiece);
    if (!got) return got.error();
    text.resize(have + *got);
    if (*got == 0) break;
    if (static_cast<int64_t>(text.size()) > kMostBytes) {
      return engine::refused_error(
          fmt::format("{}: has more than {} bytes; files up to that are read", sqlite::shown(file), kMostBytes));
    }
    if (control.stopped())
      return engine::refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
  }
  return text;
}

}  // namespace profiler
