// SPDX-License-Identifier: Apache-2.0
// The chain below the driver: library, other profilers, counter libraries, permission; one sentence and one command
// each.
#include "profiler/cupti/examine.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/profiler/cupti/fake_cupti.h"
#include "tests/support/temporary_folder.h"

namespace profiler::cupti {
namespace {

class Examine : public testing::Test {
 protected:
  void SetUp() override {
    if (real_cupti() == nullptr) GTEST_SKIP() << "no CUPTI on this machine";
    std::ofstream(folder_ / "open") << "RmMsg: \"\"\nRmProfilingAdminOnly: 0\n";
    std::ofstream(folder_ / "restricted") << "RmProfilingAdminOnly: 1\nOther: 2\n";
  }
  std::vector<ChainLink> chain(FakeCupti& fake, const char* parameters, bool administrator = false,
                               std::string no_counters = "", const std::string& virtual_machine = "") {
    CuptiLibrary library = *real_cupti();
    library.api = fake.api();
    library.no_counters = std::move(no_counters);
    return examine(library,
                   {.driver_parameters = (folder_ / parameters).string(),
                    .here = {.virtual_machine = virtual_machine, .container = false, .administrator = administrator},
                    .attach = true});
  }
  static const ChainLink* broken(const std::vector<ChainLink>& chain) {
    for (const ChainLink& link : chain) {
      if (!link.works) return &link;
    }
    return nullptr;
  }
  const tests::TemporaryFolder folder_;
};

TEST_F(Examine, AllLinksHold) {
  FakeCupti fake;
  const auto links = chain(fake, "open");
  EXPECT_EQ(links.size(), 5u);
  EXPECT_EQ(broken(links), nullptr);
  EXPECT_EQ(fake.calls("subscribe"), 1);
  EXPECT_EQ(fake.calls("unsubscribe"), 1) << "looking must not stay attached";
}

TEST_F(Examine, EachBrokenLinkHasOneSentenceAndOneCommand) {
  const auto check = [](const ChainLink* link, const char* name, const char* found, const char* remedy) {
    ASSERT_NE(link, nullptr) << name;
    EXPECT_EQ(link->name, name);
    EXPECT_NE(link->found.find(found), std::string::npos) << link->found;
    EXPECT_NE(link->remedy.find(remedy), std::string::npos) << link->remedy;
  };
  const auto absent = examine(engine::refused_error("CUPTI was not found: libcupti.so.13"), {});
  ASSERT_EQ(absent.size(), 1u);
  check(&absent[0], "CUPTI", "not found", "TENSORTIDE_CUPTI");
  {
    FakeCupti fake;
    fake.refuse["subscribe"] = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    fake.other_subscriber = "Nsight Systems";
    const auto links = chain(fake, "open");
    EXPECT_EQ(links.size(), 2u) << "the walk ends there";
    check(broken(links), "attaching", "another profiler (Nsight Systems)", "without that profiler");
  }
  {
    FakeCupti fake;
    fake.refuse["subscribe"] = CUPTI_ERROR_UNKNOWN;
    check(broken(chain(fake, "open")), "attaching", "(999)", "nvidia-smi");
  }
  {
    FakeCupti fake;
    const auto links = chain(fake, "open", false, "libnvperf_host.so does not open");
    check(broken(links), "counter libraries", "libnvperf_host.so does not open", "libnvperf_target.so");
    EXPECT_TRUE(broken(links)->for_counters_only);
  }
  {
    FakeCupti fake;
    const auto links = chain(fake, "restricted");
    check(broken(links), "permission for counters", "ERR_NVGPUCTRPERM", "NVreg_RestrictProfilingToAdminUsers=0");
    EXPECT_TRUE(broken(links)->for_counters_only);
    EXPECT_EQ(broken(chain(fake, "restricted", true)), nullptr) << "administrators may";
    const auto rented = chain(fake, "restricted", true, "", "Firecracker");
    EXPECT_NE(rented[3].found.find("unless the host of this virtual machine (Firecracker)"), std::string::npos)
        << rented[3].found;
    check(broken(chain(fake, "missing")), "permission for counters", "does not show", "nvidia-smi");
  }
}

TEST_F(Examine, AVersionWithKnownFaultsIsNamed) {
  FakeCupti fake;
  CuptiLibrary library = *real_cupti();
  library.api = fake.api();
  library.warning = version_warning(130000);
  const auto links = examine(library, {.driver_parameters = (folder_ / "open").string(), .here = {}, .attach = false});
  EXPECT_TRUE(links[0].works);
  EXPECT_NE(links[0].found.find("It can deadlock when a trace ends"), std::string::npos) << links[0].found;
}

TEST_F(Examine, WhereATraceIsAboutToStartNothingAttaches) {
  FakeCupti fake;
  CuptiLibrary library = *real_cupti();
  library.api = fake.api();
  const auto links = examine(library, {.driver_parameters = (folder_ / "open").string(), .here = {}, .attach = false});
  EXPECT_EQ(broken(links), nullptr);
  EXPECT_EQ(fake.calls("subscribe"), 0);
}

}  // namespace
}  // namespace profiler::cupti
