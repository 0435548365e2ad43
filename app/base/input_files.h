// SPDX-License-Identifier: Apache-2.0
// Files that a run reads: how a capture names them, and how they are found again elsewhere.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "profiler/capture/capture.h"

namespace app {

/// The key of RunInfo::arguments under which the content of the model file stands (profiler::content_hash).
inline constexpr const char* kContent = "content";

/// The key of RunInfo::arguments under which the input files stand, as "x=x.npy y=y.npy".
inline constexpr const char* kInputs = "inputs";

/// The key of RunInfo::arguments under which the name of the file of weights stands.
inline constexpr const char* kWeights = "weights-file";

/// Whether a workload is the path of a file (.onnx, .json, or with a slash), not a name.
bool is_input_file(const std::string& workload);
/// A file's name alone, so written that it is one: "net.onnx", "./net".
std::string named_file(const std::filesystem::path& file);

/// What no capture may name: the user's home folder and name. Of this process; tests give their own.
struct Private {
  std::filesystem::path home;  ///< empty: unknown
  std::string user;
};
Private private_words();

/// How a capture in `folder` names a file given as `given`. Absolute paths are kept, relative ones become relative to
/// the folder. No home folder (this user's, below /home, /Users or /root) and no user is named. Such a path becomes
/// relative to the folder, else the file's name alone.
std::string stored_path(const std::string& given, const std::filesystem::path& folder,
                        const Private& = private_words());

struct FoundFile {
  std::filesystem::path path;
  std::string note;  ///< a sentence where its content is not what was recorded; empty: it is, or nobody recorded it
};
/// Remembers where a content was last run from, for this user alone: in the folder tensortide/inputs of $XDG_CACHE_HOME
/// or ~/.cache, never in a capture. What cannot be remembered does no harm.
void remember_file(const std::string& content, const std::filesystem::path& file);

/// The file that a capture or report names `stored`. Looked for in this order: an absolute path itself; path, then
/// name, beside the capture and in the current folder. Last: where this user ran that content. The first whose content
/// is the recorded one, else the first there is, which the note says. Refused: none, naming the places; cancelled.
/// Reads each candidate whole: `go_on` is asked meanwhile, with the part of that candidate that is read; false cancels.
engine::Result<FoundFile> find_file(const std::string& stored, const std::string& content,
                                    const std::filesystem::path& capture,
                                    const std::function<bool(double fraction)>& go_on = {});

/// A recorded command, ready to run from here.
struct FoundRun {
  std::vector<std::string>
      words;  ///< "run" and what follows it, paths as find_file() found them; --roofs that is nowhere is left out
  std::vector<std::string> notes;  ///< what differs
};
/// Of "tensortide run ..." as stored in `capture` (a capture or report). Fails where the command is no run, or its
/// model file is nowhere. `model`: the model file where somebody has found it, which then is not read again.
engine::Result<FoundRun> found_run(const std::string& command, const std::string& content,
                                   const std::filesystem::path& capture, const std::filesystem::path& model = {});
/// "xxh3:..." of a capture's model file; empty: it ran none, or an older version recorded it.
std::string recorded_content(const profiler::RunInfo&);

}  // namespace app
