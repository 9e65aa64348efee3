#include "observe/screen.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <poll.h>
#include <unistd.h>

namespace nexusfix::observe {
namespace {

constexpr int kWaitMilliseconds = 100;

}  // namespace

// A descriptor that is ready takes PIPE_BUF bytes without blocking.
std::size_t Screen::write_some(std::string_view bytes) {
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    pollfd ready{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    const int count = ::poll(&ready, 1, is_stuck_ ? 0 : kWaitMilliseconds);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0 || (ready.revents & POLLOUT) == 0) break;
    const std::size_t piece = std::min<std::size_t>(bytes.size() - taken, PIPE_BUF);
    const ssize_t written = ::write(descriptor_, bytes.data() + taken, piece);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    taken += static_cast<std::size_t>(written);
    is_stuck_ = false;
  }
  is_stuck_ = taken < bytes.size();
  if (taken > 0) is_mid_line_ = bytes[taken - 1] != '\n';
  return taken;
}

void Screen::write(std::string_view lines) {
  if (lines.empty()) return;
  std::string before = is_mid_line_ ? "\n" : "";
  const std::uint64_t unreported = lost_ - lost_reported_;
  if (unreported > 0) {
    before += std::to_string(unreported);
    before += unreported == 1 ? " line was not shown\n" : " lines were not shown\n";
  }
  if (!before.empty()) {
    if (write_some(before) < before.size()) {
      lost_ += static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
      return;
    }
    lost_reported_ += unreported;
  }
  const std::size_t taken = write_some(lines);
  lost_ += static_cast<std::uint64_t>(std::ranges::count(lines.substr(taken), '\n'));
}

}  // namespace nexusfix::observe
