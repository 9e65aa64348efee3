// Makes many messages that differ in their numbers and a count.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tester/script/message_text.hpp"

namespace nexusfix::tester {

// Which of the messages of a template this is, and when it was sent first, if it is sent again.
struct Made {
  std::uint64_t msg_seq_num = 0;
  std::uint64_t count = 0;
  WallTime now{};
  std::optional<WallTime> orig_sending_time{};  // then PossDupFlag is Y, too
};

class MessageTemplate {
 public:
  // text: fields of a script, MsgType first. The value of the field with this tag becomes the run's
  // name and the count. Nothing: the field is missing.
  [[nodiscard]] static std::expected<MessageTemplate, std::string> make(std::string_view text,
                                                                        std::string_view tag,
                                                                        std::string_view run,
                                                                        const Writer& writer,
                                                                        const Meaning& meaning);

  // The whole message. Valid until the next call.
  [[nodiscard]] std::string_view bytes(const Made& made);
  // The count in a value that this template has made. Nothing: it has not.
  [[nodiscard]] std::optional<std::uint64_t> count_in(std::string_view value) const;
  // The tag whose value has the count.
  [[nodiscard]] const std::string& tag() const noexcept { return tag_; }

 private:
  std::string tag_;
  std::string prefix_;  // of the value with the count
  std::string begin_;   // "8=FIX.4.4|9="
  std::string type_;    // "35=D|34="
  std::string sender_;  // "49=A|52="
  std::string target_;  // "56=B|", and more of the header
  std::string before_;  // the fields before the count
  std::string after_;   // and after it
  bool with_milliseconds_ = true;
  std::string body_;
  std::string bytes_;
};

}  // namespace nexusfix::tester
