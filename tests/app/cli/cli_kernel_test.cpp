// SPDX-License-Identifier: Apache-2.0
// tensortide kernel as students and graders meet it: exercises of known courses, mistakes, and sources that mean harm.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "app/base/confined_child.h"
#include "tests/app/cli/process.h"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Outcome;
using test::tensortide;

constexpr const char* kHead = "#include <tensortide_kernel.h>\n";

class CliKernel : public testing::Test {
 protected:
  void SetUp() override {
    const app::HeldLimits held = app::held_limits();
    if (!held.files || !held.system_calls) GTEST_SKIP() << "this system cannot confine a process";
    folder = test::fresh_folder();
  }
  /// Line 1 is the header.
  std::string source(const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << kHead << text;
    return (folder / name).string();
  }
  Outcome run(const std::string& text, const std::string& words) {
    return tensortide(fmt::format("kernel {} {}", source("mine.cpp", text), words));
  }
  json answer(const std::string& text, const std::string& words, int exit_code = 0) {
    const Outcome ran = run(text, words + " --json");
    EXPECT_EQ(ran.exit_code, exit_code) << ran.err << ran.out;
    return test::parsed(ran.out);
  }
  fs::path folder;
};

// ---- the transposition of CMU's cache lab: 32 sets of one line of 32 bytes

/// The course's simulator, written again: it knows nothing of ours.
class DirectMapped {
 public:
  void access(uint64_t address) {
    const uint64_t line = address / 32;
    uint64_t& held = lines_[line % 32];
    if (held == line + 1) return;
    held = line + 1;
    ++misses_;
  }
  int misses() const { return misses_; }

 private:
  std::array<uint64_t, 32> lines_{};
  int misses_ = 0;
};

/// The course's arrays lie 256 KiB apart; all tensors of ours begin at pages. Both are multiples of the cache.
constexpr uint64_t kSecond = 0x40000;

int plain_misses(int m, int n) {
  DirectMapped cache;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      cache.access(4 * static_cast<uint64_t>(i * n + j));
      cache.access(kSecond + 4 * static_cast<uint64_t>(j * m + i));
    }
  }
  return cache.misses();
}

/// Blocks of `size`, whose rows are read whole before they are written.
int blocked_misses(int m, int n, int size) {
  DirectMapped cache;
  for (int bi = 0; bi < m; bi += size) {
    for (int bj = 0; bj < n; bj += size) {
      for (int i = bi; i < std::min(bi + size, m); ++i) {
        for (int j = bj; j < std::min(bj + size, n); ++j) cache.access(4 * static_cast<uint64_t>(i * n + j));
        for (int j = bj; j < std::min(bj + size, n); ++j) cache.access(kSecond + 4 * static_cast<uint64_t>(j * m + i));
      }
    }
  }
  return cache.misses();
}

constexpr const char* kPlain = R"(void kernel(Input a, Output b, int m, int n) {
  auto A = rows(a, n);
  auto B = rows(b, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) B[j][i] = A[i][j];
}
)";
constexpr const char* kBlocked = R"(static int least(int x, int y) { return x < y ? x : y; }
void kernel(Input a, Output b, int m, int n) {
  float row[SIZE];
  for (int bi = 0; bi < m; bi += SIZE)
    for (int bj = 0; bj < n; bj += SIZE)
      for (int i = bi; i < least(bi + SIZE, m); ++i) {
        for (int j = bj; j < least(bj + SIZE, n); ++j) row[j - bj] = a[i * n + j];
        for (int j = bj; j < least(bj + SIZE, n); ++j) b[j * m + i] = row[j - bj];
      }
}
)";

