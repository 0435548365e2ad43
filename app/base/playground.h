// SPDX-License-Identifier: Apache-2.0
// Playground: lines such as "y = x.to(sim:0)" on the eager engine with two simulated devices. Each says where bytes
// went, whether its result is a copy, and what is refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace app {

/// Bytes that one line moved from device to device (exact).
struct PlaygroundMove {
  std::string from, to;  ///< "cpu", "sim:0"
  int64_t size_bytes = 0;
  std::string reason;  ///< "asked", "fetched", "gradient"
};

struct PlaygroundValue {
  std::string name;
  bool module = false;
  std::string device, dtype, shape;  ///< of modules: of their parameters
  int64_t size_bytes = 0;            ///< of the tensor, or of all parameters
  std::string same_as;               ///< earlier names of the same tensor, "u, w"; empty: it is its only one
  std::string values;                ///< the first few: "1, 2, 3"
};

/// What became of one line.
struct PlaygroundStep {
  std::string line;
  std::string text;        ///< sentences: what happened, or why it was refused
  bool refused = false;    ///< by the engine; nothing has changed
  bool understood = true;  ///< false: the line itself is wrong
  std::string remedy;      ///< the line with the .to() that is missing; empty: none is
  std::vector<PlaygroundMove> moves;
  int64_t recorded_ops = 0, saved_bytes = 0;  ///< on all tapes behind it, and kept for their gradients
};

class Playground {
 public:
  /// cpu, sim:0, sim:1, and each GPU that is there.
  static engine::Result<std::unique_ptr<Playground>> make();
  ~Playground();
  Playground(const Playground&) = delete;
  Playground& operator=(const Playground&) = delete;

  const std::vector<std::string>& devices() const;
  PlaygroundStep run(const std::string& line);
  std::vector<PlaygroundValue> values() const;  ///< in the order of their names' first use

 private:
  struct Impl;
  explicit Playground(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

/// What lines may be: one per row with a sentence, for --help and the window.
std::string playground_grammar();

}  // namespace app
