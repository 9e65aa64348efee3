// What a SequenceReset says, in both modes.
#pragma once

#include <cstdint>

#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session::detail {

struct NewSeqNo {
  std::uint64_t value = 0;
  unsigned reject_reason = 0;  // only if value is 0
};

[[nodiscard]] NewSeqNo new_seq_no_of(const wire::MessageView& message) noexcept;
[[nodiscard]] bool has_gap_fill_flag_form(const wire::MessageView& message) noexcept;

}  // namespace nexusfix::session::detail
