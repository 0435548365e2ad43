// SPDX-License-Identifier: Apache-2.0
// What is known of the published table besides its cells: networks, machines, rows that are not like for like, reasons
// of gaps. Read from resources/references/shi2016_facts.json.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/base/unknown.h"

namespace profiler {

/// A network of the table, and the workload of ours that is the same network.
struct PublishedNetwork {
  std::string name;              ///< "FCN-S"
  std::string workload, preset;  ///< "mlp", "fcn-s"
  std::string what;              ///< "fully connected, random data"
  int minibatch = 0;             ///< samples (LSTM: sequences)
  double weights = 0;            ///< parameters of our workload (exact)
  double product_flops = 0;      ///< matrix multiplications and convolutions of a training step (exact)
  /// Workload parameters that make a run of ours this network. Those of PublishedFacts::free_arguments may differ.
  std::map<std::string, std::string> arguments;
};

/// A machine of the table.
struct PublishedPlatform {
  std::string key;                   ///< as cells name it: "desktop_cpu_i7-3820"
  std::string title, short_title;    ///< "NVIDIA GeForce GTX 980", "GTX 980"
  std::string code;                  ///< for narrow headings: "i7"
  int cores = 0, threads = 0;        ///< 0: a GPU
  double flop_per_s_of_core = 0;     ///< one core at its highest clock
  double gpu_flop_per_s = kUnknown;  ///< f32 peak of the data sheet
  std::string source;
  bool gpu() const { return cores == 0; }
  /// The most that this number of threads can compute [FLOP/s, specified]. A second thread of a core adds nothing.
  double peak_flop_per_s(int of_threads) const;
};

/// A row whose tool did not run what the row names.
struct PublishedMismatch {
  std::string network, tool;
  std::string kind;                ///< "other work", "no training step", "waits for input", "copies input"
  std::string what;                ///< a sentence or two
  double script_flops = kUnknown;  ///< what the tool's script computes, where that is known
};

/// Why cells are empty, or what else is known of some.
struct PublishedRemark {
  std::string network, tool, side;  ///< "cpu", "gpu"
  std::string what;
};

struct PublishedFacts {
  std::string paper;  ///< authors, title, place, in one sentence
  std::string table;  ///< "Table 7: seconds of ..."
  std::string read_from, scripts;
  std::vector<PublishedNetwork> networks;
  std::vector<std::string> free_arguments;
  std::vector<PublishedPlatform> platforms;
  std::vector<PublishedMismatch> mismatches;
  std::vector<PublishedRemark> gaps, remarks;

  const PublishedNetwork* network(std::string_view name) const;  ///< null: none
  const PublishedPlatform* platform(std::string_view key) const;
  const PublishedMismatch* mismatch(std::string_view network, std::string_view tool) const;
};
/// Of Table 7 of Shi et al. 2016.
const PublishedFacts& shi2016_facts();

/// The first remark on a cell; null: none.
const PublishedRemark* find_remark(const std::vector<PublishedRemark>&, std::string_view network, std::string_view tool,
                                   bool gpu);

}  // namespace profiler
