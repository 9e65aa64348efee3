#include "nexusfix/help/read_progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "nexusfix/help/pager.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::command {
namespace {

struct Progress {
  bool is_shown = false;
  bool is_drawn = false;  // the bar is on the terminal
  std::uint64_t expected = 0;
  std::uint64_t done = 0;
  MonoTime next{};  // when the bar is drawn again
};

// One for the process: a terminal has one bar.
Progress progress;

void draw() {
  constexpr std::size_t kColumns = 40;
  constexpr std::uint64_t kMegabyte = 1'000'000;
  const std::uint64_t done = std::min(progress.done, progress.expected);
  const double share = static_cast<double>(done) / static_cast<double>(progress.expected);
  const std::string text = fmt::format(
      "\r\x1b[K{:<{}} {:>3.0f} %  {} of {} MB", bar_text(share, kColumns), kColumns, share * 100,
      with_thousands(done / kMegabyte), with_thousands(progress.expected / kMegabyte));
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  progress.is_drawn = true;
}

}  // namespace

void show_read_progress() {
  progress.is_shown = ::isatty(STDERR_FILENO) == 1;
  progress.next = SystemClock{}.now().mono + std::chrono::seconds{1};
}

void expect_bytes(std::uint64_t size) noexcept {
  if (progress.is_shown) progress.expected += size;
}

void count_bytes_read(std::size_t size) {
  if (!progress.is_shown) return;
  progress.done += size;
  if (size == 0) return erase_read_progress();
  const MonoTime now = SystemClock{}.now().mono;
  if (now < progress.next || progress.expected == 0) return;
  progress.next = now + std::chrono::milliseconds{100};
  draw();
}

void erase_read_progress() {
  if (!progress.is_drawn) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  progress.is_drawn = false;
}

void begin_output() {
  if (!progress.is_shown || !is_output_a_terminal()) return;
  erase_read_progress();
  progress.is_shown = false;
}

}  // namespace nexusfix::command
