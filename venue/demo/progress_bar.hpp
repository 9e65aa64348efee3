// Shows progress: one line that a terminal redraws; otherwise a line for each tenth.
#pragma once

#include <cstdint>
#include <string>

namespace nexusfix::command {

enum class Drawing : std::uint8_t {
  Terminal,  // the line is redrawn in place
  Lines,     // one line each tenth
};

class ProgressBar {
 public:
  // total ≥ 1.
  ProgressBar(std::string title, std::uint64_t total, Drawing drawing)
      : title_{std::move(title)}, total_{total}, drawing_{drawing} {}

  // Returns the text to print now; empty: nothing. done never decreases.
  [[nodiscard]] std::string update(std::uint64_t done);
  [[nodiscard]] bool complete() const noexcept { return shown_permille_ >= 1000; }

 private:
  std::string title_;
  std::uint64_t total_;
  Drawing drawing_;
  std::uint64_t shown_permille_ = 0;
};

}  // namespace nexusfix::command
