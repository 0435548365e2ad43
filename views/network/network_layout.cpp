// SPDX-License-Identifier: GPL-3.0-or-later
// Layers from the inside out: each open layer is one flat graph; its size is known when what it holds is placed.
#include "views/network/network_layout.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "views/network/layered_rows.h"

namespace views {
namespace {

using profiler::kNoNetworkLayer;
using profiler::kPasses;
using profiler::Network;
using profiler::OpId;

constexpr double kNameLeast = 7, kNameMost = 26, kValue = 9;  // characters
constexpr uint8_t kBackward = static_cast<uint8_t>(engine::Phase::backward);

size_t pass_of(const profiler::OpRecord& op) { return static_cast<size_t>(op.phase); }

/// An op or a layer that is visible.
struct Item {
  bool layer = false;
  uint32_t id = 0;
  uint32_t container = 0, local = 0;  ///< where it is, and which one there
  uint32_t inside = kNoBox;           ///< of an open layer: its container
  std::array<bool, kPasses> in{};     ///< columns
  std::array<double, kPasses> width{};
  double height = 0;
};

struct PassLink {
  uint8_t pass = 0;
  uint32_t from = 0, to = 0;  ///< local items, kAbove, kBelow: downwards in the picture
  auto operator<=>(const PassLink&) const = default;
};

/// All outermost layers, or what one open layer holds.
struct Container {
  uint32_t item = kNoBox;  ///< of the layer; kNoBox: the outermost
  uint16_t depth = 0;
  std::vector<uint32_t> items;
  std::vector<PassLink> links;  ///< sorted, unique
  std::array<size_t, kPasses + 1> first_link{};
  std::array<std::optional<RowGraph>, kPasses> graphs;
  std::vector<double> row_top, row_bottom;  ///< of rows, below the header
  std::array<QPointF, kPasses> origin;      ///< of its content in the scene
};

class Builder {
 public:
  Builder(const Network& net, const profiler::Capture& capture, const NetworkWish& wish, const std::atomic<bool>* stop)
      : net_(net), capture_(capture), wish_(wish), stop_(stop), out_(std::make_shared<NetworkLayout>()) {}

  std::shared_ptr<const NetworkLayout> build() {
    make_items();
    make_links();
    for (size_t c = containers_.size(); c-- > 0;)  // the inner ones stand behind the outer ones
      if (!place(containers_[c])) return nullptr;
    put_columns();
    if (stopped()) return nullptr;
    put_wires();
    return stopped() ? nullptr : out_;
  }

 private:
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  double header() const { return wish_.metrics.line + 10; }
  double padding() const { return wish_.metrics.line * 0.75; }
  double row_gap() const { return wish_.metrics.line * 1.25; }

  double name_width(size_t characters) const {
    const double n = std::clamp(static_cast<double>(characters), kNameLeast, kNameMost) + kValue;
    return (n + 3) * wish_.metrics.character;
  }

  uint32_t add_item(bool layer, uint32_t id, uint32_t container) {
    const auto at = static_cast<uint32_t>(items_.size());
    Item item;
    item.layer = layer, item.id = id, item.container = container;
    item.local = static_cast<uint32_t>(containers_[container].items.size());
    item.height = header();
    containers_[container].items.push_back(at);
    items_.push_back(item);
    return at;
  }

  void make_items() {
    const size_t layers = net_.layers.size(), ops = net_.ops.size();
    shown_as_.assign(layers, kNoBox);
    item_of_op_.assign(ops, kNoBox);
    containers_.emplace_back();
    // Layers and ops in the order of their first ops, so that an item's number is its place in the step.
    uint32_t layer = 0;
    for (OpId op = 0; op < ops; ++op) {
      for (; layer < layers && net_.layers[layer].first_op <= op; ++layer) make_layer(layer);
      const uint32_t around = net_.layer_of[op];
      const uint32_t shown = around == kNoNetworkLayer ? kNoBox : shown_as_[around];
      if (shown != kNoBox && items_[shown].inside == kNoBox) {
        item_of_op_[op] = shown;
        continue;
      }
      const uint32_t item = add_item(false, op, shown == kNoBox ? 0 : items_[shown].inside);
      const size_t pass = pass_of(capture_.ops()[op]);
      items_[item].in[pass] = true;
      const double width = name_width(profiler::op_label(capture_, capture_.ops()[op]).size());
      items_[item].width[pass] = width;
      item_of_op_[op] = item;
    }
  }

