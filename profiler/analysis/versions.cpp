// SPDX-License-Identifier: Apache-2.0
// Groups of layers by what they read and put out; times from the ops, errors from the kept results.
#include "profiler/analysis/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "engine/ops/ops.h"
#include "profiler/analysis/step_shares.h"
#include "profiler/analysis/verdict/limits.h"
#include "profiler/base/say.h"
#include "profiler/base/unknown.h"
#include "profiler/base/words.h"
#include "profiler/capture/results.h"

namespace profiler {
namespace {

struct VersionLayer {
  Version version;
  std::set<TensorId> reads;    ///< from outside, as those that own the bytes
  std::vector<int64_t> shape;  ///< of its result
  const ResultRecord* put_out = nullptr;
  bool from_library = false;
};

TensorId bytes_owner(const Capture& capture, TensorId id) {
  const TensorId of = capture.tensors()[id].alias_of;
  return of == kNoTensor ? id : of;
}

std::string outermost(std::string_view layer) { return std::string(layer.substr(0, layer.find('.'))); }

bool same_letters(std::string_view text, std::string_view start) {
  return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         });
}

/// Name and version, as the machine has them; empty: the code is our own, or unknown.
std::string library_of(const Capture& capture, const OpRecord& op) {
  const engine::KernelLibrary library = capture.facts(op.id).library;
  if (library == engine::KernelLibrary::own || library == engine::KernelLibrary::unknown) return {};
  const std::string_view name =
      engine::name(library == engine::KernelLibrary::lapack ? engine::KernelLibrary::openblas : library);
  for (const std::string& installed : capture.machine().info.libraries) {
    if (same_letters(installed, name)) return installed;
  }
  return std::string(name);
}

bool is_matrix_product(const Capture& capture, const OpRecord& op) {
  const engine::Op* known = engine::find_op(capture.name(op.type));
  return known != nullptr && known->matrix_product;
}

/// What its ops take, do and write.
void add_version_work(const Analyzed& analyzed, VersionLayer& layer) {
  const Capture& capture = *analyzed.capture;
  Version& v = layer.version;
  const bool products =
      std::ranges::any_of(v.ops, [&](OpId id) { return is_matrix_product(capture, capture.ops()[id]); });
  double flops = 0, flops_ns = 0;
  std::set<std::string> libraries;
  for (const OpId id : v.ops) {
    const OpRecord& op = capture.ops()[id];
    v.time_ns += time_of(analyzed, id);
    if (is_matrix_product(capture, op) == products && (products || op.flops > 0)) {
      flops += op.flops, flops_ns += time_of(analyzed, id);
      v.dtype = dtype_of(capture, op);
      for (const OperandRecord& operand : capture.operands(op)) {
        if (!operand.output && !engine::is_floating(capture.tensors()[operand.tensor].dtype) && products)
          v.dtype = capture.tensors()[operand.tensor].dtype;
      }
    }
    if (std::string library = library_of(capture, op); !library.empty()) libraries.insert(std::move(library));
    for (const OperandRecord& operand : capture.operands(op)) {
      const TensorRecord& t = capture.tensors()[operand.tensor];
      if (!operand.output || t.alias_of != kNoTensor || t.persistent) continue;
      ++v.tensors, v.tensor_bytes += static_cast<double>(t.size_bytes);
    }
  }
  v.flop_per_s = flops > 0 ? capture.rate(flops, flops_ns) : kUnknown;
  for (const std::string& library : libraries) v.library += (v.library.empty() ? "" : ", ") + library;
  layer.from_library = !libraries.empty();
}

