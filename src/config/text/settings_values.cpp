#include "config/text/settings_values.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include <nexusfix/base/ascii.hpp>
#include <nexusfix/config/username.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/tls.hpp>
#include <nexusfix/wire/typed/dispatch.hpp>

namespace nexusfix::config {
namespace {

struct NumberRule {
  Key key;
  std::uint64_t min;
  std::uint64_t max;
  std::string_view what;
};

constexpr std::string_view kSeconds = "a whole number of seconds";
constexpr std::string_view kPort = "a port";
constexpr std::string_view kBytes = "a whole number of bytes";
constexpr std::string_view kNumber = "a whole number";
constexpr std::uint64_t kEventLoopsMax = 64;

constexpr NumberRule kNumbers[] = {
    {Key::HeartBtInt, 0, 3'600, kSeconds},
    {Key::MinHeartBtInt, 0, 3'600, kSeconds},
    {Key::MaxHeartBtInt, 0, 3'600, kSeconds},
    {Key::MaxSequenceJump, 1, 1'000'000'000, kNumber},
    {Key::LogonTimeout, 1, 3'600, kSeconds},
    {Key::LogoutTimeout, 1, 3'600, kSeconds},
    {Key::MaxLatency, 1, 86'400, kSeconds},
    {Key::SocketConnectPort, 1, 65'535, kPort},
    {Key::SocketAcceptPort, 0, 65'535, kPort},
    {Key::SocketConnectTimeout, 0, 3'600, kSeconds},
    {Key::HostSelectionPolicyPriorityStartOverInterval, 0, 86'400, kSeconds},
    {Key::ReconnectJitter, 0, 90, "a whole number of hundredths"},
    {Key::SocketConnectSourcePort, 0, 65'535, kPort},
    {Key::SocketLocalPort, 0, 65'535, kPort},
    {Key::ProxyPort, 1, 65'535, kPort},
    {Key::MaxPendingLogons, 0, 1'000'000, kNumber},
    {Key::MaxPendingLogonsPerAddress, 0, 1'000'000, kNumber},
    {Key::MaxQueuedBytes, 65'536, 4'000'000'000, kBytes},
    {Key::MaxBufferedBytes, 1'048'576, 1'000'000'000'000, kBytes},
    {Key::SlowConsumerTimeout, 1, 3'600, kSeconds},
    {Key::MaxMessageSize, 1'024, 67'108'864, kBytes},
    {Key::MaxLogonSize, 256, 1'048'576, kBytes},
    {Key::DynamicSessionsMax, 0, 50'000, kNumber},
    {Key::DynamicSessionsMaxPerAddress, 0, 50'000, kNumber},
    {Key::EventLoops, 1, kEventLoopsMax, kNumber},
    {Key::EventLoop, 0, kEventLoopsMax - 1, kNumber},
    {Key::LogonMaxLateness, 0, 60'000, "a whole number of milliseconds"},
    {Key::SocketSendBufferSize, 0, 1'000'000'000, kBytes},
    {Key::SocketReceiveBufferSize, 0, 1'000'000'000, kBytes},
    {Key::SocketTrafficClass, 0, 255, kNumber},
    {Key::MaxGarbledPerSecond, 1, 1'000'000, kNumber},
    {Key::MaxAdminMessagesPerSecond, 1, 1'000'000, kNumber},
    {Key::MaxRejectsPerSecond, 1, 1'000'000, kNumber},
    {Key::CertificateVerifyLevel, 0, 2, kNumber},
    {Key::AuthenticationTimeout, 1, 3'600, kSeconds},
    {Key::MaxLogonFailures, 0, 1'000, kNumber},
    {Key::LogonLockout, 1, 3'600, kSeconds},
    {Key::MaxLogonFailuresPerAddress, 0, 1'000'000, kNumber},
    {Key::LogonFailuresInterval, 1, 86'400, kSeconds},
    {Key::MaxLogonsBeingChecked, 1, 10'000, kNumber},
    {Key::ResendRequestChunkSize, 0, 1'000'000'000, kNumber},
    {Key::ResendTimeout, 1, 3'600, kSeconds},
    {Key::MaxResendMessages, 0, 1'000'000'000, kNumber},
    {Key::MaxResendsPerSecond, 0, 1'000'000'000, kNumber},
    {Key::MaxResendRepeats, 0, 1'000'000'000, kNumber},
    {Key::MaxResendAge, 0, 31'536'000, kSeconds},
    {Key::MaxHeldBytes, 0, 1'000'000'000, kBytes},
    {Key::ThrottleMessages, 0, 1'000'000, kNumber},
    {Key::ThrottleInterval, 1, 3'600, kSeconds},
    {Key::DisconnectNoticeDelay, 0, 86'400, kSeconds},
    {Key::MaxMessagesInResendRequest, 0, 1'000'000'000, kNumber},
    {Key::JournalGroupMicros, 0, 1'000'000, "a whole number of microseconds"},
    {Key::JournalNumbersAhead, 1, 1'000'000'000, kNumber},
    {Key::JournalStallTimeout, 1, 3'600, kSeconds},
    {Key::JournalScrubBytesPerSecond, 0, 100'000'000'000, kBytes},
    {Key::JournalKeepBytes, 0, 1'000'000'000'000'000, "a whole number of bytes"},
    {Key::JournalKeepDays, 0, 36'500, "a whole number of days"},
    {Key::PostgreSQLStorePort, 0, 65'535, kNumber},
    {Key::PostgreSQLStoreConnectTimeout, 1, 3'600, kSeconds},
    {Key::PostgreSQLStoreAnswerTimeout, 1, 3'600, kSeconds},
    {Key::PostgreSQLStoreOutageTimeout, 1, 86'400, kSeconds},
    {Key::PostgreSQLStoreLockTimeout, 1, 3'600, kSeconds},
    {Key::PostgreSQLStorePeerTimeout, 3, 3'600, kSeconds},
    {Key::LogMaxBytes, 0, 1'000'000'000'000'000, kBytes},
    {Key::LogKeepFiles, 0, 1'000'000, kNumber},
    {Key::LogMinFreeBytes, 0, 1'000'000'000'000'000, kBytes},
    {Key::LogQueueBytes, 65'536, 1'073'741'824, kBytes},
};

constexpr double kFactorMax = 100.0;
constexpr std::size_t kTextMax = 255;
constexpr std::size_t kPathMax = 3'000;  // leaves room under PATH_MAX for the names in a folder

std::string expected_number(const NumberRule& rule, std::string_view value) {
  const std::optional<std::uint64_t> number = read_number(value);
  if (number && *number >= rule.min && *number <= rule.max) return {};
  return std::string{rule.what} + " from " + std::to_string(rule.min) + " to " +
         std::to_string(rule.max);
}

bool is_text(std::string_view value) noexcept { return !value.empty() && value.size() <= kTextMax; }

// Parts between blanks and commas.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" ,;\t"), text.size()));
    if (text.empty()) return words;
    const std::size_t end = std::min(text.find_first_of(" ,;\t"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string unless(bool right, std::string_view expected) {
  return right ? std::string{} : std::string{expected};
}

}  // namespace

std::optional<bool> read_bool(std::string_view value) noexcept {
  for (const std::string_view yes : {"Y", "true", "1"}) {
    if (equals_ignoring_case(value, yes)) return true;
  }
  for (const std::string_view no : {"N", "false", "0"}) {
    if (equals_ignoring_case(value, no)) return false;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> read_number(std::string_view value) noexcept {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<double> read_factor(std::string_view value) noexcept {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
  // Words such as nan and inf are numbers to from_chars.
  const bool digits_only = value.find_first_not_of("0123456789.") == std::string_view::npos;
  if (error != std::errc{} || stop != end || !digits_only) return std::nullopt;
  return number;
}

std::optional<std::vector<std::chrono::seconds>> read_intervals(std::string_view value) {
  constexpr std::size_t kCountMax = 100;
  constexpr std::uint64_t kIntervalMax = 86'400;
  std::vector<std::chrono::seconds> intervals;
  while (true) {
    const std::size_t end = std::min(value.find(';'), value.size());
    std::string_view one = value.substr(0, end);
    std::uint64_t times = 1;
    if (const std::size_t star = one.find('*'); star != std::string_view::npos) {
      times = read_number(one.substr(0, star)).value_or(0);
      one.remove_prefix(star + 1);
    }
    const auto interval = read_number(one);
    const bool is_right = interval && *interval >= 1 && *interval <= kIntervalMax && times >= 1 &&
                          times <= kCountMax - intervals.size();
    if (!is_right) return std::nullopt;
    intervals.insert(intervals.end(), static_cast<std::size_t>(times),
                     std::chrono::seconds{static_cast<std::int64_t>(*interval)});
    if (end == value.size()) return intervals;
    value.remove_prefix(end + 1);
  }
}

std::optional<LogonTag> read_logon_tag(std::string_view value) noexcept {
  constexpr std::uint64_t kTagMax = 999'999'999;
  // Header, trailer, and what a Logon has by keys of its own.
  constexpr std::uint32_t kOfSession[] = {8,   9,   10,  34,  35,  43,  49,   50,   52,
                                          56,  57,  97,  98,  108, 122, 128,  129,  141,
                                          142, 143, 144, 145, 369, 789, 1128, 1137, 1409};
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto tag = read_number(value.substr(0, equals));
  const std::string_view text = value.substr(equals + 1);
  if (!tag || *tag == 0 || *tag > kTagMax || !is_text(text)) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(*tag);
  if (std::ranges::find(kOfSession, number) != std::end(kOfSession)) return std::nullopt;
  return LogonTag{number, text};
}

std::optional<transport::AllowList> read_addresses(std::string_view value) {
  transport::AllowList addresses;
  for (const std::string_view word : words_of(value)) {
    if (transport::is_localhost(word)) {
      for (const std::string_view one : {"127.0.0.1", "::1"}) {
        addresses.allow(*transport::AddressRange::parse(one));
      }
      continue;
    }
    const std::size_t slash = std::min(word.find('/'), word.size());
    std::string bare{transport::without_brackets(word.substr(0, slash))};
    const auto range = transport::AddressRange::parse(bare.append(word.substr(slash)));
    if (!range) return std::nullopt;
    addresses.allow(*range);
  }
  return addresses.ranges().empty() ? std::nullopt : std::optional{std::move(addresses)};
}

std::optional<std::vector<std::string>> read_certificates(std::string_view value) {
  std::vector<std::string> all;
  for (const std::string_view word : words_of(value)) {
    auto one = transport::certificate_identity(word);
    if (!one) return std::nullopt;
    all.push_back(std::move(*one));
  }
  return all.empty() ? std::nullopt : std::optional{std::move(all)};
}

// Between commas alone: a user may have blanks in the name.
std::string_view username_error(std::string_view username) noexcept {
  const bool is_right = !username.empty() && username.size() <= kUsernameBytesMax &&
                        username.front() != '#' && username.front() != ' ' &&
                        username.back() != ' ' && std::ranges::all_of(username, [](char c) {
                          return static_cast<unsigned char>(c) >= 0x20 && c != ':' && c != '\x7F';
                        });
  return is_right ? std::string_view{}
                  : "a user of 1 to 64 bytes was expected, without colons and control characters, "
                    "not beginning with # and without blanks at the ends";
}

std::optional<std::vector<std::string>> read_usernames(std::string_view value) {
  std::vector<std::string> users;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    std::string_view user = value.substr(0, end);
    value.remove_prefix(std::min(end + 1, value.size()));
    user.remove_prefix(std::min(user.find_first_not_of(" \t"), user.size()));
    user = user.substr(0, user.find_last_not_of(" \t") + 1);
    if (!username_error(user).empty()) return std::nullopt;
    users.emplace_back(user);
  }
  return users.empty() ? std::nullopt : std::optional{std::move(users)};
}

std::optional<std::vector<unsigned>> read_cpus(std::string_view value) {
  constexpr std::uint64_t kCpusMax = 1'024;  // as many as a cpu_set_t has
  std::vector<unsigned> cpus;
  for (const std::string_view word : words_of(value)) {
    const auto cpu = read_number(word);
    if (!cpu || *cpu >= kCpusMax) return std::nullopt;
    cpus.push_back(static_cast<unsigned>(*cpu));
    if (std::ranges::count(cpus, cpus.back()) > 1) return std::nullopt;
  }
  return cpus.empty() ? std::nullopt : std::optional{std::move(cpus)};
}

std::optional<observe::EventFormat> read_event_format(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "text")) return observe::EventFormat::Text;
  if (equals_ignoring_case(value, "json")) return observe::EventFormat::Json;
  return std::nullopt;
}

std::optional<unsigned> read_precision(std::string_view value) noexcept {
  constexpr unsigned kDigitsMax = 9;
  if (equals_ignoring_case(value, "SECONDS")) return 0U;
  if (equals_ignoring_case(value, "MILLIS")) return 3U;
  if (equals_ignoring_case(value, "MICROS")) return 6U;
  if (equals_ignoring_case(value, "NANOS")) return 9U;
  const std::optional<std::uint64_t> digits = read_number(value);
  if (!digits || *digits > kDigitsMax) return std::nullopt;
  return static_cast<unsigned>(*digits);
}

std::optional<unsigned> read_file_mode(std::string_view value) noexcept {
  constexpr unsigned kOwner = 0600;  // the engine itself must read and write
  constexpr unsigned kAll = 0666;
  constexpr std::size_t kDigitsMax = 4;
  unsigned bits = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, bits, 8);
  const bool is_whole = error == std::errc{} && stop == end && value.size() <= kDigitsMax;
  if (!is_whole || (bits & kOwner) != kOwner || (bits & ~kAll) != 0) return std::nullopt;
  return bits;
}

std::optional<char> read_appl_ver_id(std::string_view value) noexcept {
  if (const char by_number = wire::known_appl_ver_id(value); by_number != 0) return by_number;
  const char by_name = wire::appl_ver_id(value);
  return by_name == 0 ? std::nullopt : std::optional{by_name};
}

std::optional<std::vector<std::uint32_t>> read_tags(std::string_view value) {
  constexpr std::uint64_t kTagMax = 999'999'999;
  constexpr std::uint64_t kShownAlways[] = {8, 9, 10, 35};
  std::vector<std::uint32_t> tags;
  for (const std::string_view word : words_of(value)) {
    const auto tag = read_number(word);
    if (!tag || *tag < 1 || *tag > kTagMax) return std::nullopt;
    if (std::ranges::find(kShownAlways, *tag) != std::end(kShownAlways)) return std::nullopt;
    tags.push_back(static_cast<std::uint32_t>(*tag));
  }
  return tags.empty() ? std::nullopt : std::optional{std::move(tags)};
}

std::optional<TlsVersions> read_tls_versions(std::string_view value) {
  // Without a sign, or with a plus, versions are added; with a minus taken away.
  TlsVersions versions;
  for (std::string_view word : words_of(value)) {
    const bool is_taken_away = word.starts_with('-');
    if (is_taken_away || word.starts_with('+')) word.remove_prefix(1);
    std::string name;
    for (const char c : word) {
      if (c != '.' && c != '_' && c != 'v' && c != 'V') name += c;
    }
    const auto is = [&](std::string_view other) { return equals_ignoring_case(name, other); };
    const bool is_all = is("all") || is("default") || is("none");
    const bool is_old = is("SSL2") || is("SSL3") || is("SSL30") || is("TLS1") || is("TLS10") ||
                        is("TLS11") || is("TLS");
    if (is_all || is("TLS12")) versions.has_1_2 = !is_taken_away;
    if (is_all || is("TLS13")) versions.has_1_3 = !is_taken_away;
    if (!is_all && !is_old && !is("TLS12") && !is("TLS13")) return std::nullopt;
  }
  return versions;
}

std::optional<InboundDelivery> read_inbound_delivery(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "AtLeastOnce")) return InboundDelivery::AtLeastOnce;
  if (equals_ignoring_case(value, "AtMostOnce")) return InboundDelivery::AtMostOnce;
  return std::nullopt;
}

std::optional<dictionary::DictionaryFaults> read_dictionary_faults(
    std::string_view value) noexcept {
  if (equals_ignoring_case(value, "Refuse")) return dictionary::DictionaryFaults::Refuse;
  if (equals_ignoring_case(value, "Warn")) return dictionary::DictionaryFaults::Warn;
  return std::nullopt;
}

std::optional<ThrottleAction> read_throttle_action(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "Delay")) return ThrottleAction::Delay;
  if (equals_ignoring_case(value, "Reject")) return ThrottleAction::Reject;
  if (equals_ignoring_case(value, "LogOut")) return ThrottleAction::LogOut;
  return std::nullopt;
}

std::optional<ZonedTime> read_time_of_day(std::string_view value) noexcept {
  const std::size_t blank = std::min(value.find(' '), value.size());
  const std::string_view time = value.substr(0, blank);
  constexpr std::string_view kForm = "00:00:00";
  if (time.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = time[i] >= '0' && time[i] <= '9';
    if (kForm[i] == ':' ? time[i] != ':' : !is_digit) return std::nullopt;
  }
  const auto part = [&](std::size_t at) { return (time[at] - '0') * 10 + (time[at + 1] - '0'); };
  const int hours = part(0);
  const int minutes = part(3);
  const int seconds = part(6);
  if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  std::string_view zone = value.substr(blank);
  zone.remove_prefix(std::min(zone.find_first_not_of(' '), zone.size()));
  return ZonedTime{
      std::chrono::hours{hours} + std::chrono::minutes{minutes} + std::chrono::seconds{seconds},
      zone};
}

std::optional<std::chrono::weekday> read_day(std::string_view value) noexcept {
  constexpr std::string_view kNames[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                         "Thursday", "Friday", "Saturday"};
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    const bool is_prefix = value.size() >= 2 && value.size() <= kNames[i].size() &&
                           equals_ignoring_case(value.substr(0, 2), kNames[i].substr(0, 2));
    if (is_prefix) return std::chrono::weekday{i};
  }
  return std::nullopt;
}

std::optional<std::vector<std::chrono::weekday>> read_days(std::string_view value) {
  std::vector<std::chrono::weekday> days;
  for (const std::string_view word : words_of(value)) {
    const auto day = read_day(word);
    if (!day) return std::nullopt;
    days.push_back(*day);
  }
  return days.empty() ? std::nullopt : std::optional{std::move(days)};
}

std::optional<std::chrono::local_days> read_date(std::string_view value) noexcept {
  std::array<char, 8> digits{};
  constexpr std::size_t kWithHyphens = 10;
  if (value.size() == kWithHyphens && value[4] == '-' && value[7] == '-') {
    std::copy_n(value.begin(), 4, digits.begin());
    std::copy_n(value.begin() + 5, 2, digits.begin() + 4);
    std::copy_n(value.begin() + 8, 2, digits.begin() + 6);
  } else if (value.size() == digits.size()) {
    std::ranges::copy(value, digits.begin());
  }
  const auto number = read_number({digits.data(), digits.size()});
  if (!number || digits[0] == '+') return std::nullopt;
  const auto packed = static_cast<unsigned>(*number);
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(packed / 10'000)},
                                         std::chrono::month{packed / 100 % 100},
                                         std::chrono::day{packed % 100}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::local_days{date};
}

std::optional<std::set<std::chrono::local_days>> read_dates(std::string_view value) {
  std::set<std::chrono::local_days> dates;
  for (const std::string_view word : words_of(value)) {
    const auto date = read_date(word);
    if (!date) return std::nullopt;
    dates.insert(*date);
  }
  return dates.empty() ? std::nullopt : std::optional{std::move(dates)};
}

std::optional<std::vector<std::string_view>> read_application_keys(std::string_view value) {
  constexpr std::string_view kOthers = "._-";
  const auto is_in_name = [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kOthers.find(c) != std::string_view::npos;
  };
  std::vector<std::string_view> words = words_of(value);
  for (const std::string_view word : words) {
    const bool is_prefix = word.ends_with('*');
    const std::string_view name = word.substr(0, word.size() - (is_prefix ? 1 : 0));
    if (name.empty() || !std::ranges::all_of(name, is_in_name)) return std::nullopt;
    const KeyRule* const rule = find_key(name).rule;
    const bool is_ours = rule != nullptr && rule->handling != Handling::Instead;
    if (is_ours || (is_prefix && has_key_beginning_with(name))) return std::nullopt;
  }
  return words;
}

namespace {

// A value that is neither a number nor Y or N.
struct ValueRule {
  Key key;
  bool (*is_right)(std::string_view value);
  std::string_view expected;
};

template <auto Read>
bool reads(std::string_view value) {
  return Read(value).has_value();
}

template <std::size_t Max>
bool is_path(std::string_view value) {
  return !value.empty() && value.size() <= Max;
}

template <std::size_t Max>
bool is_at_most(std::string_view value) {
  return value.size() <= Max;
}

bool is_version(std::string_view value) { return session::find_version(value) != nullptr; }

template <std::size_t Count>
bool is_one_of(std::string_view value, const std::string_view (&words)[Count]) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return equals_ignoring_case(value, word); });
}
bool is_role(std::string_view value) { return is_one_of(value, {"initiator", "acceptor"}); }
bool is_store(std::string_view value) {
  return is_one_of(value, {"journal", "memory", "postgresql"});
}
bool is_standby_policy(std::string_view value) { return is_one_of(value, {"available", "strict"}); }
bool is_policy(std::string_view value) { return is_one_of(value, {"ROUNDROBIN", "PRIORITY"}); }
// What a resolver could be asked for. One of numbers alone is an address, of which inet_aton()
// knows the short forms, too.
bool is_host(std::string_view value) {
  constexpr std::string_view kNever = " \t/\\,;@\"'[]()<>?#%";
  constexpr std::size_t kLabelMax = 63;
  value = transport::without_brackets(value);
  if (transport::is_complete_address(value)) return true;
  if (!is_text(value) || value.find(':') != value.npos) return false;
  if (value.find_first_of(kNever) != value.npos) return false;
  if (value.back() == '.') value.remove_suffix(1);
  bool is_of_numbers = true;
  for (std::string_view rest = value;;) {
    const std::string_view label = rest.substr(0, rest.find('.'));
    if (label.empty() || label.size() > kLabelMax) return false;
    is_of_numbers = is_of_numbers && read_number(label);
    if (label.size() == rest.size()) break;
    rest.remove_prefix(label.size() + 1);
  }
  in_addr address{};
  return !is_of_numbers || ::inet_aton(std::string{value}.c_str(), &address) != 0;
}
bool is_host_or_none(std::string_view value) { return value.empty() || is_host(value); }
bool is_address(std::string_view value) {
  return value.empty() || transport::is_complete_address(transport::without_brackets(value));
}
bool is_allow_list(std::string_view value) {
  return value.empty() || read_addresses(value).has_value();
}
bool is_certificate_list(std::string_view value) {
  return value.empty() || read_certificates(value).has_value();
}
bool is_user_list(std::string_view value) {
  return value.empty() || read_usernames(value).has_value();
}
bool is_factor(std::string_view value) {
  const std::optional<double> factor = read_factor(value);
  return factor && *factor > 0 && *factor <= kFactorMax;
}

bool is_application_keys(std::string_view value) {
  return read_application_keys(value).has_value();
}

constexpr std::string_view kName = "a name of 1 to 255 bytes";
constexpr std::string_view kShort = "at most 255 bytes";
constexpr std::string_view kHost = "a host name or an address";
constexpr std::string_view kShorter = "a shorter text";
constexpr std::string_view kDictionary = "the path of a dictionary file in QuickFIX's XML form";
constexpr std::string_view kAddress = "an address of this machine, such as 10.0.0.1";
// It can be neither connected to nor listened on.
constexpr std::string_view kWithInterface =
    "a link-local address with its interface, such as fe80::1%eth0,";

// What a host should have been: kHost or kAddress.
std::string_view expected_host(std::string_view value, std::string_view expected) {
  const auto range = transport::AddressRange::parse(transport::without_brackets(value));
  return range && range->is_of_any_link() ? kWithInterface : expected;
}
constexpr std::string_view kNetworks =
    "addresses and networks, such as 10.0.0.1,10.1.0.0/16,2001:db8::/32,fe80::1%eth0, or "
    "localhost,";
constexpr std::string_view kFactor = "a decimal number above 0, up to 100";
constexpr std::string_view kTime = "a time HH:MM:SS, with a time zone behind it or without,";
constexpr std::string_view kDay = "a day of the week, such as Monday or Mon";

constexpr std::string_view kProtocols = "TLSv1.2, TLSv1.3 or both";

bool is_protocol_list(std::string_view value) {
  return value.empty() || read_tls_versions(value).has_value();
}
bool is_proxy_type(std::string_view value) {
  return value.empty() || is_one_of(value, {"http", "socks"});
}
bool is_proxy_version(std::string_view value) {
  return value.empty() || is_one_of(value, {"1.0", "1.1", "4", "4a", "5"});
}
bool is_identification(std::string_view value) {
  return value.empty() || is_one_of(value, {"HTTPS", "LDAPS"});
}

bool is_fate_of_segments(std::string_view value) noexcept {
  return equals_ignoring_case(value, "delete") || equals_ignoring_case(value, "keep");
}

constexpr ValueRule kValues[] = {
    {Key::BeginString, is_version,
     "FIX.4.0, FIX.4.1, FIX.4.2, FIX.4.3, FIX.4.4 or FIXT.1.1 (which FIX.5.0 is spoken over)"},
    {Key::DefaultApplVerID, reads<read_appl_ver_id>,
     "FIX.5.0, FIX.5.0SP1, FIX.5.0SP2 or another application version, or its number from 2 to 9, "
     "or 10 for FIX "
     "Latest"},
    {Key::Username, is_text, kName},
    {Key::Password, is_text, kName},
    {Key::NewPassword, is_text, kName},
    {Key::PasswordFile, is_at_most<kPathMax>, kShorter},
    {Key::AllowedUsernames, is_user_list, "users between commas, such as alice,bob, or *"},
    {Key::LogonTag, reads<read_logon_tag>,
     "a field to add to the Logon, such as 553=me, and none that the session layer writes itself,"},
    {Key::SenderCompID, is_text, kName},
    {Key::TargetCompID, is_text, kName},
    {Key::SessionQualifier, is_at_most<kTextMax>, kShort},
    {Key::SenderSubID, is_text, kName},
    {Key::SenderLocationID, is_text, kName},
    {Key::TargetSubID, is_text, kName},
    {Key::TargetLocationID, is_text, kName},
    {Key::SocketAcceptAddress, is_host_or_none, kHost},
    {Key::SocketAcceptHost, is_host_or_none, kHost},
    {Key::SocketConnectHost, is_host, kHost},
    {Key::ConnectionType, is_role, "initiator or acceptor"},
    {Key::ReconnectInterval, reads<read_intervals>,
     "a whole number of seconds from 1 to 86400, or a list such as 5;30;60 or 3*10;60,"},
    {Key::HostSelectionPolicy, is_policy, "ROUNDROBIN or PRIORITY"},
    {Key::SocketConnectSourceHost, is_address, kAddress},
    {Key::SocketLocalHost, is_address, kAddress},
    {Key::AllowedRemoteAddresses, is_allow_list, kNetworks},
    {Key::TrustedProxies, is_allow_list, kNetworks},
    {Key::ProxyType, is_proxy_type, "http or socks"},
    {Key::ProxyVersion, is_proxy_version, "1.0 or 1.1 of http, or 4, 4a or 5 of socks"},
    {Key::ProxyHost, is_host_or_none, kHost},
    {Key::ProxyUser, is_at_most<kTextMax>, kShort},
    {Key::ProxyPassword, is_at_most<kTextMax>, kShort},
    {Key::AllowedCertificates, is_certificate_list,
     "certificates, such as san:broker.example.com or pin:sha256/ and 44 digits of base64,"},
    {Key::ServerCertificateFile, is_at_most<kPathMax>, kShorter},
    {Key::ServerCertificateKeyFile, is_at_most<kPathMax>, kShorter},
    {Key::ClientCertificateFile, is_at_most<kPathMax>, kShorter},
    {Key::ClientCertificateKeyFile, is_at_most<kPathMax>, kShorter},
    {Key::SocketCertificateFile, is_at_most<kPathMax>, kShorter},
    {Key::SocketPrivateKeyFile, is_at_most<kPathMax>, kShorter},
    {Key::SocketKeyStore, is_at_most<kPathMax>, kShorter},
    {Key::SSLCertificate, is_at_most<kPathMax>, kShorter},
    {Key::CertificationAuthoritiesFile, is_at_most<kPathMax>, kShorter},
    {Key::CertificationAuthoritiesDirectory, is_at_most<kPathMax>, kShorter},
    {Key::SocketCAFile, is_at_most<kPathMax>, kShorter},
    {Key::SocketTrustStore, is_at_most<kPathMax>, kShorter},
    {Key::SSLCACertificate, is_at_most<kPathMax>, kShorter},
    {Key::CertificateRevocationListFile, is_at_most<kPathMax>, kShorter},
    {Key::CertificateRevocationListDirectory, is_at_most<kPathMax>, kShorter},
    {Key::SocketKeyStorePassword, is_at_most<kPathMax>, kShorter},
    {Key::SSLCertificatePassword, is_at_most<kPathMax>, kShorter},
    {Key::SocketTrustStorePassword, is_at_most<kPathMax>, kShorter},
    {Key::SSLCipherSuite, is_at_most<kPathMax>, kShorter},
    {Key::CipherSuites, is_at_most<kPathMax>, kShorter},
    {Key::TLSCipherSuites, is_at_most<kPathMax>, kShorter},
    {Key::SSLProtocol, is_protocol_list, kProtocols},
    {Key::EnabledProtocols, is_protocol_list, kProtocols},
    {Key::SSLProtocols, is_protocol_list, kProtocols},
    {Key::SocketMinimumTLSVersion, is_protocol_list, kProtocols},
    {Key::SNIHostName, is_at_most<kTextMax>, kShort},
    {Key::SocketServerName, is_at_most<kTextMax>, kShort},
    {Key::SSLServerName, is_at_most<kTextMax>, kShort},
    {Key::EndpointIdentificationAlgorithm, is_identification, "HTTPS or LDAPS"},
    {Key::FileStorePath, is_path<kPathMax>, "the path of a folder"},
    {Key::EventLoopCpu, reads<read_cpus>,
     "the number of a CPU, or one for each event loop, such as 2,3,"},
    {Key::DataDictionary, is_path<kPathMax>, kDictionary},
    {Key::TransportDataDictionary, is_path<kPathMax>, kDictionary},
    {Key::AppDataDictionary, is_path<kPathMax>, kDictionary},
    {Key::DictionaryFaults, reads<read_dictionary_faults>, "Refuse or Warn"},
    {Key::TimestampPrecision, reads<read_precision>,
     "a number from 0 to 9, SECONDS, MILLIS, MICROS or NANOS"},
    {Key::TestRequestDelayMultiplier, is_factor, kFactor},
    {Key::HeartBeatTimeoutMultiplier, is_factor, kFactor},
    {Key::StartTime, reads<read_time_of_day>, kTime},
    {Key::EndTime, reads<read_time_of_day>, kTime},
    {Key::LogonTime, reads<read_time_of_day>, kTime},
    {Key::LogoutTime, reads<read_time_of_day>, kTime},
    {Key::ResetSeqTime, reads<read_time_of_day>, kTime},
    {Key::StartDay, reads<read_day>, kDay},
    {Key::EndDay, reads<read_day>, kDay},
    {Key::LogonDay, reads<read_day>, kDay},
    {Key::LogoutDay, reads<read_day>, kDay},
    {Key::Weekdays, reads<read_days>, "days of the week, such as Mon,Tue,Wed"},
    {Key::TimeZone, is_text, "a time zone of the tz database, such as Europe/London"},
    {Key::Holidays, reads<read_dates>, "dates, such as 2026-12-25,2027-01-01"},
    {Key::HolidayFile, is_path<kPathMax>, "the path of a file of dates"},
    {Key::Store, is_store, "journal, memory or postgresql"},
    {Key::PostgreSQLStoreConnection, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStoreHost, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStoreDatabase, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStoreUser, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStorePassword, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStoreSchema, is_at_most<kPathMax>, kShorter},
    {Key::PostgreSQLStoreStandby, is_standby_policy, "available or strict"},
    {Key::ThrottleAction, reads<read_throttle_action>, "Delay, Reject or LogOut"},
    {Key::InboundDelivery, reads<read_inbound_delivery>, "AtLeastOnce or AtMostOnce"},
    {Key::JournalDurability, reads<read_durability>, "none, process, group or sync"},
    {Key::JournalRetired, is_fate_of_segments, "delete or keep"},
    {Key::FileLogPath, is_path<kPathMax>, "the path of a folder"},
    {Key::FileLogBackupPath, is_path<kPathMax>, "the path of a folder"},
    {Key::LogFileMode, reads<read_file_mode>,
     "permission bits in octal from 0600 to 0666, such as 0640"},
    {Key::EventLogFormat, reads<read_event_format>, "text or json"},
    {Key::LogTimestampPrecision, reads<read_precision>,
     "a number from 0 to 9, SECONDS, MILLIS, MICROS or NANOS"},
    {Key::ApplicationKeys, is_application_keys,
     "names of the program's own keys, such as Account,Risk*, and none of the engine's,"},
    {Key::LogMaskedTags, reads<read_tags>,
     "tags, such as 1,448, and not 8, 9, 10 or 35, without which no line could be read,"},
};

}  // namespace

std::string expected_instead(Key key, std::string_view value) {
  const auto number = std::ranges::find(kNumbers, key, &NumberRule::key);
  if (number != std::end(kNumbers)) return expected_number(*number, value);
  const auto rule = std::ranges::find(kValues, key, &ValueRule::key);
  if (rule == std::end(kValues)) return unless(read_bool(value).has_value(), "Y or N");
  const bool is_of_host = rule->expected == kHost || rule->expected == kAddress;
  return unless(rule->is_right(value),
                is_of_host ? expected_host(value, rule->expected) : rule->expected);
}

std::string hint_for(Key key, std::string_view value) {
  if (key == Key::ReconnectInterval && read_number(value) == 0) {
    return "; 0 means at once in other engines: ReconnectInterval=1 is the shortest here";
  }
  return {};
}

std::optional<store::Durability> read_durability(std::string_view value) noexcept {
  using store::Durability;
  for (const Durability one :
       {Durability::None, Durability::Process, Durability::Group, Durability::Sync}) {
    if (equals_ignoring_case(value, to_string(one))) return one;
  }
  return std::nullopt;
}

namespace {

std::string remark_of_links(std::string_view value) {
  const auto addresses = read_addresses(value);
  if (!addresses) return {};
  for (const transport::AddressRange& range : addresses->ranges()) {
    if (!range.is_of_any_link()) continue;
    return range.to_string() + " without an interface is that address of each link; " +
           range.to_string() + "%eth0 is that of one";
  }
  return {};
}

}  // namespace

std::string remark(Key key, std::string_view value) {
  switch (key) {
    case Key::ConnectionType:
      return unless(value == "initiator" || value == "acceptor",
                    "read, but other engines want it in lower case");
    case Key::TimestampPrecision:
      return unless(read_precision(value).value_or(0) % 3 == 0,
                    "there are 0, 3, 6 or 9 digits; the next larger number is used");
    case Key::AllowedRemoteAddresses:
    case Key::TrustedProxies:
      return remark_of_links(value);
    default:
      break;
  }
  const bool is_yes_or_no =
      std::ranges::find(kNumbers, key, &NumberRule::key) == std::end(kNumbers) &&
      std::ranges::find(kValues, key, &ValueRule::key) == std::end(kValues);
  return unless(!is_yes_or_no || value == "Y" || value == "N",
                "read, but other engines know Y and N only");
}

}  // namespace nexusfix::config
