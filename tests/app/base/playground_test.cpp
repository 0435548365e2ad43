// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of the playground on the real eager engine: identity, bytes, refusals with their remedy, nonsense.
#include "app/base/playground.h"
#include "app/base/playground_static.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace app {
namespace {

class PlaygroundTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Playground::make();
    ASSERT_TRUE(made) << made.error().message;
    playground = *std::move(made);
  }
  PlaygroundStep run(const std::string& line) { return playground->run(line); }
  PlaygroundValue value(const std::string& name) {
    const auto all = playground->values();
    const auto at = std::ranges::find(all, name, &PlaygroundValue::name);
    EXPECT_NE(at, all.end()) << name;
    return at == all.end() ? PlaygroundValue{} : *at;
  }
  static int64_t bytes(const PlaygroundStep& step) {
    int64_t sum = 0;
    for (const PlaygroundMove& move : step.moves) sum += move.size_bytes;
    return sum;
  }
  std::unique_ptr<Playground> playground;
};

// J3
TEST_F(PlaygroundTest, ToIsACopyElsewhereAndTheTensorItselfAtHome) {
  run("u = tensor(1, 2, 3)");
  const auto copy = run("v = u.to(sim:0)");
  ASSERT_EQ(copy.moves.size(), 1U);
  EXPECT_EQ(copy.moves[0].from, "cpu");
  EXPECT_EQ(copy.moves[0].to, "sim:0");
  EXPECT_EQ(bytes(copy), 12);
  EXPECT_FALSE(run("q = u.to(\"sim:0\")").refused) << "as Python writes it, and as messages do";
  EXPECT_FALSE(run("q = u.to('sim:0')").refused);
  const auto same = run("w = u.to(cpu)");
  EXPECT_TRUE(same.moves.empty());
  EXPECT_NE(same.text.find("w is u"), std::string::npos) << same.text;
  EXPECT_EQ(value("w").same_as, "u");
  EXPECT_EQ(value("v").same_as, "");
  run("w[0] = 5");
  EXPECT_EQ(value("u").values, "5, 2, 3");
  EXPECT_EQ(value("v").values, "1, 2, 3");
}

TEST_F(PlaygroundTest, WhatIsSaidIsWhatIsStored) {
  run("z = zeros(2, u8)");
  EXPECT_NE(run("z.fill_(300)").text.find("are 255 (u8 has no 300) now"), std::string::npos);
  EXPECT_NE(run("z[0] = -4").text.find("z[0] is 0 (u8 has no -4) now"), std::string::npos);
  run("x = ones(2)");
  EXPECT_NE(run("x.fill_(0.1)").text.find("are 0.1 now"), std::string::npos);
}

// J5
TEST_F(PlaygroundTest, NewTensorsKeepDtypeAndDevice) {
  run("h = zeros(2, f16, sim:1)");
  run("n = h.new_full(2x3, 1.4)");
  EXPECT_EQ(value("n").dtype, "f16");
  EXPECT_EQ(value("n").device, "sim:1");
  EXPECT_EQ(value("n").values.substr(0, 8), "1.400391");
}

// J6, J7
TEST_F(PlaygroundTest, OpsAcrossDevicesAreRefusedWithTheMissingCopy) {
  run("a = ones(3)");
  run("b = ones(3, sim:0)");
  run("c = ones(3, sim:1)");
  for (const auto& [line, remedy] :
       {std::pair("x = a + b", "x = a + b.to(cpu)"), std::pair("x = b * c", "x = b * c.to(sim:0)")}) {
    const size_t before = playground->values().size();
    const auto refused = run(line);
    EXPECT_TRUE(refused.refused);
    EXPECT_TRUE(refused.moves.empty());
    EXPECT_EQ(refused.remedy, remedy);
    const std::string there = line == std::string_view("x = a + b") ? "cpu" : "sim:0";
    EXPECT_NE(refused.text.find("such as operand 1 by .to(\"" + there + "\")"), std::string::npos)
        << "the copy that the remedy makes: " << refused.text;
    EXPECT_NE(refused.text.find("sim:"), std::string::npos) << refused.text;
    EXPECT_EQ(playground->values().size(), before) << "nothing has changed";
    const auto done = run(refused.remedy);
    EXPECT_FALSE(done.refused) << done.text;
    EXPECT_EQ(bytes(done), 12);
  }
  EXPECT_EQ(bytes(run("b.copy_(a)")), 12) << "copy_ may mix devices";
}

// J8
TEST_F(PlaygroundTest, ScalarsMixAndTheirHiddenCopyIsShown) {
  run("v = tensor(1, 2, sim:0)");
  run("s = scalar(2)");
  const auto done = run("y = v * s");
  EXPECT_FALSE(done.refused) << done.text;
  EXPECT_EQ(bytes(done), 4);
  EXPECT_EQ(done.moves.at(0).reason, "fetched");
  EXPECT_EQ(value("y").values, "2, 4");
  run("t = tensor(2)");
  EXPECT_TRUE(run("z = v * t").refused) << "of shape (1,), no scalar";
}

