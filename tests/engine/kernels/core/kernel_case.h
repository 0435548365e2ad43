// SPDX-License-Identifier: Apache-2.0
// One use of one op, run by the op's reference and by the CPU backend on equal bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "engine/runtime/backend.h"

namespace engine {

/// How an operand's elements are drawn.
enum class Draw {
  uniform,     ///< [-1, 1)
  positive,    ///< [0.5, 1.5)
  inside,      ///< [-0.75, 0.75)
  beyond_one,  ///< [1.25, 2.25)
  classes,     ///< integers in [0, 5)
  zeros,
  pool_indices,  ///< for each output of the pooling the attributes describe, one pixel of its
                 ///< window
};

struct Operand {
  TensorType type;
  Draw draw = Draw::uniform;
};

struct KernelCase {
  std::string name;  ///< of the test
  std::string op;
  Attributes attributes;
  std::vector<Operand> inputs;
  std::string kernel;  ///< what the kernel's name begins with: "oneDNN", "own", "OpenBLAS",
                       ///< "reference"; empty: any but the reference
};

/// All cases, every kernel of the list with some.
std::vector<KernelCase> kernel_cases();

/// Those of convolution and pooling.
void add_window_cases(std::vector<KernelCase>& cases);
/// Those of batch norm, reductions, softmax and losses.
void add_line_cases(std::vector<KernelCase>& cases);
/// Those of functions, arithmetic, comparisons and choices.
void add_elementwise_cases(std::vector<KernelCase>& cases);
/// Those of the ops that pick and place elements.
void add_indexing_cases(std::vector<KernelCase>& cases);
/// Those of the ladder.
void add_ladder_cases(std::vector<KernelCase>& cases);
/// Those of attention, norms, recurrent layers and volumes.
void add_neural_cases(std::vector<KernelCase>& cases);

/// A node with its operands in place; outputs filled with what no kernel writes, so that a missing write shows.
struct BoundCase {
  Node node;
  KernelArguments arguments;
  std::vector<TensorType> inputs, outputs;
};
BoundCase bind_case(const KernelCase&);

/// So many bytes of scratch, and bytes behind them that must not change.
class GuardedWorkspace {
 public:
  explicit GuardedWorkspace(int64_t bytes);
  std::byte* data() const { return storage_->data(); }
  int64_t bytes_written_behind() const;

 private:
  int64_t bytes_;
  std::shared_ptr<Storage> storage_;
};

/// Outputs of a run as row-major doubles, and who computed them.
struct CaseResult {
  std::vector<std::vector<double>> outputs;
  std::vector<TensorType> types;
  std::string kernel;
  CodeKind code = CodeKind::unknown;
};

/// Runs the op's reference on freshly drawn operands (the same for every call with the same case).
CaseResult run_reference(const KernelCase&);
/// Runs the backend's kernel `times` times on freshly drawn operands; a test failure when it is
/// refused.
CaseResult run_kernel(const KernelCase&, Backend&, int times = 1);
/// Within the rounding of the type over the sums involved, relative to the largest |reference| of each output.
void expect_agrees(const CaseResult& got, const CaseResult& wanted);

}  // namespace engine