/// Layers of the step that put out one result.
std::vector<VersionLayer> version_layers(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  std::vector<VersionLayer> layers;
  std::vector<std::set<TensorId>> made;
  for (const OpRecord& op : capture.ops()) {
    const std::string name = outermost(capture.name(op.layer));
    if (name.empty()) continue;
    auto at = std::ranges::find_if(layers, [&](const VersionLayer& l) { return l.version.layer == name; });
    if (at == layers.end()) {
      layers.emplace_back().version.layer = name;
      made.emplace_back();
      at = layers.end() - 1;
    }
    std::set<TensorId>& own = made[static_cast<size_t>(at - layers.begin())];
    if (!op.view) at->version.ops.push_back(op.id);
    for (const OperandRecord& operand : capture.operands(op)) {
      if (const TensorId id = bytes_owner(capture, operand.tensor); !operand.output && !own.contains(id))
        at->reads.insert(id);
    }
    for (const OperandRecord& operand : capture.operands(op)) {
      if (operand.output && !op.view) own.insert(bytes_owner(capture, operand.tensor));
    }
  }
  for (size_t i = 0; i < layers.size(); ++i) {
    for (const ResultRecord& r : step_results(capture)) {
      if (r.tensor == kNoTensor || !made[i].contains(bytes_owner(capture, r.tensor)) || layers[i].put_out != nullptr)
        continue;
      layers[i].put_out = &r;
      layers[i].version.result = r.tensor;
      layers[i].shape = capture.tensors()[r.tensor].shape;
    }
  }
  std::erase_if(layers, [](const VersionLayer& l) { return l.put_out == nullptr || l.version.ops.empty(); });
  return layers;
}

void add_version_errors(const ResultRecord& first, const ResultRecord& result, Version& v) {
  v.distance = v.largest_error = kUnknown;
  const int64_t count = kept_count(first);
  if (count != kept_count(result) || first.elements != result.elements) return;
  double apart = 0, norm = 0, largest = 0, most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double a = kept_value(first, i), b = kept_value(result, i);
    if (!std::isfinite(a) || !std::isfinite(b)) return;
    apart += (a - b) * (a - b), norm += a * a;
    largest = std::max(largest, std::abs(a)), most = std::max(most, std::abs(a - b));
  }
  if (norm > 0) v.distance = std::sqrt(apart / norm), v.largest_error = most / largest;
}

}  // namespace

std::vector<std::vector<Version>> versions(const Analyzed& analyzed) {
  std::vector<VersionLayer> layers = version_layers(analyzed);
  std::vector<std::vector<Version>> groups;
  std::vector<bool> taken(layers.size(), false);
  for (size_t i = 0; i < layers.size(); ++i) {
    if (taken[i]) continue;
    std::vector<size_t> group;
    for (size_t j = i; j < layers.size(); ++j) {
      if (!taken[j] && layers[j].reads == layers[i].reads && layers[j].shape == layers[i].shape) group.push_back(j);
    }
    if (group.size() < 2) continue;
    std::map<engine::DType, double> library_ns;  // narrower types are other work
    for (const size_t j : group) {
      taken[j] = true;
      add_version_work(analyzed, layers[j]);
      if (!layers[j].from_library) continue;
      const Version& v = layers[j].version;
      double& fastest = library_ns.try_emplace(v.dtype, v.time_ns).first->second;
      fastest = std::min(fastest, v.time_ns);
    }
    std::vector<Version>& all = groups.emplace_back();
    const bool rates = analyzed.capture->rates_known();
    for (const size_t j : group) {
      Version& v = layers[j].version;
      v.speed_up = rates ? layers[group[0]].version.time_ns / v.time_ns : kUnknown;
      const auto library = library_ns.find(v.dtype);
      v.library_ratio = rates && library != library_ns.end() ? library->second / v.time_ns : kUnknown;
      add_version_errors(*layers[group[0]].put_out, *layers[j].put_out, v);
      all.push_back(std::move(v));
    }
  }
  return groups;
}

