// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes and wires as numbers: nothing overlaps, edges lead on, opening a layer keeps the order of all others.
#include "views/network/network_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/network_lab.h"
#include "tests/support/sample_document.h"
#include "views/network/layered_rows.h"

namespace {

using engine::Phase;
using profiler::kPasses;
using tests::NetworkLab;
using views::kNoBox;
using views::NetworkBox;
using views::NetworkLayout;
using views::NetworkWish;

struct Drawn {
  std::shared_ptr<const profiler::Analyzed> analyzed;
  profiler::Network net;
  explicit Drawn(NetworkLab& lab) : analyzed(lab.analyzed()), net(profiler::network(*analyzed)) {}
  std::shared_ptr<const NetworkLayout> layout(std::vector<bool> open, std::array<bool, 3> passes = {true, true, true}) {
    NetworkWish wish;
    wish.open = std::move(open);
    wish.passes = passes;
    return views::layout_network(net, *analyzed->capture, wish);
  }
  std::vector<bool> none() const { return std::vector<bool>(net.layers.size(), false); }
  std::vector<bool> all() const { return std::vector<bool>(net.layers.size(), true); }
  uint32_t layer(const std::string& path) const {
    const auto at = std::ranges::find(net.layers, path, &profiler::NetworkLayer::path);
    EXPECT_NE(at, net.layers.end()) << path;
    return static_cast<uint32_t>(at - net.layers.begin());
  }
};

/// Siblings apart from one another, and inside what is around them.
void expect_nested(const NetworkLayout& layout) {
  std::map<uint32_t, std::vector<QRectF>> siblings;
  for (const NetworkBox& box : layout.boxes) {
    siblings[box.parent].push_back(box.rect);
    if (box.parent == kNoBox) continue;
    EXPECT_TRUE(layout.boxes[box.parent].rect.contains(box.rect));
    EXPECT_LT(box.parent, static_cast<uint32_t>(&box - layout.boxes.data()));
    EXPECT_LE(box.end, layout.boxes[box.parent].end);
  }
  for (const auto& [parent, rects] : siblings) EXPECT_EQ(tests::first_overlap(rects), std::pair(-1, -1)) << parent;
}

/// Downwards in the forward and update pass, upwards in the backward pass.
void expect_leads_on(const NetworkLayout& layout) {
  for (const views::NetworkWire& wire : layout.wires) {
    const NetworkBox &from = layout.boxes[wire.from], &to = layout.boxes[wire.to];
    if (from.pass != to.pass) {
      EXPECT_TRUE(wire.across);
      continue;
    }
    const bool backward = from.pass == static_cast<uint8_t>(Phase::backward);
    const QRectF &upper = backward ? to.rect : from.rect, &lower = backward ? from.rect : to.rect;
    EXPECT_LT(upper.bottom(), lower.top()) << wire.from << " " << wire.to;
  }
}

/// Ids of the children of a box from top to bottom, then from left to right.
std::vector<uint32_t> order_in(const NetworkLayout& layout, uint32_t parent, uint8_t pass) {
  std::vector<const NetworkBox*> children;
  for (const NetworkBox& box : layout.boxes)
    if (box.parent == parent && box.pass == pass) children.push_back(&box);
  std::ranges::sort(children, {},
                    [](const NetworkBox* b) { return std::pair(b->rect.center().y(), b->rect.center().x()); });
  std::vector<uint32_t> ids;
  for (const NetworkBox* box : children) ids.push_back(box->id);
  return ids;
}

TEST(NetworkLayout, NothingOverlapsAndEdgesLeadOnWhateverIsOpen) {
  NetworkLab lab;
  lab.training_step(3);
  Drawn drawn(lab);
  for (auto open : {drawn.none(), drawn.all()}) {
    const auto layout = drawn.layout(open);
    expect_nested(*layout);
    expect_leads_on(*layout);
  }
  for (size_t l = 0; l < drawn.net.layers.size(); ++l) {  // each layer with what is around it
    auto open = drawn.none();
    for (uint32_t up = static_cast<uint32_t>(l); up != profiler::kNoNetworkLayer; up = drawn.net.layers[up].parent)
      open[up] = true;
    const auto layout = drawn.layout(open);
    expect_nested(*layout);
    expect_leads_on(*layout);
  }
}

TEST(NetworkLayout, ClosedLayersAreOneBoxPerPassAndOneRow) {
  NetworkLab lab;
  lab.training_step(3);
  Drawn drawn(lab);
  const auto layout = drawn.layout(drawn.none());
  EXPECT_EQ(layout->columns.size(), 3u);
  EXPECT_EQ(layout->boxes.size(), 4u + 4 + 3) << "loss has no weights";
  for (const char* path : {"block0", "block1", "block2", "loss"}) {
    const uint32_t l = drawn.layer(path);
    const double row = layout->boxes[layout->box_of_layer[0][l]].rect.center().y();
    EXPECT_EQ(layout->boxes[layout->box_of_layer[1][l]].rect.center().y(), row) << path;
  }
  EXPECT_EQ(order_in(*layout, kNoBox, 1), order_in(*layout, kNoBox, 0));
}

TEST(NetworkLayout, EdgesBetweenBoxesAddUp) {
  NetworkLab lab;
  lab.training_step(2);
  Drawn drawn(lab);
  for (const auto& open : {drawn.none(), drawn.all()}) {
    const auto layout = drawn.layout(open);
    double bytes = 0, wanted = 0;
    for (const views::NetworkWire& wire : layout->wires) bytes += wire.bytes;
    for (const profiler::NetworkEdge& edge : drawn.net.edges) {
      const auto box = [&](profiler::OpId op) {
        return views::shown_box(drawn.net, *drawn.analyzed->capture, *layout, op);
      };
      if (box(edge.from) != box(edge.to)) wanted += static_cast<double>(edge.bytes);
    }
    EXPECT_EQ(bytes, wanted);
    EXPECT_GT(bytes, 0);
  }
  EXPECT_EQ(drawn.layout(drawn.all())->wires.size(), drawn.net.edges.size()) << "a wire per edge where all is open";
}

TEST(NetworkLayout, OpeningALayerKeepsTheOrderOfAllOthers) {
  NetworkLab lab;
  lab.training_step(4);
  Drawn drawn(lab);
  const auto before = drawn.layout(drawn.none());
  for (const char* path : {"block0", "block2", "loss"}) {
    auto open = drawn.none();
    open[drawn.layer(path)] = true;
    const auto after = drawn.layout(open);
    for (uint8_t pass = 0; pass < kPasses; ++pass)
      EXPECT_EQ(order_in(*after, kNoBox, pass), order_in(*before, kNoBox, pass)) << path;
  }
  auto outer = drawn.none();
  outer[drawn.layer("block1")] = true;
  const auto outer_only = drawn.layout(outer);
  outer[drawn.layer("block1.attention")] = true;
  const auto both = drawn.layout(outer);
  for (uint8_t pass = 0; pass < kPasses; ++pass) {
    const auto& boxes = both->box_of_layer[pass];
    EXPECT_EQ(order_in(*both, boxes[drawn.layer("block1")], pass),
              order_in(*outer_only, outer_only->box_of_layer[pass][drawn.layer("block1")], pass));
  }
}

TEST(NetworkLayout, AResidualRunsBesideTheBoxesItPasses) {
  NetworkLab lab;
  lab.training_step(1);
  Drawn drawn(lab);
  const auto layout = drawn.layout(drawn.all(), {true, false, false});
  EXPECT_EQ(layout->columns.size(), 1u);
  for (const views::NetworkWire& wire : layout->wires) {
    for (uint32_t i = wire.first_point; i + 1 < wire.first_point + wire.points; ++i) {
      const QPointF a = layout->points[i], b = layout->points[i + 1];
      EXPECT_LE(a.y(), b.y());
      for (const NetworkBox& box : layout->boxes) {
        if (box.kind == NetworkBox::Kind::open || a.x() != b.x()) continue;
        const bool crosses = box.rect.left() < a.x() && a.x() < box.rect.right() && box.rect.top() < b.y() - 0.01 &&
                             box.rect.bottom() > a.y() + 0.01;
        EXPECT_FALSE(crosses) << "a straight part runs through box " << box.id;
      }
    }
  }
}

TEST(NetworkLayout, OnlyWantedPassesAreThere) {
  NetworkLab lab;
  lab.training_step(2);
  Drawn drawn(lab);
  for (uint8_t pass = 0; pass < kPasses; ++pass) {
    std::array<bool, 3> passes{};
    passes[pass] = true;
    const auto layout = drawn.layout(drawn.all(), passes);
    ASSERT_EQ(layout->columns.size(), 1u);
    EXPECT_EQ(layout->columns[0].pass, pass);
    EXPECT_TRUE(std::ranges::all_of(layout->boxes, [&](const NetworkBox& b) { return b.pass == pass; }));
    EXPECT_EQ(std::ranges::count_if(layout->boxes, [](const NetworkBox& b) { return !b.layer(); }),
              static_cast<ptrdiff_t>(drawn.net.ops_in[pass]));
    expect_nested(*layout);
  }
}

TEST(NetworkLayout, LayersThatReadOneAnotherArePlacedToo) {
  NetworkLab lab;
  const auto a = lab.tensor("a"), b = lab.tensor("b"), c = lab.tensor("c"), d = lab.tensor("d");
  lab.op("shared", "one", {}, {a});
  lab.op("other", "two", {a}, {b});
  lab.op("shared", "three", {b}, {c});
  lab.op("other", "four", {c}, {d});
  Drawn drawn(lab);
  const auto layout = drawn.layout(drawn.none());
  ASSERT_EQ(layout->boxes.size(), 2u);
  expect_nested(*layout);
  EXPECT_EQ(layout->wires.size(), 2u);
  EXPECT_LT(layout->boxes[0].rect.bottom(), layout->boxes[1].rect.top());
  expect_nested(*drawn.layout(drawn.all()));
}

TEST(NetworkLayout, ThousandsOfOpsCostWhatIsVisible) {
  NetworkLab lab;
  lab.chain(50000, 100);
  Drawn drawn(lab);
  const auto layout = drawn.layout(drawn.none());
  EXPECT_EQ(layout->boxes.size(), 500u);
  EXPECT_EQ(layout->wires.size(), 499u);
  expect_leads_on(*layout);
  auto open = drawn.none();
  open[7] = true;
  EXPECT_EQ(drawn.layout(open)->boxes.size(), 600u);
}

TEST(NetworkLayout, OpsOutsideAllLayersAndOpsWithoutEdgesArePlacedToo) {
  NetworkLab chain, loose;
  chain.chain(5000, 0);
  for (int i = 0; i < 400; ++i) loose.op("", fmt::format("op{}", i), {}, {});
  Drawn one(chain), other(loose);
  const auto line = one.layout({});
  EXPECT_EQ(line->boxes.size(), 5000u);
  expect_leads_on(*line);
  const auto grid = other.layout({});
  EXPECT_EQ(grid->boxes.size(), 400u);
  expect_nested(*grid);
  EXPECT_LT(grid->bounds.width(), 12 * grid->bounds.height()) << "cut in rows";
}

TEST(NetworkLayout, StopsWhereItIsAsked) {
  NetworkLab lab;
  lab.training_step(2);
  Drawn drawn(lab);
  const std::atomic<bool> stop = true;
  EXPECT_EQ(views::layout_network(drawn.net, *drawn.analyzed->capture, {}, &stop), nullptr);
}

TEST(NetworkLayout, OneLayerAroundAllIsOpenAtFirst) {
  NetworkLab lab;
  const auto a = lab.tensor("a");
  lab.op("model.net.one", "relu", {}, {a});
  lab.op("model.net.two", "relu", {a}, {});
  Drawn drawn(lab);
  const auto open = views::first_open(drawn.net);
  EXPECT_TRUE(open[drawn.layer("model")]);
  EXPECT_TRUE(open[drawn.layer("model.net")]);
  EXPECT_FALSE(open[drawn.layer("model.net.one")]);
}

TEST(LayeredRows, RanksAreLongestPathsAndGiversStandNearTakers) {
  using views::rank_items;
  EXPECT_EQ(rank_items(4, {{0, 1}, {1, 2}, {0, 2}, {3, 2}}), (std::vector<uint32_t>{0, 1, 2, 1}));
  EXPECT_EQ(rank_items(3, {{0, 1}, {1, 2}, {2, 0}}), (std::vector<uint32_t>{0, 1, 2}))
      << "a circle is cut at its first";
  EXPECT_EQ(rank_items(2, {{0, 1}, {1, 0, true}}), (std::vector<uint32_t>{0, 1})) << "weak links give way";
  EXPECT_EQ(rank_items(2, {{1, 0}, {0, 1, true}}), (std::vector<uint32_t>{1, 0}));
  EXPECT_TRUE(rank_items(0, {}).empty());
}

}  // namespace
