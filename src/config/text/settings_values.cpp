#include "config/text/settings_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>
#include <utility>

#include <nexusfix/wire/typed.hpp>

#include "base/api/ascii.hpp"
#include "config/api/settings.hpp"
#include "config/keys/find_key.hpp"

namespace nexusfix::config {

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
    const bool is_valid = interval && *interval >= 1 && *interval <= kIntervalMax && times >= 1 &&
                          times <= kCountMax - intervals.size();
    if (!is_valid) return std::nullopt;
    intervals.insert(intervals.end(), static_cast<std::size_t>(times),
                     std::chrono::seconds{static_cast<std::int64_t>(*interval)});
    if (end == value.size()) return intervals;
    value.remove_prefix(end + 1);
  }
}

namespace {
constexpr std::uint64_t kTagMax = 999'999'999;
}

std::optional<LogonTag> read_logon_tag(std::string_view value) noexcept {
  // Header, trailer, and the fields of a Logon with keys of their own.
  constexpr std::uint32_t kOfSession[] = {8,   9,   10,  34,  35,  43,  49,   50,   52,
                                          56,  57,  97,  98,  108, 122, 128,  129,  141,
                                          142, 143, 144, 145, 369, 789, 1128, 1137, 1409};
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const auto tag = read_number(value.substr(0, equals));
  const std::string_view text = value.substr(equals + 1);
  if (!tag || *tag == 0 || *tag > kTagMax) return std::nullopt;
  if (text.empty() || text.size() > session::kLogonFieldBytesMax) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(*tag);
  if (std::ranges::find(kOfSession, number) != std::end(kOfSession)) return std::nullopt;
  return LogonTag{number, text};
}

namespace {

using TextPart = LogonTextPart;

constexpr unsigned kNonceAheadMax = 3'600'000;  // of {time-ms+N}: an hour
constexpr std::string_view kBase64Url = "base64url:";

// The part in braces. names: the words that stand for a value here.
std::optional<TextPart> part_in_braces(
    std::string_view word, std::span<const std::pair<std::string_view, TextPart::Kind>> names,
    bool has_fields) {
  for (const auto& [name, kind] : names) {
    if (word == name) return TextPart{.kind = kind};
    if (kind != TextPart::Kind::Millis || !word.starts_with("time-ms+")) continue;
    const auto ahead = read_number(word.substr(word.find('+') + 1));
    if (!ahead || *ahead == 0 || *ahead > kNonceAheadMax) return std::nullopt;
    return TextPart{.kind = kind, .tag = static_cast<wire::Tag>(*ahead)};
  }
  const auto tag = has_fields ? read_number(word) : std::nullopt;
  if (!tag || *tag == 0 || *tag > kTagMax) return std::nullopt;
  return TextPart{.kind = TextPart::Kind::Field, .tag = static_cast<wire::Tag>(*tag)};
}

std::optional<std::vector<TextPart>> read_parts(
    std::string_view text, std::span<const std::pair<std::string_view, TextPart::Kind>> names,
    bool has_fields) {
  std::vector<TextPart> parts;
  while (!text.empty()) {
    const std::size_t brace = std::min(text.find_first_of("{}"), text.size());
    if (brace > 0) {
      std::string literal{text.substr(0, brace)};
      std::ranges::replace(literal, '|', wire::kSoh);
      while (literal.contains("\\n")) literal.replace(literal.find("\\n"), 2, "\n");
      parts.push_back({.text = std::move(literal)});
      text.remove_prefix(brace);
      continue;
    }
    const std::size_t end = text.find('}');
    if (text.front() != '{' || end == std::string_view::npos) return std::nullopt;
    const auto part = part_in_braces(text.substr(1, end - 1), names, has_fields);
    if (!part) return std::nullopt;
    parts.push_back(*part);
    text.remove_prefix(end + 1);
  }
  if (parts.empty()) return std::nullopt;
  return parts;
}

// Removes "base64(" and the parentheses that close it.
bool consume_call(std::string_view& formula, std::string_view call) {
  const auto depth = static_cast<std::size_t>(std::ranges::count(call, '('));
  if (!formula.starts_with(call) || !formula.ends_with(std::string_view{"))"}.substr(0, depth))) {
    return false;
  }
  formula.remove_prefix(call.size());
  formula.remove_suffix(depth);
  return true;
}

}  // namespace

