// SPDX-License-Identifier: Apache-2.0
// Writes outputs as .npy files and compares them element by element.
#include "app/base/model_outputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/files/npy.h"
#include "engine/onnx/import.h"
#include "profiler/store/whole_file.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::refused_error;
using engine::Result;
using engine::Tensor;

Result<Tensor> read_expected(const fs::path& file) {
  return file.extension() == ".pb" ? engine::onnx::load_tensor(file) : engine::read_npy(file);
}

engine::Shape index_of(int64_t place, const engine::Shape& shape) {
  engine::Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = place % shape[axis];
    place /= shape[axis];
  }
  return index;
}

/// How far two numbers are apart; infinite where only one is NaN or they are different infinities.
double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
}

}  // namespace

bool OutputReport::ok() const { return std::ranges::all_of(checks, &OutputCheck::ok); }

std::string output_file_name(const std::string& name, std::set<std::string>& taken) {
  constexpr size_t kLongest = 180;
  std::string file;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && (std::isalnum(byte) != 0 || c == '_' || c == '-' || (c == '.' && !file.empty()));
    if (plain) file += c;
    else file += fmt::format("%{:02X}", byte);
  }
  if (file.empty()) file = "output";
  file.resize(std::min(file.size(), kLongest));
  std::string unique = file;
  for (int number = 2; !taken.insert(unique).second; ++number) unique = fmt::format("{}-{}", file, number);
  return unique + ".npy";
}

OutputCheck check_output(const std::string& name, const Tensor& ours, const Tensor& expected,
                         std::optional<double> tolerance) {
  OutputCheck check;
  check.name = name;
  if (ours.shape() != expected.shape() || ours.dtype() != expected.dtype()) {
    // bf16 is kept as f32, which holds all its numbers.
    const bool widened = ours.dtype() == engine::DType::bfloat16 && expected.dtype() == engine::DType::float32;
    if (ours.shape() != expected.shape() || !widened) {
      check.ok = false;
      check.why =
          fmt::format("it is {}, {} was expected", engine::to_string(ours.type()), engine::to_string(expected.type()));
      return check;
    }
  }
  check.elements = ours.type().elements();
  if (check.elements == 0) return check;
  check.scale = 0;
  for (int64_t k = 0; k < check.elements; ++k) {
    const double magnitude = std::abs(expected.get_flat(k));
    if (std::isfinite(magnitude)) check.scale = std::max(check.scale, magnitude);
  }
  check.tolerance = tolerance.value_or(ours.dtype() == engine::DType::bfloat16 ? 0x1p-7 : 1e-3);
  const double allowed = engine::is_floating(ours.dtype()) ? check.tolerance * check.scale : 0;
  check.difference = -1;
  for (int64_t k = 0; k < check.elements; ++k) {
    const double a = ours.get_flat(k), b = expected.get_flat(k), apart = distance(a, b);
    if (apart > allowed) ++check.beyond;
    if (apart <= check.difference) continue;
    check.difference = apart, check.ours = a, check.expected = b;
    check.at = index_of(k, ours.shape());
  }
  check.ok = check.beyond == 0;
  return check;
}

Result<OutputKeeper> OutputKeeper::make(const OutputRequest& request, std::vector<NamedOutput> outputs) {
  OutputKeeper keeper;
  keeper.tolerance_ = request.tolerance;
  keeper.checks_ = !request.check.empty();
  std::error_code code;
  if (!request.save.empty()) {
    fs::create_directories(request.save, code);
    if (!fs::is_directory(request.save, code))
      return refused_error(fmt::format("[--save-outputs] {}: this folder cannot be made", request.save.string()));
  }
  if (!request.check.empty() && !fs::is_directory(request.check, code))
    return refused_error(
        fmt::format("[--check] {}: is no folder; it needs one with NAME.npy or output_0.pb", request.check.string()));
  std::set<std::string> taken;
  std::vector<std::string> looked_for;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Kept kept{outputs[i], {}, {}};
    const std::string file = output_file_name(outputs[i].name, taken);
    if (!request.save.empty()) kept.save = request.save / file;
    for (const std::string& name : {file, fmt::format("output_{}.pb", i)}) {
      if (request.check.empty() || !kept.expected.empty()) break;
      looked_for.push_back(name);
      if (fs::exists(request.check / name, code)) kept.expected = request.check / name;
    }
    keeper.kept_.push_back(std::move(kept));
  }
  if (request.check.empty()) return keeper;
  bool any = false;
  for (const Kept& kept : keeper.kept_) {
    if (kept.expected.empty()) continue;
    any = true;
    if (const Result<Tensor> read = read_expected(kept.expected); !read)
      return refused_error("[--check] " + read.error().message);
  }
  constexpr size_t kMostNamed = 6;
  looked_for.resize(std::min(looked_for.size(), kMostNamed));
  if (any) return keeper;
  return refused_error(
      fmt::format("[--check] {}: has none of {}", request.check.string(), fmt::join(looked_for, ", ")));
}

Result<void> OutputKeeper::take(const profiler::ReadOutput& read, OutputReport& report) const {
  for (const Kept& kept : kept_) {
    const Result<Tensor> ours = read(kept.output.value);
    if (!ours) return ours.error();
    if (!kept.save.empty()) {
      const Result<std::string> bytes = engine::npy_bytes(*ours);
      if (!bytes) return bytes.error();
      if (Result<void> written = profiler::write_whole_file(kept.save, *bytes); !written)
        return refused_error("[--save-outputs] " + written.error().message);
      report.saved.push_back(kept.save.string());
    }
    if (checks_ && kept.expected.empty()) {
      report.checks.push_back({});
      report.checks.back().name = kept.output.name;
    }
    if (kept.expected.empty()) continue;
    const Result<Tensor> expected = read_expected(kept.expected);
    if (!expected) return refused_error("[--check] " + expected.error().message);
    report.checks.push_back(check_output(kept.output.name, *ours, *expected, tolerance_));
    report.checks.back().file = kept.expected.string();
  }
  return {};
}

}  // namespace app
