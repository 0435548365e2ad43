// SPDX-License-Identifier: Apache-2.0
// Plain data out of a pickle: numbers, texts, lists and dictionaries. Nothing is ever constructed or called: whatever
// asks for a class or a function is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/import/byte_stream.h"

namespace profiler {

struct PickleValue {
  enum class Kind : uint8_t { none, boolean, integer, real, text, list, dictionary, mark };
  Kind kind = Kind::none;
  int64_t integer = 0;  ///< of boolean and integer
  double real = 0;
  uint32_t index = 0;  ///< of text, list (tuples too) and dictionary
};

class Pickle {
 public:
  /// The value that the file holds. Refused: opcodes beyond plain data (naming them), a file that breaks off, more
  /// than 2^27 values, a text of more than 16 MiB.
  static engine::Result<Pickle> read(const std::filesystem::path&, const ImportControl&);

  const PickleValue& root() const { return root_; }
  std::string_view text(const PickleValue&) const;  ///< empty: it is none
  /// Of a list its items, of a dictionary keys and values in turn; of anything else nothing.
  const std::vector<PickleValue>& items(const PickleValue&) const;
  /// The value of a key; kind none: there is no such key, or it is no dictionary.
  PickleValue at(const PickleValue& dictionary, std::string_view key) const;

 private:
  friend class PickleReader;
  PickleValue root_;
  std::vector<std::string> texts_;
  std::vector<std::vector<PickleValue>> containers_;
};

}  // namespace profiler