TEST_F(CliKernel, CountsTheMissesOfTheCacheLab) {
  struct Case {
    int m, n, size;
  };
  // Rows of 61 and columns of 67 in the course are 67 rows of 61 elements.
  for (const Case c : {Case{32, 32, 8}, {64, 64, 4}, {67, 61, 16}}) {
    const std::string words = fmt::format("--like transpose --set m={},n={} --level 1KiB/1/32 --no-time", c.m, c.n);
    EXPECT_EQ(answer(kPlain, words)["misses"], plain_misses(c.m, c.n)) << words;
    const json blocked = answer(fmt::format("#define SIZE {}\n{}", c.size, kBlocked), words);
    EXPECT_EQ(blocked["misses"], blocked_misses(c.m, c.n, c.size)) << words;
    EXPECT_LT(blocked["misses"], blocked["simulated"][1]["misses_L1"]) << words;
    const json& row = blocked["simulated"][0];
    EXPECT_EQ(row["compulsory"].get<int>() + row["capacity"].get<int>() + row["conflict"].get<int>(),
              blocked["misses"].get<int>());
  }
  // The published solution of 32 x 32 has 287 misses, 3 of which are the frame of the course's trace.
  EXPECT_EQ(blocked_misses(32, 32, 8), 284);
}

// ---- attention as in CS149, tiles as in 10-414

constexpr const char* kFused = R"(#include <math.h>
void kernel(Input q, Input k, Input v, Output y, int heads, int n, int d) {
  Scratch scores(n);
  for (int h = 0; h < heads; ++h, q += n * d, k += n * d, v += n * d, y += n * d)
    for (int i = 0; i < n; ++i) {
      float sum = 0;
      for (int j = 0; j < n; ++j) {
        float s = 0;
        for (int p = 0; p < d; ++p) s += q[i * d + p] * k[j * d + p];
        const float weight = expf(s / sqrtf(d));
        scores[j] = weight;
        sum += weight;
      }
      for (int p = 0; p < d; ++p) {
        float x = 0;
        for (int j = 0; j < n; ++j) x += scores[j] * v[j * d + p];
        y[i * d + p] = x / sum;
      }
    }
}
)";

TEST_F(CliKernel, FusedAttentionMovesAPartOfTheBytes) {
  const json fused =
      answer(kFused, "--like attention --set n=256,d=16,heads=1 --level 64KiB/8/64 --at-least dram_ratio=8");
  EXPECT_TRUE(fused["passed"]);
  EXPECT_GT(fused["dram_ratio"], 8);
  // q, k and v are read, y is read and written, and so is a row of scores: all fit.
  EXPECT_EQ(fused["dram_bytes"], 5 * 256 * 16 * 4 + 2 * 256 * 4);
  int tensors = 0;
  for (const json& row : fused["tensors"]) tensors += row["kernel"] == "yours";
  EXPECT_EQ(tensors, 5) << fused["tensors"];
  EXPECT_GT(fused["time_ns"], 0);
  EXPECT_GE(fused["times"].size(), 4u);
}

constexpr const char* kTiled = R"(constexpr int T = 16;
void kernel(Input a, Input b, Output c, int m, int n, int k) {
  for (int i = 0; i < m * n; ++i) c[i] = 0;
  for (int bi = 0; bi < m; bi += T)
    for (int bp = 0; bp < k; bp += T)
      for (int bj = 0; bj < n; bj += T)
        for (int i = bi; i < bi + T; ++i)
          for (int p = bp; p < bp + T; ++p) {
            const float x = a[i * k + p];
            for (int j = bj; j < bj + T; j += 8)
              store(c + (i * n + j), load<8>(c + (i * n + j)) + x * load<8>(b + (p * n + j)));
          }
}
)";

TEST_F(CliKernel, TiledProductsMissLessThanPlainLoopsAndAreTimedBesideTheLadder) {
  const json tiled = answer(kTiled, "--like gemm --simulate m=64,n=64,k=64 --level 4KiB/4/64 --level 64KiB/8/64");
  EXPECT_TRUE(tiled["right"]);
  EXPECT_LT(5 * tiled["misses_L1"].get<double>(), tiled["simulated"][1]["misses_L1"].get<double>());
  bool ladder = false;
  for (const json& row : tiled["times"]) ladder = ladder || row["kernel"] == "ladder: tiled";
  EXPECT_TRUE(ladder);
  EXPECT_EQ(tiled["simulated"][2]["kernel"], "Tensortide");
}

