#include "peers/scenarios/message_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <utility>

#include "support/fix_text.hpp"

namespace nexusfix::scenarios {
namespace {

using testing::soh;
using testing::with_checksum;

// A name may stand for a text with names in it, but not without end.
constexpr unsigned kExpansionsMax = 100;

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

// <now>, <now-30s>, <now+2m>
std::optional<std::string> timestamp_of(std::string_view name, const Meaning& meaning) {
  if (!name.starts_with("now")) return std::nullopt;
  name.remove_prefix(3);
  WallTime time = meaning.now;
  if (!name.empty()) {
    const auto offset = parse_duration(name.substr(1));
    if (!offset || (name.front() != '+' && name.front() != '-')) return std::nullopt;
    time += name.front() == '+' ? *offset : -*offset;
  }
  return utc_timestamp(time, kVersions[meaning.version].has_milliseconds);
}

std::optional<std::string> meaning_of(std::string_view name, const Meaning& meaning) {
  const Version& version = kVersions[meaning.version];
  if (name == "BeginString") return std::string{version.begin_string};
  if (name == "ApplVerID") return std::string{version.appl_ver_id};
  if (const auto found = meaning.lets.find(name); found != meaning.lets.end()) {
    return found->second;
  }
  return timestamp_of(name, meaning);
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

unsigned number_of(std::string_view tag) {
  unsigned number = 0;
  std::from_chars(tag.data(), tag.data() + tag.size(), number);
  return number;
}

}  // namespace

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  std::int64_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || count < 0 || count > 100'000'000) return std::nullopt;
  const std::string_view unit{stop, text.data() + text.size()};
  if (unit == "ms") return std::chrono::milliseconds{count};
  if (unit == "s") return std::chrono::seconds{count};
  if (unit == "m") return std::chrono::minutes{count};
  return std::nullopt;
}

std::expected<Fields, std::string> expand(std::string_view text, const Meaning& meaning) {
  std::string all{text};
  unsigned expansions = 0;
  for (std::size_t at = all.find('<'); at != std::string::npos; at = all.find('<')) {
    const std::size_t end = all.find('>', at);
    const std::string name = all.substr(at + 1, end - at - 1);
    const auto value = end == std::string::npos ? std::nullopt : meaning_of(name, meaning);
    if (!value) return std::unexpected{"<" + name + "> means nothing"};
    if (++expansions > kExpansionsMax) return std::unexpected{"<" + name + "> has no end"};
    all.replace(at, end + 1 - at, *value);
  }
  Fields fields;
  std::string_view rest = all;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    std::string_view field = rest.substr(0, bar);
    rest.remove_prefix(std::min(bar + 1, rest.size()));
    if (field.starts_with('[')) {
      const std::size_t end = field.find(']');
      if (end == std::string_view::npos) return std::unexpected{"\"]\" is missing"};
      const auto versions = parse_versions(field.substr(1, end - 1));
      if (!versions) return std::unexpected{versions.error()};
      if (!versions->test(meaning.version)) continue;
      field.remove_prefix(end + 1);
    }
    fields.emplace_back(field);
  }
  if (fields.empty()) return std::unexpected{std::string{"no field is left for this version"}};
  return fields;
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
    if (tag != "8" && tag != "9" && tag != "10") (body += field) += '|';
  }
  const std::string length = std::to_string(body.size());
  std::string text{"8="};
  text.append(find_field(fields, "8").value_or(kVersions[meaning.version].begin_string));
  text.append("|9=").append(find_field(fields, "9").value_or(length)).append("|").append(body);
  if (const auto sum = find_field(fields, "10"))
    return soh(text.append("10=") + std::string{*sum} + "|");
  return with_checksum(soh(text));
}

std::expected<Fields, std::string> complete(const Fields& fields, const Writer& writer,
                                            const Meaning& meaning) {
  if (tag_of(fields.front()) != "35") return std::unexpected{std::string{"35= must come first"}};
  if (find_field(fields, "43") == "Y" && !find_field(fields, "34")) {
    return std::unexpected{std::string{"with 43=Y the number (34) must be given"}};
  }
  const bool with_milliseconds = kVersions[meaning.version].has_milliseconds;
  const std::array defaults{"34=" + std::to_string(writer.msg_seq_num),
                            "49=" + std::string{writer.sender_comp_id},
                            "52=" + utc_timestamp(meaning.now, with_milliseconds),
                            "56=" + std::string{writer.target_comp_id}};
  const auto order = [](std::string_view tag) { return is_header(tag) ? number_of(tag) : ~0U; };
  std::multimap<unsigned, std::string> in_order;  // equal ones as they come
  for (const std::string& field : defaults) {
    const std::string tag{tag_of(field)};
    const bool left_out = std::ranges::find(fields, "-" + tag) != fields.end();
    if (!left_out && !find_field(fields, tag)) in_order.emplace(order(tag), field);
  }
  Fields all{fields.front()};
  for (auto field = fields.begin() + 1; field != fields.end(); ++field) {
    if (!is_left_out(*field)) in_order.emplace(order(tag_of(*field)), *field);
  }
  for (auto& [place, field] : in_order) all.push_back(std::move(field));
  return all;
}

}  // namespace nexusfix::scenarios
