// SPDX-License-Identifier: Apache-2.0
// Holds every #include of the tree against ARCHITECTURE.md: floors look down only, rooms to the
// left only, Qt stays upstairs, what runs work stays out of what shows it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// The side of a file in a family of kernels (engine/kernels/<family>), by the end of its name: access descriptions,
/// loop nests, and rules that kernels and descriptions go by. All other files are kernels.
std::string side_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  if (stem == "access" || stem.ends_with("_access")) return "access";
  if (stem.ends_with("_loops")) return "loops";
  return stem.ends_with("_rule") || stem.ends_with("_timing") ? "rules" : "kernels";
}

/// "engine/tensor", "app/cli": where a path lies; of engine/kernels its side. Files directly on a floor
/// ("views/catalog.h") are the room "catalog".
struct Place {
  std::string floor, room;
  friend bool operator==(const Place&, const Place&) = default;
};

Place place_of(const fs::path& path) {
  auto part = path.begin();
  Place place{part->string(), {}};
  if (++part != path.end()) place.room = fs::path(*part).replace_extension().string();
  if (place == Place{"engine", "kernels"}) place.room = side_of(path);
  return place;
}

/// What each room may include besides itself. A floor may include the floors below it, with the
/// exceptions in `forbidden`.
const std::map<std::string, std::map<std::string, Names>> kRooms{
    {"engine",
     {{"base", {}},
      {"loops", {"rules"}},
      {"rules", {"base", "tensor", "graph"}},
      {"access", {"base", "loops", "rules", "tensor", "graph"}},
      {"tensor", {"base"}},
      {"files", {"base", "tensor"}},
      {"graph", {"base", "tensor"}},
      {"ops", {"base", "tensor", "graph"}},
      {"workloads", {"base", "tensor", "graph", "ops"}},
      {"netfile", {"base", "tensor", "graph", "ops", "workloads"}},
      {"onnx", {"base", "tensor", "graph", "ops"}},
      {"runtime", {"base", "tensor", "graph"}},
      {"eager", {"base", "tensor", "graph", "ops", "runtime"}},
      {"kernels", {"base", "loops", "rules", "tensor", "graph", "runtime"}},
      {"cpu", {"base", "kernels", "rules", "tensor", "graph", "runtime"}},
      {"null", {"base", "tensor", "graph", "runtime"}},
      {"sim", {"base", "tensor", "graph", "runtime"}},
      {"simt", {"base", "tensor"}},
      {"opencl", {"base", "tensor", "graph", "runtime"}},
      {"cuda", {"base", "tensor", "graph", "runtime", "simt"}}}},
    {"profiler",
     {{"base", {}},
      {"machine", {"base"}},
      {"capture", {"base", "machine"}},
      {"store", {"base", "machine", "capture"}},
      {"import", {"base", "machine", "capture", "store"}},
      {"export", {"base", "capture", "store"}},
      {"gpu", {"capture"}},
      {"cupti", {"gpu"}},
      {"cupti_emulated", {"gpu", "cupti"}},
      {"opencl", {"gpu"}},
      {"record", {"base", "machine", "capture", "store", "gpu", "memory"}},
      {"memory", {"base", "machine", "capture"}},
      {"predict", {"base", "machine", "capture", "memory"}},
      {"analysis", {"base", "machine", "capture", "memory"}},
      {"advice", {"base", "memory", "analysis"}},
      {"compare", {"base", "machine", "capture", "store", "memory", "analysis"}},
      {"sweep", {"base", "machine", "capture", "store", "memory", "analysis"}},
      {"lessons", {"base", "machine", "capture", "memory", "analysis", "sweep"}},
      {"report", {"base", "machine", "capture", "memory", "analysis", "advice", "compare", "sweep"}}}},
    {"app",
     {{"base", {}},
      {"c_api", {"base"}},
      {"cli", {"base"}},
      {"gui", {"base"}},
      {"cuda_module", {}},
      {"opencl_module", {}},
      {"emulated_module", {}}}},
};
const std::vector<std::string> kFloors{"engine", "profiler", "views", "app"};

/// Invariants 2 and 8: who may know of what runs the work.
bool may_run_work(const Place& place) {
  return place.floor == "engine" || (place.floor == "profiler" && place.room == "record") ||
         (place.floor == "app" && place.room != "gui");
}
bool runs_work(const Place& place) {
  static const Names engine_rooms{"runtime", "eager", "kernels", "cpu", "null", "sim", "cuda"};
  return place.floor == "engine" && engine_rooms.contains(place.room);
}

