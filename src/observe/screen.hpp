// Writes lines to a terminal or a pipe that may block: a user who stops the scrolling stops no log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::observe {

// One thread.
class Screen {
 public:
  explicit Screen(int descriptor) noexcept : descriptor_{descriptor} {}

  // Whole lines. Waits for at most a tenth of a second. Lines that are not taken by then are lost,
  // and the next lines do not wait while the screen is blocked.
  void write(std::string_view lines);
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  // Returns the number of bytes that were taken.
  [[nodiscard]] std::size_t write_some(std::string_view bytes);

  int descriptor_;
  std::uint64_t lost_ = 0;           // lines
  std::uint64_t lost_reported_ = 0;  // of those, reported on the screen
  bool is_stuck_ = false;
  bool is_mid_line_ = false;
};

}  // namespace nexusfix::observe
