// SPDX-License-Identifier: GPL-3.0-or-later
// Network: layers as nested boxes that open, the tensors between them, and the passes of a step beside one another.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <unordered_map>

#include "views/base/view.h"
#include "views/network/network_area.h"
#include "views/network/network_worker.h"
#include "views/network/tape_panel.h"
#include "views/widgets/find_box.h"
#include "views/widgets/switch.h"

namespace views {

class NetworkView : public View {
  Q_OBJECT

 public:
  NetworkView(Document& document, QWidget* parent);
  void set_theme(const Theme&) override;
  QSize minimumSizeHint() const override;
  void render_picture(QPainter&, const QRectF& rect, const Theme&) override;
  profiler::Table data() const override;
  bool busy() const override { return worker_.busy() || tape_->busy(); }
  QString nothing() const override;

  // What tests click on.
  NetworkArea& area() { return *area_; }
  Switch& passes() { return *passes_; }
  Switch& colors() { return *colors_; }
  FindBox& find_box() { return *find_; }
  const QLabel& found_label() const { return *found_; }
  QPushButton& open_all() { return *open_all_; }
  QPushButton& close_all() { return *close_all_; }
  QPushButton& tape_button() { return *tape_button_; }
  TapePanel& tape() { return *tape_; }
  const profiler::Network* network() const { return picture_.network.get(); }
  const NetworkLayout* layout_on_screen() const { return picture_.layout.get(); }

 protected:
  void resizeEvent(QResizeEvent*) override;

 private:
  /// What a search finds: a layer or an op.
  struct Hit {
    bool layer = false;
    uint32_t id = 0;
    friend bool operator==(const Hit&, const Hit&) = default;
  };
  /// What happens when the next layout is there.
  struct After {
    enum class Then : uint8_t { fit, keep, go } then = Then::fit;
    uint32_t layer = profiler::kNoNetworkLayer;  ///< keep: its box in the column stays where it is
    uint8_t pass = 0;
    QPointF screen;
    Hit hit;  ///< go
  };

  void add_tools();
  void add_actions();
  void place_parts();
  void on_replaced();
  void lay_out(After);
  void on_laid_out(const NetworkPicture&);
  void follow_selection();
  void mark_selection();
  std::vector<uint32_t> selected_boxes() const;
  void on_box_pressed(uint32_t box);
  void on_wire_pressed(uint32_t wire);
  void offer_colors();
  void toggle(uint32_t box);
  void set_all_open(bool open);
  void go_beside(int across, int down);
  void count_matches();
  void say_matches();
  void find(int direction);
  void go_to(const Hit&);
  std::vector<uint32_t> boxes_of(const Hit&) const;
  std::optional<Hit> selected_hit() const;
  QString tip_of(uint32_t box, uint32_t wire) const;
  QString box_tip(const NetworkBox&) const;
  QString wire_tip(const NetworkWire&) const;

  const Theme* theme_ = &Theme::light();
  QWidget* toolbar_;
  Switch* passes_ = nullptr;
  Switch* colors_ = nullptr;
  QPushButton *open_all_, *close_all_, *tape_button_;
  FindBox* find_;
  QLabel* found_;
  NetworkArea* area_;
  TapePanel* tape_;
  NetworkPicture picture_;
  std::vector<bool> open_;  // by layer
  std::unordered_map<std::string, uint32_t> layer_by_path_;
  std::vector<Hit> hits_;
  After after_;
  bool own_selection_ = false;  // this view is what selects
  bool planned_ = false;        // colours are those of a network that was not run
  NetworkWorker worker_;        // last: its threads end first
};

}  // namespace views
