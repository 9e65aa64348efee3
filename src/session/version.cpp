#include <array>

#include "session/api/config.hpp"

namespace nexusfix::session {
namespace {

// EndSeqNo 999999 is FIX 4.0's and 4.1's way to say "and everything after"; FIX 4.2, ResendRequest,
// made it 0. Reasons: FIX 4.2 defines 0 to 11, FIX 4.3 added 12 to 17, FIX 4.4 added 99,
// FIXT 1.1 added 18.
constexpr std::array kVersions{
    VersionTraits{.begin_string = "FIX.4.0", .resend_to_infinity = 999'999},
    VersionTraits{.begin_string = "FIX.4.1",
                  .resend_to_infinity = 999'999,
                  .has_reset_seq_num_flag = true,
                  .has_location_ids = true},
    VersionTraits{.begin_string = "FIX.4.2",
                  .reject_reason_max = 11,
                  .has_reject_reasons = true,
                  .has_business_reject = true,
                  .has_reset_seq_num_flag = true,
                  .has_location_ids = true,
                  .has_fractional_seconds = true,
                  .has_last_processed = true},
    VersionTraits{.begin_string = "FIX.4.3",
                  .reject_reason_max = 17,
                  .has_reject_reasons = true,
                  .has_business_reject = true,
                  .has_reset_seq_num_flag = true,
                  .has_location_ids = true,
                  .has_fractional_seconds = true,
                  .has_last_processed = true},
    VersionTraits{.begin_string = "FIX.4.4",
                  .reject_reason_max = 17,
                  .has_reject_reasons = true,
                  .has_reject_reason_other = true,
                  .has_business_reject = true,
                  .has_reset_seq_num_flag = true,
                  .has_location_ids = true,
                  .has_fractional_seconds = true,
                  .has_last_processed = true,
                  .has_next_expected = true},
    VersionTraits{.begin_string = "FIXT.1.1",
                  .reject_reason_max = 18,
                  .has_reject_reasons = true,
                  .has_reject_reason_other = true,
                  .has_business_reject = true,
                  .has_reset_seq_num_flag = true,
                  .has_location_ids = true,
                  .has_default_appl_ver_id = true,
                  .has_fractional_seconds = true,
                  .has_last_processed = true,
                  .has_next_expected = true,
                  .has_session_status = true},
};

}  // namespace

const VersionTraits* find_version(std::string_view begin_string) noexcept {
  for (const VersionTraits& version : kVersions) {
    if (version.begin_string == begin_string) return &version;
  }
  return nullptr;
}

wire::TimePrecision effective_precision(const VersionTraits& version,
                                        wire::TimePrecision wanted) noexcept {
  return version.has_fractional_seconds ? wanted : wire::TimePrecision::Seconds;
}

}  // namespace nexusfix::session
