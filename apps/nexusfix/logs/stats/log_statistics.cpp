#include "nexusfix/logs/stats/log_statistics.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <tuple>

#include "nexusfix/logs/fields/field_slots.hpp"

namespace nexusfix::logs {
namespace {

// The tables are bounded: no log needs more than 150 MiB.
constexpr std::size_t kRejectReasonsMax = 10'000;
constexpr std::size_t kWaitingMax = 1'000'000;
constexpr std::size_t kSecondsMax = 1'000'000;
constexpr std::size_t kPlaces = 1024;  // of a flow
constexpr std::size_t kPlaceFlowsMax = 1000;
constexpr std::size_t kFlowsMax = 20'000;   // later ones count together, with empty CompIDs
constexpr std::size_t kTypesMax = 500;      // of a flow; later ones count as "?"
constexpr std::size_t kTextBytesMax = 200;  // of a CompID, a reason or an identifier
constexpr std::size_t kTypeBytesMax = 16;
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // of hashes

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

// Views of the message.
struct LogStatistics::Header {
  std::string_view msg_type;
  std::string_view number;
  std::string_view sender;
  std::string_view target;
  std::string_view poss_dup;
  std::string_view cl_ord_id;
  std::string_view ord_status;
  std::string_view exec_type;
  std::string_view exec_trans_type;
  std::string_view text;
  std::string_view new_number;
  std::string_view ref_number;
  std::string_view reject_reason;

  // False: the message has a Length field, and only MessageFields knows where its data ends.
  bool read(std::string_view bytes) {
    return kSlots.each(bytes, [&](unsigned slot, std::string_view value)
                                  __attribute__((always_inline)) { take(slot, value); });
  }
  void read(std::span<const MessageField> fields) {
    for (const MessageField& field : fields) {
      if (!FieldSlots::can_want(field.tag)) continue;
      if (const unsigned slot = kSlots.of(field.tag); slot != 0) take(slot, field.value);
    }
  }

 private:
  // The members, by their slots less 1.
  static const std::array<std::string_view Header::*, 13> kMembers;
  static const FieldSlots kSlots;
  static FieldSlots make_slots();

