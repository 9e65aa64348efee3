#include "gateway/replay/journal_replay.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <utility>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/session/identity.hpp>

#include "gateway/protocol/frame.hpp"
#include "gateway/rights/owner_fields.hpp"

namespace nexusfix::gateway {
namespace {

// Frames that wait for the loop.
constexpr std::size_t kWaitingBytes = 1U << 20U;
// Between two looks at a log whose last records are not readable yet.
constexpr std::chrono::milliseconds kPause{20};
constexpr std::string_view kBusinessMessageReject = "j";

}  // namespace

JournalReplay::JournalReplay(ReplayRequest request)
    : request_{std::move(request)}, is_begun_(request_.sessions.size()) {
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
  PosixDisk disk;
  store::FollowOptions options;
  options.cursor = request_.begin;
  auto follower = store::JournalFollower::open(disk, request_.folder, options);
  if (!follower) return follower.error();
  const std::uint64_t first_segment = request_.begin ? 1 : follower->cursor().segment;
  std::vector<char> frames;
  std::string error;
  while (follower->cursor().position < request_.until) {
    rejected_ = 0;
    const auto read = follower->next([&](const store::FollowedMessage& message) {
      if (error.empty()) error = pass(message, first_segment, frames);
    });
    if (!read) return read.error();
    if (!error.empty()) return error;
    if (!put(stop, frames)) return {};
    if (*read) continue;
    std::unique_lock lock{mutex_};
    if (has_room_.wait_for(lock, stop, kPause, [&] { return stop.stop_requested(); })) return {};
  }
  end_ = follower->cursor();
  return {};
}

// The error is one line: the journal lacks messages.
std::string JournalReplay::pass(const store::FollowedMessage& message, std::uint64_t segment,
                                std::vector<char>& out) {
  const auto found =
      std::ranges::find(request_.sessions, message.session, &MissedMessages::session);
  if (found == request_.sessions.end()) return {};
  if (!message.is_received && !request_.client->is_observer()) {
    const auto sent = parser_.parse(message.bytes);
    if (sent && sent->msg_type() == kBusinessMessageReject) {
      rejected_ = sent->get<std::uint64_t>(tag::RefSeqNum).value_or(0);
    }
    return {};
  }
  const auto& after = message.is_received ? found->received : found->sent;
  if (!after) return {};
  const MessagePlace place{message.epoch, message.msg_seq_num};
  const auto at = static_cast<std::size_t>(found - request_.sessions.begin());
  if (message.is_received && std::exchange(is_begun_[at], 1) == 0) {
    // The journal keeps every received message: after a cursor comes the next number.
    const MessagePlace next{after->epoch, after->msg_seq_num + 1};
    if (segment > 1 && after->epoch != 0 && place > next) {
      return fmt::format("the journal begins with MsgSeqNum {} of epoch {} of session {}",
                         place.msg_seq_num, place.epoch, found->session);
    }
  }
  // The counterparty knows that no client has handled it.
  const bool is_rejected = message.is_received && place.msg_seq_num == rejected_;
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
  const std::scoped_lock lock{mutex_};
  return is_over_ && frames_.empty();
}

}  // namespace nexusfix::gateway
