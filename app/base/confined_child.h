// SPDX-License-Identifier: Apache-2.0
// ConfinedChild: a process of a stranger's code, or a tool that reads it: it sees no files of the user, has no network,
// and ends.
//
// Files: Landlock (Linux 5.13). System calls: seccomp. Memory, processor time and sizes of files: rlimits. No
// privileges are needed for any of them.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace app {

/// What a child may do.
struct Confinement {
  enum class Calls {
    tools,      ///< all system calls but sockets, debugging, other processes' memory and the kernel's own tools
    computing,  ///< memory, threads, clocks, and reading and writing what is open
  };
  Calls calls = Calls::computing;
  std::filesystem::path folder;                      ///< it starts there, and may read and execute what is below
  bool writes = false;                               ///< it may write below `folder`, too
  std::vector<std::filesystem::path> readable = {};  ///< besides the system's programs and libraries
  double memory_bytes = 0;                           ///< of its address space
  double processor_s = 0;                            ///< of each process
  double file_bytes = 0;                             ///< the largest file that it can write
  std::vector<int> descriptors = {};                 ///< of this process; the child has them as 3, 4, ...
};

/// Which limits this system can hold. Memory, time and sizes always are.
struct HeldLimits {
  bool files = false;         ///< Landlock
  bool system_calls = false;  ///< seccomp: network, and what `Confinement::Calls` forbids
};
HeldLimits held_limits();
/// "files (Landlock), network and system calls (seccomp), memory, time".
std::string limits_text(const HeldLimits&);

/// A running child. Its end, and that of all processes of its group, is the end of this object.
class ConfinedChild {
 public:
  /// `trusted`: start it even where held_limits() lacks one; refused otherwise. Environment: PATH, TMPDIR (its
  /// folder), LC_ALL=C. Standard output and error are one pipe.
  static engine::Result<ConfinedChild> start(const std::filesystem::path& program,
                                             const std::vector<std::string>& words, const Confinement&, bool trusted);
  ConfinedChild(ConfinedChild&&) noexcept;
  ConfinedChild(const ConfinedChild&) = delete;
  ConfinedChild& operator=(const ConfinedChild&) = delete;
  ConfinedChild& operator=(ConfinedChild&&) = delete;
  ~ConfinedChild();

  int output() const { return output_; }  ///< to poll; read by take_output()
  /// Reads what there is; false: no more will come. Only the first kMostOutput bytes are kept.
  bool take_output();
  const std::string& printed() const { return printed_; }
  void signal(int number) const;
  /// Ends the group, and waits. The status of waitpid().
  int finish();
  /// Waits until it ended, and reads what it prints. False: it was still running after `seconds`.
  bool wait(double seconds, const std::atomic<bool>& stop);

  static constexpr size_t kMostOutput = 1 << 16;

 private:
  ConfinedChild(pid_t pid, int output) : pid_(pid), output_(output) {}
  pid_t pid_ = -1;
  int output_ = -1;
  int status_ = -1;
  bool reaped_ = false;
  std::string printed_;
};

}  // namespace app