bool may_use_qt(const Place& place) { return place.floor == "views" || (place.floor == "app" && place.room == "gui"); }

/// CUDA stays in its module: everything else is built, and runs, without it.
bool may_use_cuda(const Place& place) {
  return place == Place{"engine", "cuda"} || place == Place{"profiler", "cupti"} ||
         place == Place{"app", "cuda_module"};
}

/// OpenCL stays in its module, too: programs open it at run time.
bool of_opencl(const Place& place) {
  return place == Place{"engine", "opencl"} || place == Place{"profiler", "opencl"} ||
         place == Place{"app", "opencl_module"};
}

/// Why `from` must not include `to`; empty: it may.
std::string objection(const Place& from, const Place& to) {
  if (from == to) return {};
  const auto height = [](const Place& place) { return std::ranges::find(kFloors, place.floor) - kFloors.begin(); };
  if (height(to) > height(from)) return "floors only look down";
  const bool emulates = from == Place{"app", "emulated_module"} || from == Place{"profiler", "cupti_emulated"};
  if (may_use_cuda(to) && from != Place{"app", "cuda_module"} && !emulates)
    return "the CUDA module is opened at run time";
  if (of_opencl(to) && !of_opencl(from)) return "the OpenCL module is opened at run time";
  if (runs_work(to) && !may_run_work(from)) return "only the recorder and the command line may run work";
  if (to == Place{"engine", "workloads"} && from.floor == "profiler" && from.room != "record")
    return "what a capture says hangs on the capture, not on the workloads of this build";
  if (to == Place{"profiler", "record"} && !may_run_work(from))
    return "what shows captures must not know who records them";
  if (from.floor != to.floor) return {};
  if (from.floor == "views") {
    if (from.room == "catalog" || to.room == "base" || to.room == "widgets") {
      return from.room == "base" ? "views/base stands left of all other rooms" : std::string();
    }
    return "views are equal rooms: they share views/base and views/widgets only";
  }
  const auto& rooms = kRooms.at(from.floor);
  const auto room = rooms.find(from.room);
  if (room == rooms.end()) return "this room is not in layering_test.cpp";
  return room->second.contains(to.room) ? std::string() : "rooms only look left";
}

struct Include {
  fs::path file;  ///< relative to the source root
  int line;
  std::string target;
  bool quoted;
};

std::vector<Include> all_includes() {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"])");
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  std::vector<Include> includes;
  for (const std::string& floor : kFloors) {
    for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".inc" && extension != ".cu") continue;
      std::ifstream file(entry.path());
      std::string text;
      for (int line = 1; std::getline(file, text); ++line) {
        std::smatch match;
        if (text.find('#') != std::string::npos && std::regex_search(text, match, pattern)) {
          includes.push_back({fs::relative(entry.path(), root), line, match[2], match[1] == "\""});
        }
      }
    }
  }
  return includes;
}

bool is_ours(const std::string& target) {
  return std::ranges::any_of(kFloors, [&](const std::string& floor) { return target.starts_with(floor + "/"); });
}

bool is_qt(const std::string& target) {
  static const std::regex pattern(R"(^(Q[A-Z]\w*(/\w+)?|Qt\w*/.*|q[a-z]+\.h|qcustomplot\.h)$)");
  return std::regex_match(target, pattern);
}

bool is_cuda(const std::string& target) {
  static const std::regex pattern(
      R"(^(cuda|cublas|cudnn|cupti|nvperf|nvml|nvtx3/|nvToolsExt|driver_types|vector_types|mma\.h|cooperative_groups|cub/|thrust/).*)");
  return std::regex_match(target, pattern);
}

std::string where(const Include& include) {
  return include.file.string() + ":" + std::to_string(include.line) + " includes " + include.target;
}

TEST(Layering, FloorsLookDownAndRoomsLookLeft) {
  int ours = 0;
  for (const Include& include : all_includes()) {
    if (!is_ours(include.target)) continue;
    ++ours;
    EXPECT_EQ(objection(place_of(include.file), place_of(include.target)), "") << where(include);
  }
  EXPECT_GT(ours, 100);  // the walk has found the tree
}

/// Which other families of kernels each may include, beside core. There are no circles.
const std::map<std::string, Names> kFamilies{
    {"core", {}},
    {"attention", {"gemm"}},
    {"convolution", {"gemm", "onednn", "quantized"}},
    {"elementwise", {}},
    {"fusion", {"convolution", "elementwise"}},
    {"gemm", {"onednn"}},
    {"indexing", {"reduction"}},
    {"linalg", {}},
    {"norms", {}},
    {"onednn", {}},
    {"pooling", {}},
    {"probes", {"elementwise"}},
    {"quantized", {"onednn"}},
    {"recurrent", {"gemm", "onednn"}},
    {"reduction", {}},
    {"softmax", {}},
    {"teaching", {}},
    {"training", {}},
};

