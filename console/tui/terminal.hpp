// The terminal of the live screen, by ncurses.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "console/tui/screen.hpp"

namespace nexusfix::tui {

// One at a time in a process, on one thread. While it lives, nothing else may print.
class Terminal {
 public:
  // The error, one line: standard input or output is no terminal, or its type is not known.
  [[nodiscard]] static std::expected<std::unique_ptr<Terminal>, std::string> open();
  // Gives the terminal back as it was.
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // The present size: a window may change it at any time.
  [[nodiscard]] Size size() const;
  void draw(const std::vector<Line>& lines);
  // Waits for a key, at most this long. Nothing: none came, or one without a meaning.
  [[nodiscard]] std::optional<Key> read_key(std::chrono::milliseconds wait);

 private:
  struct Part;
  explicit Terminal(std::unique_ptr<Part> part);
  std::unique_ptr<Part> part_;
};

}  // namespace nexusfix::tui
