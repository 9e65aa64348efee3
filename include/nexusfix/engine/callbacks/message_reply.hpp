// An application's answer to a message of the counterparty.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/session/decisions.hpp>
#include <nexusfix/session/reject_reason.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::engine {

// A text of bounded length in the object itself: no allocation, and no lifetime to care for. A
// longer text is truncated.
template <std::size_t kBytesMax>
class HeldText {
 public:
  HeldText() noexcept {}  // an empty text
  // A copy of the first kBytesMax bytes of text.
  explicit HeldText(std::string_view text) noexcept { assign(text); }
  // Copies only the bytes that are used.
  HeldText(const HeldText& other) noexcept { assign(other.view()); }
  // Copies only the bytes that are used.
  HeldText& operator=(const HeldText& other) noexcept {
    if (this != &other) assign(other.view());
    return *this;
  }
  ~HeldText() = default;

  // The text. Valid until this object is assigned to or destroyed.
  [[nodiscard]] std::string_view view() const noexcept { return {bytes_.data(), size_}; }

 private:
  static_assert(kBytesMax <= UINT16_MAX);
  void assign(std::string_view text) noexcept {
    size_ = static_cast<std::uint16_t>(text.copy(bytes_.data(), kBytesMax));
  }
  std::uint16_t size_ = 0;
  std::array<char, kBytesMax> bytes_;
};

// Accepts a message, or rejects it with a reason. Holds a copy of the texts. accept(),
// business_reject(), session_reject(), reject_for() and unsupported_message_type() make one.
class MessageReply {
 public:
  // The kinds of replies: Accept, RejectBusiness, RejectSession.
  using Kind = session::DeliveryDecision::Kind;
  static constexpr std::size_t kTextBytesMax = 512;   // a longer text is truncated
  static constexpr std::size_t kRefIdBytesMax = 256;  // a longer ID is truncated

  // Accepts. Not defaulted: `{}` would then zero the unused bytes of the texts.
  MessageReply() noexcept {}
  // A reply with these values; copies the texts.
  MessageReply(Kind kind, unsigned reason, wire::Tag ref_tag, std::string_view text,
               std::string_view ref_id = {}) noexcept
      : kind_{kind}, reason_{reason}, ref_tag_{ref_tag}, text_{text}, ref_id_{ref_id} {}

  // Whether the engine accepts the message, or which reject it sends.
  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // Whether the reply sends no reject.
  [[nodiscard]] bool accepts() const noexcept { return kind_ == Kind::Accept; }
  // BusinessRejectReason (380) or SessionRejectReason (373), by kind().
  [[nodiscard]] unsigned reason() const noexcept { return reason_; }
  // RefTagID (371); 0: none.
  [[nodiscard]] wire::Tag ref_tag() const noexcept { return ref_tag_; }
  // Text (58); empty: the reason's own. Valid as long as this object.
  [[nodiscard]] std::string_view text() const noexcept { return text_.view(); }
  // BusinessRejectRefID (379); empty: none. Valid as long as this object.
  [[nodiscard]] std::string_view ref_id() const noexcept { return ref_id_.view(); }

 private:
  Kind kind_ = Kind::Accept;
  unsigned reason_ = 0;
  wire::Tag ref_tag_ = 0;
  HeldText<kTextBytesMax> text_;
  HeldText<kRefIdBytesMax> ref_id_;
};

// Accepts the message: the engine sends no reject.
[[nodiscard]] inline MessageReply accept() noexcept { return {}; }

// Answers with a BusinessMessageReject (j), before FIX 4.2 with a Reject (3). reason:
// BusinessRejectReason (380); ref_tag: RefTagID (371), 0: none; text: Text (58), empty: the
// reason's own; ref_id: BusinessRejectRefID (379), the rejected message's own ID (such as a
// ClOrdID), empty: none. The message counts as received. A text with SOH is replaced by the
// reason's own, and an ID with SOH is left out.
[[nodiscard]] MessageReply business_reject(unsigned reason, wire::Tag ref_tag,
                                           std::string_view text,
                                           std::string_view ref_id = {}) noexcept;
// A reject with a reason by its name: business_reject(session::BusinessRejectReason::Other, 0,
// text).
[[nodiscard]] inline MessageReply business_reject(session::BusinessRejectReason reason,
                                                  wire::Tag ref_tag, std::string_view text,
                                                  std::string_view ref_id = {}) noexcept {
  return business_reject(static_cast<unsigned>(reason), ref_tag, text, ref_id);
}
// Does not compile: a reason or the tag is missing.
template <class... Arguments>
  requires(sizeof...(Arguments) < 3)
MessageReply business_reject(const Arguments&...) noexcept {
  static_assert(wire::detail::kCompiles<Arguments...>,
                "a reject has a reason, the tag of the field at fault or 0, and a text: "
                "business_reject(0, 0, text), session_reject(5, tag::Price, text)");
  return {};
}
// Answers with a Reject (3). reason: SessionRejectReason (373); ref_tag and text as in
// business_reject(). The message counts as received.
[[nodiscard]] MessageReply session_reject(unsigned reason, wire::Tag ref_tag,
                                          std::string_view text) noexcept;
// A reject with a reason by its name: session::SessionRejectReason::ValueIncorrect.
[[nodiscard]] inline MessageReply session_reject(session::SessionRejectReason reason,
                                                 wire::Tag ref_tag,
                                                 std::string_view text) noexcept {
  return session_reject(static_cast<unsigned>(reason), ref_tag, text);
}
// Does not compile, as business_reject() without a reason or a tag.
template <class... Arguments>
  requires(sizeof...(Arguments) < 3)
MessageReply session_reject(const Arguments&... arguments) noexcept {
  return business_reject(arguments...);
}
// A BusinessMessageReject with BusinessRejectReason 3, as the engine answers a message type that
// the application does not handle.
[[nodiscard]] MessageReply unsupported_message_type() noexcept;
// The Reject for a typed field that could not be read: SessionRejectReason (373) 1, 4, 5 or 6, with
// the field's tag as RefTagID (371).
[[nodiscard]] MessageReply reject_for(const wire::FieldError& error) noexcept;

}  // namespace nexusfix::engine