  void make_layer(uint32_t layer) {
    const profiler::NetworkLayer& l = net_.layers[layer];
    const uint32_t around = l.parent == kNoNetworkLayer ? kNoBox : shown_as_[l.parent];
    if (around != kNoBox && items_[around].inside == kNoBox) {
      shown_as_[layer] = around;  // inside a closed one
      return;
    }
    const uint32_t item = add_item(true, layer, around == kNoBox ? 0 : items_[around].inside);
    shown_as_[layer] = item;
    for (size_t pass = 0; pass < kPasses; ++pass) {
      items_[item].in[pass] = l.passes[pass].ops > 0;
      items_[item].width[pass] = name_width(l.name.size() + 2);
    }
    if (layer >= wish_.open.size() || !wish_.open[layer]) return;
    items_[item].inside = static_cast<uint32_t>(containers_.size());
    Container inside;
    inside.item = item;
    inside.depth = static_cast<uint16_t>(containers_[items_[item].container].depth + 1);
    containers_.push_back(std::move(inside));
  }

  /// Calls f(container, from, to) for each part of a link on its way from `upper` to `lower`: out of layers, between
  /// two items of one container, into layers.
  template <class Out, class Between, class In>
  void walk(uint32_t upper, uint32_t lower, Out&& out, Between&& between, In&& in) const {
    const auto depth = [&](uint32_t item) { return containers_[items_[item].container].depth; };
    const auto rise = [&](uint32_t item) { return containers_[items_[item].container].item; };
    uint32_t a = upper, b = lower;
    std::array<uint32_t, profiler::kMostLayerDepth + 1> entered;  // from the inside out
    size_t count = 0;
    while (items_[a].container != items_[b].container) {
      if (depth(a) >= depth(b)) {
        out(a);
        a = rise(a);
      } else {
        entered[count++] = b;
        b = rise(b);
      }
    }
    between(a, b);
    while (count > 0) in(entered[--count]);
  }

  void make_links() {
    for (const profiler::NetworkEdge& edge : net_.edges) {
      const size_t pass = pass_of(capture_.ops()[edge.from]);
      if (pass != pass_of(capture_.ops()[edge.to])) continue;
      const auto [upper, lower] = ends(edge, pass);
      if (upper == lower) continue;
      const auto p = static_cast<uint8_t>(pass);
      walk(
          upper, lower,
          [&](uint32_t i) {
            link_in(i).push_back({p, items_[i].local, kBelow});
          },
          [&](uint32_t a, uint32_t b) {
            if (a != b) link_in(a).push_back({p, items_[a].local, items_[b].local});
          },
          [&](uint32_t i) {
            link_in(i).push_back({p, kAbove, items_[i].local});
          });
    }
    for (Container& c : containers_) {
      std::ranges::sort(c.links);
      const auto twice = std::ranges::unique(c.links);
      c.links.erase(twice.begin(), twice.end());
      for (size_t pass = 0; pass <= kPasses; ++pass)
        c.first_link[pass] = static_cast<size_t>(
            std::ranges::lower_bound(c.links, pass, {}, [](const PassLink& l) { return size_t{l.pass}; }) -
            c.links.begin());
    }
  }

  std::vector<PassLink>& link_in(uint32_t item) { return containers_[items_[item].container].links; }

  /// Upper and lower item of an edge: backward passes run from the bottom to the top.
  std::pair<uint32_t, uint32_t> ends(const profiler::NetworkEdge& edge, size_t pass) const {
    const uint32_t from = item_of_op_[edge.from], to = item_of_op_[edge.to];
    return pass == kBackward ? std::pair(to, from) : std::pair(from, to);
  }

  bool shown(size_t pass) const { return wish_.passes[pass]; }

