// SPDX-License-Identifier: Apache-2.0
// Landlock rules, seccomp filters and limits of a child, and how it is started and ended.
#include "app/base/confined_child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::Result;

// ---- files

constexpr uint64_t kReadAndRun =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                            LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                            LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
// Rights of later versions, which headers of Debian 12 may lack.
constexpr uint64_t kRefer = uint64_t{1} << 13, kTruncate = uint64_t{1} << 14;
constexpr uint64_t kOfFiles =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;

/// 0: this system has no Landlock.
int landlock_version() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? static_cast<int>(version) : 0;
}

uint64_t handled(int version) {
  return kReadAndRun | kWrite | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
}

/// Programs and libraries of the system, and what every program reads of it.
constexpr std::array kSystem{"/usr",
                             "/lib",
                             "/lib32",
                             "/lib64",
                             "/libx32",
                             "/bin",
                             "/sbin",
                             "/opt",
                             "/etc/alternatives",
                             "/etc/ld.so.cache",
                             "/dev/zero",
                             "/dev/urandom"};

/// What is not there is left out.
void allow(int rules, const fs::path& path, uint64_t access) {
  const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;
  std::error_code code;
  if (!fs::is_directory(path, code)) access &= kOfFiles;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = place;
  syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(place);
}

/// The rules as a descriptor; -1: none.
int file_rules(const Confinement& confinement) {
  const int version = landlock_version();
  if (version == 0) return -1;
  const uint64_t all = handled(version);
  landlock_ruleset_attr attributes{};
  attributes.handled_access_fs = all;
  const auto rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (rules < 0) return -1;
  for (const char* path : kSystem) allow(rules, path, kReadAndRun);
  for (const fs::path& path : confinement.readable) allow(rules, path, kReadAndRun);
  allow(rules, "/dev/null", all & (kReadAndRun | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate));
  allow(rules, confinement.folder, confinement.writes ? all : kReadAndRun);
  return rules;
}

// ---- system calls

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif

constexpr uint32_t kRefuse = SECCOMP_RET_ERRNO | EPERM;

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    // x32 has numbers of its own for all calls.
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  }
  void answer(long number, uint32_t action) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1);
    add(BPF_RET | BPF_K, action);
  }
  /// Allowed where the bits of an argument's lower half that `mask` has are `value`.
  void allow_where(long number, int argument, uint32_t mask, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 5);
    load(static_cast<uint32_t>(offsetof(seccomp_data, args) + static_cast<size_t>(argument) * 8));
    add(BPF_ALU | BPF_AND | BPF_K, mask);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    add(BPF_RET | BPF_K, kRefuse);
  }
  void otherwise(uint32_t action) { add(BPF_RET | BPF_K, action); }
  const std::vector<sock_filter>& code() const { return code_; }

 private:
  void load(uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void add(int what, uint32_t value, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({static_cast<uint16_t>(what), yes, no, value});
  }
  std::vector<sock_filter> code_;
};

Filter tools_filter() {
  Filter filter;
  for (const long number : {SYS_socket,
                            SYS_socketpair,
                            SYS_connect,
                            SYS_bind,
                            SYS_ptrace,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_userfaultfd,
                            SYS_io_uring_setup,
                            SYS_mount,
                            SYS_unshare,
                            SYS_setns,
                            SYS_pidfd_getfd,
                            SYS_kill,
                            SYS_tkill})
    filter.answer(number, kRefuse);
  filter.otherwise(SECCOMP_RET_ALLOW);
  return filter;
}

Filter computing_filter() {
  Filter filter;
  for (const long number : {SYS_read,
                            SYS_write,
                            SYS_readv,
                            SYS_writev,
                            SYS_pread64,
                            SYS_close,
                            SYS_fstat,
                            SYS_newfstatat,
                            SYS_statx,
                            SYS_lseek,
                            SYS_mmap,
                            SYS_munmap,
                            SYS_mremap,
                            SYS_mprotect,
                            SYS_madvise,
                            SYS_brk,
                            SYS_futex,
                            SYS_rt_sigaction,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigreturn,
                            SYS_sigaltstack,
                            SYS_exit,
                            SYS_exit_group,
                            SYS_execve,
                            SYS_set_tid_address,
                            SYS_set_robust_list,
                            SYS_rseq,
                            SYS_getrandom,
                            SYS_getpid,
                            SYS_gettid,
                            SYS_clock_gettime,
                            SYS_clock_getres,
                            SYS_clock_nanosleep,
                            SYS_nanosleep,
                            SYS_gettimeofday,
                            SYS_sched_yield,
                            SYS_sched_getaffinity,
                            SYS_getrusage,
                            SYS_uname,
                            SYS_faccessat,
                            SYS_readlinkat,
                            SYS_getcpu,
                            SYS_restart_syscall})
    filter.answer(number, SECCOMP_RET_ALLOW);
#ifdef __x86_64__
  for (const long number : {SYS_arch_prctl, SYS_access, SYS_readlink, SYS_time})
    filter.answer(number, SECCOMP_RET_ALLOW);
#endif
  // glibc asks for its limits, and sets none.
  filter.allow_where(SYS_prlimit64, 2, 0xffffffff, 0);
  filter.allow_where(SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY);
  filter.allow_where(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  // glibc takes clone() where this is not there.
  filter.answer(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.allow_where(SYS_tgkill, 0, 0xffffffff, static_cast<uint32_t>(getpid()));
  filter.otherwise(kRefuse);
  return filter;
}

// ---- the child

void limit(int what, double most) {
  const auto value = static_cast<rlim_t>(most);
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource_t>(what), &both);
}

struct Prepared {
  const char* program;
  char* const* words;
  char* const* environment;
  const char* folder;
  const Confinement* confinement;
  int output, rules;
};

/// After fork(): up to execve() nothing but system calls, and the filter, whose vector needs memory, of a process with
/// one thread.
[[noreturn]] void become(const Prepared& p) {
  const Confinement& c = *p.confinement;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setpgid(0, 0);
  std::array<int, 8> taken{};
  const size_t count = std::min(c.descriptors.size(), taken.size());
  const int output = fcntl(p.output, F_DUPFD_CLOEXEC, 64),
            rules = p.rules < 0 ? -1 : fcntl(p.rules, F_DUPFD_CLOEXEC, 64);
  for (size_t i = 0; i < count; ++i) taken[i] = fcntl(c.descriptors[i], F_DUPFD_CLOEXEC, 64);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  for (size_t i = 0; i < count; ++i) dup2(taken[i], 3 + static_cast<int>(i));
  for (int fd = 3 + static_cast<int>(count); fd < 1024; ++fd) {
    if (fd != rules) close(fd);
  }
  if (chdir(p.folder) != 0) _exit(126);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 1024);
  limit(RLIMIT_AS, c.memory_bytes);
  limit(RLIMIT_CPU, c.processor_s);
  limit(RLIMIT_FSIZE, c.file_bytes);
  std::signal(SIGXFSZ, SIG_DFL);
  std::signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(126);
  if (rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) != 0) _exit(126);
  if (rules >= 0) close(rules);
  if (held_limits().system_calls) {
    const Filter filter = c.calls == Confinement::Calls::tools ? tools_filter() : computing_filter();
    const sock_fprog code{static_cast<unsigned short>(filter.code().size()),
                          const_cast<sock_filter*>(filter.code().data())};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &code) != 0) _exit(126);
  }
  execve(p.program, p.words, p.environment);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

