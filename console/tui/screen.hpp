// What the live screen shows, and what its keys do. Pure: the terminal draws the lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "console/tui/engine_view.hpp"

namespace nexusfix::tui {

enum class Order : std::uint8_t { Attention, Name, Rate };

// A key of the terminal. character: of a Character, printable ASCII.
struct Key {
  enum Kind : std::uint8_t {
    Character,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    Tab
  };
  Kind kind = Character;
  char character = 0;
};

enum class Style : std::uint8_t { Plain, Heading, Attention, Selected, Help };
struct Line {
  std::string text{};  // printable ASCII, at most as many bytes as the screen has columns
  Style style = Style::Plain;
};
struct Size {
  std::size_t columns = 80;
  std::size_t lines = 24;
};

class Screen {
 public:
  // One view for each engine, at least one.
  explicit Screen(std::vector<EngineView> engines);

  [[nodiscard]] EngineView& engine(std::size_t index) noexcept { return engines_[index]; }
  [[nodiscard]] std::size_t engine_count() const noexcept { return engines_.size(); }
  [[nodiscard]] std::size_t shown_engine() const noexcept { return shown_; }
  // The name of the selected session of the shown engine; empty: there is none.
  [[nodiscard]] std::string selected() const;

  // False: the operator ends the screen.
  [[nodiscard]] bool press(Key key);
  // Exactly size.lines lines. now: times of today have no date.
  [[nodiscard]] std::vector<Line> lines(Size size, WallTime now);

 private:
  [[nodiscard]] std::vector<const SessionView*> rows() const;
  [[nodiscard]] bool is_needed(const SessionView& session) const;
  void edit_filter(Key key);
  void move(Key key);
  void add_head(std::vector<Line>& out, Size size, WallTime now) const;
  void add_table(std::vector<Line>& out, Size size, std::size_t height, WallTime now);
  void add_details(std::vector<Line>& out, std::size_t height, WallTime now) const;
  void add_changes(std::vector<Line>& out, std::size_t height, WallTime now) const;
  [[nodiscard]] std::string foot() const;

  std::vector<EngineView> engines_;
  std::size_t shown_ = 0;
  std::string selected_;   // a session's name; another one is selected when it is not shown
  std::size_t first_ = 0;  // the first shown row
  std::size_t page_ = 1;   // rows of the table, when it was drawn last
  Order order_ = Order::Attention;
  std::string filter_;
  bool is_filtering_ = false;  // keys go to the filter
  bool shows_help_ = false;
  bool shows_all_changes_ = false;  // of all sessions; false: of the selected one
};

}  // namespace nexusfix::tui
