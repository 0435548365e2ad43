// SPDX-License-Identifier: Apache-2.0
// One row per kernel.
#include "app/base/kernel_catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <system_error>

#include "app/base/child_run.h"
#include "engine/base/nearest_name.h"
#include "engine/ops/attention.h"
#include "engine/ops/ops.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using engine::GraphBuilder;
using engine::Result;
using engine::Shape;
using engine::ValueId;
using Sizes = const KernelSizes&;
using Given = const std::vector<ValueId>&;

double product(Sizes sizes, std::initializer_list<const char*> names) {
  double all = 1;
  for (const char* name : names) all *= static_cast<double>(sizes.at(name));
  return all;
}

Shape of_matrix(Sizes s) { return {s.at("m"), s.at("n")}; }
Shape of_heads(Sizes s) { return {s.at("heads"), s.at("n"), s.at("d")}; }
double outputs_of_conv(Sizes s) {
  return static_cast<double>(s.at("out") * (s.at("height") - s.at("size") + 1) * (s.at("width") - s.at("size") + 1));
}
double products_of_conv(Sizes s) { return outputs_of_conv(s) * product(s, {"in", "size", "size"}); }

const std::array kKinds{
    KernelKind{
        .name = "gemm",
        .computes = "c[m,n] = a[m,k] b[k,n]",
        .signature = "void kernel(Input a, Input b, Output c, int m, int n, int k)",
        .call = "kernel(in(0), in(1), out(2), size(0), size(1), size(2))",
        .sizes = {{"m", 256, 64}, {"n", 256, 64}, {"k", 256, 64}},
        .operands = {{"a", true, false,
                      [](Sizes s) {
                        return Shape{s.at("m"), s.at("k")};
                      }},
                     {"b", true, false,
                      [](Sizes s) {
                        return Shape{s.at("k"), s.at("n")};
                      }},
                     {"c", false, true, of_matrix}},
        .flops =
            [](Sizes s) {
              return 2 * product(s, {"m", "n", "k"});
            },
        .accesses =
            [](Sizes s) {
              return 2 * product(s, {"m", "n", "k"}) + product(s, {"m", "n"});
            },
        .tolerance = 1e-4,
        .build = [](GraphBuilder& b, Given x, Sizes) { return engine::ops::matmul(b, x[0], x[1]); },
        .on_ladder = true,
    },
    KernelKind{
        .name = "transpose",
        .computes = "b[n,m] = the transpose of a[m,n]",
        .signature = "void kernel(Input a, Output b, int m, int n)",
        .call = "kernel(in(0), out(1), size(0), size(1))",
        .sizes = {{"m", 1024, 64}, {"n", 1024, 64}},
        .operands = {{"a", true, false, of_matrix},
                     {"b", false, true,
                      [](Sizes s) {
                        return Shape{s.at("n"), s.at("m")};
                      }}},
        .flops = [](Sizes) { return 0.0; },
        .accesses =
            [](Sizes s) {
              return 2 * product(s, {"m", "n"});
            },
        .tolerance = 0,
        .build = [](GraphBuilder& b, Given x,
                    Sizes) { return engine::ops::contiguous(b, engine::ops::transpose(b, x[0], 0, 1)); },
    },
    KernelKind{
        .name = "softmax",
        .computes = "y[m,n] = softmax of each row of x[m,n]",
        .signature = "void kernel(Input x, Output y, int m, int n)",
        .call = "kernel(in(0), out(1), size(0), size(1))",
        .sizes = {{"m", 256, 32}, {"n", 1024, 1024}},
        .operands = {{"x", true, false, of_matrix}, {"y", false, true, of_matrix}},
        .flops =
            [](Sizes s) {
              return 4 * product(s, {"m", "n"});
            },
        .accesses =
            [](Sizes s) {
              return 5 * product(s, {"m", "n"});
            },
        .tolerance = 1e-4,
        .build = [](GraphBuilder& b, Given x, Sizes) { return engine::ops::softmax(b, x[0], 1); },
    },
    KernelKind{
        .name = "attention",
        .computes = "y = softmax(q k^T / sqrt(d)) v of each head; all [heads,n,d]",
        .signature = "void kernel(Input q, Input k, Input v, Output y, int heads, int n, int d)",
        .call = "kernel(in(0), in(1), in(2), out(3), size(0), size(1), size(2))",
        .sizes = {{"heads", 2, 1}, {"n", 256, 128}, {"d", 32, 32}},
        .operands = {{"q", true, false, of_heads},
                     {"k", true, false, of_heads},
                     {"v", true, false, of_heads},
                     {"y", false, true, of_heads}},
        .flops =
            [](Sizes s) {
              return 4 * product(s, {"heads", "n", "n", "d"}) + 4 * product(s, {"heads", "n", "n"});
            },
        .accesses =
            [](Sizes s) {
              return 4 * product(s, {"heads", "n", "n", "d"}) + 6 * product(s, {"heads", "n", "n"});
            },
        .tolerance = 1e-4,
        .build =
            [](GraphBuilder& b, Given x, Sizes s) {
              std::array<ValueId, 3> four{};
              for (size_t i = 0; i < 3; ++i)
                four[i] = engine::ops::reshape(b, x[i], {1, s.at("heads"), s.at("n"), s.at("d")});
              return engine::ops::attention(b, four[0], four[1], four[2], engine::kNoValue);
            },
    },
    KernelKind{
        .name = "conv2d",
        .computes = "y[out,..] = x[in,height,width] convolved with w[out,in,size,size], no padding, stride 1",
        .signature = "void kernel(Input x, Input w, Output y, int in, int out, int height, int width, int size)",
        .call = "kernel(in(0), in(1), out(2), size(0), size(1), size(2), size(3), size(4))",
        .sizes = {{"in", 32, 8}, {"out", 32, 8}, {"height", 34, 22}, {"width", 34, 22}, {"size", 3, 3}},
        .operands = {{"x", true, false,
                      [](Sizes s) {
                        return Shape{s.at("in"), s.at("height"), s.at("width")};
                      }},
                     {"w", true, false,
                      [](Sizes s) {
                        return Shape{s.at("out"), s.at("in"), s.at("size"), s.at("size")};
                      }},
                     {"y", false, true,
                      [](Sizes s) {
                        return Shape{s.at("out"), s.at("height") - s.at("size") + 1, s.at("width") - s.at("size") + 1};
                      }}},
        .flops = [](Sizes s) { return 2 * products_of_conv(s); },
        .accesses = [](Sizes s) { return 2 * products_of_conv(s) + outputs_of_conv(s); },
        .tolerance = 1e-4,
        .build =
            [](GraphBuilder& b, Given x, Sizes s) {
              const ValueId image = engine::ops::reshape(b, x[0], {1, s.at("in"), s.at("height"), s.at("width")});
              return engine::ops::conv2d(b, image, x[1], engine::kNoValue);
            },
    },
    KernelKind{
        .name = "saxpy",
        .computes = "y[n] = a x[n] + y[n]",
        .signature = "void kernel(float a, Input x, Output y, int n)",
        .call = "kernel(shared->scalar, in(0), out(1), size(0))",
        .sizes = {{"n", 1 << 20, 1 << 16}},
        .operands = {{"x", true, false, [](Sizes s) { return Shape{s.at("n")}; }},
                     {"y", true, true, [](Sizes s) { return Shape{s.at("n")}; }}},
        .flops = [](Sizes s) { return 2 * product(s, {"n"}); },
        .accesses = [](Sizes s) { return 3 * product(s, {"n"}); },
        .tolerance = 1e-5,
        .build = [](GraphBuilder& b, Given x, Sizes) { return engine::ops::scaled_add(b, x[1], x[0], kKernelScalar); },
    },
};

}  // namespace

