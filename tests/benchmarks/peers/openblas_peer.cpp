// SPDX-License-Identifier: Apache-2.0
// OpenBLAS, called directly with its own threads: a peer of the comparison.
#include <cblas.h>
#include <fmt/format.h>

#include <charconv>
#include <iostream>
#include <memory>
#include <vector>

#include "tests/benchmarks/serve.h"

namespace {

using benchmarks::CaseText;
using benchmarks::Timed;

struct Matrices {
  std::vector<float> a, b, c;
};

/// c[m, n] = a[m, k] b, b as [k, n], or as [n, k] like the weights of a linear layer.
Timed sgemm(int64_t m, int64_t n, int64_t k, bool b_transposed) {
  const auto data = std::make_shared<Matrices>();
  data->a.assign(static_cast<size_t>(m * k), 0.5f);
  data->b.assign(static_cast<size_t>(k * n), 0.25f);
  data->c.assign(static_cast<size_t>(m * n), 0.0f);
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  return benchmarks::repeated(
      [=] {
        cblas_sgemm(CblasRowMajor, CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans, rows, columns, depth, 1.0f,
                    data->a.data(), depth, data->b.data(), b_transposed ? depth : columns, 0.0f, data->c.data(),
                    columns);
      },
      "cblas_sgemm");
}

engine::Result<Timed> make_case(CaseText& text) {
  if (text.name() == "gemm") {
    const int64_t m = text.count("m"), n = text.count("n"), k = text.count("k");
    text.choice("rung", "plan own");
    if (auto checked = text.check(); !checked) return checked.error();
    return sgemm(m, n, k, false);
  }
  if (text.name() == "linear") {
    const int64_t batch = text.count("batch"), in = text.count("in"), out = text.count("out");
    if (auto checked = text.check(); !checked) return checked.error();
    return sgemm(batch, out, in, true);
  }
  return engine::usage_error("no case named " + text.name());
}

}  // namespace

int main(int argc, char** argv) {
  int threads = 0;
  const std::string_view text = argc == 3 && std::string_view(argv[1]) == "--threads" ? argv[2] : "";
  if (std::from_chars(text.data(), text.data() + text.size(), threads).ec != std::errc() || threads < 1) {
    fmt::print(stderr, "usage: {} --threads N\n", argv[0]);
    return 2;
  }
  openblas_set_num_threads(threads);
  benchmarks::serve(std::cin, std::cout, fmt::format("{}, {} threads", openblas_get_config(), threads), make_case);
  return 0;
}
