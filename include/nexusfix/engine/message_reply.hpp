// An application's answer to a message of the counterparty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::engine {

// A text of bounded length in the object itself: no allocation, and no lifetime to care for. A
// longer text is truncated.
template <std::size_t kBytesMax>
class HeldText {
 public:
  HeldText() noexcept {}
  explicit HeldText(std::string_view text) noexcept { assign(text); }
  // Copies only the bytes that are used.
  HeldText(const HeldText& other) noexcept { assign(other.view()); }
  HeldText& operator=(const HeldText& other) noexcept {
    if (this != &other) assign(other.view());
    return *this;
  }
  ~HeldText() = default;

  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static_assert(kBytesMax <= UINT16_MAX);
  void assign(std::string_view text) noexcept {
    size_ = static_cast<std::uint16_t>(text.copy(bytes_.data(), kBytesMax));
  }
  std::uint16_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

// Accepts, or rejects with a reason. Holds a copy of the texts.
class MessageReply {
 public:
  using Kind = session::DeliveryDecision::Kind;
  static constexpr std::size_t kTextBytesMax = 512;
  static constexpr std::size_t kRefIdBytesMax = 256;

  // Accepted. Not defaulted: `{}` would then zero the unused bytes of the texts.
  MessageReply() noexcept {}
  MessageReply(Kind kind, unsigned reason, wire::Tag ref_tag, std::string_view text,
               std::string_view ref_id = {}) noexcept
      : kind_{kind}, reason_{reason}, ref_tag_{ref_tag}, text_{text}, ref_id_{ref_id} {}

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] bool accepts() const noexcept { return kind_ == Kind::Accept; }
  [[nodiscard]] unsigned reason() const noexcept { return reason_; }
  [[nodiscard]] wire::Tag ref_tag() const noexcept { return ref_tag_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_.view(); }
  [[nodiscard]] std::string_view ref_id() const noexcept { return ref_id_.view(); }

 private:
  Kind kind_ = Kind::Accept;
  unsigned reason_ = 0;
  wire::Tag ref_tag_ = 0;
  HeldText<kTextBytesMax> text_;
  HeldText<kRefIdBytesMax> ref_id_;
};

[[nodiscard]] inline MessageReply accept() noexcept { return {}; }

// Answers with a BusinessMessageReject (j), before FIX 4.2 with a Reject. reason:
// BusinessRejectReason (380); ref_tag: RefTagID (371), 0: none; text: Text (58), empty: the
// reason's own; ref_id: BusinessRejectRefID (379), the rejected message's own ID (such as a
// ClOrdID), empty: none. The message counts as received.
[[nodiscard]] MessageReply business_reject(unsigned reason, wire::Tag ref_tag,
                                           std::string_view text,
                                           std::string_view ref_id = {}) noexcept;
// Answers with a Reject (3). reason: SessionRejectReason (373).
[[nodiscard]] MessageReply session_reject(unsigned reason, wire::Tag ref_tag,
                                          std::string_view text) noexcept;
[[nodiscard]] MessageReply unsupported_message_type() noexcept;
[[nodiscard]] MessageReply reject_for(const wire::FieldError& error) noexcept;

}  // namespace nexusfix::engine
