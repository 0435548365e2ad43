// SPDX-License-Identifier: Apache-2.0
// Command lines survive quoting and reading; what a shell would interpret is refused.
#include "engine/base/shell_words.h"

#include <gtest/gtest.h>

namespace {

using engine::shell_line;
using engine::shell_words;
using Words = std::vector<std::string>;

TEST(ShellWords, ReadsBackWhatItQuotes) {
  for (const Words& words :
       {Words{"tensortide", "run", "gemm", "--set", "m=4096"},
        Words{"a b", "", "it's", "\"", "\\", "$HOME", "*", "a;b", "\n", "#"}, Words{"--x=~/model.onnx", "ü"}}) {
    const auto read = shell_words(shell_line(words));
    ASSERT_TRUE(read) << shell_line(words);
    EXPECT_EQ(*read, words);
  }
}

TEST(ShellWords, ReadsDoubleQuotesAndBackslashes) {
  const auto read = shell_words(R"(  run "a b" c\ d   e"f"'g' "q\"" )");
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, (Words{"run", "a b", "c d", "efg", "q\""}));
  EXPECT_TRUE(shell_words("")->empty());
}

TEST(ShellWords, RefusesWhatNeedsAShell) {
  for (const char* line : {"a | b", "a; rm b", "a && b", "echo $HOME", "a > b", "a `b`", "\"$x\"", "a *", "a\nb"}) {
    const auto read = shell_words(line);
    ASSERT_FALSE(read) << line;
    EXPECT_NE(read.error().message.find("more than one program"), std::string::npos) << read.error().message;
  }
  EXPECT_FALSE(shell_words("'open"));
  EXPECT_FALSE(shell_words("\"open"));
}

}  // namespace