  bool place(Container& c) {
    std::vector<RowLink> links;
    links.reserve(c.links.size());
    for (const PassLink& l : c.links) links.push_back({l.from, l.to, l.pass != 0});
    const std::vector<uint32_t> rows = rank_items(c.items.size(), links);
    const uint32_t row_count = rows.empty() ? 0 : *std::ranges::max_element(rows) + 1;
    std::vector<double> heights(row_count, 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const Item& item = items_[c.items[i]];
      for (size_t pass = 0; pass < kPasses; ++pass)
        if (shown(pass) && item.in[pass]) heights[rows[i]] = std::max(heights[rows[i]], item.height);
    }
    double y = 0;
    for (const double height : heights) {
      if (height > 0 && y > 0) y += row_gap();
      c.row_top.push_back(y);
      c.row_bottom.push_back(y += height);
    }
    for (size_t pass = 0; pass < kPasses; ++pass)
      if (shown(pass) && !place_column(c, pass, rows, row_count)) return false;
    if (c.item == kNoBox) return true;
    Item& layer = items_[c.item];
    layer.height = header() + y + 2 * padding();
    for (size_t pass = 0; pass < kPasses; ++pass)
      if (const auto& graph = c.graphs[pass])
        layer.width[pass] = std::max(layer.width[pass], graph->right() - graph->left() + 2 * padding());
    return true;
  }

  bool place_column(Container& c, size_t pass, const std::vector<uint32_t>& rows, uint32_t row_count) {
    std::vector<double> widths(c.items.size(), -1);
    bool any = false;
    for (size_t i = 0; i < widths.size(); ++i) {
      const Item& item = items_[c.items[i]];
      if (item.in[pass]) widths[i] = item.width[pass], any = true;
    }
    if (!any) return true;
    std::vector<RowLink> links;
    for (size_t l = c.first_link[pass]; l < c.first_link[pass + 1]; ++l)
      links.push_back({c.links[l].from, c.links[l].to, false});
    RowGraph& graph =
        c.graphs[pass].emplace(rows, row_count, widths, links, 2 * wish_.metrics.character, wish_.metrics.character);
    return graph.place(stop_);
  }

  void put_columns() {
    for (auto& boxes : out_->box_of_layer) boxes.assign(net_.layers.size(), kNoBox);
    for (auto& boxes : box_of_item_) boxes.assign(items_.size(), kNoBox);
    out_->box_of_op.assign(net_.ops.size(), kNoBox);
    const double title = header(), space = 5 * wish_.metrics.character;
    double x = 0;
    Container& whole = containers_.front();
    const double height = whole.row_bottom.empty() ? 0 : whole.row_bottom.back();
    for (size_t pass = 0; pass < kPasses; ++pass) {
      const auto& graph = whole.graphs[pass];
      if (!graph) continue;
      const double width = std::max(graph->right() - graph->left(), name_width(0));
      put(0, pass, {x + (width - graph->right() + graph->left()) / 2 - graph->left(), title}, kNoBox);
      out_->columns.push_back({static_cast<uint8_t>(pass), {x, 0, width, title + height}});
      x += width + space;
    }
    if (!out_->columns.empty()) out_->bounds = {0, 0, x - space, title + height};
  }

  /// The boxes of a container, `at` the middle of its content's graph and the top of its rows.
  void put(uint32_t container, size_t pass, QPointF at, uint32_t parent) {
    Container& c = containers_[container];
    c.origin[pass] = at;
    for (const auto& row : c.graphs[pass]->rows()) {
      for (const uint32_t n : row) {
        const RowCell& cell = c.graphs[pass]->cells()[n];
        if (cell.item == kNoBox) continue;
        const uint32_t number = c.items[cell.item];
        const Item& item = items_[number];
        const double middle = (c.row_top[cell.row] + c.row_bottom[cell.row]) / 2;
        NetworkBox box;
        box.kind = !item.layer             ? NetworkBox::Kind::op
                   : item.inside == kNoBox ? NetworkBox::Kind::closed
                                           : NetworkBox::Kind::open;
        box.id = item.id, box.pass = static_cast<uint8_t>(pass), box.depth = c.depth, box.parent = parent;
        box.rect = {at.x() + cell.centre - item.width[pass] / 2, at.y() + middle - item.height / 2, item.width[pass],
                    item.height};
        const auto index = static_cast<uint32_t>(out_->boxes.size());
        box_of_item_[pass][number] = index;
        if (item.layer) out_->box_of_layer[pass][item.id] = index;
        else out_->box_of_op[item.id] = index;
        out_->boxes.push_back(box);
        if (box.kind == NetworkBox::Kind::open) {
          const RowGraph& inner = *containers_[item.inside].graphs[pass];
          put(item.inside, pass,
              {box.rect.center().x() - (inner.left() + inner.right()) / 2, box.rect.top() + header() + padding()},
              index);
        }
        out_->boxes[index].end = static_cast<uint32_t>(out_->boxes.size());
      }
    }
  }

