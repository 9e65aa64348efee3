#include "stream/record_encoder.hpp"

#include <fmt/format.h>
#include <iterator>
#include <utility>

#include "base/api/utc_text.hpp"

namespace nexusfix::stream {
namespace {

constexpr std::size_t kRowsMax = 1000;
constexpr std::size_t kRowBytesMax = 512U << 10U;

}  // namespace

RecordEncoder::RecordEncoder(const EncoderOptions& options)
    : options_{options}, objects_{nullptr, {}} {}

Outgoing RecordEncoder::begin(const store::FollowedMessage& message) const {
  Outgoing record;
  record.key = message.session;
  record.headers.reserve(11);
  const auto add = [&](std::string_view name, std::string value) {
    record.headers.push_back({name, std::move(value)});
  };
  add("engine", options_.engine);
  add("log", std::to_string(message.log_id));
  add("owner", std::to_string(message.owner_epoch));
  add("position", std::to_string(message.position));
  add("session", record.key);
  add("epoch", std::to_string(message.epoch));
  if (options_.format == RecordFormat::Arrow) return record;
  add("direction", message.is_received ? "in" : "out");
  add("seq", std::to_string(message.msg_seq_num));
  add("time", std::to_string(message.time.time_since_epoch().count()));
  return record;
}

// As the log tools print the messages of a journal.
std::string_view RecordEncoder::prefix_of(const store::FollowedMessage& message) {
  prefix_.clear();
  if (message.time != WallTime{}) {
    append_utc(prefix_, message.time, UtcForm::Fix, kUtcFractionDigitsMax);
    prefix_ += ' ';
  }
  fmt::format_to(std::back_inserter(prefix_), "{} {} epoch {} : ", message.session,
                 message.is_received ? "IN" : "OUT", message.epoch);
  return prefix_;
}

std::expected<void, std::string> RecordEncoder::add(const store::FollowedMessage& message,
                                                    std::vector<Outgoing>& to) {
  switch (options_.format) {
    case RecordFormat::Raw:
      to.push_back(begin(message));
      to.back().value = message.bytes;
      return {};
    case RecordFormat::Json:
      to.push_back(begin(message));
      objects_.append(
          to.back().value,
          {.bytes = message.bytes, .prefix = prefix_of(message), .offset = message.position}, {});
      return {};
    case RecordFormat::Arrow:
      break;
  }
  return add_row(message);
}

std::expected<void, std::string> RecordEncoder::add_row(const store::FollowedMessage& message) {
  std::string name = fmt::format("{} {} {} {}", message.log_id, message.owner_epoch, message.epoch,
                                 message.session);
  std::unique_ptr<Group>& group = groups_[std::move(name)];
  if (!group) {
    group = std::make_unique<Group>();
    group->record = begin(message);
    auto writer = options_.open_columns({.columns = options_.columns,
                                         .format = logs::ColumnFormat::ArrowStream,
                                         .path = {},
                                         .to = &group->value});
    if (!writer) return std::unexpected{writer.error()};
    group->writer = std::move(*writer);
    group->rows = group->writer->make_rows();
  }
  ++kept_;
  kept_bytes_ += message.bytes.size();
  ++group->count;
  group->last = message.position;
  const bool is_enough = group->rows->add(
      {.bytes = message.bytes, .prefix = prefix_of(message), .offset = message.position});
  return is_enough ? group->writer->take(*group->rows) : std::expected<void, std::string>{};
}

bool RecordEncoder::is_full() const noexcept {
  return kept_ >= kRowsMax || kept_bytes_ >= kRowBytesMax;
}

std::expected<void, std::string> RecordEncoder::flush(std::vector<Outgoing>& to) {
  kept_ = 0;
  kept_bytes_ = 0;
  for (auto& [name, group] : groups_) {
    if (auto taken = group->writer->take(*group->rows); !taken) return taken;
    if (const auto done = group->writer->finish(); !done) return std::unexpected{done.error()};
    group->record.headers.push_back({"last", std::to_string(group->last)});
    group->record.headers.push_back({"count", std::to_string(group->count)});
    group->record.value = std::move(group->value);
    to.push_back(std::move(group->record));
  }
  groups_.clear();
  return {};
}

}  // namespace nexusfix::stream
