// SPDX-License-Identifier: GPL-3.0-or-later
// Selection's history, and that a new document never meets an old selection.
#include "views/base/selection.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/support/sample_document.h"
#include "views/base/document.h"

namespace {

TEST(Selection, BackAndForwardWalkTheHistory) {
  views::Selection s;
  QSignalSpy spy(&s, &views::Selection::changed);
  s.select_op(3);
  s.select_op(3);  // no change, no entry
  s.select_tensor(7);
  EXPECT_EQ(spy.count(), 2);
  EXPECT_EQ(s.state().op, 3u);
  EXPECT_EQ(s.state().tensor, 7u);
  s.back();
  EXPECT_EQ(s.state().op, 3u);
  EXPECT_FALSE(s.state().tensor.has_value());
  s.back();
  EXPECT_TRUE(s.state().empty());
  EXPECT_FALSE(s.can_go_back());
  s.forward();
  s.select_layer(QStringLiteral("head"));  // cuts what lay ahead
  EXPECT_FALSE(s.can_go_forward());
  EXPECT_FALSE(s.state().op.has_value());
}

TEST(Selection, OpClearsTensorAndLayerButKeepsTheRange) {
  views::Selection s;
  s.select_range({10, 20});
  s.select_layer(QStringLiteral("head"));
  s.select_tensor(1);
  s.select_op(2);
  EXPECT_FALSE(s.state().tensor.has_value());
  EXPECT_FALSE(s.state().layer.has_value());
  EXPECT_EQ(s.state().range, (views::TimeRange{10, 20}));
}

TEST(Selection, AScrubIsOneStepBack) {
  views::Selection s;
  s.select_op(1);
  for (profiler::OpId op = 2; op < 50; ++op) s.scrub_op(op);
  EXPECT_EQ(s.state().op, 49u);
  s.back();
  EXPECT_EQ(s.state().op, 1u);
}

TEST(Selection, HistoryIsBounded) {
  views::Selection s;
  for (profiler::OpId op = 0; op < 10000; ++op) s.select_op(op);
  int steps = 0;
  while (s.can_go_back()) s.back(), ++steps;
  EXPECT_LT(steps, 1000);
  EXPECT_GT(steps, 50);
}

TEST(Document, NewDocumentIsSeenBeforeTheClearedSelection) {
  views::Document document;
  document.set(tests::sample_analyzed(), QStringLiteral("a.tide"));
  document.selection().select_op(5);
  std::vector<std::string> order;
  QObject::connect(&document, &views::Document::replaced, [&] {
    EXPECT_TRUE(document.selection().state().empty());
    order.emplace_back("replaced");
  });
  QObject::connect(&document.selection(), &views::Selection::changed, [&] { order.emplace_back("changed"); });
  document.set(nullptr, {});
  EXPECT_EQ(order, (std::vector<std::string>{"replaced", "changed"}));
  EXPECT_FALSE(document.loaded());
}

}  // namespace
