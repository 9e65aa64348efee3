// One message as one line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/time.hpp>

#include "observe/masking.hpp"

namespace nexusfix::observe {

enum class Direction : std::uint8_t { In, Out };

struct LoggedMessage {
  WallTime time{};
  Direction direction = Direction::In;
  bool is_garbled = false;
  std::string_view bytes{};
  std::size_t cut_bytes = 0;  // that followed, and are not there
};

[[nodiscard]] bool is_heartbeat(std::string_view message) noexcept;

// "20240115-10:30:00.123456789 IN : 8=FIX.4.4<SOH>..." and a line feed. In front of the colon stand
//   GARBLED  the bytes are no message;
//   MASKED   *** stands in the place of passwords, and BodyLength and CheckSum are made to fit;
//   ESCAPED  the bytes hold control bytes other than SOH, which would break the line or command a
//            terminal: here they are \xNN, and a backslash is two. Without the word a backslash is
//            one, and all bytes are as they were.
class MessageLine {
 public:
  explicit MessageLine(Masking masking) : masking_{std::move(masking)} {}

  // Every message once, in order: masks what must not be shown. Its bytes live until it was
  // appended.
  void take(const LoggedMessage& message);
  // Whether it has what must not be shown.
  [[nodiscard]] bool is_masked() const noexcept { return is_masked_; }
  // For a file. digits: behind the second; nothing: without a time.
  void append_to_file(std::string& to, const unsigned* digits) const;
  // For the screen: "20240115-10:30:00.123 IN FIX.4.4:VENUE->TRADER 8=FIX.4.4|...".
  void append_to_screen(std::string& to, std::string_view session, unsigned digits) const;

 private:
  Masking masking_;
  LoggedMessage message_;
  bool is_masked_ = false;
  std::string masked_;
};

}  // namespace nexusfix::observe
