// SPDX-License-Identifier: GPL-3.0-or-later
// Windows beside the main one that need no capture: how a tensor lies in memory, and on which device.
#pragma once

#include <QWidget>

#include "views/base/document.h"
#include "views/base/theme.h"

namespace views {
class StoragePanel;
class BesidePanel;
}  // namespace views

namespace app::gui {

class PlaygroundPanel;

/// Opens the map of a tensor's bytes, or brings it to the front. The tensor that is selected is offered first.
views::StoragePanel& show_storage(QWidget& window, views::Document&, const views::Theme&);

/// Opens the playground of devices, or brings it to the front.
PlaygroundPanel& show_playground(QWidget& window, const views::Theme&);

/// Opens this processor beside a GPU, or brings it to the front. GPUs of the open capture are offered first.
views::BesidePanel& show_beside(QWidget& window, views::Document&, const views::Theme&);

/// Of the dialogs that are open.
void set_learn_theme(QWidget& window, const views::Theme&);

}  // namespace app::gui
