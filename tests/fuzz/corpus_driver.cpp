// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target over a corpus and over mutations of it, without libFuzzer: corpus_driver TARGET FOLDER ROUNDS
// SECONDS [SEED]. The rounds are the same for the same seed; SECONDS only ends them early on a slow machine. A round of
// over 20 s counts as a hang.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "profiler/store/capture_file.h"
#include "profiler/sweep/file.h"
#include "tests/support/sample_capture.h"
#include "tests/support/sample_gpu_capture.h"
#include "tests/support/sample_sweep.h"

using Target = int(const uint8_t*, size_t);
extern "C" Target fuzz_kineto, fuzz_chrome, fuzz_address_trace, fuzz_onnx, fuzz_capture, fuzz_sealed_capture,
    fuzz_analysed, fuzz_sweep, fuzz_words, fuzz_onnxruntime, fuzz_speedscope, fuzz_onednn, fuzz_memory, fuzz_perfetto,
    fuzz_xplane, fuzz_ncu, fuzz_proton, fuzz_chakra, fuzz_language_model;

namespace {

struct Named {
  const char *name, *corpus;
  Target* target;
  size_t most_bytes;
};
constexpr std::array kTargets{Named{"kineto", "kineto", fuzz_kineto, 16384},
                              Named{"chrome", "chrome", fuzz_chrome, 16384},
                              Named{"onnxruntime", "onnxruntime", fuzz_onnxruntime, 16384},
                              Named{"speedscope", "speedscope", fuzz_speedscope, 16384},
                              Named{"onednn", "onednn", fuzz_onednn, 16384},
                              Named{"memory", "memory", fuzz_memory, 16384},
                              Named{"perfetto", "perfetto", fuzz_perfetto, 16384},
                              Named{"xplane", "xplane", fuzz_xplane, 16384},
                              Named{"ncu", "ncu", fuzz_ncu, 16384},
                              Named{"proton", "proton", fuzz_proton, 16384},
                              Named{"chakra", "chakra", fuzz_chakra, 16384},
                              Named{"language_model", "language_model", fuzz_language_model, 16384},
                              Named{"address_trace", "address_trace", fuzz_address_trace, 16384},
                              Named{"onnx", "onnx", fuzz_onnx, 16384},
                              Named{"capture", "", fuzz_capture, 1 << 20},
                              Named{"sealed_capture", "edits", fuzz_sealed_capture, 512},
                              Named{"analysed", "edits", fuzz_analysed, 512},
                              Named{"sweep", "", fuzz_sweep, 1 << 20},
                              Named{"words", "words", fuzz_words, 1 << 20}};

std::array<char, 200> g_place{};  // what a signal handler prints: the round that is on

extern "C" void on_end(int signal) {
  const char* text = signal == SIGALRM ? "fuzz: a round takes over 20 s: " : "fuzz: a round ended the program: ";
  for (const char* part : {text, static_cast<const char*>(g_place.data())}) {
    size_t length = 0;
    while (part[length] != '\0') ++length;
    if (write(STDERR_FILENO, part, length) < 0) break;
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal == SIGALRM ? SIGKILL : signal);
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The files of the corpus, in the order of their names; of databases, samples made here.
std::vector<std::string> seeds_of(const Named& target, const std::filesystem::path& folder) {
  std::vector<std::string> seeds;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("tensortide-corpus-{}.tide", getpid());
  if (target.name == std::string("capture")) {
    for (const auto& capture : {tests::sample_capture(), tests::sample_gpu_capture()}) {
      if (!profiler::save_capture(*capture, file)) std::abort();
      seeds.push_back(bytes_of(file));
    }
  } else if (target.name == std::string("sweep")) {
    for (const bool two_axes : {false, true}) {
      std::filesystem::remove(file);
      if (!profiler::SweepWriter::create(file, *tests::sample_sweep(two_axes))) std::abort();
      seeds.push_back(bytes_of(file));
    }
  } else {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / target.corpus)) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& each : files) seeds.push_back(bytes_of(each));
  }
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return seeds;
}

