// Texts that are made for the event being handled; they live until the next one. Not for
// applications.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session::detail {

class EventTexts {
 public:
  static constexpr std::size_t kTextBytesMax = 160;

  struct Memory {
    std::array<char, kTextBytesMax> compared{};
    std::array<char, 10> ref_tag{};
    std::array<char, 3 * kTextBytesMax> noted{};  // each text has its own part of it
  };

  explicit EventTexts(Memory& memory) noexcept : memory_{&memory} {}

  void clear() noexcept { noted_size_ = 0; }

  // "what, expecting X but received Y". One an event.
  [[nodiscard]] std::string_view compared(std::string_view what, std::uint64_t expected,
                                          std::uint64_t received) noexcept;
  // RefTagID as it is sent. One an event.
  [[nodiscard]] std::string_view ref_tag(wire::Tag tag) noexcept;
  // The text and, in parentheses, the tag if there is one. An event may have several such texts.
  [[nodiscard]] std::string_view with_tag(std::string_view text, std::string_view ref_tag) noexcept;
  // For a tag that is not sent as RefTagID: cut, and ? for what is not printable.
  [[nodiscard]] std::string_view with_unreadable_tag(std::string_view text,
                                                     std::string_view tag_text) noexcept;
  // "SendingTime is 312 s before our clock".
  [[nodiscard]] std::string_view sending_time(WallTime sending_time, WallTime now) noexcept;
  // Both CompIDs of a message that are not those of the session.
  [[nodiscard]] std::string_view comp_ids(const wire::MessageView& message,
                                          const SessionId& id) noexcept;
  // What a Reject of the counterparty says, for a Notice.
  [[nodiscard]] std::string_view of_reject(const wire::MessageView& message) noexcept;

 private:
  // The parts, one after the other; empty: there is no room for them.
  [[nodiscard]] std::string_view joined(std::initializer_list<std::string_view> parts) noexcept;

  Memory* memory_;
  std::size_t noted_size_ = 0;
};

}  // namespace nexusfix::session::detail
