#include "tester/script/message_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "base/api/printable_text.hpp"
#include "tester/script/condition.hpp"

namespace nexusfix::tester {
namespace {

// A name may stand for a text with names in it, but not without end.
constexpr unsigned kExpansionsMax = 1000;
constexpr std::size_t kTextMax = 16U << 20U;  // with its names replaced
// Inside of expand(): characters of a value that are no syntax.
constexpr char kBar = '\x02';
constexpr char kLess = '\x03';
constexpr char kBackslash = '\x04';

// <now>, <now-30s>, <now+2m>
std::optional<std::string> timestamp_of(std::string_view name, const Meaning& meaning) {
  if (!name.starts_with("now")) return std::nullopt;
  name.remove_prefix(std::string_view{"now"}.size());
  WallTime time = meaning.now;
  if (!name.empty()) {
    const auto offset = parse_duration(name.substr(1));
    if (!offset || (name.front() != '+' && name.front() != '-')) return std::nullopt;
    time += name.front() == '+' ? *offset : -*offset;
  }
  return utc_timestamp(time, kVersions[meaning.version].has_milliseconds);
}

std::string protect(std::string_view value) {
  std::string text{value};
  for (char& c : text) c = c == '|' ? kBar : c == '<' ? kLess : c == '\\' ? kBackslash : c;
  return text;
}

std::string random_digits(Random& random) {
  constexpr std::uint64_t kBound = 100'000'000;
  return std::to_string(kBound + random.next() % kBound).substr(1);
}

std::optional<std::string> text_of(std::string_view name, const Meaning& meaning) {
  const Version& version = kVersions[meaning.version];
  if (name == "BeginString") return std::string{version.begin_string};
  if (name == "ApplVerID") return std::string{version.appl_ver_id};
  if (name == "random" && meaning.random != nullptr) return random_digits(*meaning.random);
  if (const auto found = meaning.values.find(name); found != meaning.values.end()) {
    return protect(found->second);
  }
  if (const auto found = meaning.lets.find(name); found != meaning.lets.end()) {
    return found->second;
  }
  return std::nullopt;
}

// "NextOut+5": a number, and what is added.
std::optional<std::string> sum_of(std::string_view name, const Meaning& meaning) {
  const std::size_t sign = name.find_first_of("+-");
  if (sign == std::string_view::npos) return std::nullopt;
  const auto base = text_of(name.substr(0, sign), meaning);
  if (!base) return std::nullopt;
  std::int64_t number = 0;
  std::int64_t change = 0;
  const std::string_view added = name.substr(sign + 1);
  const auto of_base = std::from_chars(base->data(), base->data() + base->size(), number);
  const auto of_added = std::from_chars(added.data(), added.data() + added.size(), change);
  if (of_base.ec != std::errc{} || of_base.ptr != base->data() + base->size() ||
      of_added.ec != std::errc{} || of_added.ptr != added.data() + added.size()) {
    return std::nullopt;
  }
  return std::to_string(name[sign] == '+' ? number + change : number - change);
}

std::optional<std::string> meaning_of(std::string_view name, const Meaning& meaning) {
  if (auto text = text_of(name, meaning)) return text;
  if (auto sum = sum_of(name, meaning)) return sum;
  return timestamp_of(name, meaning);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Where the next "<NAME" begins; another "<" is a comparison.
std::size_t find_name(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('<', from); at < text.size(); at = text.find('<', at + 1)) {
    if (at + 1 < text.size() && is_letter(text[at + 1])) return at;
  }
  return std::string_view::npos;
}

std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool is_escape = text[i] == '\\' && (next == '|' || next == '<');
    if (is_escape) ++i;
    result += !is_escape ? text[i] : next == '|' ? kBar : kLess;
  }
  return result;
}

void unprotect(std::string& text) {
  for (char& c : text) c = c == kBar ? '|' : c == kLess ? '<' : c == kBackslash ? '\\' : c;
}

std::string_view tag_of(std::string_view field) { return field.substr(0, field.find('=')); }

bool is_left_out(std::string_view field) {
  return field.starts_with('-') && field.find('=') == std::string_view::npos;
}

// The standard header tags in the scenarios, besides 8, 9 and 35.
bool is_header(std::string_view tag) {
  constexpr std::array<std::string_view, 14> kHeader{
      "34", "43", "49", "52", "56", "97", "115", "116", "122", "128", "129", "144", "145", "369"};
  return std::ranges::find(kHeader, tag) != kHeader.end();
}

