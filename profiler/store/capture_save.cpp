// SPDX-License-Identifier: Apache-2.0
// A whole capture into a file, which takes the place of what was there once it is whole.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/store/capture_file.h"
#include "profiler/store/capture_target.h"

namespace profiler {

using engine::Result;

namespace {

/// The records of activities [first, last), counted from `first`; `next` says where each list was left.
GpuRecords records_of(const GpuRecords& all, std::array<size_t, 6>& next, size_t first, size_t last) {
  GpuRecords part;
  size_t which = 0;
  const auto take = [&](auto& to, const auto& from) {
    size_t& at = next[which++];
    for (; at < from.size() && from[at].activity < last; ++at) {
      to.push_back(from[at]);
      to.back().activity -= static_cast<uint32_t>(first);
    }
  };
  take(part.kernels, all.kernels);
  take(part.copies, all.copies);
  take(part.memsets, all.memsets);
  take(part.api_calls, all.api_calls);
  take(part.synchronizations, all.synchronizations);
  take(part.overheads, all.overheads);
  return part;
}

/// All of a capture, in one go.
Result<void> write_whole(const Capture& capture, const std::filesystem::path& file) {
  auto writer = CaptureWriter::create_draft(file);
  if (!writer) return writer.error();
  if (Result<void> done = (*writer)->write_header(capture); !done) return done;
  constexpr size_t kBatch = 50000;
  const std::span<const StepRecord> steps = capture.steps();
  std::vector<Activity> batch;
  std::array<size_t, 6> next{};
  for (size_t i = 0; i < capture.activities().size() || i == 0; i += kBatch) {
    batch.clear();
    const size_t end = std::min(i + kBatch, capture.activities().size());
    for (size_t k = i; k < end; ++k) batch.push_back(capture.activities().row(k));
    if (Result<void> done =
            (*writer)->append(batch, i == 0 ? steps : steps.first(0), capture, records_of(capture.gpu(), next, i, end));
        !done)
      return done;
  }
  return (*writer)->close(capture.run(), capture.honesty(), capture.machine());
}

}  // namespace

Result<void> save_capture(const Capture& capture, const std::filesystem::path& file) {
  auto target = CaptureTarget::claim(file);
  if (!target) return target.error();
  // Beside it, and moved over it once it is whole: a disk that fills up, or a kill, leaves what was there as it was.
  const auto draft = target->draft();
  if (!draft) return draft.error();
  Result<void> written = write_whole(capture, *draft);
  if (written) written = target->publish();
  if (written) return {};
  engine::Error error = written.error();
  if (const size_t at = error.message.find(draft->string()); at != std::string::npos)
    error.message.replace(at, draft->string().size(), file.string());
  return error;  // the draft goes with its target
}

}  // namespace profiler
