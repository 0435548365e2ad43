// SPDX-License-Identifier: Apache-2.0
// Logs of oneDNN (ONEDNN_VERBOSE=1 or profile_exec): one line per primitive, with its problem and its time.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "profiler/import/importer.h"
#include "profiler/store/sqlite.h"

namespace profiler {
namespace {

using engine::Result;

constexpr std::array<std::string_view, 3> kMarks{"onednn_verbose,", "dnnl_verbose,", "mkldnn_verbose,"};

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(mark);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                          : std::nullopt;
}

/// One executed primitive.
struct Line {
  std::string_view engine, primitive, kernel, pass, problem;
  std::optional<double> started_ms;  ///< where ONEDNN_VERBOSE_TIMESTAMP was set
  double took_ms = 0;
};

/// "onednn_verbose,v1,primitive,exec,cpu,matmul,brg:avx512_core,undef,<memory>,<attributes>,<more>,4x8:8x2,0.01";
/// without "v1,primitive" until oneDNN 3. Nothing: no line of an execution.
std::optional<Line> line_of(std::string_view text) {
  const std::vector<std::string_view> f = split(text, ',');
  size_t exec = 1;
  while (exec < std::min<size_t>(f.size(), 6) && f[exec] != "exec") ++exec;
  constexpr size_t kFields = 9;  // from "exec" to the time
  if (exec >= f.size() || f[exec] != "exec" || f.size() < exec + kFields) return {};
  Line line{f[exec + 1], f[exec + 2], f[exec + 3], f[exec + 4], f[f.size() - 2], {}, 0};
  for (size_t i = 1; i < exec; ++i) {
    if (const auto ms = number(f[i])) line.started_ms = ms;
  }
  const auto took = number(f.back());
  constexpr double kLongestMs = 1e12;
  if (!took || *took < 0 || *took > kLongestMs) return {};
  line.took_ms = *took;
  return line;
}

/// The extent that a problem names so: "ih" of "mb4_ic3oc64_ih224oh112kh7"; nothing: it does not.
std::optional<double> extent(std::string_view problem, std::string_view key) {
  for (size_t at = problem.find(key); at != problem.npos; at = problem.find(key, at + 1)) {
    const bool starts = at == 0 || problem[at - 1] == '_' || (problem[at - 1] >= '0' && problem[at - 1] <= '9');
    const size_t digits = at + key.size();
    if (!starts || digits >= problem.size() || problem[digits] < '0' || problem[digits] > '9') continue;
    double value = 0;
    std::from_chars(problem.data() + digits, problem.data() + problem.size(), value);
    return value;
  }
  return {};
}

double or_one(std::string_view problem, std::string_view key) { return extent(problem, key).value_or(1); }

/// 2 per multiply-add; -1: the problem does not say, or the primitive is no product.
double flops_of(const Line& line) {
  const std::string_view p = line.problem;
  if (line.primitive == "matmul") {
    const auto sides = split(p, ':');
    if (sides.size() < 2) return -1;
    const auto a = split(sides[0], 'x'), b = split(sides[1], 'x');
    if (a.size() < 2 || a.size() != b.size()) return -1;
    double flops = 2;
    for (size_t i = 0; i < a.size(); ++i) {
      const auto x = number(a[i]), y = number(b[i]);
      if (!x || !y) return -1;
      const bool batch = i + 2 < a.size(), last = i + 1 == a.size();
      flops *= batch ? std::max(*x, *y) : last ? *x * *y : *x;
    }
    return flops;
  }
  const bool forth = line.primitive == "convolution", back = line.primitive == "deconvolution",
             product = line.primitive == "inner_product";
  if ((!forth && !back && !product) || !extent(p, "ic") || !extent(p, "oc")) return -1;
  const double channels = 2 * or_one(p, "mb") * or_one(p, "ic") * or_one(p, "oc") / or_one(p, "g"),
               in = or_one(p, "id") * or_one(p, "ih") * or_one(p, "iw"),
               out = or_one(p, "od") * or_one(p, "oh") * or_one(p, "ow"),
               window = or_one(p, "kd") * or_one(p, "kh") * or_one(p, "kw");
  return product ? channels * in : channels * (forth ? out : in) * window;
}

class Reader {
 public:
  Reader(TraceBuilder& builder) : builder_(builder) {}
  void take(std::string_view text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    bool ours = false;
    for (const std::string_view mark : kMarks) ours = ours || text.starts_with(mark);
    if (!ours) return;  // what the program itself prints
    const std::optional<Line> line = line_of(text);
    if (!line) {
      if (text.find(",exec,") != text.npos) builder_.findings().add(Finding::bad_row, "a line of an execution");
      return;
    }
    const auto took_ns = static_cast<int64_t>(std::llround(line->took_ms * 1e6));
    constexpr double kLatestMs = 3e12;
    int64_t begin_ns = now_ns_;
    if (line->started_ms && *line->started_ms >= 0 && *line->started_ms < kLatestMs)
      begin_ns = static_cast<int64_t>(std::llround(*line->started_ms * 1e6));
    else ++unplaced_;
    if (!is_time(begin_ns) || !is_time(begin_ns + took_ns)) {
      builder_.findings().add(Finding::bad_row, "a line beyond all times");
      return;
    }
    now_ns_ = begin_ns + took_ns;
    const TraceBuilder::Lane lane = builder_.lane(0x4f4e000000000000u | (line->engine.starts_with("gpu") ? 1 : 0));
    builder_.name_lane(lane, TrackKind::host_thread, fmt::format("oneDNN on {:.40}", line->engine), "Host");
    const bool backward = line->pass.starts_with("backward");
    TraceCall call{.type = builder_.intern(line->primitive), .kernel = builder_.intern(line->kernel)};
    call.flops = flops_of(*line);
    call.phase = backward ? Phase::backward : Phase::forward, call.phase_given = true;
    builder_.add_op({.start_ns = begin_ns,
                     .duration_ns = took_ns,
                     .name = builder_.intern(fmt::format("{} {}{}", line->primitive, line->problem,
                                                         line->pass == "backward_weights" ? " weights" : "")),
                     .track = lane},
                    call);
    ++lines_;
  }
  void finish() {
    if (lines_ == 0) return;
    if (unplaced_ > 0)
      builder_.honesty().notes.push_back(
          fmt::format("Import: {} of {} lines say no start: they stand one behind the other, without what ran between "
                      "them. ONEDNN_VERBOSE_TIMESTAMP=1 records it.",
                      unplaced_, lines_));
  }

