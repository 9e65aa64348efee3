// A message as the checker parses it, with code that shares nothing with the engine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nexusfix::simulator {

struct WireMessage {
  std::string_view begin_string;
  std::string_view msg_type;
  std::string_view sender_comp_id;
  std::string_view target_comp_id;
  std::uint64_t msg_seq_num = 0;
  std::uint64_t new_seq_no = 0;
  std::uint64_t ref_seq_num = 0;  // 45
  std::string_view cl_ord_id;
  std::string_view text;
  bool poss_dup = false;
  bool gap_fill = false;    // 123=Y
  bool reset_flag = false;  // 141=Y
  // A hash of MsgType and body: a message and its resend have one fingerprint.
  std::uint64_t fingerprint = 0;

  [[nodiscard]] bool is_administrative() const noexcept {
    return msg_type.size() == 1 && std::string_view{"012345A"}.contains(msg_type.front());
  }
};

// The size of the message at the beginning of bytes; 0: more bytes are needed; nothing: they are no
// message.
[[nodiscard]] std::optional<std::size_t> wire_message_size(std::string_view bytes) noexcept;

// bytes: one message. Nothing: a field is malformed, or CheckSum or MsgSeqNum is wrong.
[[nodiscard]] std::optional<WireMessage> read_wire_message(std::string_view bytes) noexcept;

}  // namespace nexusfix::simulator