std::span<const KernelKind> kernel_kinds() { return kKinds; }

Result<const KernelKind*> find_kernel_kind(const std::string& name) {
  std::vector<std::string> names;
  for (const KernelKind& kind : kKinds) {
    if (name == kind.name) return &kind;
    names.emplace_back(kind.name);
  }
  return engine::usage_error(fmt::format("[--like] there is no kernel \"{}\"{} It is one of {}", name,
                                         engine::did_you_mean(name, names), fmt::join(names, ", ")));
}

Result<KernelSizes> kernel_sizes(const KernelKind& kind, const KernelSizes& given, bool simulated) {
  constexpr double kMostElements = 1 << 26;
  const char* const option = simulated ? "--simulate" : "--set";
  KernelSizes sizes;
  std::vector<std::string> names;
  for (const KernelSize& size : kind.sizes) {
    sizes[size.name] = simulated ? size.simulated : size.timed;
    names.emplace_back(size.name);
  }
  for (const auto& [name, value] : given) {
    if (!sizes.contains(name))
      return engine::usage_error(fmt::format("[{}] {} has no size \"{}\"{} Its sizes are {}", option, kind.name, name,
                                             engine::did_you_mean(name, names), fmt::join(names, ", ")));
    if (value < 1 || value > (1 << 26))
      return engine::usage_error(fmt::format("[{}] {}={}: expected 1 to {}", option, name, value, 1 << 26));
    sizes[name] = value;
  }
  for (const KernelOperand& operand : kind.operands) {
    double elements = 1;
    for (const int64_t extent : operand.shape(sizes)) {
      if (extent < 1)
        return engine::usage_error(
            fmt::format("[{}] {} would have no elements: the filter is larger than the image", option, operand.name));
      elements *= static_cast<double>(extent);
    }
    if (elements > kMostElements)
      return engine::usage_error(fmt::format("[{}] {} would have {:.3g} elements: at most {:.0f}", option, operand.name,
                                             elements, kMostElements));
  }
  return sizes;
}

std::string sizes_text(const KernelKind& kind, const KernelSizes& sizes) {
  std::string text;
  for (const KernelSize& size : kind.sizes)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", size.name, sizes.at(size.name));
  return text;
}

Result<fs::path> kernels_folder() {
  if (const char* named = std::getenv("TENSORTIDE_KERNELS"); named != nullptr && *named != '\0') return fs::path(named);
  const Result<fs::path> program = own_program();
  if (!program) return program.error();
  const fs::path folder = program->parent_path().parent_path() / "share/tensortide/kernels";
  std::error_code code;
  if (!fs::is_directory(folder, code))
    return engine::refused_error(
        fmt::format("{}: the headers of kernels are not there; install them, or name their folder in "
                    "$TENSORTIDE_KERNELS",
                    folder.string()));
  return folder;
}

}  // namespace app