TEST(Layering, FamiliesOfKernelsSeeCoreAndFew) {
  const auto family_of = [](const fs::path& path) {
    auto part = path.begin();
    const bool of_kernels = *part++ == "engine" && part != path.end() && *part++ == "kernels" && part != path.end();
    return of_kernels && std::next(part) != path.end() ? part->string() : std::string();
  };
  int across = 0;
  for (const Include& include : all_includes()) {
    const std::string from = family_of(include.file), to = family_of(include.target);
    if (from.empty() || to.empty() || from == to) continue;
    ++across;
    const auto family = kFamilies.find(from);
    ASSERT_NE(family, kFamilies.end()) << from << " is not in layering_test.cpp";
    EXPECT_TRUE(to == "core" || family->second.contains(to)) << where(include);
  }
  EXPECT_GT(across, 100);
  for (const auto& [family, sees] : kFamilies) {  // no circles: who is seen by somebody whom it sees
    Names reached = sees;
    for (bool more = true; more;) {
      more = false;
      for (const std::string& seen : Names(reached)) {
        for (const std::string& next : kFamilies.at(seen)) more = reached.insert(next).second || more;
      }
    }
    EXPECT_FALSE(reached.contains(family)) << family << " sees itself";
  }
}

/// The rooms of the analyses, a folder each, and what they may include besides themselves. ".": files directly in
/// profiler/analysis.
const std::map<std::string, Names> kAnalyses{{"base", {}},
                                             {"gpu", {"base"}},
                                             {"verdict", {"base", "gpu"}},
                                             {".", {"base", "gpu", "verdict"}},
                                             {"findings", {"base", "gpu", "verdict", "."}},
                                             {"tables", {"base", "gpu", "verdict", ".", "findings"}}};

TEST(Layering, RoomsOfTheAnalysesLookLeft) {
  const fs::path analyses = "profiler/analysis";
  int inside = 0;
  for (const Include& include : all_includes()) {
    const fs::path target = include.target;
    if (place_of(include.file) != Place{"profiler", "analysis"} || place_of(target) != Place{"profiler", "analysis"})
      continue;
    ++inside;
    const std::string from = include.file.parent_path().lexically_relative(analyses).string();
    const std::string to = target.parent_path().lexically_relative(analyses).string();
    const auto allowed = kAnalyses.find(from);
    ASSERT_NE(allowed, kAnalyses.end()) << where(include) << ": this room is not in layering_test.cpp";
    EXPECT_TRUE(from == to || allowed->second.contains(to)) << where(include) << ": rooms only look left";
  }
  EXPECT_GT(inside, 50);
}

TEST(Layering, QtStaysUpstairs) {
  for (const Include& include : all_includes()) {
    if (!is_qt(include.target)) continue;
    EXPECT_TRUE(may_use_qt(place_of(include.file))) << where(include);
  }
}

TEST(Layering, CudaStaysInItsModule) {
  for (const Include& include : all_includes()) {
    if (!is_cuda(include.target)) continue;
    const Place place = place_of(include.file);  // the emulated GPU has headers of these names of its own
    const bool emulated = place == Place{"engine", "simt"} || place == Place{"profiler", "cupti_emulated"};
    EXPECT_TRUE(emulated || may_use_cuda(place)) << where(include);
  }
}

TEST(Layering, OpenclStaysInItsModule) {
  int found = 0;
  for (const Include& include : all_includes()) {
    if (!include.target.starts_with("CL/")) continue;
    ++found;
    EXPECT_EQ(place_of(include.file), (Place{"engine", "opencl"})) << where(include);
  }
  EXPECT_GT(found, 0);
}

/// Whoever shares work among threads does it through engine/base/thread_team.h, so that a build without OpenMP and our
/// own pool compute the same.
TEST(Layering, ThreadsComeOfOnePool) {  // OpenMP's constructs would bring a second one
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  std::set<fs::path> files;
  for (const Include& include : all_includes()) files.insert(include.file);
  static const std::regex pattern(R"(^\s*#\s*(pragma\s+omp|include\s*<omp\.h>))");
  for (const fs::path& path : files) {
    std::ifstream file(root / path);
    std::string text;
    for (int line = 1; std::getline(file, text); ++line) {
      EXPECT_FALSE(text.find('#') != std::string::npos && std::regex_search(text, pattern))
          << path << ":" << line << ": " << text;
    }
  }
}