HeldLimits held_limits() {
  HeldLimits held;
  held.files = landlock_version() > 0;
  // Without a filter the call fails with EFAULT where filters are known.
  held.system_calls =
      kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, nullptr) != 0 && errno == EFAULT;
  return held;
}

std::string limits_text(const HeldLimits& held) {
  std::string text = held.files ? "files (Landlock), " : "";
  if (held.system_calls) text += "network and system calls (seccomp), ";
  text += "memory, time";
  if (!held.files) text += "; not files: this system has no Landlock (Linux 5.13)";
  if (!held.system_calls) text += "; not the network: this system has no seccomp";
  return text;
}

Result<ConfinedChild> ConfinedChild::start(const fs::path& program, const std::vector<std::string>& words,
                                           const Confinement& confinement, bool trusted) {
  const HeldLimits held = held_limits();
  if (!trusted && (!held.files || !held.system_calls))
    return engine::refused_error(
        fmt::format("a stranger's source cannot be confined here: {}. Read the source, then add --trusted",
                    !held.files ? "this system has no Landlock (Linux 5.13)" : "this system has no seccomp"));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return engine::refused_error(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  std::vector<std::string> owned{program.string()};
  owned.insert(owned.end(), words.begin(), words.end());
  std::vector<std::string> environment{"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",
                                       "TMPDIR=" + confinement.folder.string()};
  std::vector<char*> argv = pointers(owned), envp = pointers(environment);
  const int rules = file_rules(confinement);
  const Prepared prepared{program.c_str(), argv.data(), envp.data(), confinement.folder.c_str(),
                          &confinement,    ends[1],     rules};
  const pid_t pid = held.files && rules < 0 ? -1 : fork();
  if (pid == 0) become(prepared);
  const int code = errno;
  close(ends[1]);
  if (rules >= 0) close(rules);
  if (pid < 0) {
    close(ends[0]);
    return engine::refused_error(fmt::format("{}: cannot be started: {}", program.string(), std::strerror(code)));
  }
  setpgid(pid, pid);  // whoever of both is first
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return ConfinedChild(pid, ends[0]);
}

ConfinedChild::ConfinedChild(ConfinedChild&& other) noexcept
    : pid_(other.pid_),
      output_(other.output_),
      status_(other.status_),
      reaped_(other.reaped_),
      printed_(std::move(other.printed_)) {
  other.pid_ = -1;
  other.output_ = -1;
}

ConfinedChild::~ConfinedChild() {
  if (pid_ > 0) finish();
  if (output_ >= 0) close(output_);
}

bool ConfinedChild::take_output() {
  for (char bytes[4096];;) {
    const ssize_t got = read(output_, bytes, sizeof bytes);
    if (got == 0) return false;
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (printed_.size() < kMostOutput)
      printed_.append(bytes, std::min(static_cast<size_t>(got), kMostOutput - printed_.size()));
  }
}

void ConfinedChild::signal(int number) const {
  if (!reaped_ && pid_ > 0) kill(pid_, number);
}

int ConfinedChild::finish() {
  if (!reaped_) {
    kill(-pid_, SIGKILL);
    while (waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    take_output();
  }
  return status_;
}

bool ConfinedChild::wait(double seconds, const std::atomic<bool>& stop) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  bool open = true;
  while (!reaped_) {
    pollfd printed{open ? output_ : -1, POLLIN, 0};
    poll(&printed, 1, open ? 20 : 2);
    if (open) open = take_output();
    const pid_t ended = waitpid(pid_, &status_, WNOHANG);
    if (ended == pid_) {
      reaped_ = true;
      kill(-pid_, SIGKILL);  // of its group, whoever is left
      take_output();
      return true;
    }
    if (stop || std::chrono::steady_clock::now() > end) return false;
  }
  return true;
}

}  // namespace app
