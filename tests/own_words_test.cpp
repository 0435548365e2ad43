// SPDX-License-Identifier: Apache-2.0
// Text is made where it is shown and read by people alone: this holds the sources against searching our own sentences
// or comparing what was rendered or translated. Decisions are made by fields (Machine, Verdict::reasons,
// Honesty::cost()); what is parsed is an outside format.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

/// What reads words of others, or ours of older files.
const std::set<std::string> kReaders{
    "profiler/capture/facts_from_name.cpp",    // names of kernels, of captures before format 3
    "profiler/machine/fields_from_notes.cpp",  // notes of probes, of machines before schema 2
    "profiler/capture/gpu_records.cpp",        // C++ types of a GPU's kernels
    "profiler/cupti/counter_refusals.cpp",     // /proc/cpuinfo
    "profiler/sweep/reference.cpp",            // notes in a published table
    "profiler/store/capture_save.cpp",         // a file's path in an error of the system
    "profiler/analysis/bytes_apart.cpp",       // how a simulation knew an op's accesses, which captures keep as words
    "app/cli/lesson.cpp",                      // options of a command
    "app/gui/document_controller.cpp",         // whether an error names its file
    "app/base/given_inputs.cpp",               // likewise
    "app/base/handbook.cpp",                   // Markdown
};

/// A search for a literal that holds a word and a space, a search in a field that holds sentences, a comparison with
/// such a literal, with an en dash, or with what was translated.
const std::regex& search() {
  static const std::string call =
      R"((?:\.|->)(?:find|rfind|starts_with|ends_with|contains|compare|startsWith|endsWith|indexOf)\()";
  static const std::string opened = R"((?:QStringLiteral\(|QLatin1String\()?")";
  static const std::string words = R"x((?:[^"]*[A-Za-z][^"]* [^"]*|[^"]* [^"]*[A-Za-z][^"]*)")x";
  static const std::string fields =
      R"((?:\b(?:why|note|sentences?|advice|headline|message|causes?|words|remedy|explanation|evidence)(?:\(\))?|notes(?:\[\w+\])?))";
  static const std::regex pattern(call + opened + words + "|" + fields + call + "|[!=]= ?" + opened + "(?:" + words +
                                  "|–\")" + R"(|(?:[!=]= ?|)" + call + R"()(?:QObject::)?tr\()");
  return pattern;
}

bool reads_words(const std::string& line) {
  const auto has = [&](const char* word) { return line.find(word) != std::string::npos; };
  // Most lines are none of it, and regular expressions are slow.
  if (!has("==") && !has("!=") && !has("ith(") && !has("ind(") && !has("_with(") && !has("contains(") &&
      !has("compare(") && !has("ndexOf("))
    return false;
  const size_t comment = line.find("//");
  return std::regex_search(line.substr(0, comment), search());
}

TEST(OwnWords, NobodyReadsThem) {
  const fs::path root = TENSORTIDE_SOURCE_DIR;
  int lines = 0;
  for (const char* folder : {"profiler", "views", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      const bool source = entry.path().extension() == ".cpp" || entry.path().extension() == ".h";
      if (!source || kReaders.contains(path) || path.starts_with("profiler/import/")) continue;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line); ++lines) {
        if (reads_words(line))
          ADD_FAILURE() << path << ": decide by a field, and make text where it is shown: " << line;
      }
    }
  }
  EXPECT_GT(lines, 50000) << "nothing was looked at";
}

TEST(OwnWords, ASearchIsFoundHoweverItIsWritten) {
  for (const char* line :
       std::array{R"(if (!note.starts_with(kBeginning)) continue;)",
                  R"(assumed = assumed || source->op_notes[op].starts_with(kModelled);)",
                  R"(if (where.find(" and ") == std::string::npos) return;)",
                  R"(const bool rash = summary_->advice.starts_with("First record again");)",
                  R"(if (item.text == tr("message")) {)", R"(const size_t cut = error.message.rfind("; ");)",
                  R"x(if (const auto likely = headline.find(" (likely)"); likely > 0) return;)x",
                  R"(if (v.cause.starts_with("compulsory")) ++n;)",
                  R"(text == QStringLiteral("–") ? theme.text_secondary : theme.text)",
                  R"(if (v.why != "Nothing was measured.") return;)",
                  R"(const bool same = label.startsWith(QObject::tr("Roofs"));)"})
    EXPECT_TRUE(reads_words(line)) << line;
  for (const char* line : std::array{
           R"(if (device.starts_with("cpu")) return "No roofs here: they are others'.";)",
           R"(const auto at = arguments.find("batch");)", R"(if (v.reasons.empty()) return;)",
           R"(const size_t equals = words[i].find('=');)", R"(if (name == "threads") values.clear(); // as it says)",
           R"(notes.push_back("Latency was not measured");)", R"(const bool weak = machine.kept.empty() && a != b;)",
           R"(if (type == "gather_elements") row = 1;)"})
    EXPECT_FALSE(reads_words(line)) << line;
}

}  // namespace