unsigned tag_number(std::string_view tag) {
  unsigned number = 0;
  std::from_chars(tag.data(), tag.data() + tag.size(), number);
  return number;
}

}  // namespace

std::string utc_timestamp(WallTime time, bool with_milliseconds) {
  using namespace std::chrono;
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<milliseconds>(time - day)};
  std::array<char, 64> text{};
  int size = std::snprintf(
      text.data(), text.size(), "%04d%02u%02u-%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  if (with_milliseconds) {
    size += std::snprintf(text.data() + size, text.size() - static_cast<std::size_t>(size), ".%03d",
                          static_cast<int>(clock.subseconds().count()));
  }
  return {text.data(), static_cast<std::size_t>(size)};
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr std::int64_t kHoursMax = 1'000'000;
  std::int64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0 || count > 100'000'000) return std::nullopt;
  const std::string_view unit{stop, text.data() + text.size()};
  if (unit == "ms") return std::chrono::milliseconds{count};
  if (unit == "s") return std::chrono::seconds{count};
  if (unit == "m") return std::chrono::minutes{count};
  if (unit == "h" && count <= kHoursMax) return std::chrono::hours{count};
  return std::nullopt;
}

bool is_standing_name(std::string_view name) noexcept {
  return std::ranges::find(kStandingNames, name) != kStandingNames.end();
}

std::optional<std::string> wrong_addition(std::string_view name) {
  const std::size_t sign = name.find_first_of("+-");
  if (sign == std::string_view::npos) return std::nullopt;
  const std::string_view added = name.substr(sign + 1);
  const bool is_time = name.substr(0, sign) == "now";
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(added.data(), added.data() + added.size(), number);
  const bool is_number = error == std::errc{} && stop == added.data() + added.size();
  if (is_time ? parse_duration(added).has_value() : is_number) return std::nullopt;
  return "<" + std::string{name} + ">: \"" + std::string{added} + "\" is not a " +
         (is_time ? "time like 30s, 1500ms, 2m or 2h" : "number");
}

std::vector<std::string_view> split_fields(std::string_view text) {
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] != '|' || (i > 0 && text[i - 1] == '\\'))) continue;
    if (i > begin) fields.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return fields;
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = find_name(text, 0); at != std::string_view::npos;
       at = find_name(text, at + 1)) {
    if (at > 0 && text[at - 1] == '\\') continue;
    const std::size_t end = text.find('>', at);
    if (end != std::string_view::npos) names.push_back(text.substr(at + 1, end - at - 1));
  }
  return names;
}

namespace {

// With names replaced; characters of values are protected.
std::expected<std::string, std::string> replace_names(std::string_view text,
                                                      const Meaning& meaning) {
  std::string all = without_escapes(text);
  unsigned expansions = 0;
  for (std::size_t at = find_name(all, 0); at != std::string::npos; at = find_name(all, 0)) {
    const std::size_t end = all.find('>', at);
    const std::string name = all.substr(at + 1, end - at - 1);
    const auto value = end == std::string::npos ? std::nullopt : meaning_of(name, meaning);
    if (!value) return std::unexpected{"<" + name + "> means nothing"};
    if (++expansions > kExpansionsMax) return std::unexpected{"<" + name + "> has no end"};
    all.replace(at, end + 1 - at, without_escapes(*value));
    if (all.size() > kTextMax) return std::unexpected{"<" + name + ">: the text is over 16 MiB"};
  }
  return all;
}

}  // namespace

std::expected<Fields, std::string> expand(std::string_view text, const Meaning& meaning) {
  const auto all = replace_names(text, meaning);
  if (!all) return std::unexpected{all.error()};
  Fields fields;
  for (std::string_view field : split_fields(*all)) {
    if (field.starts_with('[')) {
      const std::size_t end = field.find(']');
      if (end == std::string_view::npos) return std::unexpected{"\"]\" is missing"};
      const auto versions = parse_versions(field.substr(1, end - 1));
      if (!versions) return std::unexpected{versions.error()};
      if (!versions->test(meaning.version)) continue;
      field.remove_prefix(end + 1);
    }
    unprotect(fields.emplace_back(field));
  }
  if (fields.empty()) return std::unexpected{std::string{"no field is left for this version"}};
  return fields;
}

