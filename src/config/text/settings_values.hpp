// The values of the honoured keys: read strictly, or told what was expected.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/config/settings.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/store/journal.hpp>

#include "config/keys/config_keys.hpp"

namespace nexusfix::config {

// What a value should have been: empty if it is right.
[[nodiscard]] std::string expected_instead(Key key, std::string_view value);
// What else helps with a wrong one, after what was expected: empty, or "; ...".
[[nodiscard]] std::string hint_for(Key key, std::string_view value);
// What is remarkable about a right value: empty, or the words of a warning.
[[nodiscard]] std::string remark(Key key, std::string_view value);

// Y and N; y, n, true, false, 1 and 0 too.
[[nodiscard]] std::optional<bool> read_bool(std::string_view value) noexcept;
// Digits only.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view value) noexcept;
// Digits, with a point perhaps.
[[nodiscard]] std::optional<double> read_factor(std::string_view value) noexcept;
// Seconds, 1 to 86,400, or a list of them like QuickFIX/J's "5;30;60"; "3*10;60" is 10, 10, 10, 60.
// At most 100.
[[nodiscard]] std::optional<std::vector<std::chrono::seconds>> read_intervals(
    std::string_view value);
// Addresses and networks between commas or blanks; "localhost" is that of both families.
[[nodiscard]] std::optional<transport::AllowList> read_addresses(std::string_view value);
// AllowedCertificates between commas or blanks, in transport::certificate_identity()'s one form.
[[nodiscard]] std::optional<std::vector<std::string>> read_certificates(std::string_view value);
// AllowedUsernames, between commas; nothing: one of them can be no user.
[[nodiscard]] std::optional<std::vector<std::string>> read_usernames(std::string_view value);
// QuickFIX/J's LogonTag: "553=me". Not a field that the session layer writes itself.
struct LogonTag {
  std::uint32_t tag = 0;
  std::string_view value;
};
[[nodiscard]] std::optional<LogonTag> read_logon_tag(std::string_view value) noexcept;
// "2", or one for each event loop, "2,3": below 1,024, none twice.
[[nodiscard]] std::optional<std::vector<unsigned>> read_cpus(std::string_view value);
// The digits behind the second: from a number or from QuickFIX/J's words.
[[nodiscard]] std::optional<unsigned> read_precision(std::string_view value) noexcept;
[[nodiscard]] std::optional<observe::EventFormat> read_event_format(
    std::string_view value) noexcept;
// "0640": permission bits that leave the file to its owner.
[[nodiscard]] std::optional<unsigned> read_file_mode(std::string_view value) noexcept;

// Names between commas or blanks, a * after a part of one; nothing: one that cannot be a name, or
// is or may be the engine's own.
[[nodiscard]] std::optional<std::vector<std::string_view>> read_application_keys(
    std::string_view value);

// Tags between commas or blanks; none of 8, 9, 10 and 35.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_tags(std::string_view value);

// Versions of TLS, however an engine writes them: "TLSv1.2,TLSv1.3", "all -SSLv2", "Tls12". Older
// ones are known, and never spoken: a list of them alone has none.
struct TlsVersions {
  bool has_1_2 = false;
  bool has_1_3 = false;
};
[[nodiscard]] std::optional<TlsVersions> read_tls_versions(std::string_view value);

[[nodiscard]] std::optional<ThrottleAction> read_throttle_action(std::string_view value) noexcept;
// Refuse or Warn.
[[nodiscard]] std::optional<dictionary::DictionaryFaults> read_dictionary_faults(
    std::string_view value) noexcept;

[[nodiscard]] std::optional<InboundDelivery> read_inbound_delivery(std::string_view value) noexcept;

// none, process, group or sync.
[[nodiscard]] std::optional<store::Durability> read_durability(std::string_view value) noexcept;

// HH:MM:SS; and the name behind a blank, of the time zone that QuickFIX/J lets follow.
struct ZonedTime {
  std::chrono::seconds time_of_day{};
  std::string_view zone;
};
[[nodiscard]] std::optional<ZonedTime> read_time_of_day(std::string_view value) noexcept;
// English names of days of which the first two letters count, in any case.
[[nodiscard]] std::optional<std::chrono::weekday> read_day(std::string_view value) noexcept;
[[nodiscard]] std::optional<std::vector<std::chrono::weekday>> read_days(std::string_view value);
// 2026-12-25 and 20261225.
[[nodiscard]] std::optional<std::chrono::local_days> read_date(std::string_view value) noexcept;
[[nodiscard]] std::optional<std::set<std::chrono::local_days>> read_dates(std::string_view value);

// An application version as ApplVerID (1128) has it, or by name: "9", "FIX.5.0SP2".
[[nodiscard]] std::optional<char> read_appl_ver_id(std::string_view value) noexcept;

}  // namespace nexusfix::config
