// SPDX-License-Identifier: Apache-2.0
// Repeats of a run, read from the folder beside it.
#include "profiler/compare/repeats.h"

#include <algorithm>

#include "profiler/store/capture_file.h"

namespace profiler {

std::filesystem::path repeats_folder(const std::filesystem::path& capture) {
  return folder_beside(capture, ".repeats");
}

std::vector<std::filesystem::path> repeats_of(const std::filesystem::path& capture) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (std::filesystem::directory_iterator entry(repeats_folder(capture), code), end; !code && entry != end;
       entry.increment(code)) {
    if (entry->path().extension() == ".tide") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  return files;
}

engine::Result<int> add_repeats(CompareSide& side, const std::filesystem::path& capture) {
  CompareSide all = side;  // all of them or none
  for (const std::filesystem::path& file : repeats_of(capture)) {
    auto repeat = open_capture(file);
    if (!repeat) return repeat.error();
    if ((*repeat)->run().created_at < side.run->capture->run().created_at) continue;
    if (engine::Result<void> added = add_repeat(all, file.string(), **repeat); !added) return added.error();
  }
  const size_t own = side.processes.size(), added = all.processes.size() - own;
  if (added > 0) side.processes.assign(all.processes.begin() + static_cast<std::ptrdiff_t>(own), all.processes.end());
  return static_cast<int>(added);
}

}  // namespace profiler
