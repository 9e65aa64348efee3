#include "console/tui/terminal.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <unistd.h>
#include <utility>

namespace nexusfix::tui {
namespace {

// How long ncurses waits whether an Esc begins the code of another key.
constexpr int kEscapeMillis = 50;
// The numbers of pairs of colours.
constexpr short kRed = 1;
constexpr short kCyan = 2;

constexpr std::array<std::pair<int, Key::Kind>, 12> kKeys{{
    {KEY_UP, Key::Up},
    {KEY_DOWN, Key::Down},
    {KEY_PPAGE, Key::PageUp},
    {KEY_NPAGE, Key::PageDown},
    {KEY_HOME, Key::Home},
    {KEY_END, Key::End},
    {KEY_ENTER, Key::Enter},
    {'\r', Key::Enter},
    {'\n', Key::Enter},
    {'\x1b', Key::Escape},
    {KEY_BACKSPACE, Key::Backspace},
    {'\t', Key::Tab},
}};
constexpr int kDelete = 0x7f;  // what most terminals send for Backspace

bool wants_colours() {
  const char* const no_colour = std::getenv("NO_COLOR");
  return (no_colour == nullptr || *no_colour == '\0') && ::has_colors();
}

attr_t attributes_of(Style style, bool has_colours) {
  const auto pair = [has_colours](short number) {
    return has_colours ? static_cast<attr_t>(COLOR_PAIR(number)) : attr_t{A_NORMAL};
  };
  switch (style) {
    case Style::Plain:
      break;
    case Style::Heading:
      return A_BOLD;
    case Style::Attention:
      return A_BOLD | pair(kRed);
    case Style::Selected:
      return A_REVERSE;
    case Style::Help:
      return pair(kCyan);
  }
  return A_NORMAL;
}

}  // namespace

struct Terminal::Part {
  SCREEN* screen = nullptr;
  bool has_colours = false;
};

std::expected<std::unique_ptr<Terminal>, std::string> Terminal::open() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return std::unexpected{
        "standard input and output must be a terminal; without one, use nexusfix ctl status"};
  }
  auto part = std::make_unique<Part>();
  part->screen = ::newterm(nullptr, stdout, stdin);
  if (part->screen == nullptr) {
    const char* const type = std::getenv("TERM");
    return std::unexpected{std::string{"the type of this terminal is not known: TERM="} +
                           (type == nullptr ? "" : type) +
                           "; try TERM=xterm or TERM=vt100, or use nexusfix ctl status --watch"};
  }
  ::cbreak();
  ::noecho();
  ::curs_set(0);
  ::keypad(stdscr, true);
  ::set_escdelay(kEscapeMillis);
  part->has_colours = wants_colours();
  if (part->has_colours) {
    ::start_color();
    ::use_default_colors();
    ::init_pair(kRed, COLOR_RED, -1);
    ::init_pair(kCyan, COLOR_CYAN, -1);
  }
  return std::unique_ptr<Terminal>{new Terminal{std::move(part)}};
}

Terminal::Terminal(std::unique_ptr<Part> part) : part_{std::move(part)} {}

Terminal::~Terminal() {
  ::endwin();
  ::delscreen(part_->screen);
}

Size Terminal::size() const {
  return {.columns = static_cast<std::size_t>(::getmaxx(stdscr)),
          .lines = static_cast<std::size_t>(::getmaxy(stdscr))};
}

void Terminal::draw(const std::vector<Line>& lines) {
  ::erase();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    ::attrset(static_cast<int>(attributes_of(lines[i].style, part_->has_colours)));
    ::mvaddnstr(static_cast<int>(i), 0, lines[i].text.data(),
                static_cast<int>(lines[i].text.size()));
  }
  ::refresh();
}

std::optional<Key> Terminal::read_key(std::chrono::milliseconds wait) {
  ::timeout(static_cast<int>(wait.count()));
  const int code = ::getch();
  if (code == kDelete) return Key{.kind = Key::Backspace};
  for (const auto& [of_ncurses, kind] : kKeys) {
    if (code == of_ncurses) return Key{.kind = kind};
  }
  if (code < ' ' || code > '~') return std::nullopt;
  return Key{.kind = Key::Character, .character = static_cast<char>(code)};
}

}  // namespace nexusfix::tui
