// SPDX-License-Identifier: Apache-2.0
// A limit on the size of files: it fails as a full disk does, when the bytes are written and not when the file is
// opened.
#pragma once

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace tests {

/// While it lives, no file of this process grows beyond `most_bytes`.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most_bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{most_bytes, before_.rlim_max};
    works_ = setrlimit(RLIMIT_FSIZE, &small) == 0;
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

  bool works() const { return works_; }
  /// What the system says then.
  static std::string words() { return std::strerror(EFBIG); }

 private:
  rlimit before_{};
  void (*handler_)(int);
  bool works_ = false;
};

}  // namespace tests
