// SPDX-License-Identifier: Apache-2.0
// Limits of control groups (both versions, nested, in containers) and of setrlimit, on machines made of files.
#include "engine/base/memory_limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temporary_folder.h"

namespace engine {
namespace {

constexpr int64_t kMiB = 1 << 20;

/// A machine of 16 GiB with 12 free.
class Machine {
 public:
  Machine() {
    write("proc/meminfo",
          "MemTotal:       16777216 kB\nMemFree:         1000 kB\nMemAvailable:   12582912 kB\nBuffers: 1 kB\n");
    write("proc/self/status", "Name:\tx\nVmPeak:\t 900000 kB\nVmSize:\t 524288 kB\nVmData:\t 102400 kB\n");
  }
  void write(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    tests::write_bytes(root_ / file, text);
  }
  void group(const std::string& folder, const std::string& max, int64_t current_mib, int64_t inactive_mib = 0) {
    write(folder + "/memory.max", max + "\n");
    write(folder + "/memory.current", std::to_string(current_mib * kMiB) + "\n");
    write(folder + "/memory.stat",
          "anon 5\ninactive_file " + std::to_string(inactive_mib * kMiB) + "\nactive_file 7\n");
  }
  void group_v1(const std::string& folder, int64_t limit, int64_t used_mib, int64_t inactive_mib = 0) {
    write(folder + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    write(folder + "/memory.usage_in_bytes", std::to_string(used_mib * kMiB) + "\n");
    write(folder + "/memory.stat",
          "inactive_file 3\ntotal_inactive_file " + std::to_string(inactive_mib * kMiB) + "\n");
  }
  HostMemory memory(ResourceLimits limits = {}) const { return host_memory(root_.path(), limits); }

 private:
  tests::TemporaryFolder root_;
};

constexpr const char* kMounted2 = "25 24 0:22 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMounted1 =
    "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n35 31 "
    "0:32 / /sys/fs/cgroup/memory rw master:2 - cgroup cgroup rw,memory\n";
constexpr int64_t kNone1 = 9223372036854771712;

TEST(MemoryLimits, WithoutAnyTheMachineCounts) {
  const HostMemory memory = Machine().memory();
  EXPECT_EQ(memory.total_bytes, 16384 * kMiB);
  EXPECT_EQ(memory.available_bytes, 12288 * kMiB);
  EXPECT_EQ(memory.limit, "");
}

TEST(MemoryLimits, TheTightestOfAllGroupsAroundCounts) {
  // as systemd and Slurm nest them: the limit stands two groups above the process
  Machine machine;
  machine.write("proc/self/mountinfo", kMounted2);
  machine.write("proc/self/cgroup", "0::/system.slice/slurmstepd.scope/job_7/step_0/user/task_0\n");
  const std::string top = "sys/fs/cgroup/system.slice";
  machine.group(top, "max", 9000);
  machine.group(top + "/slurmstepd.scope", "max", 8000);
  machine.group(top + "/slurmstepd.scope/job_7", std::to_string(2048 * kMiB), 1024, 100);
  machine.group(top + "/slurmstepd.scope/job_7/step_0", std::to_string(4096 * kMiB), 200);
  machine.group(top + "/slurmstepd.scope/job_7/step_0/user/task_0", "max", 100);
  const HostMemory memory = machine.memory();
  EXPECT_EQ(memory.total_bytes, 2048 * kMiB);
  EXPECT_EQ(memory.available_bytes, (2048 - 1024 + 100) * kMiB);
  EXPECT_EQ(memory.limit, "control group /system.slice/slurmstepd.scope/job_7");
}

TEST(MemoryLimits, Version1IsWalkedUpToo) {
  Machine machine;
  machine.write("proc/self/mountinfo", kMounted1);
  machine.write("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:memory:/a/b\n0::/\n");
  machine.group_v1("sys/fs/cgroup/memory", kNone1, 9000);
  machine.group_v1("sys/fs/cgroup/memory/a", 1000 * kMiB, 400, 50);
  machine.group_v1("sys/fs/cgroup/memory/a/b", kNone1, 10);
  machine.group_v1("sys/fs/cgroup/memory/elsewhere", 1 * kMiB, 0);
  const HostMemory memory = machine.memory();
  EXPECT_EQ(memory.total_bytes, 1000 * kMiB);
  EXPECT_EQ(memory.available_bytes, 650 * kMiB);
  EXPECT_EQ(memory.limit, "control group /a");
}

TEST(MemoryLimits, AContainerSeesItsOwnGroupAtTheMount) {
  Machine bound;  // the group's folder is mounted alone
  bound.write("proc/self/mountinfo",
              "35 31 0:32 /docker/abc /sys/fs/cgroup/mem\\040ory ro - cgroup cgroup rw,memory\n");
  bound.write("proc/self/cgroup", "4:memory:/docker/abc/inner\n");
  bound.group_v1("sys/fs/cgroup/mem ory", 800 * kMiB, 100);
  bound.group_v1("sys/fs/cgroup/mem ory/inner", 500 * kMiB, 10);
  EXPECT_EQ(bound.memory().total_bytes, 500 * kMiB);
  EXPECT_EQ(bound.memory().available_bytes, 490 * kMiB);
  for (const char* group :
       {"0::/\n", "0::/../../other\n",
        "0::/docker/def\n"}) {  // a namespace of its own; joined from outside; not below what is mounted
    Machine own;
    own.write("proc/self/mountinfo", "25 24 0:22 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    own.write("proc/self/cgroup", group);
    own.group("sys/fs/cgroup", std::to_string(700 * kMiB), 100);
    EXPECT_EQ(own.memory().available_bytes, 600 * kMiB) << group;
  }
}

TEST(MemoryLimits, AnExhaustedGroupIsNotTakenForAnUnknownOne) {
  Machine machine;
  machine.write("proc/self/mountinfo", kMounted2);
  machine.write("proc/self/cgroup", "0::/full\n");
  machine.group("sys/fs/cgroup/full", std::to_string(100 * kMiB), 120);
  EXPECT_EQ(machine.memory().available_bytes, 1);  // 0 would say that nothing is known
}

TEST(MemoryLimits, ResourceLimitsLeaveWhatIsNotUsedYet) {
  const Machine machine;
  const HostMemory space = machine.memory({.address_space_bytes = 1024 * kMiB, .data_bytes = -1});
  EXPECT_EQ(space.available_bytes, 512 * kMiB);
  EXPECT_EQ(space.total_bytes, 1024 * kMiB);
  EXPECT_EQ(space.limit, "ulimit -v");
  const HostMemory data = machine.memory({.address_space_bytes = 1024 * kMiB, .data_bytes = 200 * kMiB});
  EXPECT_EQ(data.available_bytes, 100 * kMiB);
  EXPECT_EQ(data.limit, "ulimit -d");
}

TEST(MemoryLimits, ThisProcessSeesItsOwn) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "its shadow alone is larger than any such limit";
#endif
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlim_t most = rlim_t{6} << 30;
    const rlimit limit{most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(1);
    const HostMemory memory = host_memory();
    _exit(memory.available_bytes < static_cast<int64_t>(most) && memory.total_bytes <= static_cast<int64_t>(most) ? 0
                                                                                                                  : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace engine
