// SPDX-License-Identifier: Apache-2.0
// Plain data out of a pickle: numbers, texts, lists and dictionaries. Nothing is ever constructed or called: whatever
// asks for a class or a function is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/import/byte_stream.h"

namespace profiler {

struct PickleValue {
  enum class Kind : uint8_t { none, boolean, integer, real, text, list, dictionary, mark };
  Kind kind = Kind::none;
  uint32_t index = 0;  ///< of text, list (tuples too) and dictionary
  union {
    int64_t integer = 0;  ///< of boolean and integer; of list and dictionary: which of those at that index
    double real;
  };
};
static_assert(sizeof(PickleValue) == 16);

class Pickle {
 public:
  /// Asked once for each dictionary that becomes an item of a list. A number stands for it in the list then, and what
  /// it held is forgotten. Files far larger than memory are read so.
  using Shorten = std::function<std::optional<int64_t>(const Pickle&, const PickleValue& dictionary)>;

  static constexpr size_t kMostValues = size_t{1} << 27;
  /// The value that the file holds. Refused: opcodes beyond plain data (naming them), a file that breaks off, a text of
  /// more than 16 MiB. Refused, too, are more than `most_values` values at once: a list or dictionary counts as four.
  /// As many may have numbers by which the file names them again; those stay, whatever was forgotten.
  static engine::Result<Pickle> read(const std::filesystem::path&, const ImportControl&, const Shorten& = {},
                                     size_t most_values = kMostValues);

  const PickleValue& root() const { return root_; }
  std::string_view text(const PickleValue&) const;  ///< empty: it is none
  /// Of a list its items, of a dictionary keys and values in turn; of anything else nothing.
  const std::vector<PickleValue>& items(const PickleValue&) const;
  /// The value of a key; kind none: there is no such key, or it is no dictionary.
  PickleValue at(const PickleValue& dictionary, std::string_view key) const;
  /// Most lists and dictionaries that were in memory at once.
  size_t containers() const { return containers_.size(); }

 private:
  friend class PickleReader;
  struct Container {
    std::vector<PickleValue> items;
    int64_t number = 0;  ///< of those that were at this place, one after the other
    bool asked = false;  ///< whether a number stands for it
  };
  PickleValue root_;
  std::vector<std::string> texts_;
  std::vector<Container> containers_;
};

}  // namespace profiler
