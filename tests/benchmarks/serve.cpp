// SPDX-License-Identifier: Apache-2.0
// The line protocol of the comparison's children.
#include "serve.h"

#include <fmt/format.h>

#include <charconv>
#include <istream>
#include <optional>
#include <ostream>
#include <sstream>
#include <vector>

#include "engine/base/clock.h"

namespace benchmarks {
namespace {

constexpr int64_t kMostRepeats = 1'000'000'000;

std::vector<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

class Server {
 public:
  Server(const std::string& about, const CaseMaker& make) : about_(about), make_(make) {}

  std::string answer(const std::string& line) {
    const std::vector<std::string> parts = words(line);
    if (parts.size() == 1 && parts[0] == "about") return "about " + about_;
    if (parts.size() >= 2 && parts[0] == "prepare") return prepare(line.substr(line.find("prepare") + 7));
    if (parts.size() == 3 && parts[0] == "run") return run(parts[1], parts[2]);
    if (parts.size() == 2 && parts[0] == "drop") return drop(parts[1]);
    return "no such request: about | prepare CASE | run ID REPEATS | drop ID";
  }

 private:
  std::string prepare(const std::string& text) {
    auto parsed = CaseText::parse(text);
    if (!parsed) return "no " + parsed.error().message;
    auto timed = make_(*parsed);
    if (!timed) return "no " + timed.error().message;
    cases_.emplace(++last_, std::move(*timed));
    return fmt::format("ready {} {}", last_, cases_.at(last_).note);
  }

  std::string run(const std::string& id, const std::string& repeats) {
    const auto found = find(id);
    const auto count = whole_number(repeats);
    if (found == cases_.end()) return "no case " + id;
    if (!count || *count < 1 || *count > kMostRepeats) {
      return fmt::format("no: repeats must be from 1 to {}, got {}", kMostRepeats, repeats);
    }
    return fmt::format("ns {:.3f}", found->second.ns_per_run(*count));
  }

  std::string drop(const std::string& id) {
    const auto found = find(id);
    if (found == cases_.end()) return "no case " + id;
    cases_.erase(found);
    return "dropped " + id;
  }

  std::map<int64_t, Timed>::iterator find(const std::string& id) { return cases_.find(whole_number(id).value_or(0)); }

  const std::string& about_;
  const CaseMaker& make_;
  std::map<int64_t, Timed> cases_;
  int64_t last_ = 0;
};

}  // namespace

engine::Result<CaseText> CaseText::parse(std::string_view text) {
  const std::vector<std::string> parts = words(text);
  if (parts.empty()) return engine::usage_error("case is empty");
  CaseText result;
  result.name_ = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    if (equals == std::string::npos || equals == 0)
      return engine::usage_error(fmt::format("{} is not name=value", parts[i]));
    const std::string key = parts[i].substr(0, equals);
    if (!result.settings_.emplace(key, parts[i].substr(equals + 1)).second) {
      return engine::usage_error(fmt::format("{} is given twice", key));
    }
  }
  return result;
}

int64_t CaseText::count(std::string_view key, int64_t most) {
  used_[std::string(key)] = true;
  const auto found = settings_.find(key);
  const auto number = found == settings_.end() ? std::nullopt : whole_number(found->second);
  if (number && *number >= 1 && *number <= most) return *number;
  if (mistake_.empty()) {
    mistake_ = fmt::format("{} needs {} from 1 to {}, got {}", name_, key, most,
                           found == settings_.end() ? "none" : found->second);
  }
  return 1;
}

std::string CaseText::choice(std::string_view key, std::string_view allowed) {
  used_[std::string(key)] = true;
  const std::vector<std::string> choices = words(allowed);
  const auto found = settings_.find(key);
  if (found == settings_.end()) return choices.front();
  for (const std::string& one : choices) {
    if (one == found->second) return one;
  }
  if (mistake_.empty()) mistake_ = fmt::format("{} knows no {}={} (one of: {})", name_, key, found->second, allowed);
  return choices.front();
}

engine::Result<void> CaseText::check() const {
  if (!mistake_.empty()) return engine::usage_error(mistake_);
  for (const auto& [key, value] : settings_) {
    if (!used_.contains(key)) return engine::usage_error(fmt::format("{} takes no {}", name_, key));
  }
  return {};
}

Timed repeated(std::function<void()> once, std::string note) {
  return {[once = std::move(once)](int64_t repeats) {
            const int64_t begin = engine::now_ns();
            for (int64_t i = 0; i < repeats; ++i) once();
            return static_cast<double>(engine::now_ns() - begin) / static_cast<double>(repeats);
          },
          std::move(note)};
}

void serve(std::istream& in, std::ostream& out, const std::string& about, const CaseMaker& make) {
  Server server(about, make);
  for (std::string line; std::getline(in, line);) out << server.answer(line) << std::endl;
}

}  // namespace benchmarks