  void put_wires() {
    std::unordered_map<uint64_t, uint32_t> known;
    for (uint32_t e = 0; e < net_.edges.size(); ++e) {
      const profiler::NetworkEdge& edge = net_.edges[e];
      const size_t from_pass = pass_of(capture_.ops()[edge.from]), to_pass = pass_of(capture_.ops()[edge.to]);
      const uint32_t from = box_of_item_[from_pass][item_of_op_[edge.from]],
                     to = box_of_item_[to_pass][item_of_op_[edge.to]];
      if (from == kNoBox || to == kNoBox || from == to) continue;
      const auto [at, fresh] = known.try_emplace(uint64_t{from} << 32 | to, static_cast<uint32_t>(out_->wires.size()));
      if (fresh) {
        NetworkWire wire;
        wire.from = from, wire.to = to, wire.edge = e;
        wire.first_point = static_cast<uint32_t>(out_->points.size());
        if (from_pass != to_pass) put_across(wire);
        else put_along(wire, edge, from_pass);
        wire.points = static_cast<uint32_t>(out_->points.size()) - wire.first_point;
        out_->wires.push_back(wire);
      }
      NetworkWire& wire = out_->wires[at->second];
      ++wire.edges;
      wire.bytes += static_cast<double>(edge.bytes);
      if (edge.bytes > net_.edges[wire.edge].bytes) wire.edge = e;
    }
    for (NetworkWire& wire : out_->wires) {
      double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
      for (uint32_t i = wire.first_point; i < wire.first_point + wire.points; ++i) {
        const QPointF& p = out_->points[i];
        left = std::min(left, p.x()), right = std::max(right, p.x());
        top = std::min(top, p.y()), bottom = std::max(bottom, p.y());
      }
      wire.bounds = QRectF(QPointF(left, top), QPointF(right, bottom));
    }
  }

  /// A curve from the side of one box to the side of the other.
  void put_across(NetworkWire& wire) {
    const QRectF &a = out_->boxes[wire.from].rect, &b = out_->boxes[wire.to].rect;
    wire.across = true;
    const bool same = out_->boxes[wire.from].pass == out_->boxes[wire.to].pass,
               right = same || a.center().x() < b.center().x();
    const QPointF from(right ? a.right() : a.left(), a.center().y()),
        to(right != same ? b.left() : b.right(), b.center().y());
    const double reach = same ? 4 * wish_.metrics.character : std::abs(to.x() - from.x()) / 2;
    const double side = right ? reach : -reach;
    for (const QPointF p : {from, from + QPointF(side, 0), to + QPointF(same ? side : -side, 0), to})
      out_->points.push_back(p);
  }

  /// Through the rows between two boxes of one column.
  void put_along(NetworkWire& wire, const profiler::NetworkEdge& edge, size_t pass) {
    const auto [upper, lower] = ends(edge, pass);
    const auto rect_of = [&](uint32_t item) -> const QRectF& { return out_->boxes[box_of_item_[pass][item]].rect; };
    if (rect_of(upper).bottom() > rect_of(lower).top()) return put_across(wire);  // a circle was cut here
    const size_t first = out_->points.size();
    std::vector<QPointF>& points = out_->points;
    points.emplace_back(rect_of(upper).center().x(), rect_of(upper).bottom());
    const auto through = [&](uint32_t container, uint32_t from, uint32_t to) {
      const Container& c = containers_[container];
      const PassLink wanted{static_cast<uint8_t>(pass), from, to};
      const auto at = std::ranges::lower_bound(c.links, wanted) - c.links.begin();
      const RowChain& chain = c.graphs[pass]->chain(static_cast<size_t>(at) - c.first_link[pass]);
      for (uint32_t i = chain.first; i < chain.first + chain.count; ++i) {
        const RowCell& cell = c.graphs[pass]->cells()[i];
        const double x = c.origin[pass].x() + cell.centre;
        points.emplace_back(x, c.origin[pass].y() + c.row_top[cell.row]);
        if (c.row_bottom[cell.row] > c.row_top[cell.row])
          points.emplace_back(x, c.origin[pass].y() + c.row_bottom[cell.row]);
      }
    };
    walk(
        upper, lower,
        [&](uint32_t i) {
          through(items_[i].container, items_[i].local, kBelow);
          points.emplace_back(points.back().x(), rect_of(containers_[items_[i].container].item).bottom());
        },
        [&](uint32_t a, uint32_t b) { through(items_[a].container, items_[a].local, items_[b].local); },
        [&](uint32_t i) {
          const QRectF& around = rect_of(containers_[items_[i].container].item);
          points.emplace_back(std::clamp(rect_of(i).center().x(), around.left(), around.right()), around.top());
          through(items_[i].container, kAbove, items_[i].local);
        });
    points.emplace_back(rect_of(lower).center().x(), rect_of(lower).top());
    if (pass == kBackward) std::reverse(points.begin() + static_cast<ptrdiff_t>(first), points.end());
  }

