// Lines to a descriptor, such as standard output.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "stream/sinks/line_window.hpp"
#include "stream/sinks/sinks.hpp"

namespace nexusfix::stream {
namespace {

using namespace std::chrono_literals;
using Failed = std::unexpected<std::string>;

constexpr auto kBetweenSyncs = 200ms;
constexpr std::size_t kPendingBytes = 64U << 10U;

std::string cause_of(int error) { return std::generic_category().message(error); }

class LinesSink final : public Broker {
 public:
  LinesSink(Disk& disk, int descriptor, const LineOptions& options)
      : descriptor_{descriptor}, window_{options.is_object} {
    std::signal(SIGPIPE, SIG_IGN);
    struct stat found{};
    if (::fstat(descriptor, &found) == 0) {
      is_pipe_ = S_ISFIFO(found.st_mode);
      is_file_ = S_ISREG(found.st_mode);
    }
    if (is_file_ && found.st_size > 0) end_torn_line(disk, found.st_size);
    last_progress_ = now();
  }
  std::expected<Sent, std::string> send(const Outgoing& record) override {
    if (window_.empty()) last_progress_ = now();
    return window_.add(record) ? Sent::Queued : Sent::Full;
  }
  std::expected<void, std::string> serve(std::chrono::milliseconds wait,
                                         FunctionRef<void(std::uint64_t id)> acknowledged) override;
  std::string fault() const override { return fault_; }
  std::string_view name() const noexcept override {
    return is_file_ ? "the file at standard output" : "the reader of standard output";
  }
  void finish() override { is_finishing_ = true; }

 private:
  // What was written last time may have been cut by a crash: the next line must not continue it.
  void end_torn_line(Disk& disk, off_t size) {
    const auto file = disk.open(fmt::format("/proc/self/fd/{}", descriptor_), OpenMode::Read);
    if (!file) return;
    std::string last(1, '\n');
    const auto got = (*file)->read_at(static_cast<std::uint64_t>(size - 1), last);
    if (got && *got == 1 && last != "\n") pending_ = "\n";
  }
  [[nodiscard]] MonoTime now() { return clock_.now().mono; }
  [[nodiscard]] bool has_work() const noexcept {
    return written_lines_ < window_.size() || !pending_.empty();
  }
  void refill();
  [[nodiscard]] std::expected<bool, std::string> write_some();
  [[nodiscard]] std::expected<std::uint64_t, std::string> accepted();
  [[nodiscard]] bool can_write(std::chrono::milliseconds wait);

  int descriptor_;
  LineWindow window_;
  SystemClock clock_;
  std::string pending_;             // is being written
  std::size_t written_lines_ = 0;   // of the window: in pending_, or written
  std::deque<std::uint64_t> ends_;  // of these lines, in bytes since the start
  std::uint64_t written_bytes_ = 0;
  std::uint64_t synced_bytes_ = 0;
  MonoTime last_sync_;
  MonoTime last_progress_;
  std::string fault_;
  bool is_pipe_ = false;
  bool is_file_ = false;
  bool is_gone_ = false;
  bool is_finishing_ = false;
};

bool LinesSink::can_write(std::chrono::milliseconds wait) {
  const bool wants = has_work();
  if (is_file_) {
    // A file is always writable. Without work, or on a full disk, this is a pause.
    if (!wants || !fault_.empty()) ::poll(nullptr, 0, static_cast<int>(wait.count()));
    return wants;
  }
  pollfd one{.fd = descriptor_, .events = static_cast<short>(wants ? POLLOUT : 0), .revents = 0};
  // An unread pipe shows nothing when it is read, so it is looked at again after the wait.
  ::poll(&one, 1, static_cast<int>(wait.count()));
  is_gone_ = (one.revents & (POLLERR | POLLNVAL)) != 0;
  return (one.revents & POLLOUT) != 0;
}

void LinesSink::refill() {
  while (written_lines_ < window_.size() && pending_.size() < kPendingBytes) {
    const std::string& text = window_[written_lines_++].text;
    pending_ += text;
    ends_.push_back(written_bytes_ + pending_.size());
  }
}

// False: no more can be written at the moment.
std::expected<bool, std::string> LinesSink::write_some() {
  if (pending_.empty()) refill();
  if (pending_.empty()) return false;
  // A pipe that is writable takes PIPE_BUF bytes without waiting.
  const std::size_t size =
      is_file_ ? pending_.size() : std::min<std::size_t>(pending_.size(), PIPE_BUF);
  const ssize_t done = ::write(descriptor_, pending_.data(), size);
  if (done >= 0) {
    fault_.clear();
    written_bytes_ += static_cast<std::uint64_t>(done);
    pending_.erase(0, static_cast<std::size_t>(done));
    return true;
  }
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return false;
  // A disk can become free again.
  if (errno == ENOSPC || errno == EDQUOT) {
    fault_ = cause_of(errno);
    return false;
  }
  if (errno == EPIPE) {
    is_gone_ = true;
    return false;
  }
  return Failed{"standard output: " + cause_of(errno)};
}

// Bytes since the start.
std::expected<std::uint64_t, std::string> LinesSink::accepted() {
  if (is_pipe_) {
    int unread = 0;
    if (::ioctl(descriptor_, FIONREAD, &unread) != 0) return 0;
    return written_bytes_ - std::min(written_bytes_, static_cast<std::uint64_t>(unread));
  }
  if (!is_file_) return written_bytes_;
  const bool is_due = is_finishing_ || now() - last_sync_ >= kBetweenSyncs;
  if (synced_bytes_ < written_bytes_ && is_due) {
    last_sync_ = now();
    // After a failure the kernel may have dropped what was written. EINVAL: the file cannot be
    // synced at all, as in /proc.
    if (::fdatasync(descriptor_) != 0 && errno != EINVAL) {
      return Failed{"standard output: sync: " + cause_of(errno)};
    }
    synced_bytes_ = written_bytes_;
  }
  return synced_bytes_;
}

std::expected<void, std::string> LinesSink::serve(
    std::chrono::milliseconds wait, FunctionRef<void(std::uint64_t id)> acknowledged) {
  constexpr int kWritesAtOnce = 512;
  std::chrono::milliseconds first_wait = wait;
  for (int i = 0; i < kWritesAtOnce && can_write(first_wait); ++i) {
    first_wait = 0ms;
    const auto written = write_some();
    if (!written) return Failed{written.error()};
    if (!*written) break;
  }
  const auto bytes = accepted();
  if (!bytes) return Failed{bytes.error()};
  while (!ends_.empty() && ends_.front() <= *bytes) {
    ends_.pop_front();
    --written_lines_;
    acknowledged(window_.pop());
    last_progress_ = now();
    if (is_pipe_) fault_.clear();
  }
  if (is_gone_) return Failed{"standard output: its reader has ended"};
  if (is_pipe_ && !window_.empty() && fault_.empty() && now() - last_progress_ > kSilenceMax) {
    fault_ = "nothing was read for 10 s";
  }
  return {};
}

}  // namespace

std::unique_ptr<Broker> open_lines(Disk& disk, int descriptor, const LineOptions& options) {
  return std::make_unique<LinesSink>(disk, descriptor, options);
}

}  // namespace nexusfix::stream