 private:
  TraceBuilder& builder_;
  int64_t now_ns_ = 0, lines_ = 0, unplaced_ = 0;
};

int confidence(std::string_view first) {
  for (const std::string_view mark : kMarks) {
    const size_t at = first.find(mark);
    if (at != first.npos && (at == 0 || first[at - 1] == '\n')) return 3;
  }
  return 0;
}

Result<void> read(const std::filesystem::path& file, TraceBuilder& builder, const ImportControl& control) {
  auto stream = ByteStream::open(file, control);
  if (!stream) return stream.error();
  constexpr size_t kPiece = size_t{1} << 18, kLongestLine = size_t{1} << 16;
  std::string text;
  Reader reader(builder);
  for (bool end = false; !end;) {
    const size_t have = text.size();
    text.resize(have + kPiece);
    const Result<size_t> got = (*stream)->read(text.data() + have, kPiece);
    if (!got) return got.error();
    text.resize(have + *got);
    end = *got == 0;
    size_t from = 0;
    for (size_t at = text.find('\n'); at != text.npos; at = text.find('\n', from)) {
      reader.take(std::string_view(text).substr(from, at - from));
      from = at + 1;
    }
    text.erase(0, from);
    if (end) reader.take(text);
    if (text.size() > kLongestLine) {
      builder.findings().add(Finding::bad_row, "a line of more than 65536 bytes");
      text.clear();
    }
    if (control.stopped())
      return engine::refused_error(fmt::format("{}: the import was cancelled", sqlite::shown(file)));
  }
  if (!(*stream)->trouble().empty()) builder.findings().add(Finding::compressed_damage, (*stream)->trouble());
  reader.finish();
  return {};
}

}  // namespace

Importer onednn_importer() {
  return {.name = "onednn",
          .title = "oneDNN verbose log",
          .help = "output of ONEDNN_VERBOSE=1: primitives with problem and time",
          .confidence = confidence,
          .read = read};
}

}  // namespace profiler
