// SPDX-License-Identifier: Apache-2.0
// TomlBlock: the keys of one block, taken one by one; what is wrong or left over is a fault with its line.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

class TomlBlock {
 public:
  using Fault = std::function<void(int line, std::string what)>;
  /// `line`: of the file, where `text` begins. `kind` begins each message: "[answer]".
  TomlBlock(std::string_view text, int line, std::string kind, Fault);
  ~TomlBlock();
  TomlBlock(const TomlBlock&) = delete;
  TomlBlock& operator=(const TomlBlock&) = delete;

  bool parsed() const;
  bool has(const char* key) const;
  std::string text(const char* key, bool required = false, size_t most_bytes = 4000);
  /// `choices`: what it may be.
  std::string word(const char* key, const std::vector<std::string>& choices, const char* usual = nullptr);
  double number(const char* key, double usual, double low, double high, bool required = false);
  bool flag(const char* key);
  std::vector<std::string> texts(const char* key, size_t least, size_t most, bool required = false);
  std::vector<double> numbers(const char* key);
  void fault(const char* key, const std::string& what);
  /// The keys that nobody asked for are faults.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace profiler
