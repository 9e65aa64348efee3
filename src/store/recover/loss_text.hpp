// What damage means for a session, in words.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/store/store.hpp>

#include "store/scan/damaged_log.hpp"
#include "store/state/session_table.hpp"

namespace nexusfix::store {

[[nodiscard]] std::string range_text(NumberRange range);
[[nodiscard]] std::string loss_text(const SessionTable& sessions, const SessionLoss& loss);
// Of damage whose place in the sessions' numbers is not known.
[[nodiscard]] std::string unknown_loss_text();
// What a repair puts where damaged bytes were, before it is cut to their length; what was done is
// kept in full at the log's end.
inline constexpr std::string_view kFillerText = "damaged bytes were taken out: ";
[[nodiscard]] bool is_filler(std::string_view text) noexcept;
// An intact record that cannot follow the ones before it.
[[nodiscard]] StoreError contradiction(const std::string& folder, const SegmentHeader& segment,
                                       const Record& record, std::string_view reason);

}  // namespace nexusfix::store