std::optional<LogonSignature> read_logon_signature(std::string_view value) {
  static constexpr std::pair<std::string_view, TextPart::Kind> kNames[] = {
      {"key", TextPart::Kind::Key}};
  using enum LogonSignature::Algorithm;
  static constexpr std::pair<std::string_view, LogonSignature::Algorithm> kAlgorithms[] = {
      {"ed25519(", Ed25519},        {"rsa-sha256(", RsaSha256},
      {"hmac-sha256(", HmacSha256}, {"hmac-sha512(sha256(", HmacSha512OfSha256},
      {"hmac-sha512(", HmacSha512}, {"sha256(", Sha256}};
  const auto field = read_logon_tag(value);
  if (!field) return std::nullopt;
  LogonSignature made{.tag = field->tag};
  std::string_view formula = field->value;
  const bool is_url = consume_call(formula, "base64url(");
  if (is_url) made.key = kBase64Url;
  made.is_hex = !is_url && formula.starts_with("hex(");
  if (!is_url && !consume_call(formula, made.is_hex ? "hex(" : "base64(")) return std::nullopt;
  for (const auto& [call, algorithm] : kAlgorithms) {
    if (!consume_call(formula, call)) continue;
    // A parenthesis in the text would be one of another call.
    if (formula.find_first_of("()") != std::string_view::npos) return std::nullopt;
    made.algorithm = algorithm;
    auto parts = read_parts(formula, kNames, /*has_fields=*/true);
    if (!parts) return std::nullopt;
    made.text = std::move(*parts);
    return made;
  }
  return std::nullopt;
}

std::optional<LogonKey> read_logon_key(std::string_view value) noexcept {
  LogonKey key;
  key.is_url = value.starts_with(kBase64Url);
  if (key.is_url || value.starts_with("base64:")) key.form = LogonSignature::KeyForm::Base64;
  if (value.starts_with("hex:")) key.form = LogonSignature::KeyForm::Hex;
  if (key.form != LogonSignature::KeyForm::Plain) value.remove_prefix(value.find(':') + 1);
  key.place = value;
  for (const std::string_view kind : {"file:", "env:", "command:"}) {
    if (value.starts_with(kind) && value.size() > kind.size()) return key;
  }
  return std::nullopt;
}

std::optional<LogonNonce> read_logon_nonce(std::string_view value) {
  static constexpr std::pair<std::string_view, TextPart::Kind> kNames[] = {
      {"time-ms", TextPart::Kind::Millis}, {"random", TextPart::Kind::Random}};
  const auto field = read_logon_tag(value);
  if (!field || field->value.contains('|')) return std::nullopt;
  auto parts = read_parts(field->value, kNames, /*has_fields=*/false);
  if (!parts) return std::nullopt;
  return LogonNonce{field->tag, std::move(*parts)};
}