TEST_F(CliKernel, PlainLoopsOfAllKindsAreRight) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve addresses of their own, and a kernel's process has a limit of them";
#endif
  for (const char* kind : {"gemm", "transpose", "softmax", "attention", "conv2d", "saxpy"}) {
    const fs::path file = folder / fmt::format("{}.cpp", kind);
    ASSERT_EQ(tensortide(fmt::format("kernel --like {} --new {}", kind, file.string())).exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "tensortide_kernel.h"));
    const Outcome ran = tensortide(fmt::format("kernel {} --like {} --no-time --json", file.string(), kind));
    EXPECT_EQ(ran.exit_code, 0) << ran.err << ran.out;
    const json document = test::parsed(ran.out);
    EXPECT_EQ(document["misses"], document["simulated"][1]["misses_L1"]) << kind;
    EXPECT_EQ(document["dram_ratio"], 1) << kind;
  }
  EXPECT_EQ(tensortide(fmt::format("kernel --like gemm --new {}", (folder / "gemm.cpp").string())).exit_code, 3);
}

TEST_F(CliKernel, AnotherSourceTakesThePlaceOfPlainLoops) {
  const std::string other = source("other.cpp", kPlain);
  const json same = answer(kPlain, "--like transpose --no-time --level 1KiB/1/32 --against " + other);
  EXPECT_EQ(same["against"], "other.cpp");
  EXPECT_EQ(same["simulated"][1]["kernel"], "other.cpp");
  EXPECT_EQ(same["dram_ratio"], 1);
}

// ---- mistakes

