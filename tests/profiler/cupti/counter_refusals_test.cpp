// SPDX-License-Identifier: Apache-2.0
// Each way in which counters are refused names its cause: permission, a virtual machine's host, a container, a virtual
// GPU.
#include "profiler/cupti/counter_refusals.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/support/temporary_folder.h"

namespace profiler::cupti {
namespace {

namespace fs = std::filesystem;

/// A system's files, as far as they are read.
class Machine {
 public:
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_.path() / file).parent_path());
    std::ofstream(root_.path() / file) << text;
  }
  Surroundings here() const { return surroundings(root_.path()); }

 private:
  const tests::TemporaryFolder root_;
};

TEST(CounterRefusals, VirtualMachinesAreKnownByTheirNames) {
  Machine bare;
  bare.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme avx2\n");
  bare.write("sys/class/dmi/id/sys_vendor", "Supermicro\n");
  EXPECT_EQ(bare.here().virtual_machine, "");
  EXPECT_FALSE(bare.here().container);
  Machine rented;
  rented.write("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor avx2\n");
  EXPECT_EQ(rented.here().virtual_machine, "unknown");
  rented.write("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
  rented.write("sys/class/dmi/id/product_name", "p5.48xlarge\n");
  rented.write(".dockerenv", "");
  EXPECT_EQ(rented.here().virtual_machine, "Amazon EC2 p5.48xlarge");
  EXPECT_TRUE(rented.here().container);
  Machine arm;  // no flags there
  arm.write("sys/class/dmi/id/product_name", "Google Compute Engine\n");
  EXPECT_EQ(arm.here().virtual_machine, "Google Compute Engine");
}

TEST(CounterRefusals, AdministratorIsWhoHasTheCapability) {
  Machine machine;
  machine.write("proc/self/status",
                "Name:\tx\nCapEff:\t00000000a80425fb\n");  // root in a container as Docker starts it
  EXPECT_FALSE(machine.here().administrator);
  machine.write("proc/self/status", "CapEff:\t000001ffffffffff\n");
  EXPECT_TRUE(machine.here().administrator);
  machine.write("proc/self/status", "CapEff:\t0000004000000000\n");  // CAP_PERFMON alone
  EXPECT_TRUE(machine.here().administrator);
}

TEST(CounterRefusals, EachSituationHasItsOwnWords) {
  std::set<std::string> all;
  const auto words = [&all](const Surroundings& here, std::initializer_list<const char*> parts) {
    const std::string text = privilege_words(here);
    EXPECT_NE(text.find("ERR_NVGPUCTRPERM"), std::string::npos) << text;
    for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_TRUE(all.insert(text).second) << text;
  };
  words({}, {"only administrators", "NVreg_RestrictProfilingToAdminUsers=0"});
  words({.virtual_machine = "", .container = true, .administrator = false},
        {"only administrators", "--cap-add SYS_ADMIN"});
  words({.virtual_machine = "QEMU Standard PC", .container = false, .administrator = false},
        {"only administrators", "the host of this virtual machine (QEMU Standard PC)"});
  words({.virtual_machine = "Firecracker", .container = false, .administrator = true},
        {"even to an administrator", "the host of this virtual machine (Firecracker) keeps them", "Ask its operator"});
  words({.virtual_machine = "unknown", .container = false, .administrator = true},
        {"the host of this virtual machine keeps them"});
  words({.virtual_machine = "", .container = true, .administrator = true}, {"outside of this container"});
}

TEST(CounterRefusals, CodesThatNameACauseAreSaidInWords) {
  CuptiApi api;  // no function is needed: codes without a text stay numbers
  std::set<std::string> all;
  for (const CUptiResult code :
       {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
        CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED,
        CUPTI_ERROR_HARDWARE_BUSY, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, CUPTI_ERROR_UNKNOWN}) {
    const auto refused = check_counters(api, code, "start");
    ASSERT_FALSE(refused.ok()) << code;
    EXPECT_TRUE(all.insert(refused.error().message).second) << refused.error().message;
  }
  EXPECT_NE(check_counters(api, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "start")
                .error()
                .message.find("its host has not switched profiling on"),
            std::string::npos);
  EXPECT_TRUE(check_counters(api, CUPTI_SUCCESS, "start").ok());
}

}  // namespace
}  // namespace profiler::cupti
