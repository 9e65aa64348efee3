// Lines to a terminal or a pipe that may stand still: whoever stops the scrolling stops no log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::observe {

// One thread.
class Screen {
 public:
  explicit Screen(int descriptor) noexcept : descriptor_{descriptor} {}

  // Whole lines. Waits for at most a tenth of a second; what is not taken by then is lost, and the
  // next lines do not wait for a screen that stands still.
  void write(std::string_view lines);
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  // How many bytes were taken.
  [[nodiscard]] std::size_t write_some(std::string_view bytes);

  int descriptor_;
  std::uint64_t lost_ = 0;       // lines
  std::uint64_t lost_told_ = 0;  // of those, told on the screen
  bool is_stuck_ = false;
  bool is_mid_line_ = false;
};

}  // namespace nexusfix::observe
