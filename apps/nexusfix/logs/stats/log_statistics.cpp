#include "nexusfix/logs/stats/log_statistics.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <tuple>

#include "nexusfix/logs/source/log_time.hpp"

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

  explicit Header(std::span<const MessageField> fields) {
    // From the last field on: the first value of a tag remains.
    for (auto field = fields.rbegin(); field != fields.rend(); ++field) take(*field);
  }

 private:
  void take(const MessageField& field) {
    switch (field.tag) {
      case 35:
        msg_type = field.value;
        break;
      case 34:
        number = field.value;
        break;
      case 49:
        sender = field.value;
        break;
      case 56:
        target = field.value;
        break;
      case 43:
        poss_dup = field.value;
        break;
      case 11:
        cl_ord_id = field.value;
        break;
      case 39:
        ord_status = field.value;
        break;
      case 150:
        exec_type = field.value;
        break;
      case 20:
        exec_trans_type = field.value;
        break;
      case 58:
        text = field.value;
        break;
      case 36:
        new_number = field.value;
        break;
      case 45:
        ref_number = field.value;
        break;
      case 102:  // CxlRejReason
      case 103:  // OrdRejReason
      case 373:  // SessionRejectReason
      case 380:  // BusinessRejectReason
        reject_reason = field.value;
        break;
      default:
        break;
    }
  }
};

LogStatistics::Flow& LogStatistics::flow_of(std::string_view sender, std::string_view target) {
  if (last_flow_ != nullptr && last_flow_->counts.sender == sender &&
      last_flow_->counts.target == target) {
    return *last_flow_;
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
    if (flows_.size() <= kPlaceFlowsMax) found->second.places.resize(kPlaces);
  }
  last_flow_ = &found->second;
  return *last_flow_;
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

void LogStatistics::count_order(const Header& header, const LogMessage& message,
                                const std::optional<WallTime>& time) {
  if (header.msg_type.size() != 1) return;
  // A report goes the other way.
  const auto key = [&](std::string_view from, std::string_view to) {
    const std::hash<std::string_view> hash;
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;
    return (hash(from) * kMix + hash(to)) * kMix + hash(header.cl_ord_id);
  };
  const auto request = [&] {
    if (header.cl_ord_id.empty() || !time) return;
    if (waiting_.size() >= kWaitingMax) {
      forgotten_requests_ += waiting_.size();
      waiting_.clear();
    }
    waiting_.try_emplace(key(header.sender, header.target), *time);
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
      const auto waiting = waiting_.find(key(header.target, header.sender));
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
  fields_.read(message.bytes);
  const Header header{fields_.all()};
  const std::optional<WallTime> time = time_of_message(message.prefix, message.bytes);
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
  if (header.poss_dup != "Y") count_order(header, message, time);
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
