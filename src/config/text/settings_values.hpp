// Reads values of a configuration, strictly. Unset: the value is invalid.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/convert.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// Y and N; y, n, true, false, 1 and 0 as well.
[[nodiscard]] std::optional<bool> read_bool(std::string_view value) noexcept;
// For a value that read_bool() can read.
[[nodiscard]] inline bool is_yes(std::string_view value) noexcept { return *read_bool(value); }
// Digits only.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view value) noexcept;
// Digits, with or without a point.
[[nodiscard]] std::optional<double> read_factor(std::string_view value) noexcept;
// The parts between blanks, commas and semicolons. They point into the text.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);
// Seconds, 1 to 86,400, or a list of them like QuickFIX/J's "5;30;60"; "3*10;60" is 10, 10, 10, 60.
// At most 100.
[[nodiscard]] std::optional<std::vector<std::chrono::seconds>> read_intervals(
    std::string_view value);
// Addresses and networks; "localhost" is that of both families.
[[nodiscard]] std::optional<transport::AllowList> read_addresses(std::string_view value);
// AllowedCertificates, in the form of transport::certificate_identity().
[[nodiscard]] std::optional<std::vector<std::string>> read_certificates(std::string_view value);
// AllowedUsernames, between commas alone: the name of a user may have blanks.
[[nodiscard]] std::optional<std::vector<std::string>> read_usernames(std::string_view value);
// QuickFIX/J's LogonTag: "553=me". Not a field that the session layer writes itself.
struct LogonTag {
  std::uint32_t tag = 0;
  std::string_view value;
};
[[nodiscard]] std::optional<LogonTag> read_logon_tag(std::string_view value) noexcept;
// "96=base64(ed25519({35}|{49}|{52}))": the field, its form, the algorithm, and the text that is
// signed. A vertical bar stands for SOH, braces for the value of a field, or {key}.
[[nodiscard]] std::optional<LogonSignature> read_logon_signature(std::string_view value);
// "file:venue.pem", "env:SECRET" or "command:pass show venue", perhaps after "base64:" or "hex:".
struct LogonKey {
  LogonSignature::KeyForm form = LogonSignature::KeyForm::Plain;
  bool is_url = false;  // base64url
  std::string_view place;
};
[[nodiscard]] std::optional<LogonKey> read_logon_key(std::string_view value) noexcept;
// "5025={time-ms}". {time-ms}, {time-ms+5000} and {random} stand for values.
struct LogonNonce {
  std::uint32_t tag = 0;
  std::vector<LogonTextPart> parts;
};
[[nodiscard]] std::optional<LogonNonce> read_logon_nonce(std::string_view value);
// "2", or one for each event loop, "2,3": below 1,024, each once.
[[nodiscard]] std::optional<std::vector<unsigned>> read_cpus(std::string_view value);
// The digits after the second: a number or QuickFIX/J's words.
[[nodiscard]] std::optional<unsigned> read_precision(std::string_view value) noexcept;
// The precision, rounded up to one that SendingTime can have.
[[nodiscard]] std::optional<wire::TimePrecision> read_time_precision(
    std::string_view value) noexcept;
[[nodiscard]] std::optional<observe::EventFormat> read_event_format(
    std::string_view value) noexcept;
// "0640": permission bits that let the owner read and write.
[[nodiscard]] std::optional<unsigned> read_file_mode(std::string_view value) noexcept;

// Names, each with or without a * at its end, that are none of the engine's own keys.
[[nodiscard]] std::optional<std::vector<std::string_view>> read_application_keys(
    std::string_view value);

// Tags without 8, 9, 10 and 35.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> read_tags(std::string_view value);
// "D:20, F:50": MsgTypes of application messages, each once, with 1 to 1,000,000 messages.
[[nodiscard]] std::optional<std::vector<OutboundLimitSettings::TypeLimit>> read_type_limits(
    std::string_view value);
// "desk.example.com,[::1]": without brackets, in lower case.
[[nodiscard]] std::optional<std::vector<std::string>> read_host_names(std::string_view value);

// A name of 1 to 63 letters, digits, '-', '_' and '.'.
[[nodiscard]] std::optional<std::string> read_cluster_word(std::string_view value);
// "http://etcd-a:2379,http://[::1]:2379": the scheme may be missing, and the port, which is 2379.
[[nodiscard]] std::optional<std::vector<EtcdEndpoint>> read_etcd_endpoints(std::string_view value);

// Versions of TLS in the spelling of any engine: "TLSv1.2,TLSv1.3", "all -SSLv2", "Tls12". Older
// versions are known, and never used: a list of them alone has neither.
struct TlsVersions {
  bool has_1_2 = false;
  bool has_1_3 = false;
};
[[nodiscard]] std::optional<TlsVersions> read_tls_versions(std::string_view value);

// HH:MM:SS, and the name of a time zone that QuickFIX/J allows after it.
struct ZonedTime {
  std::chrono::seconds time_of_day{};
  std::string_view zone;  // empty: none
};
[[nodiscard]] std::optional<ZonedTime> read_time_of_day(std::string_view value) noexcept;
// An English name of a day, in any case. Only its first two letters are significant.
[[nodiscard]] std::optional<std::chrono::weekday> read_day(std::string_view value) noexcept;
[[nodiscard]] std::optional<std::vector<std::chrono::weekday>> read_days(std::string_view value);
// 2026-12-25 and 20261225.
[[nodiscard]] std::optional<std::chrono::local_days> read_date(std::string_view value) noexcept;
[[nodiscard]] std::optional<std::set<std::chrono::local_days>> read_dates(std::string_view value);

// An application version as in ApplVerID (1128), or its name: "9", "FIX.5.0SP2".
[[nodiscard]] std::optional<char> read_appl_ver_id(std::string_view value) noexcept;

}  // namespace nexusfix::config