std::optional<transport::AllowList> read_addresses(std::string_view value) {
  transport::AllowList addresses;
  for (const std::string_view word : words_of(value)) {
    if (transport::is_localhost(word)) {
      for (const std::string_view one : {"127.0.0.1", "::1"}) {
        addresses.allow(*transport::AllowList::Range::parse(one));
      }
      continue;
    }
    const std::size_t slash = std::min(word.find('/'), word.size());
    std::string bare{transport::without_brackets(word.substr(0, slash))};
    const auto range = transport::AllowList::Range::parse(bare.append(word.substr(slash)));
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

std::string_view username_error(std::string_view username) noexcept {
  const bool is_valid = !username.empty() && username.size() <= kUsernameBytesMax &&
                        username.front() != '#' && username.front() != ' ' &&
                        username.back() != ' ' && std::ranges::all_of(username, [](char c) {
                          return static_cast<unsigned char>(c) >= 0x20 && c != ':' && c != '\x7F';
                        });
  return is_valid ? std::string_view{}
                  : "a user of 1 to 64 bytes was expected, without colons and control characters, "
                    "not beginning with # and without blanks at the ends";
}

std::optional<std::vector<std::string>> read_usernames(std::string_view value) {
  std::vector<std::string> users;
  while (!value.empty()) {
    const std::size_t end = std::min(value.find(','), value.size());
    const std::string_view user = trimmed(value.substr(0, end));
    value.remove_prefix(std::min(end + 1, value.size()));
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

std::optional<wire::TimePrecision> read_time_precision(std::string_view value) noexcept {
  using wire::TimePrecision;
  const std::optional<unsigned> digits = read_precision(value);
  if (!digits) return std::nullopt;
  for (const TimePrecision precision :
       {TimePrecision::Seconds, TimePrecision::Millis, TimePrecision::Micros}) {
    if (*digits <= static_cast<unsigned>(precision)) return precision;
  }
  return TimePrecision::Nanos;
}

std::optional<observe::EventFormat> read_event_format(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "text")) return observe::EventFormat::Text;
  if (equals_ignoring_case(value, "json")) return observe::EventFormat::Json;
  return std::nullopt;
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

std::optional<std::vector<OutboundLimitSettings::TypeLimit>> read_type_limits(
    std::string_view value) {
  using TypeLimit = OutboundLimitSettings::TypeLimit;
  constexpr std::uint64_t kMessagesMax = 1'000'000;
  constexpr std::size_t kTypeBytesMax = 8;  // as the engine counts types of messages
  std::vector<TypeLimit> limits;
  for (const std::string_view word : words_of(value)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    const std::string_view type = word.substr(0, colon);
    const auto most = read_number(word.substr(colon + 1));
    const bool is_type =
        !type.empty() && type.size() <= kTypeBytesMax &&
        std::ranges::all_of(type, [](char c) { return is_digit(c) || is_letter(c); });
    if (!is_type || session::is_administrative(type)) return std::nullopt;
    if (!most || *most == 0 || *most > kMessagesMax) return std::nullopt;
    if (std::ranges::find(limits, type, &TypeLimit::msg_type) != limits.end()) return std::nullopt;
    limits.push_back({std::string{type}, static_cast<std::uint32_t>(*most)});
  }
  return limits.empty() && !value.empty() ? std::nullopt : std::optional{std::move(limits)};
}

std::optional<std::vector<std::string>> read_host_names(std::string_view value) {
  constexpr std::string_view kOthers = ".-:_";
  std::vector<std::string> names;
  for (const std::string_view word : words_of(value)) {
    std::string& name = names.emplace_back(transport::without_brackets(word));
    for (char& c : name) {
      if (!is_digit(c) && !is_letter(c) && !kOthers.contains(c)) return std::nullopt;
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return names.empty() ? std::nullopt : std::optional{std::move(names)};
}

std::optional<std::string> read_cluster_word(std::string_view value) {
  constexpr std::size_t kBytesMax = 63;
  constexpr std::string_view kOthers = "-_.";
  if (value.empty() || value.size() > kBytesMax) return std::nullopt;
  for (const char c : value) {
    if (!is_digit(c) && !is_letter(c) && !kOthers.contains(c)) return std::nullopt;
  }
  return std::string{value};
}

std::optional<std::vector<EtcdEndpoint>> read_etcd_endpoints(std::string_view value) {
  constexpr std::string_view kScheme = "http://";
  constexpr std::string_view kTlsScheme = "https://";
  std::vector<EtcdEndpoint> endpoints;
  for (std::string_view word : words_of(value)) {
    const bool is_tls = word.starts_with(kTlsScheme);
    if (word.starts_with(kScheme)) word.remove_prefix(kScheme.size());
    if (is_tls) word.remove_prefix(kTlsScheme.size());
    if (word.ends_with('/')) word.remove_suffix(1);
    EtcdEndpoint& one = endpoints.emplace_back();
    one.is_tls = is_tls;
    // After the bracket of an IPv6 address; another address has at most one colon.
    const std::size_t bracket = word.rfind(']');
    const std::size_t colon = word.rfind(':');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || bracket < colon)) {
      const auto port = read_number(word.substr(colon + 1));
      if (!port || *port < 1 || *port > 65'535) return std::nullopt;
      one.port = static_cast<std::uint16_t>(*port);
      word = word.substr(0, colon);
    }
    const bool is_bracketed = word.starts_with('[') && word.ends_with(']');
    one.host = transport::without_brackets(word);
    if (one.host.empty()) return std::nullopt;
    for (const char c : one.host) {
      const bool fits = is_digit(c) || is_letter(c) || c == '.' || c == '-' || c == '_' ||
                        (is_bracketed && c == ':');
      if (!fits) return std::nullopt;
    }
  }
  return endpoints.empty() ? std::nullopt : std::optional{std::move(endpoints)};
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

std::optional<ZonedTime> read_time_of_day(std::string_view value) noexcept {
  const std::size_t blank = std::min(value.find(' '), value.size());
  const std::string_view time = value.substr(0, blank);
  constexpr std::string_view kForm = "00:00:00";
  if (time.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] == ':' ? time[i] != ':' : !is_digit(time[i])) return std::nullopt;
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
    return is_digit(c) || is_letter(c) || kOthers.contains(c);
  };
  std::vector<std::string_view> words = words_of(value);
  for (const std::string_view word : words) {
    const bool is_prefix = word.ends_with('*');
    const std::string_view name = word.substr(0, word.size() - (is_prefix ? 1 : 0));
    if (name.empty() || !std::ranges::all_of(name, is_in_name)) return std::nullopt;
    const KeyRule* const rule = find_key(name).rule;
    if ((rule != nullptr && is_ours(*rule)) || (is_prefix && has_key_beginning_with(name)))
      return std::nullopt;
  }
  return words;
}

}  // namespace nexusfix::config
