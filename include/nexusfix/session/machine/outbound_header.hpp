// The standard header of our messages, and what depends on the version in them. Not for
// applications.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/session/machine/sequence_numbers.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::session::detail {

class OutboundHeader {
 public:
  explicit OutboundHeader(const SessionConfig& config);
  // Another configuration of the same identity.
  void configure(const SessionConfig& config) noexcept;

  [[nodiscard]] const VersionTraits& version() const noexcept { return *version_; }
  [[nodiscard]] wire::TimePrecision precision() const noexcept { return precision_; }

  // Fields of a message that is sent for the first time.
  [[nodiscard]] wire::MessageHeader fields(std::string_view msg_type, std::uint64_t msg_seq_num,
                                           WallTime sending_time) const noexcept {
    return {.msg_type = msg_type,
            .msg_seq_num = msg_seq_num,
            .sending_time = sending_time,
            .precision = precision_,
            .poss_dup = false,
            .poss_resend = false,
            .orig_sending_time = {}};
  }
  // An encoder that has written the header. Inlined, so that the fields are not written to memory
  // and read again.
  [[nodiscard, gnu::always_inline]] wire::Encoder begin(std::span<char> buffer,
                                                        const wire::MessageHeader& fields,
                                                        const SequenceNumbers& numbers) noexcept {
    wire::Encoder encoder{buffer, template_, fields};
    if (sends_last_processed_) write_last_processed(encoder, numbers.next_inbound());
    return encoder;
  }

 private:
  static void write_last_processed(wire::Encoder& encoder, std::uint64_t next_inbound) noexcept;

  wire::HeaderTemplate template_;
  const VersionTraits* version_;
  wire::TimePrecision precision_ = wire::TimePrecision::Millis;
  bool sends_last_processed_ = false;
};

}  // namespace nexusfix::session::detail