// J9
TEST_F(PlaygroundTest, ModulesMoveInPlace) {
  run("m = linear(10, 6)");
  EXPECT_EQ(value("m").size_bytes, 264);
  const auto moved = run("m.to(sim:1)");
  EXPECT_EQ(bytes(moved) == 0 ? 264 : bytes(moved), 264);
  EXPECT_NE(moved.text.find("264 B"), std::string::npos) << moved.text;
  EXPECT_EQ(value("m").device, "sim:1");
  EXPECT_NE(run("m.to(sim:1)").text.find("already"), std::string::npos);
  run("x = ones(4x10)");
  EXPECT_TRUE(run("y = m(x)").refused) << "x stayed on cpu";
  EXPECT_FALSE(run("y = m(x.to(sim:1))").refused);
  EXPECT_EQ(value("y").shape, "4x6");
}

TEST_F(PlaygroundTest, NonsenseIsNotUnderstoodAndChangesNothing) {
  for (const char* line : {"",
                           "x",
                           "x =",
                           "= 3",
                           "x = y",
                           "x = ones",
                           "x = ones(",
                           "x = ones(2y)",
                           "x = ones(-3)",
                           "x.to(",
                           "x[",
                           "x[0] = 1",
                           "x = frobnicate(2)",
                           "m.to(sim:0)",
                           "x = ones(3, sim:9)",
                           "x = 1 +",
                           "a b c",
                           "x = ones(2x3)(4)",
                           "=",
                           "()",
                           ".",
                           "x = .to(cpu)",
                           "x = linear(0, 2)",
                           "x = linear(9999, 2)"}) {
    const auto step = run(line);
    EXPECT_FALSE(step.understood) << line << ": " << step.text;
    EXPECT_FALSE(step.text.empty());
  }
  EXPECT_TRUE(playground->values().empty());
  EXPECT_TRUE(run("x = ones(1048576x1048576)").refused);
  EXPECT_TRUE(run(std::string(5000, 'x')).refused);
}

// H10
TEST_F(PlaygroundTest, ALoopTurnsAsOftenAsTheDataSayAndTheTapeGrows) {
  run("w = full(scalar, 0.5, grad)");
  run("x = tensor(20)");
  const auto loop = run("while x.norm() > 1: x = x * w");
  EXPECT_TRUE(loop.text.starts_with("5 turns: the data decided.")) << loop.text;
  EXPECT_EQ(loop.recorded_ops, 5);
  EXPECT_EQ(value("x").values, "0.625");
  const auto tape = run("x.tape()");
  EXPECT_NE(tape.text.find("The tape of x has 5 ops"), std::string::npos) << tape.text;
  EXPECT_NE(tape.text.find("multiply"), std::string::npos) << tape.text;
  EXPECT_TRUE(run("while x.norm() > 1: x = x * w").text.starts_with("0 turns"));
  run("y = x.sum()");
  run("y.backward()");
  run("g = w.grad()");
  EXPECT_EQ(value("g").values, "6.25") << "20 * 5 * 0.5^4";
}

TEST_F(PlaygroundTest, ALoopThatDoesNotEndIsStoppedAndNonsenseIsNamed) {
  run("x = tensor(2)");
  EXPECT_NE(run("while x.norm() > 1: x = x * 1").text.find("after 1000 turns x.norm() is 2"), std::string::npos);
  for (const char* line :
       {"while", "while x", "while x.norm() > 1", "while x.norm() > 1: x", "while x.mean() > 1: x = x * 2",
        "while x.norm() = 1: x = x * 2", "while z.norm() > 1: x = x * 2"})
    EXPECT_FALSE(run(line).understood) << line;
  EXPECT_NE(run("x.tape()").text.find("Nothing is recorded"), std::string::npos);
}

// H9
TEST(StaticGraph, AWrongShapeIsRefusedAtBuildAndNothingRuns) {
  const auto bad = run_as_static_graph({"a = ones(2x3)", "# two by three", "b = ones(4x5)", "c = a @ b"});
  ASSERT_TRUE(bad) << bad.error().message;
  EXPECT_EQ(bad->refused_line, 4u);
  EXPECT_TRUE(bad->understood);
  EXPECT_NE(bad->refusal.find("inner dimensions"), std::string::npos) << bad->refusal;
  EXPECT_TRUE(bad->values.empty());
  const auto good =
      run_as_static_graph({"a = full(2x3, 2)", "b = full(3x2, 5)", "c = a @ b", "c = c * 0.5", "s = c.sum()"});
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good->refused_line, 0u) << good->refusal;
  ASSERT_EQ(good->values.size(), 4u);
  EXPECT_EQ(good->values[2].values, "15, 15, 15, 15");
  EXPECT_EQ(good->values[3].values, "60");
}

TEST(StaticGraph, ALoopOverDataAndNonsenseAreRefusedAtBuild) {
  const auto loop = run_as_static_graph({"x = ones(2)", "while x.norm() > 1: x = x * 0.5"});
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->refused_line, 2u);
  EXPECT_TRUE(loop->understood) << "the line is one; a static graph cannot know how often it turns";
  for (const char* line :
       {"x", "x = ", "x = y", "x = linear(3, 2)", "x.fill_(2)", "x = ones(9999x9999)", "x = tensor()"}) {
    const auto none = run_as_static_graph({line});
    ASSERT_TRUE(none) << line;
    EXPECT_EQ(none->refused_line, 1u) << line;
    EXPECT_FALSE(none->refusal.empty()) << line;
  }
}

}  // namespace
}  // namespace app