TEST_F(CliKernel, SaysWhereAndWhatIsWrong) {
  struct Mistake {
    const char *text, *kind;
    int line;
    std::vector<std::string> words;
  };
  const std::vector<Mistake> mistakes{
      {"void kernel(float a, Input x, Output y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = b * x[i];\n}\n",
       "compiler",
       3,
       {"'b'", "mine.cpp:3"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  for (int i = 0; i <= n; ++i)\n    y[i] = a * x[i] + "
       "y[i];\n}\n",
       "outside",
       4,
       {"x[64]", "0 to 63"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  for (int i = 0; i < n; ++i) y[i] = a * x[i] + 1;\n}\n",
       "wrong",
       0,
       {"y[0] is ", "it should be ", "64 of 64"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  volatile int i = 0;\n  while (i < n) {\n  }\n}\n",
       "time",
       4,
       {"1 s", "Does this loop end?"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  volatile int* p = reinterpret_cast<volatile int*>(n);\n  "
       "*p = 1;\n}\n",
       "signal",
       4,
       {"memory"}},
      {"static int deep(volatile int* x) {\n  volatile int y = *x;\n  return deep(&y) + y;\n}\n"
       "void kernel(float a, Input x, Output y, int n) { volatile int z = n; y[0] = deep(&z); }\n",
       "signal",
       -1,
       {"memory"}},
      {"#include <stdexcept>\nvoid kernel(float a, Input x, Output y, int n) { throw std::runtime_error(\"no\"); }\n",
       "signal",
       -1,
       {"exception", "no"}},
      {"#include <stdlib.h>\nvoid kernel(float a, Input x, Output y, int n) { exit(7); }\n", "ended", 0, {"7"}},
      {"void kernel(Input x, Output y, int n) { y[0] = x[0]; }\n",
       "missing",
       0,
       {"void kernel(float a, Input x, Output y, int n)"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  float& r = y[0];\n  r = a;\n}\n", "notes", 3, {"float x"}},
      {"void kernel(float a, Input x, Output y, int n) {\n  Scratch s(1L << 40);\n  s[0] = 1;\n}\n", "scratch", 3, {}}};
  for (const Mistake& mistake : mistakes) {
    const json document =
        answer(mistake.text, "--like saxpy --set n=64 --level 1KiB/1/32 --seconds 1 --at-least speedup=1", 1);
    const json& fault = document["fault"];
    ASSERT_TRUE(fault.is_object()) << document;
    EXPECT_EQ(fault["kind"], mistake.kind) << fault;
    if (mistake.line > 0) {
      EXPECT_EQ(fault["line"], mistake.line) << fault;
    } else if (mistake.line == 0) {
      EXPECT_TRUE(fault["line"].is_null()) << fault;
    }
    for (const std::string& word : mistake.words)
      EXPECT_NE(fault["message"].get<std::string>().find(word), std::string::npos) << word << " in " << fault;
    EXPECT_FALSE(document["passed"]);
    EXPECT_TRUE(document["speedup"].is_null());
  }
  const json unwritten =
      answer("void kernel(Input a, Output b, int m, int n) { for (int i = 1; i < m * n; ++i) b[i] = 0; }\n",
             "--like transpose --set m=4,n=4 --no-time", 1);
  EXPECT_EQ(unwritten["fault"]["kind"], "wrong");
  const json missing = answer(
      "void kernel(Input a, Output b, int m, int n) {\n  for (int i = 0; i < m; ++i)\n    for (int j = 1; j < n; "
      "++j) b[j * m + i] = a[i * n + j];\n}\n",
      "--like transpose --set m=4,n=4 --no-time", 1);
  EXPECT_EQ(missing["fault"]["kind"], "unwritten");
  EXPECT_NE(missing["fault"]["message"].get<std::string>().find("b[0][0] was never written"), std::string::npos);
}

TEST_F(CliKernel, GradesByFigures) {
  const std::string words = "--like transpose --no-time --set m=32,n=32 --level 1KiB/1/32 ";
  const std::string text = fmt::format("#define SIZE 8\n{}", kBlocked);
  const json passed = answer(text, words + "--at-most misses=300 --at-least accesses=2048");
  EXPECT_EQ(passed["passed_count"], 2);
  const json failed = answer(text, words + "--at-most misses=200 --at-most misses=300", 1);
  EXPECT_FALSE(failed["passed"]);
  EXPECT_EQ(failed["passed_count"], 1);
  EXPECT_EQ(failed["grades"][0]["value"], 284);
  // A figure that is not known does not pass.
  EXPECT_FALSE(answer(text, words + "--at-least speedup=0", 1)["passed"]);
}

TEST_F(CliKernel, RefusesWrongUsage) {
  const std::string file = source("mine.cpp", kPlain);
  for (const auto& [words, said] : {std::pair{file + " --like transpos", "did you mean \"transpose\""},
                                    {file + " --like transpose --set q=3", "no size \"q\""},
                                    {file + " --like transpose --set m=0", "m=0"},
                                    {file + " --like transpose --set m=nine", "NAME=NUMBER"},
                                    {file + " --like transpose --set m=100000,n=100000", "at most"},
                                    {file + " --like transpose --at-least speed=3", "did you mean \"speedup\""},
                                    {file + " --like gemm --simulate m=2000,n=2000,k=2000", "accesses"},
                                    {file + " --like conv2d --set size=99", "no elements"},
                                    {std::string("--like transpose"), "--new"},
                                    {std::string("/etc --like gemm"), "/etc"}}) {
    const Outcome ran = tensortide("kernel " + words);
    EXPECT_GE(ran.exit_code, 2) << words << ran.out;
    EXPECT_NE(ran.err.find(said), std::string::npos) << words << ": " << ran.err;
  }
}

// ---- sources that mean harm

TEST_F(CliKernel, ASourceNeitherReadsNorWritesFilesNorStartsOrCallsAnything) {
  const fs::path secret = folder / "secret.txt";
  std::ofstream(secret) << "tide0secret\n";
  const std::string text = fmt::format(R"(#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
void kernel(float a, Input x, Output y, int n) {{
  const char* secret = "{}";
  if (open(secret, O_RDONLY) >= 0) printf("harm: read\n");
  if (open(secret, O_WRONLY | O_TRUNC) >= 0) printf("harm: wrote\n");
  if (open("made", O_WRONLY | O_CREAT, 0644) >= 0) printf("harm: made\n");
  if (open("/proc/self/mem", O_RDWR) >= 0) printf("harm: mem\n");
  if (unlink(secret) == 0) printf("harm: removed\n");
  if (chmod(secret, 0777) == 0) printf("harm: chmod\n");
  if (rename(secret, "gone") == 0) printf("harm: renamed\n");
  if (socket(AF_INET, SOCK_STREAM, 0) >= 0) printf("harm: socket\n");
  if (kill(getppid(), SIGTERM) == 0) printf("harm: killed\n");
  if (setsid() >= 0) printf("harm: left\n");
  const int child = fork();
  if (child == 0) _exit(0);
  if (child > 0) printf("harm: forked\n");
  std::thread([] {{}}).join();  // threads are allowed
  for (int i = 0; i < n; ++i) y[i] = 0;
}}
)",
                                       secret.string());
  // The result is wrong, so that what it printed is shown.
  const json document = answer(text, "--like saxpy --set n=64 --no-time", 1);
  EXPECT_EQ(document["fault"]["kind"], "wrong");
  EXPECT_EQ(document["fault"]["message"].get<std::string>().find("harm"), std::string::npos) << document["fault"];
  EXPECT_TRUE(fs::exists(secret));
  EXPECT_EQ(fs::file_size(secret), 12u);
}

TEST_F(CliKernel, ACompilerReadsNoFilesOfTheUser) {
  const fs::path secret = folder / "secret.txt";
  std::ofstream(secret) << "tide0secret\n";
  for (const std::string& text :
       {fmt::format("#include \"{}\"\nvoid kernel(float, Input, Output, int) {{}}\n", secret.string()),
        fmt::format("asm(\".incbin \\\"{}\\\"\");\nvoid kernel(float, Input, Output, int) {{}}\n", secret.string())}) {
    const Outcome ran = run(text, "--like saxpy --set n=64 --no-time");
    EXPECT_EQ(ran.exit_code, 1) << ran.out;
    EXPECT_NE(ran.out.find("does not compile"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("tide0secret"), std::string::npos) << ran.out;
  }
}

TEST_F(CliKernel, EndsWhatTakesAllMemoryOrNeverEnds) {
  const json memory = answer(
      "#include <stdlib.h>\nvoid kernel(float a, Input x, Output y, int n) {\n"
      "  for (;;) static_cast<volatile char*>(malloc(1 << 28))[0] = 1;\n}\n",
      "--like saxpy --set n=64 --no-time", 1);
  EXPECT_EQ(memory["fault"]["kind"], "signal") << memory["fault"];
  // It does not stop when it is asked to.
  const json deaf = answer(
      "#include <signal.h>\nvoid kernel(float a, Input x, Output y, int n) {\n  signal(SIGTERM, SIG_IGN);\n  for "
      "(volatile int "
      "i = 0;;) i = 1;\n}\n",
      "--like saxpy --set n=64 --no-time --seconds 1", 1);
  EXPECT_EQ(deaf["fault"]["kind"], "time") << deaf["fault"];
  // Nor before it is called.
  const json early = answer(
      "static int spin() {\n  for (volatile int i = 0;;) i = 1;\n}\nint x = spin();\n"
      "void kernel(float a, Input x, Output y, int n) {}\n",
      "--like saxpy --set n=64 --no-time --seconds 1", 1);
  EXPECT_EQ(early["fault"]["kind"], "time") << early["fault"];
}

}  // namespace
