// SPDX-License-Identifier: Apache-2.0
// record_child FILE LIMIT: records on the null device without end, until it is killed or FILE
// reaches LIMIT bytes (0: none). Exit 42: recording ended with an error that names the file and
// says that the steps are kept in it.
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "engine/null/backend.h"
#include "profiler/record/recorder.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (const rlim_t limit = std::strtoull(argv[2], nullptr, 10); limit > 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit sizes{limit, limit};
    setrlimit(RLIMIT_FSIZE, &sizes);
  }
  const auto mlp = engine::find_workload("mlp");
  if (!mlp) return 3;
  const auto arguments = engine::resolve(**mlp, {{"batch", "4"}, {"mode", "training"}});
  if (!arguments) return 4;
  auto graph = engine::build_graph(**mlp, *arguments);
  if (!graph) return 5;
  const auto backend = engine::null::make_backend();
  profiler::RecordRequest request;
  request.workload = "mlp";
  request.arguments = *arguments;
  request.graph = std::make_shared<const engine::Graph>(std::move(*graph));
  request.backend = backend.get();
  request.steps = 100'000'000;
  request.output = argv[1];
  const std::atomic<bool> stop = false;
  const auto result = profiler::record(request, nullptr, stop);
  if (result) return 1;
  const std::string& message = result.error().message;
  std::fprintf(stderr, "%s\n", message.c_str());
  const bool told = message.find(request.output.filename().string()) != std::string::npos &&
                    message.find("kept in it") != std::string::npos;
  return told ? 42 : 6;
}
