// SPDX-License-Identifier: Apache-2.0
// A sweep's file: .tide with TIDE_SWEEP* tables; the captures of its points lie in a folder beside it.
#pragma once

#include <filesystem>
#include <memory>

#include "profiler/sweep/sweep.h"

namespace profiler {

/// Keeps a sweep on disk while it goes on: after each sample the file is whole, whatever kills the program.
class SweepWriter {
 public:
  /// Claims `file` (refused unless it is a sweep of ours, empty, or not there) and writes all of `sweep`, in place of
  /// what was there.
  static engine::Result<std::unique_ptr<SweepWriter>> create(const std::filesystem::path& file, const Sweep& sweep);
  ~SweepWriter();
  /// Brings one point up to date; one commit.
  engine::Result<void> update(const Sweep&, size_t point);
  engine::Result<void> finish(const Sweep&);

 private:
  struct State;
  explicit SweepWriter(std::unique_ptr<State>);
  std::unique_ptr<State> state_;
};

/// The sweep kept in draft_beside(file), with the folder of its points, takes the place of the one in `file` and of its
/// points. What others put into that folder stays, in a folder "....older". Refused: it cannot be moved; all is as it
/// was then.
engine::Result<void> put_draft_in_place(const std::filesystem::path& file);

/// Whether a readable file of ours holds a sweep (and not a capture).
bool is_sweep(const std::filesystem::path& file);

/// Reads a sweep, complete or not. Refused with the file and what is wrong with it: missing, no sweep, truncated,
/// impossible values.
engine::Result<Sweep> open_sweep(const std::filesystem::path& file);

}  // namespace profiler
