// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any bytes as recorded memory accesses (din, lackey, lists of addresses, gzipped or not); the first byte
// chooses.
#include "profiler/memory/access_trace.h"
#include "tests/fuzz/fuzz_file.h"

namespace {

/// Accesses must lie below the limit that the simulator was promised.
class Bounded : public engine::AccessSink {
 public:
  explicit Bounded(uint64_t limit) : limit_(limit) {}
  void group(int64_t iterations, std::span<const engine::AccessStream> streams) override {
    if (iterations != 1) fuzz::finding("a record is one access");
    for (const engine::AccessStream& s : streams)
      if (s.address > limit_ || s.address + s.bytes > limit_) fuzz::finding("an access beyond the limit");
  }

 private:
  uint64_t limit_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  profiler::TraceOptions options;
  options.format = static_cast<profiler::TraceFormat>(data[0] % 4);
  options.instructions = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) options.window_bytes = 0;
  Bounded sink(options.address_limit);
  const auto read = profiler::read_trace(fuzz::file_of(data + 1, size - 1), options, sink);
  fuzz::count(read.ok());
  if (!read && read.error().message.empty()) fuzz::finding("refused without a word");
  return 0;
}