class Mutator {
 public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  std::string mutate(const std::vector<std::string>& seeds, size_t most_bytes) {
    std::string bytes = seeds[below(seeds.size())];
    for (size_t left = 1 + below(6); left > 0; --left) change(bytes, seeds);
    if (bytes.size() > most_bytes) bytes.resize(most_bytes);
    return bytes;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random_() % limit); }

  void change(std::string& bytes, const std::vector<std::string>& seeds) {
    static const std::array<std::string, 26> words{"\x1b[2J",
                                                   "\xe2\x80\xae",
                                                   "\xff",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "null",
                                                   "true",
                                                   "{}",
                                                   "[]",
                                                   "-1",
                                                   "0",
                                                   "1e308",
                                                   "-1e308",
                                                   "1e999",
                                                   "4.9e-324",
                                                   "9223372036854775807",
                                                   "18446744073709551616",
                                                   "65536",
                                                   "\"",
                                                   "\\",
                                                   "\n",
                                                   "=1+1",
                                                   "<b>",
                                                   "&quot;",
                                                   std::string(1, '\0'),
                                                   std::string(300, 'a')};
    const size_t at = below(bytes.size() + 1), length = std::min(bytes.size() - at, below(64));
    switch (below(9)) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random_());
        break;
      case 2: bytes.insert(at, words[below(words.size())]); break;
      case 3: bytes.erase(at, length); break;
      case 4: bytes.insert(below(bytes.size() + 1), bytes.substr(at, length)); break;
      case 5: bytes.replace(at, length, words[below(words.size())]); break;
      case 6: {
        const std::string& other = seeds[below(seeds.size())];
        const size_t from = below(other.size() + 1);
        bytes.insert(at, other.substr(from, below(512)));
        break;
      }
      case 7: {  // something many times: nesting, long runs
        static const std::array<std::string, 6> many{"[", "{\"a\":", "[{\"a\":", "(", "]", " "};
        const std::string& one = many[below(many.size())];
        const size_t times = below(20) == 0 ? 200'000 : below(200);
        std::string run;
        for (size_t i = 0; i < times; ++i) run += one;
        bytes.insert(at, run);
        break;
      }
      default: bytes.resize(at);
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto* const target =
      argc < 5 ? kTargets.end()
               : std::ranges::find_if(kTargets, [&](const Named& t) { return t.name == std::string(argv[1]); });
  if (target == kTargets.end()) {
    fmt::print(stderr, "usage: corpus_driver TARGET FOLDER ROUNDS SECONDS [SEED]\n");
    return 2;
  }
  const long rounds = std::atol(argv[3]), seed = argc > 5 ? std::atol(argv[5]) : 1;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atol(argv[4]));
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGALRM}) std::signal(signal, on_end);
  // a handler for an overflown stack needs another one
  static std::array<char, 65536> stack;
  const stack_t other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_handler = on_end;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  const std::vector<std::string> seeds = seeds_of(*target, argv[2]);
  if (seeds.empty()) {
    fmt::print(stderr, "fuzz: {} holds no corpus of {}\n", argv[2], target->name);
    return 2;
  }
  Mutator mutator(static_cast<uint64_t>(seed));
  long done = 0;
  for (; done < static_cast<long>(seeds.size()) + rounds && std::chrono::steady_clock::now() < end; ++done) {
    const std::string bytes = done < static_cast<long>(seeds.size()) ? seeds[static_cast<size_t>(done)]
                                                                     : mutator.mutate(seeds, target->most_bytes);
    *fmt::format_to_n(g_place.data(), g_place.size() - 1, "{} round {} seed {}\n", target->name, done, seed).out = '\0';
    alarm(20);
    target->target(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    alarm(0);
  }
  fmt::print("fuzz: {}: {} rounds\n", target->name, done);
  return done > 0 ? 0 : 1;
}
