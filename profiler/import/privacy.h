// SPDX-License-Identifier: Apache-2.0
// What of a trace's words goes into a capture: traces hold folders, user names in them, names of processes and of the
// user's functions.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "profiler/capture/activity.h"

namespace profiler {

struct Privacy {
  bool keep_paths = false;  ///< folders in names stay; else paths of files are reduced to the file's name
  bool anonymise = false;   ///< processes, threads and Python functions are numbered instead of named; paths go whole
};

/// Paths of files in a text reduced to their names. "/home/ann/train.py(3): f" becomes "train.py(3): f",
/// "/opt/lib/python3/site-packages/torch/nn/x.py" "torch/nn/x.py", "/home/ann" "~". A path begins with "~/", "./",
/// "../" or a drive. Or it begins with "/" and has a file's extension, lies below a folder such as /home, /mnt or /tmp,
/// or has three parts. Names of ONNX ops are none: two parts, or an operator as last part ("/layer1/conv/Conv",
/// "/act/Mul_output_0"). `instead` (not empty) replaces the whole path.
std::string without_folders(std::string_view text, std::string_view instead = {});

/// Applies a Privacy to the names of one import.
class NameKeeper {
 public:
  explicit NameKeeper(Privacy privacy = {}) : privacy_(privacy) {}
  /// A name of an event, op, counter.
  std::string name(std::string_view);
  /// Of processes that exchange data.
  std::string process_group(std::string_view);
  /// Name and group of a lane.
  std::pair<std::string, std::string> lane(TrackKind, std::string_view name, std::string_view group);
  /// The group of a counter; a process is numbered, whatever it is called.
  std::string counter_group(std::string_view);
  /// Where something was found in a trace: "byte 7: ts is \"soon\"". It may quote the trace: of one without names the
  /// byte alone is left.
  std::string place(std::string_view where);
  /// The name of a traced file.
  std::string file(std::string_view name) const { return privacy_.anonymise ? "trace" : std::string(name); }
  /// What a run is called: a user's own network has a title of the user's.
  std::string title(std::string_view text) { return privacy_.anonymise ? "run" : name(text); }
  bool keeps_titles() const { return !privacy_.anonymise; }

 private:
  /// "process 3": the same for the same text.
  std::string numbered(std::string_view what, std::string_view text);
  Privacy privacy_;
  std::unordered_map<std::string, std::unordered_map<std::string, size_t>> numbers_;
};

}  // namespace profiler