  // The first value of a tag counts.
  void take(unsigned slot, std::string_view value) {
    std::string_view& member = this->*kMembers[slot - 1];
    if (member.data() == nullptr) member = value;
  }
};

const std::array<std::string_view LogStatistics::Header::*, 13> LogStatistics::Header::kMembers{
    &Header::msg_type,        &Header::number,    &Header::sender,     &Header::target,
    &Header::poss_dup,        &Header::cl_ord_id, &Header::ord_status, &Header::exec_type,
    &Header::exec_trans_type, &Header::text,      &Header::new_number, &Header::ref_number,
    &Header::reject_reason};
const FieldSlots LogStatistics::Header::kSlots = make_slots();

FieldSlots LogStatistics::Header::make_slots() {
  FieldSlots slots;
  constexpr std::array<wire::Tag, 12> kTags{35, 34, 49, 56, 43, 11, 39, 150, 20, 58, 36, 45};
  unsigned slot = 0;
  for (const wire::Tag tag : kTags) slots.want(tag, ++slot);
  // CxlRejReason, OrdRejReason, SessionRejectReason, BusinessRejectReason
  constexpr std::array<wire::Tag, 4> kReasons{102, 103, 373, 380};
  for (const wire::Tag tag : kReasons) slots.want(tag, slot + 1);
  return slots;
}

LogStatistics::Flow& LogStatistics::flow_of(std::string_view sender, std::string_view target) {
  // Requests and reports take turns. The last letters differ most often.
  const auto last = [](std::string_view text) {
    return text.empty() ? 0U : static_cast<unsigned>(text.back());
  };
  Flow*& recent = recent_flows_[(last(sender) + 5 * last(target)) % recent_flows_.size()];
  if (recent != nullptr && recent->counts.sender == sender && recent->counts.target == target) {
    return *recent;
  }
  sender = sender.substr(0, kTextBytesMax);
  target = target.substr(0, kTextBytesMax);
  if (flows_.size() >= kFlowsMax) {
    flow_key_.assign(sender).append(1, '\x01').append(target);
    if (!flows_.contains(flow_key_)) sender = target = {};
  }
  flow_key_.assign(sender).append(1, '\x01').append(target);
  const auto [found, is_new] = flows_.try_emplace(flow_key_);
  if (is_new) {
    found->second.counts.sender = sender;
    found->second.counts.target = target;
    const std::hash<std::string_view> hash;
    found->second.request_hash = (hash(sender) * kMix + hash(target)) * kMix;
    found->second.report_hash = (hash(target) * kMix + hash(sender)) * kMix;
    if (flows_.size() <= kPlaceFlowsMax) found->second.places.resize(kPlaces);
  }
  recent = &found->second;
  return *recent;
}

void LogStatistics::count_second(WallTime time) {
  const std::int64_t second = floor<std::chrono::seconds>(time).time_since_epoch().count();
  if (second != second_ || second_count_ == 0) {
    if (second_count_ > 0) seconds_[second_] = second_count_;
    if (seconds_.size() > kSecondsMax) seconds_.clear();
    const auto before = seconds_.find(second);
    second_ = second;
    second_count_ = before == seconds_.end() ? 0 : before->second;
  }
  if (++second_count_ > busiest_count) {
    busiest_count = second_count_;
    busiest_second = std::chrono::sys_seconds{std::chrono::seconds{second}};
  }
}

void LogStatistics::count_number(Flow& flow, const Header& header, std::uint64_t offset) {
  FlowStatistics& counts = flow.counts;
  const std::uint64_t number = number_of(header.number);
  if (number == 0) return;
  if (!flow.places.empty()) flow.places[number % kPlaces] = {number, offset};
  if (header.poss_dup == "Y") {
    ++counts.resends;
    if (counts.missing > 0 && number < counts.last_number) --counts.missing;
    return;
  }
  const std::uint64_t expected = counts.last_number + 1;
  if (number > expected && counts.last_number > 0) {
    ++counts.gaps;
    counts.missing += number - expected;
  } else if (number < expected) {
    if (number == 1 || header.msg_type == "A") {
      ++counts.resets;
    } else {
      ++counts.duplicates;
      return;
    }
  }
  counts.last_number = number;
  // SequenceReset: the next message has this number.
  const std::uint64_t next = header.msg_type == "4" ? number_of(header.new_number) : 0;
  if (next > number) counts.last_number = next - 1;
}

void LogStatistics::count_reject(std::string_view kind, std::string_view reason,
                                 const Header& header, const LogMessage& message) {
  const std::string_view text = header.text.substr(0, kTextBytesMax);
  reason = reason.substr(0, kTextBytesMax);
  std::string key{kind};
  key.append(1, '\x01').append(reason).append(1, '\x01').append(text);
  auto found = rejects_.find(key);
  if (found == rejects_.end()) {
    if (rejects_.size() == kRejectReasonsMax) {
      ++unlisted_rejects_;
      return;
    }
    found = rejects_.try_emplace(std::move(key)).first;
    RejectStatistics& reject = found->second;
    reject.kind = kind;
    reject.reason = reason;
    reject.text = text;
    reject.reject_offset = message.offset;
    const bool has_number = !header.ref_number.empty();
    reject.first_id = (has_number ? header.ref_number : header.cl_ord_id).substr(0, kTextBytesMax);
    const std::uint64_t number = number_of(header.ref_number);
    const Flow& other = flow_of(header.target, header.sender);
    if (has_number && !other.places.empty() && other.places[number % kPlaces].first == number) {
      reject.rejected_offset = other.places[number % kPlaces].second;
    }
  }
  ++found->second.count;
}

void LogStatistics::count_report(const Header& header, const LogMessage& message) {
  if (header.ord_status == "2") ++orders.filled;
  if (header.ord_status == "4") ++orders.canceled;
  if (header.ord_status == "8") {
    ++orders.rejected;
    count_reject("order rejected", header.reject_reason, header, message);
  }
  const bool is_fill =
      header.exec_type == "F" || header.exec_type == "1" || header.exec_type == "2";
  const bool is_new = header.exec_trans_type.empty() || header.exec_trans_type == "0";
  if (is_fill && is_new) ++orders.fills;
}

void LogStatistics::count_order(const Flow& flow, const Header& header, const LogMessage& message,
                                const std::optional<WallTime>& time) {
  if (header.msg_type.size() != 1) return;
  const auto key = [&](std::uint64_t session) {
    return session + std::hash<std::string_view>{}(header.cl_ord_id);
  };
  const auto request = [&] {
    if (header.cl_ord_id.empty() || !time) return;
    if (waiting_.size() >= kWaitingMax) {
      forgotten_requests_ += waiting_.size();
      waiting_.clear();
    }
    waiting_.try_emplace(key(flow.request_hash), *time);
  };
  switch (header.msg_type.front()) {
    case 'D':
      ++orders.orders;
      request();
      break;
    case 'F':
      ++orders.cancels;
      request();
      break;
    case 'G':
      ++orders.replaces;
      request();
      break;
    case '8':
    case '9': {
      const auto waiting = waiting_.find(key(flow.report_hash));
      if (waiting != waiting_.end()) {
        if (time) first_report.add(*time - waiting->second);
        waiting_.erase(waiting);
      }
      if (header.msg_type == "8") {
        count_report(header, message);
      } else {
        count_reject("cancel rejected", header.reject_reason, header, message);
      }
      break;
    }
    case '3':
      count_reject("Reject", header.reject_reason, header, message);
      break;
    case 'j':
      count_reject("BusinessMessageReject", header.reject_reason, header, message);
      break;
    default:
      break;
  }
}

void LogStatistics::add(const LogMessage& message) {
  ++messages;
  bytes += message.bytes.size();
  if (msg_type_of(message.bytes).empty()) ++garbled;
  Header header;
  if (!header.read(message.bytes)) {
    fields_.read(message.bytes);
    header = {};
    header.read(fields_.all());
  }
  const std::optional<WallTime> time = times_.of_message(message.prefix, message.bytes);
  if (time) {
    first = std::min(first.value_or(*time), *time);
    last = std::max(last.value_or(*time), *time);
    count_second(*time);
  }
  Flow& flow = flow_of(header.sender, header.target);
  ++flow.counts.messages;
  flow.counts.bytes += message.bytes.size();
  if (flow.type_count == nullptr || flow.last_type != header.msg_type) {
    flow.last_type = header.msg_type;
    const bool is_full = flow.counts.by_type.size() >= kTypesMax;
    const std::string_view type = header.msg_type.substr(0, kTypeBytesMax);
    flow.type_count = &flow.counts.by_type[is_full ? "?" : std::string{type}];
  }
  ++*flow.type_count;
  count_number(flow, header, message.offset);
  if (header.poss_dup != "Y") count_order(flow, header, message, time);
}

void LogStatistics::finish() {
  orders.unanswered = waiting_.size();
  if (second_count_ > 0) seconds_[second_] = second_count_;
  for (const auto& [key, flow] : flows_) {
    for (const auto& [type, count] : flow.counts.by_type) by_type[type] += count;
  }
}

std::vector<const FlowStatistics*> LogStatistics::flows() const {
  std::vector<const FlowStatistics*> all;
  for (const auto& [key, flow] : flows_) {
    if (flow.counts.messages > 0) all.push_back(&flow.counts);
  }
  std::ranges::sort(all, [](const FlowStatistics* left, const FlowStatistics* right) {
    if (left->messages != right->messages) return left->messages > right->messages;
    return std::tie(left->sender, left->target) < std::tie(right->sender, right->target);
  });
  return all;
}

std::vector<const RejectStatistics*> LogStatistics::rejects() const {
  std::vector<const RejectStatistics*> all;
  for (const auto& [key, reject] : rejects_) all.push_back(&reject);
  std::ranges::sort(all, [](const RejectStatistics* left, const RejectStatistics* right) {
    if (left->count != right->count) return left->count > right->count;
    return std::tie(left->kind, left->reason, left->text) <
           std::tie(right->kind, right->reason, right->text);
  });
  return all;
}

}  // namespace nexusfix::logs