  const Network& net_;
  const profiler::Capture& capture_;
  const NetworkWish& wish_;
  const std::atomic<bool>* stop_;
  std::shared_ptr<NetworkLayout> out_;
  std::vector<Item> items_;
  std::vector<Container> containers_;
  std::vector<uint32_t> shown_as_;    // by layer: the item that shows it
  std::vector<uint32_t> item_of_op_;  // by op
  std::array<std::vector<uint32_t>, kPasses> box_of_item_;
};

}  // namespace

uint32_t NetworkLayout::box_at(QPointF at) const {
  uint32_t found = kNoBox;
  for (uint32_t i = 0; i < boxes.size();) {
    if (boxes[i].rect.contains(at)) found = i++;
    else i = std::max(i + 1, boxes[i].end);
  }
  return found;
}

uint32_t NetworkLayout::wire_at(QPointF at, double distance) const {
  uint32_t found = kNoBox;
  for (uint32_t w = 0; w < wires.size(); ++w) {
    const NetworkWire& wire = wires[w];
    if (!wire.bounds.adjusted(-distance, -distance, distance, distance).contains(at)) continue;
    for (uint32_t i = wire.first_point; i + 1 < wire.first_point + wire.points; ++i) {
      const QPointF a = points[i], along = points[i + 1] - a;
      const double length = QPointF::dotProduct(along, along);
      const double part = length > 0 ? std::clamp(QPointF::dotProduct(at - a, along) / length, 0.0, 1.0) : 0;
      const QPointF off = at - (a + along * part);
      const double far = std::hypot(off.x(), off.y());
      if (far <= distance) distance = far, found = w;
    }
  }
  return found;
}

std::shared_ptr<const NetworkLayout> layout_network(const Network& net, const profiler::Capture& capture,
                                                    const NetworkWish& wish, const std::atomic<bool>* stop) {
  return Builder(net, capture, wish, stop).build();
}

std::vector<bool> first_open(const Network& net) {
  std::vector<bool> open(net.layers.size(), false);
  uint32_t parent = kNoNetworkLayer;
  for (;;) {
    uint32_t only = kNoNetworkLayer, count = 0;
    for (uint32_t l = 0; l < net.layers.size(); ++l)
      if (net.layers[l].parent == parent) only = l, ++count;
    const bool alone = std::ranges::none_of(net.layer_of, [&](uint32_t l) { return l == parent; });
    if (count != 1 || !alone) return open;
    open[only] = true;
    parent = only;
  }
}

uint32_t shown_box(const Network& net, const profiler::Capture& capture, const NetworkLayout& layout, OpId op) {
  if (op >= layout.box_of_op.size()) return kNoBox;
  if (layout.box_of_op[op] != kNoBox) return layout.box_of_op[op];
  const auto& boxes = layout.box_of_layer[pass_of(capture.ops()[op])];
  for (uint32_t l = net.layer_of[op]; l != kNoNetworkLayer; l = net.layers[l].parent)
    if (boxes[l] != kNoBox) return layout.boxes[boxes[l]].kind == NetworkBox::Kind::closed ? boxes[l] : kNoBox;
  return kNoBox;
}

std::vector<uint32_t> shown_layer_boxes(const Network& net, const NetworkLayout& layout, uint32_t layer) {
  for (uint32_t l = layer; l < net.layers.size(); l = net.layers[l].parent) {
    std::vector<uint32_t> found;
    for (const auto& boxes : layout.box_of_layer)
      if (l < boxes.size() && boxes[l] != kNoBox) found.push_back(boxes[l]);
    if (!found.empty()) return found;
  }
  return {};
}

}  // namespace views
