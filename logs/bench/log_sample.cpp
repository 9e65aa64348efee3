#include "logs/bench/log_sample.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/parser.hpp>

#include "bench/report/statistics.hpp"
#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {
namespace {

std::string_view begin_string_of(std::string_view bytes) {
  constexpr std::string_view kMark = "8=";
  if (!bytes.starts_with(kMark)) return {};
  return bytes.substr(kMark.size(), bytes.find('\x01') - kMark.size());
}

// The BeginString that most messages have.
std::string most_frequent_version(const std::vector<std::string>& messages) {
  std::map<std::string_view, std::size_t> counts;
  for (const std::string& bytes : messages) ++counts[begin_string_of(bytes)];
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  return most == counts.end() ? std::string{} : std::string{most->first};
}

std::string application_version_of(const std::vector<std::string>& messages) {
  MessageFields fields;
  std::string of_message;
  for (const std::string& bytes : messages) {
    const bool is_logon = msg_type_of(bytes) == "A";
    if (!is_logon && !of_message.empty()) continue;
    fields.read(bytes);
    if (const auto agreed = fields.value(tag::DefaultApplVerID); is_logon && !agreed.empty()) {
      return std::string{agreed};
    }
    if (of_message.empty()) of_message = fields.value(tag::ApplVerID);
  }
  return of_message;
}

// The message with the BodyLength and the CheckSum of its bytes; empty: it does not begin with 8=,
// 9= and end with 10=.
std::string reframed(std::string_view bytes) {
  MessageFields fields;
  fields.read(bytes);
  const auto all = fields.all();
  constexpr std::size_t kFrameFields = 3;
  if (all.size() <= kFrameFields || all[0].tag != tag::BeginString ||
      all[1].tag != tag::BodyLength || all.back().tag != tag::CheckSum) {
    return {};
  }
  const char* const begin = all[2].text.data();
  const std::string_view body{begin, static_cast<std::size_t>(all.back().text.data() - begin)};
  std::string text = fmt::format("{}\x01{}={}\x01{}", all[0].text,
                                 static_cast<unsigned>(tag::BodyLength), body.size(), body);
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  constexpr unsigned kModulus = 256;
  text += fmt::format("10={:03}\x01", sum % kModulus);
  return text;
}

bool is_of_frame(wire::GarbledReason reason) {
  return reason == wire::GarbledReason::BodyLengthWrong ||
         reason == wire::GarbledReason::BodyLengthMalformed ||
         reason == wire::GarbledReason::CheckSumMalformed ||
         reason == wire::GarbledReason::CheckSumWrong;
}

}  // namespace

LogSample read_sample(Disk& disk, const LogRequest& request, SampleLimits limits,
                      FunctionRef<void(std::string_view error)> failed) {
  LogSample sample;
  std::size_t bytes = 0;
  const auto each = [&](const LogMessage& message) {
    if (sample.messages.size() == limits.messages_max || bytes >= limits.bytes_max) {
      sample.is_part = true;
      return AfterMessage::Stop;
    }
    bytes += message.bytes.size();
    sample.messages.emplace_back(message.bytes);
    return AfterMessage::Continue;
  };
  const LogReport report = read_logs(disk, request, {each, [] {}, failed});
  sample.skipped = report.skipped();
  sample.has_unopened = report.has_unopened();
  sample.has_unread = report.has_unread();
  sample.begin_string = most_frequent_version(sample.messages);
  sample.other_versions = std::erase_if(sample.messages, [&](const std::string& message) {
    return begin_string_of(message) != sample.begin_string;
  });
  sample.application_version = application_version_of(sample.messages);
  return sample;
}

Repairs remove_garbled(std::vector<std::string>& messages,
                       const wire::DataFieldTable& data_fields) {
  Repairs repairs;
  wire::Parser parser{data_fields};
  repairs.garbled = std::erase_if(messages, [&](std::string& message) {
    const auto parsed = parser.parse(message);
    if (parsed) return false;
    if (!is_of_frame(parsed.error().reason)) return true;
    std::string again = reframed(message);
    if (!parser.parse(again)) return true;
    message = std::move(again);
    ++repairs.repaired;
    return false;
  });
  return repairs;
}

SampleShape shape_of(const std::vector<std::string>& messages,
                     const wire::DataFieldTable& data_fields) {
  SampleShape shape;
  if (messages.empty()) return shape;
  std::vector<std::size_t> sizes;
  std::map<std::string, std::uint64_t> types;
  std::unordered_map<std::string, std::uint64_t> sequences;
  wire::Parser parser{data_fields};
  std::string tags;
  for (const std::string& bytes : messages) {
    sizes.push_back(bytes.size());
    const auto message = parser.parse(bytes);
    if (!message) continue;
    ++types[std::string{message->msg_type()}];
    tags.clear();
    for (const wire::FieldView field : *message) {
      fmt::format_to(std::back_inserter(tags), "{} ", static_cast<unsigned>(field.tag));
    }
    ++sequences[tags];
  }
  std::ranges::sort(sizes);
  shape.bytes = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  shape.mean_bytes = static_cast<std::size_t>(shape.bytes / sizes.size());
  shape.p50_bytes = bench::quantile_of_sorted(sizes, 0.5);
  shape.p99_bytes = bench::quantile_of_sorted(sizes, 0.99);
  shape.max_bytes = sizes.back();
  for (const auto& [type, count] : types) shape.types.push_back({type, count});
  std::ranges::sort(shape.types, {}, [](const SampleShape::Type& one) {
    return std::pair{-static_cast<std::int64_t>(one.messages), std::string_view{one.msg_type}};
  });
  std::vector<std::uint64_t> counts;
  counts.reserve(sequences.size());
  for (const auto& [sequence, count] : sequences) counts.push_back(count);
  std::ranges::sort(counts, std::greater{});
  shape.sequences = counts.size();
  const auto frequent =
      static_cast<std::ptrdiff_t>(std::min(counts.size(), SampleShape::kFrequent));
  shape.of_frequent_sequences =
      std::accumulate(counts.begin(), counts.begin() + frequent, std::uint64_t{0});
  return shape;
}

}  // namespace nexusfix::logs
