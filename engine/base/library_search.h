// SPDX-License-Identifier: Apache-2.0
// Finds NVIDIA's shared libraries at run time: in toolkits, conda environments and packages of the active Python, never
// in a folder that other users may write.
#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace engine {

/// Files to try, best first. A bare name is searched by the loader itself.
struct LibraryPlaces {
  std::vector<std::string> files;
  bool chosen = false;  ///< the user named the file (an environment variable): taken from wherever it is
  std::string none;     ///< why there is nothing to try ("TENSORTIDE_CUDNN=none"); empty otherwise
};

/// What came of one file.
struct LibraryAttempt {
  enum class State { absent, refused, taken };
  std::string file;  ///< as it was tried; of a library that was taken by a bare name: the file that the loader found
  State state = State::absent;
  std::string words;  ///< taken: its version; refused: why; absent: empty
};

/// One library's search. The library stays open: threads of such libraries may outlive whoever uses them.
struct LibrarySearch {
  void* handle = nullptr;  ///< null: none was taken
  std::string none;        ///< of LibraryPlaces
  std::vector<LibraryAttempt> attempts;

  /// The attempt that was taken; null: none.
  const LibraryAttempt* taken() const;
  /// One sentence why nothing was taken: the first refusal, else where it was looked for. Empty when something was.
  std::string why() const;
  /// The folders that were looked through, in order, each once; "the loader's search path" for bare names.
  std::vector<std::string> folders() const;
};

/// What the search reads. Tests point it elsewhere.
struct LibraryWorld {
  std::function<std::string(const char* variable)> environment;  ///< empty function: the process's own
  std::filesystem::path toolkits = "/usr/local";                 ///< holds cuda, cuda-13.0, ...
};

/// Where files of these names (newest version first) may be. `variable` in the environment names one file, or "none".
/// Else: the loader's own search; $CUDA_HOME, $CUDA_PATH and /usr/local/cuda*; $CONDA_PREFIX/lib; packages
/// (nvidia/*/lib, Triton's CUPTI) of $VIRTUAL_ENV, of $CONDA_PREFIX and of the Python that "python3" on PATH starts,
/// the user's own packages included. Python is not started.
LibraryPlaces nvidia_library_places(const char* variable, std::initializer_list<const char*> names,
                                    const LibraryWorld& = {});

/// Why a file must not be loaded into this process: it, or a folder or link on its way, through all links, can be
/// changed by a user who is neither root nor the one who runs this. A sticky folder (/tmp) is harmless where what is in
/// it belongs to one of the two. Empty: nothing speaks against it.
std::string why_not_trusted(const std::filesystem::path& file);

/// Whether a library that opened can be used: its version in words, or why not.
using LibraryCheck = std::function<Result<std::string>(void* handle)>;

/// Opens the first file that is there, trusted (see why_not_trusted) and that `check` accepts. After a refusal the next
/// one is tried.
LibrarySearch search_library(const LibraryPlaces&, const LibraryCheck& check);

/// What a search found, to be shown: no handle in it.
struct LibraryReport {
  std::string name;    ///< "cuDNN"
  std::string remedy;  ///< what helps where none was taken
  LibrarySearch search;
};

}  // namespace engine
