#include "gateway/replay/journal_replay.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <utility>

#include <nexusfix/session/identity.hpp>

#include "gateway/protocol/frame.hpp"
#include "gateway/rights/owner_fields.hpp"

namespace nexusfix::gateway {
namespace {

// Frames that wait for the loop.
constexpr std::size_t kWaitingBytes = 1U << 20U;
// Between two looks at a log whose last records are not readable yet.
constexpr std::chrono::milliseconds kPause{20};
// Without a thread: the rest of the loop must not wait for it.
constexpr int kRecordsAtOnce = 64;
constexpr std::string_view kBusinessMessageReject = "j";

}  // namespace

JournalReplay::JournalReplay(ReplayRequest request)
    : request_{std::move(request)},
      rejected_(request_.sessions.size()),
      is_begun_(request_.sessions.size()) {
  if (request_.is_on_loop) return;
  thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

JournalReplay::~JournalReplay() = default;

void JournalReplay::run(const std::stop_token& stop) {
  std::string error;
  try {
    error = read_all(stop);
  } catch (const std::bad_alloc&) {
    error = "there is no memory to read the journal";
  }
  {
    const std::scoped_lock lock{mutex_};
    error_ = std::move(error);
    is_over_ = true;
  }
  static_cast<void>(::eventfd_write(request_.wake, 1));
}

std::string JournalReplay::read_all(const std::stop_token& stop) {
  std::vector<char> frames;
  for (;;) {
    const auto step = read_record(frames);
    if (!step) return step.error();
    if (*step == Step::Over || !put(stop, frames)) return {};
    if (*step == Step::More) continue;
    std::unique_lock lock{mutex_};
    if (has_room_.wait_for(lock, stop, kPause, [&] { return stop.stop_requested(); })) return {};
  }
}

void JournalReplay::read_on_loop() {
  if (!request_.is_on_loop) return;
  for (int i = 0; i < kRecordsAtOnce && frames_.size() < kWaitingBytes && !is_over_; ++i) {
    const auto step = read_record(frames_);
    is_over_ = !step || *step == Step::Over;
    if (!step) error_ = step.error();
    if (step && *step == Step::Nothing) return;
  }
}

std::expected<JournalReplay::Step, std::string> JournalReplay::read_record(std::vector<char>& out) {
  if (log_ == nullptr) {
    store::FollowOptions options;
    options.cursor = request_.begin;
    auto opened = request_.open_log(options);
    if (!opened) return std::unexpected{std::move(opened.error())};
    log_ = std::move(*opened);
    first_segment_ = request_.begin ? 1 : log_->cursor().segment;
  }
  if (log_->cursor().position >= request_.until) {
    end_ = log_->cursor();
    return Step::Over;
  }
  std::ranges::fill(rejected_, MessagePlace{});
  std::string error;
  const auto read = log_->next([&](const store::FollowedMessage& message) {
    if (error.empty()) error = pass(message, out);
  });
  if (!read) return std::unexpected{read.error()};
  if (!error.empty()) return std::unexpected{std::move(error)};
  return *read ? Step::More : Step::Nothing;
}

// The error is one line: the journal lacks messages.
std::string JournalReplay::pass(const store::FollowedMessage& message, std::vector<char>& out) {
  const auto found =
      std::ranges::find(request_.sessions, message.session, &MissedMessages::session);
  if (found == request_.sessions.end()) return {};
  const auto at = static_cast<std::size_t>(found - request_.sessions.begin());
  if (!message.is_received && !request_.client->is_observer()) {
    const auto sent = parser_.parse(message.bytes);
    if (sent && sent->msg_type() == kBusinessMessageReject) {
      rejected_[at] = {message.epoch, sent->get<std::uint64_t>(tag::RefSeqNum).value_or(0)};
    }
    return {};
  }
  const auto& after = message.is_received ? found->received : found->sent;
  if (!after) return {};
  const MessagePlace place{message.epoch, message.msg_seq_num};
  if (message.is_received && std::exchange(is_begun_[at], 1) == 0) {
    // The journal keeps every received message: after a cursor comes the next number.
    const MessagePlace next{after->epoch, after->msg_seq_num + 1};
    if (first_segment_ > 1 && after->epoch != 0 && place > next) {
      return fmt::format("the journal begins with MsgSeqNum {} of epoch {} of session {}",
                         place.msg_seq_num, place.epoch, found->session);
    }
  }
  // The counterparty knows that no client has handled it.
  const bool is_rejected = message.is_received && place == rejected_[at];
  if (place <= *after || is_rejected) return {};
  const auto parsed = parser_.parse(message.bytes);
  if (!parsed || session::is_administrative(parsed->msg_type())) return {};
  if (!request_.client->is_observer() &&
      owner_of(request_.clients, found->session, owner_fields(*parsed)) != request_.client) {
    return {};
  }
  const auto direction = message.is_received ? std::uint16_t{0} : kFlagSent;
  append_frame(out,
               {.kind = FrameKind::Message,
                .flags = static_cast<std::uint16_t>(kFlagFromJournal | direction),
                .session = found->index,
                .epoch = place.epoch,
                .msg_seq_num = place.msg_seq_num},
               message.bytes);
  return {};
}

bool JournalReplay::put(const std::stop_token& stop, std::vector<char>& frames) {
  if (frames.empty()) return !stop.stop_requested();
  bool was_empty = false;
  {
    std::unique_lock lock{mutex_};
    if (!has_room_.wait(lock, stop, [&] { return frames_.size() < kWaitingBytes; })) return false;
    was_empty = frames_.empty();
    frames_.insert(frames_.end(), frames.begin(), frames.end());
  }
  frames.clear();
  if (was_empty) static_cast<void>(::eventfd_write(request_.wake, 1));
  return !stop.stop_requested();
}

std::vector<char> JournalReplay::consume(std::size_t bytes_max) {
  read_on_loop();
  std::vector<char> frames;
  {
    const std::scoped_lock lock{mutex_};
    std::size_t end = 0;
    while (end < frames_.size() && end < bytes_max) {
      end += frame_bytes({frames_.data() + end, frames_.size() - end}).value_or(frames_.size());
    }
    frames.assign(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(end));
    frames_.erase(frames_.begin(), frames_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  has_room_.notify_one();
  return frames;
}

bool JournalReplay::is_empty() {
  const std::scoped_lock lock{mutex_};
  return !is_over_ && frames_.empty();
}

bool JournalReplay::has_ended() {
  read_on_loop();
  const std::scoped_lock lock{mutex_};
  return is_over_ && frames_.empty();
}

}  // namespace nexusfix::gateway
