// SPDX-License-Identifier: Apache-2.0
// The ledger of the emulated GPU's memory: which operation of which stream used what, and whether something orders each
// behind those that it must follow. Pure bookkeeping: no memory is touched.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace engine::simt {

/// How far each stream is known to have come: stream -> number of its operation. What is not named: nothing of it.
class Reached {
 public:
  void note(int stream, uint64_t operation) {
    uint64_t& at = of_[stream];
    at = at < operation ? operation : at;
  }
  void note(const Reached& other) {
    for (const auto& [stream, operation] : other.of_) note(stream, operation);
  }
  bool includes(int stream, uint64_t operation) const {
    const auto at = of_.find(stream);
    return at != of_.end() && at->second >= operation;
  }

 private:
  std::map<int, uint64_t> of_;
};

/// A range of addresses that an operation uses. A kernel is asked for nothing but its arguments: each allocation that
/// an address among them lies in counts as read and written as a whole.
struct Use {
  uintptr_t begin = 0, end = 0;
  bool writes = false;
};

/// An operation as the ledger sees it.
struct Entry {
  std::string name;  ///< "cudaMemcpyAsync host to device of 4096 bytes"
  int stream = 0;
  uint64_t number = 0;  ///< in its stream, from 1
  Reached behind;       ///< what it is ordered behind, itself included
};

class Ledger {
 public:
  /// Memory of the GPU or page-locked memory of the host, made by `by`: everything that uses it must be ordered behind.
  void add(uintptr_t begin, size_t bytes, bool on_host, const Entry& by);
  /// The allocation that holds an address, as a whole; {0, 0} where there is none.
  Use all_around(uintptr_t address) const;
  /// Notes that an operation uses ranges. Returns the first rule it breaks: a range of no allocation (or of one that
  /// was freed), one that reaches beyond its allocation's end, a use that nothing orders behind another stream's;
  /// empty: none.
  std::string use(const Entry& by, const std::vector<Use>& ranges);
  /// Notes that an allocation is given back. Its uses must come before. Returns what is wrong; empty: nothing.
  std::string remove(const Entry& by, uintptr_t begin);
  /// Whether an address lies in memory that is not freed.
  bool is_live(uintptr_t address) const;
  int64_t live_bytes() const { return live_bytes_; }
  size_t live() const { return blocks_.size(); }

 private:
  struct Past {
    std::string name;
    int stream;
    uint64_t number;
    Use range;
  };
  struct Block {
    size_t bytes = 0;
    bool on_host = false;
    std::string made_by;
    std::vector<Past> past;  ///< uses that later ones may still clash with
  };
  struct Freed {
    size_t bytes = 0;
    std::string by;
  };
  static std::string clash(const Block&, uintptr_t begin, const Entry&, Use);
  std::map<uintptr_t, Block> blocks_;
  std::map<uintptr_t, Freed> freed_;  ///< until the addresses are allocated again
  int64_t live_bytes_ = 0;
};

}  // namespace engine::simt
