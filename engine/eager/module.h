// SPDX-License-Identifier: Apache-2.0
// Module: parameters, buffers and sub-modules under one name, which move from device to device together.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/eager/variable.h"

namespace engine {

class Module {
 public:
  struct Named {
    std::string name;              ///< "1.weight"
    Variable* variable = nullptr;  ///< the module's own
  };
  /// What to() has moved: tensors that lay elsewhere, gradients included. `module` is the one that was asked.
  struct Moved {
    Module* module = nullptr;
    int64_t size_bytes = 0;
  };

  Module() = default;
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  virtual Variable forward(const Variable& x) = 0;

  /// Of this module and all below it, in the order they were added.
  std::vector<Named> parameters();
  std::vector<Named> buffers();
  void zero_grad();

  /// Moves all parameters (with their gradients) and buffers in place, though its name has no underscore. Variables
  /// that share one, such as an optimiser's, see it on the new device. Other tensors stay where they are. After a
  /// refusal nothing has moved.
  Result<Moved> to(const Device& device);
  Result<Moved> to(std::string_view device);

 protected:
  /// References stay valid as long as the module lives.
  Variable& add_parameter(std::string name, Variable parameter);
  Variable& add_buffer(std::string name, Variable buffer);
  template <class M>
  M& add_module(std::string name, std::unique_ptr<M> module) {
    M& added = *module;
    modules_.emplace_back(std::move(name), std::move(module));
    return added;
  }

 private:
  using List = std::deque<std::pair<std::string, Variable>>;
  void collect(List Module::*list, const std::string& prefix, std::vector<Named>& all);

  List parameters_, buffers_;
  std::vector<std::pair<std::string, std::unique_ptr<Module>>> modules_;
};

/// y = x weight^T + bias; starts uniform in +-1/sqrt(inputs), as PyTorch's.
class Linear final : public Module {
 public:
  Linear(EagerSession& session, int64_t inputs, int64_t outputs);
  Variable forward(const Variable& x) override;
  const Variable& weight() const { return weight_; }
  const Variable& bias() const { return bias_; }

 private:
  Variable &weight_, &bias_;
};

class Relu final : public Module {
 public:
  Variable forward(const Variable& x) override { return x.relu(); }
};

/// One after the other; they are called "0", "1", ...
class Sequential final : public Module {
 public:
  explicit Sequential(std::vector<std::unique_ptr<Module>> modules);
  Variable forward(const Variable& x) override;

 private:
  std::vector<Module*> order_;
};

}  // namespace engine
