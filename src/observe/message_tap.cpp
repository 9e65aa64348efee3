#include "observe/api/message_tap.hpp"

#include <chrono>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace nexusfix::observe {
namespace {

// The head of a record. The session's name and the message follow it.
struct RecordHead {
  std::int64_t time_ns = 0;
  std::uint32_t session_bytes = 0;
  std::uint32_t loop = 0;
  MessageKind kind{};
};

void copy(std::byte*& to, std::string_view bytes) noexcept {
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  to += bytes.size();
}

}  // namespace

bool TapChannel::write(const LoggedMessage& message) noexcept {
  if (is_abandoned()) return false;
  if (!session_.empty() && session_ != message.session) return true;
  const std::size_t size = sizeof(RecordHead) + message.session.size() + message.bytes.size();
  const auto room = ring_.claim(size);
  if (!room) {
    lost_.fetch_add(1, std::memory_order_relaxed);
    return ++lost_in_row_ < kLostInRowMax;
  }
  lost_in_row_ = 0;
  const RecordHead head{.time_ns = message.time.time_since_epoch().count(),
                        .session_bytes = static_cast<std::uint32_t>(message.session.size()),
                        .loop = message.loop,
                        .kind = message.kind};
  std::byte* to = room->data();
  std::memcpy(to, &head, sizeof head);
  to += sizeof head;
  copy(to, message.session);
  copy(to, message.bytes);
  ring_.commit(size);
  return true;
}

LoggedMessage TapChannel::unpack(std::span<const std::byte> record) noexcept {
  RecordHead head;
  std::memcpy(&head, record.data(), sizeof head);
  const auto rest = record.subspan(sizeof head);
  // Valid: char may view the bytes of any object.
  const std::string_view text{reinterpret_cast<const char*>(rest.data()), rest.size()};
  return {.time = WallTime{std::chrono::nanoseconds{head.time_ns}},
          .session = text.substr(0, head.session_bytes),
          .bytes = text.substr(head.session_bytes),
          .loop = head.loop,
          .kind = head.kind};
}

MessageTap::~MessageTap() {
  for (const auto& channel : channels_) channel->end();
}

void MessageTap::add(std::shared_ptr<TapChannel> channel) {
  std::erase_if(channels_, [](const auto& one) { return one->is_abandoned(); });
  channels_.push_back(std::move(channel));
}

void MessageTap::write(const LoggedMessage& message) {
  std::erase_if(channels_, [&](const auto& one) {
    if (one->write(message)) return false;
    one->end();
    return true;
  });
  if (log_ != nullptr) log_->write(message);
}

}  // namespace nexusfix::observe