Table versions_table(const Analyzed& analyzed) {
  const Capture& capture = *analyzed.capture;
  const Origin timed = capture.time_origin();
  Table table;
  table.name = "versions";
  table.columns = {
      {"version", "Version", Quantity::text, Origin::exact, "A layer that computes what the others compute"},
      {"dtype", "Data type", Quantity::text, Origin::exact, "Of its arithmetic"},
      {"ops_count", "Ops", Quantity::count, Origin::exact, "Ops of the layer, views left out"},
      {"time_ns", "Time", Quantity::duration_ns, timed, "Sum of the medians of its ops"},
      {"speed_up_ratio", "Speed-up", Quantity::ratio, timed, "Time of the first version / time"},
      {"library_ratio", "Of library", Quantity::percent_of, timed,
       "Time of the fastest library version of that data type / time"},
      {"flop_per_s", "FLOP/s", Quantity::flop_per_s, timed,
       "FLOPs of its matrix multiplications / their time; without any, of all its ops"},
      {"tensors_count", "Tensors", Quantity::count, Origin::exact,
       "Results of its ops that own bytes: each is an allocation in eager mode, a place in the plan else"},
      {"tensors_bytes", "Their bytes", Quantity::bytes, Origin::exact, "Bytes of these tensors"},
      {"distance_ratio", "Distance", Quantity::text, Origin::exact,
       "Norm of the difference to the first version's result / norm of that, of the kept values"},
      {"largest_error_ratio", "Largest error", Quantity::text, Origin::exact,
       "Largest difference / largest magnitude of the first version's result, of the kept values"},
      {"library", "Library", Quantity::text, Origin::specified, "Whose code computes it, with its version"}};
  const auto cell = [](double value) { return std::isfinite(value) ? Cell(value) : Cell(); };
  const auto small = [](double value) {
    Cell cell;
    if (std::isfinite(value)) cell = value == 0 ? std::string("0") : fmt::format("{:.2e}", value);
    return cell;
  };
  for (const std::vector<Version>& group : versions(analyzed)) {
    for (const Version& v : group) {
      table.rows.push_back({v.layer, std::string(engine::name(v.dtype)), static_cast<double>(v.ops.size()),
                            cell(v.time_ns), cell(v.speed_up), cell(v.library_ratio), cell(v.flop_per_s), v.tensors,
                            v.tensor_bytes, small(v.distance), small(v.largest_error),
                            v.library.empty() ? std::string("own") : v.library});
      table.row_ops.push_back(v.ops.front());
    }
  }
  return table;
}

std::vector<std::string> versions_sentences(const Analyzed& analyzed) {
  std::vector<std::string> sentences;
  for (const std::vector<Version>& group : versions(analyzed)) {
    const Version& first = group.front();
    const auto fastest = std::ranges::max_element(group, [](const Version& a, const Version& b) {
      return (std::isnan(a.speed_up) ? 0 : a.speed_up) < (std::isnan(b.speed_up) ? 0 : b.speed_up);
    });
    if (fastest->speed_up > 1)
      sentences.push_back(say("{} is {:.3g} times as fast as {}.", fastest->layer, fastest->speed_up, first.layer));
    const auto own = std::ranges::max_element(group, [](const Version& a, const Version& b) {
      const auto of = [](const Version& v) { return v.library.empty() && v.library_ratio > 0 ? v.library_ratio : 0; };
      return of(a) < of(b);
    });
    const auto library =
        std::ranges::find_if(group, [&](const Version& v) { return !v.library.empty() && v.dtype == own->dtype; });
    if (own->library.empty() && own->library_ratio > 0 && library != group.end())
      sentences.push_back(say("{}, the fastest without a library, has {} of the library's speed ({}).", own->layer,
                              format_quantity(own->library_ratio, Quantity::percent_of), library->library));
    double most = 0;
    for (const Version& v : group) most = std::max(most, v.distance);  // NaN is passed over
    const bool known = std::ranges::none_of(group, [](const Version& v) { return std::isnan(v.distance); });
    if (known && most == 0) sentences.push_back(say("All versions put out the same values."));
    else if (known)
      sentences.push_back(say("Results differ from those of {} by at most {:.1e} of their norm.", first.layer, most));
  }
  return sentences;
}

}  // namespace profiler