std::expected<std::string, std::string> raw_bytes(std::string_view text, const Meaning& meaning) {
  auto all = replace_names(text, meaning);
  if (!all) return all;
  std::ranges::replace(*all, '|', kSoh);
  unprotect(*all);
  Fields bytes{std::move(*all)};
  replace_escapes(bytes);
  return std::move(bytes.front());
}

std::string with_names(std::string_view text, const Meaning& meaning) {
  auto all = replace_names(text, meaning);
  if (!all) return std::string{text};
  unprotect(*all);
  return std::move(*all);
}

void replace_escapes(Fields& fields) {
  constexpr std::size_t kEscapeSize = 4;
  for (std::string& field : fields) {
    for (std::size_t at = field.find("\\x"); at != std::string::npos;
         at = field.find("\\x", at + 1)) {
      unsigned byte = 0;
      const char* const digits = field.data() + at + 2;
      const char* const end = field.data() + std::min(at + kEscapeSize, field.size());
      const auto [stop, error] = std::from_chars(digits, end, byte, 16);
      if (error != std::errc{} || stop != digits + 2) continue;
      field.replace(at, kEscapeSize, 1, static_cast<char>(byte));
    }
  }
}

bool decides(const Fields& line, std::string_view tag) {
  return std::ranges::any_of(line, [&](std::string_view field) {
    return tag_of(field) == tag || (is_left_out(field) && field.substr(1) == tag);
  });
}

std::optional<std::string_view> find_field(const Fields& fields, std::string_view tag) {
  const auto found =
      std::ranges::find_if(fields, [&](const std::string& field) { return tag_of(field) == tag; });
  if (found == fields.end() || found->size() == tag.size()) return std::nullopt;
  return std::string_view{*found}.substr(tag.size() + 1);
}

std::string frame(const Fields& fields, const Meaning& meaning) {
  std::string body;
  for (const std::string& field : fields) {
    const std::string_view tag = tag_of(field);
    if (tag != "8" && tag != "9" && tag != "10") (body += field) += kSoh;
  }
  const std::string length = std::to_string(body.size());
  std::string bytes{"8="};
  bytes.append(find_field(fields, "8").value_or(kVersions[meaning.version].begin_string));
  bytes
      .append(
          "\x01"
          "9=")
      .append(find_field(fields, "9").value_or(length));
  (bytes += kSoh) += body;
  const auto sum = find_field(fields, "10");
  if (!sum) return bytes + check_sum_field(bytes);
  return bytes.append("10=").append(*sum) + kSoh;
}

std::expected<Fields, std::string> complete(const Fields& fields, const Writer& writer,
                                            const Meaning& meaning) {
  if (tag_of(fields.front()) != "35") return std::unexpected{std::string{"35= must come first"}};
  if (find_field(fields, "43") == "Y" && !find_field(fields, "34")) {
    return std::unexpected{std::string{"with 43=Y the number (34) must be given"}};
  }
  const bool with_milliseconds = kVersions[meaning.version].has_milliseconds;
  Fields defaults{"34=" + std::to_string(writer.msg_seq_num),
                  "49=" + std::string{writer.sender_comp_id},
                  "52=" + utc_timestamp(meaning.now, with_milliseconds),
                  "56=" + std::string{writer.target_comp_id}};
  defaults.insert(defaults.end(), writer.header.begin(), writer.header.end());
  const auto order = [](std::string_view tag) { return is_header(tag) ? tag_number(tag) : ~0U; };
  std::multimap<unsigned, std::string> in_order;  // equal ones as they come
  for (const std::string& field : defaults) {
    const std::string_view tag = tag_of(field);
    if (!decides(fields, tag)) in_order.emplace(tag_number(tag), field);
  }
  Fields all{fields.front()};
  for (auto field = fields.begin() + 1; field != fields.end(); ++field) {
    if (!is_left_out(*field)) in_order.emplace(order(tag_of(*field)), *field);
  }
  for (auto& [place, field] : in_order) all.push_back(std::move(field));
  return all;
}

std::string check_sum_field(std::string_view bytes) {
  unsigned sum = 0;
  for (const char c : bytes) sum += static_cast<unsigned char>(c);
  constexpr unsigned kSums = 256;
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "10=%03u", sum % kSums);
  return std::string{text.data()} + kSoh;
}

std::string with_bars(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c == kSoh) {
      text += '|';
    } else {
      append_printable(text, {&c, 1});
    }
  }
  return text;
}

}  // namespace nexusfix::tester
