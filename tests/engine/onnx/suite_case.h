// SPDX-License-Identifier: Apache-2.0
// One case of the ONNX project's backend tests: a model, its inputs and its expected outputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/onnx/import.h"
#include "engine/onnx/onnx.pb.h"
#include "engine/runtime/backend.h"

namespace engine::onnx {

/// How much of a case's inputs the importer is told, from none to all. Many cases feed shapes, axes and counts as
/// inputs; an engine that plans ahead needs them when it reads the model.
enum class Told { nothing, integers, everything };
/// "nothing" "integers" "everything"
std::string_view name(Told);
std::optional<Told> parse_told(std::string_view);

/// What a file of a case holds; an optional that is not there holds no tensor.
using Item = KnownInput;

/// A case's message and data as they lie on disk.
struct SuiteCase {
  ::onnx::ModelProto model;
  std::vector<std::string> input_names;  ///< the real ones, in the file's order
  std::vector<Item> inputs, outputs;
};
Result<SuiteCase> read_case(const std::filesystem::path& folder);

/// Imports and runs the case on the backend and compares everything: dtype and shape exactly, values by ONNX's own
/// tolerance, relative 1e-3 and absolute 1e-7, NaN equal to NaN.
Result<void> run_case(Backend& backend, const SuiteCase& test, Told told);

}  // namespace engine::onnx
