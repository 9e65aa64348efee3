#include "gateway/client/attached_client.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "gateway/door/ring_link.hpp"

namespace nexusfix::gateway {
namespace {

constexpr std::chrono::seconds kClosedTimeout{2};
// From the journal at a time: the rest of the loop must not wait for it.
constexpr std::size_t kReplayBytes = 256U << 10U;
// A larger buffer goes back when it is empty.
constexpr std::size_t kKeptBytes = 1U << 20U;

}  // namespace

void AttachedClient::admit(const ClientRights& rights, std::vector<MessagePlace> received,
                           std::vector<MessagePlace> sent, std::uint64_t last_number) {
  rights_ = &rights;
  received_ = std::move(received);
  sent_ = std::move(sent);
  last_number_ = last_number;
  deadline_ = kNever;
}

void AttachedClient::move_to(std::unique_ptr<GatewayRing> ring) {
  link_ = std::make_unique<RingLink>(std::move(ring), std::move(link_));
}

void AttachedClient::send(const FrameHeader& header, std::string_view body) {
  if (is_gone_ || is_closing_ || !has_room_for(kHeaderBytes + body.size())) return;
  append_frame(waiting_, header, body);
}

bool AttachedClient::has_room_for(std::size_t bytes) {
  const std::size_t limit = rights_ == nullptr ? kFrameBytesMax : rights_->queue_bytes;
  is_too_slow_ |= waiting_.size() - released_ + held_.size() + bytes > limit;
  return !is_too_slow_;
}

void AttachedClient::release(Part part) {
  for (bool goes_on = !is_gone_; goes_on;) {
    goes_on = false;
    const std::size_t end = part == Part::All ? waiting_.size() : marked_;
    while (released_ < end) {
      const std::span<const char> rest{waiting_.data() + released_, end - released_};
      const std::size_t length = frame_bytes(rest).value_or(rest.size());
      if (!link_->write(rest.first(length))) break;
      released_ += length;
      goes_on = true;
    }
    link_->flush();
    goes_on &= released_ < end && !link_->has_unsent();
  }
  forget_released();
}

void AttachedClient::discard_waiting() {
  waiting_.resize(released_);
  forget_released();
}

void AttachedClient::forget_released() {
  if (released_ == waiting_.size()) {
    waiting_.clear();
    if (waiting_.capacity() > kKeptBytes) std::vector<char>{}.swap(waiting_);
  } else if (released_ > kKeptBytes) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(released_));
  } else {
    return;
  }
  marked_ -= std::min(marked_, std::exchange(released_, 0));
}

void AttachedClient::deliver(const RoutedMessage& message) {
  if (is_gone_ || is_closing_ || is_too_slow_) return;
  MessagePlace& last = (message.is_sent ? sent_ : received_)[message.session];
  if (message.place <= last) return;
  last = message.place;
  const FrameHeader header{.kind = FrameKind::Message,
                           .flags = message.is_sent ? kFlagSent : std::uint16_t{0},
                           .session = index_of(message.session),
                           .epoch = message.place.epoch,
                           .msg_seq_num = message.place.msg_seq_num};
  if (replay_ == nullptr) return send(header, message.bytes);
  if (has_room_for(kHeaderBytes + message.bytes.size())) {
    append_frame(held_, header, message.bytes);
  }
}

bool AttachedClient::go_on_replaying() {
  if (replay_ == nullptr || is_closing_ || is_gone_) return false;
  // The client takes what it has before it gets more.
  if (has_unsent()) return false;
  const std::vector<char> frames = replay_->consume(kReplayBytes);
  waiting_.insert(waiting_.end(), frames.begin(), frames.end());
  if (!frames.empty() || !replay_->has_ended()) return false;
  if (!replay_->error().empty()) return true;
  replay_.reset();
  append_frame(waiting_, {.kind = FrameKind::CaughtUp}, {});
  waiting_.insert(waiting_.end(), held_.begin(), held_.end());
  std::vector<char>{}.swap(held_);
  return true;
}

void AttachedClient::close(CloseCode code, std::string_view why, MonoTime now) {
  if (is_closing_ || is_gone_) return;
  append_frame(waiting_, {.kind = FrameKind::Closed, .code = static_cast<std::uint32_t>(code)},
               why);
  is_closing_ = true;
  close_code_ = code;
  close_text_ = why;
  deadline_ = now + kClosedTimeout;
  replay_.reset();
}

void AttachedClient::drop(std::string_view why) {
  if (is_gone_) return;
  is_gone_ = true;
  if (!is_closing_) {
    close_code_ = CloseCode::ClientEnds;
    close_text_ = why;
  }
}

bool AttachedClient::is_done(MonoTime now) {
  if (is_too_slow_ && !is_closing_ && !is_gone_) {
    const std::size_t limit = rights_ == nullptr ? kFrameBytesMax : rights_->queue_bytes;
    close(CloseCode::TooSlow,
          fmt::format("the client reads too slowly: more than {} bytes wait for it", limit), now);
  }
  if (is_gone_) return true;
  return is_closing_ && (!has_unsent() || is_overdue(now));
}

}  // namespace nexusfix::gateway
