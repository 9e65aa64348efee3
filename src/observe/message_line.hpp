// A message as a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "observe/masking.hpp"

namespace nexusfix::observe {

enum class Direction : std::uint8_t { In, Out };

// A message on its way into a log file; observe::LoggedMessage is what a program receives.
struct MessageToLog {
  WallTime time{};
  Direction direction = Direction::In;
  bool is_garbled = false;
  std::string_view bytes{};
  std::size_t cut_bytes = 0;  // the number of bytes that followed and are not here
};

[[nodiscard]] bool is_heartbeat(std::string_view message) noexcept;

// "20240115-10:30:00.123456789 IN : 8=FIX.4.4<SOH>..." and a line feed. Before the colon may be
//   GARBLED  the bytes are no message;
//   MASKED   passwords are replaced by ***, and BodyLength and CheckSum are adapted;
//   ESCAPED  the bytes have control bytes other than SOH, which could break the line or control a
//            terminal: they are written as \xNN, and a backslash as two. Without this word all
//            bytes are unchanged.
class MessageLine {
 public:
  explicit MessageLine(Masking masking) : masking_{std::move(masking)} {}

  // Call it once for each message, in order. Masks what must not be shown. The message's bytes must
  // be valid until it is appended.
  void take(const MessageToLog& message);
  // Whether a value was masked.
  [[nodiscard]] bool is_masked() const noexcept { return is_masked_; }
  // For a file. digits: of the fraction of a second; null: the line has no time.
  void append_to_file(std::string& to, const unsigned* digits) const;
  // For the screen: "20240115-10:30:00.123 IN FIX.4.4:VENUE->TRADER 8=FIX.4.4|...".
  void append_to_screen(std::string& to, std::string_view session, unsigned digits) const;

 private:
  Masking masking_;
  MessageToLog message_;
  bool is_masked_ = false;
  std::string masked_;
};

}  // namespace nexusfix::observe