TEST(Layering, OurHeadersAreNamedFromTheRoot) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  for (const Include& include : all_includes()) {
    if (!include.quoted) {
      EXPECT_FALSE(is_ours(include.target)) << where(include) << ": ours are quoted";
    } else if (is_ours(include.target)) {
      const bool generated = include.target.ends_with(".pb.h");  // written by protoc into the build folder
      EXPECT_TRUE(generated || fs::exists(root / include.target)) << where(include) << ": no such file";
    } else {
      EXPECT_FALSE(fs::exists((root / include.file).parent_path() / include.target))
          << where(include) << ": include from the root";
    }
  }
}

TEST(Layering, EachFileNamesItsLicence) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  std::set<fs::path> files;
  for (const Include& include : all_includes()) files.insert(include.file);
  for (const fs::path& path : files) {
    std::ifstream file(root / path);
    std::string first;
    std::getline(file, first);
    const std::string licence = may_use_qt(place_of(path)) ? "GPL-3.0-or-later" : "Apache-2.0";
    EXPECT_EQ(first, "// SPDX-License-Identifier: " + licence) << path;
  }
}

TEST(Layering, TheRulesObject) {
  EXPECT_NE(objection({"engine", "graph"}, {"engine", "ops"}), "");
  EXPECT_NE(objection({"engine", "ops"}, {"engine", "runtime"}), "");
  EXPECT_NE(objection({"engine", "base"}, {"profiler", "capture"}), "");
  EXPECT_NE(objection({"engine", "loops"}, {"engine", "cpu"}), "");
  EXPECT_NE(objection({"engine", "access"}, {"engine", "cpu"}), "");
  EXPECT_NE(objection({"engine", "access"}, {"engine", "kernels"}), "");
  EXPECT_NE(objection({"engine", "loops"}, {"engine", "kernels"}), "");
  EXPECT_NE(objection({"engine", "kernels"}, {"engine", "access"}), "");
  EXPECT_NE(objection({"engine", "kernels"}, {"engine", "cpu"}), "");
  EXPECT_NE(objection({"profiler", "memory"}, {"engine", "kernels"}), "");
  EXPECT_EQ(objection({"profiler", "memory"}, {"engine", "access"}), "");
  EXPECT_EQ(place_of("engine/kernels/gemm/gemm_loops.h").room, "loops");
  EXPECT_EQ(place_of("engine/kernels/gemm/matrix_access.cpp").room, "access");
  EXPECT_EQ(place_of("engine/kernels/core/access.h").room, "access");
  EXPECT_EQ(place_of("engine/kernels/core/winograd_timing.h").room, "rules");
  EXPECT_EQ(place_of("engine/kernels/gemm/gemm_simd-inl.h").room, "kernels");
  EXPECT_NE(objection({"profiler", "analysis"}, {"engine", "runtime"}), "");
  EXPECT_NE(objection({"profiler", "analysis"}, {"profiler", "record"}), "");
  EXPECT_NE(objection({"views", "traffic"}, {"views", "timeline"}), "");
  EXPECT_NE(objection({"views", "base"}, {"views", "widgets"}), "");
  EXPECT_NE(objection({"views", "start"}, {"engine", "cpu"}), "");
  EXPECT_NE(objection({"app", "gui"}, {"app", "cli"}), "");
  EXPECT_NE(objection({"engine", "runtime"}, {"engine", "cuda"}), "");
  EXPECT_NE(objection({"app", "base"}, {"engine", "cuda"}), "");
  EXPECT_EQ(objection({"app", "cuda_module"}, {"engine", "cuda"}), "");
  EXPECT_EQ(objection({"engine", "cpu"}, {"engine", "graph"}), "");
  EXPECT_EQ(objection({"views", "traffic"}, {"profiler", "analysis"}), "");
  EXPECT_EQ(objection({"views", "catalog"}, {"views", "traffic"}), "");
  EXPECT_TRUE(is_qt("QWidget") && is_qt("QtWidgets/QLabel") && is_qt("qcustomplot.h"));
  EXPECT_TRUE(is_cuda("cuda_runtime.h") && is_cuda("cublasLt.h") && is_cuda("cupti.h") && is_cuda("cub/cub.cuh"));
  EXPECT_FALSE(is_cuda("engine/cuda/probe.h") || is_cuda("cstdint"));
  EXPECT_FALSE(is_qt("queue") || is_qt("engine/graph/graph.h"));
}

}  // namespace
