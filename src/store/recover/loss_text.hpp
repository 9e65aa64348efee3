// What damage means for a session, in words.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/store.hpp>

#include "store/api/session_table.hpp"
#include "store/scan/damaged_log.hpp"

namespace nexusfix::store {

[[nodiscard]] std::string range_text(NumberRange range);
[[nodiscard]] std::string loss_text(const SessionTable& sessions, const SessionLoss& loss);
// For damage that may concern any session's numbers.
[[nodiscard]] std::string unknown_loss_text();
// A repair puts this text where damaged bytes were, cut to their length. The full text is kept at
// the end of the log.
inline constexpr std::string_view kFillerText = "damaged bytes were taken out: ";
[[nodiscard]] bool is_filler(std::string_view text) noexcept;
// The error of an intact record that cannot follow the records before it.
[[nodiscard]] StoreError contradiction(const std::string& folder, const SegmentHeader& segment,
                                       const Record& record, std::string_view reason);

}  // namespace nexusfix::store
