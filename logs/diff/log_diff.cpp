#include "logs/diff/log_diff.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::logs {
namespace {

constexpr std::size_t kWaitingMax = 200'000;
constexpr std::size_t kWaitingBytesMax = 48U << 20U;
constexpr std::size_t kWaitingOfKeyMax = 1000;

// What a resend changes: PossDupFlag, PossResend, OrigSendingTime and SendingTime, and what follows
// from them.
bool is_changed_by_resend(wire::Tag tag) {
  return tag == 43 || tag == 97 || tag == 122 || tag == 52 || tag == tag::BodyLength ||
         tag == tag::CheckSum;
}

bool is_resend(const MessageFields& fields) { return fields.value(43) == "Y"; }

// Whether one is the resend of the other, if one of them is a resend.
bool is_same_but_resent(std::string_view left, std::string_view right) {
  MessageFields fields[2];
  fields[0].read(left);
  fields[1].read(right);
  std::vector<std::string_view> texts[2];
  for (int i = 0; i < 2; ++i) {
    for (const MessageField& field : fields[i].all()) {
      if (!is_changed_by_resend(field.tag)) texts[i].push_back(field.text);
    }
  }
  return texts[0] == texts[1];
}

// The session layer's messages, for which a gap fill may stand. A Reject is sent again.
bool is_of_session_layer(std::string_view bytes) {
  constexpr std::string_view kTypes = "0124A5";
  const std::string_view type = msg_type_of(bytes);
  return type.size() == 1 && kTypes.contains(type.front());
}

}  // namespace

FieldDifference first_difference(std::string_view left, std::string_view right) {
  MessageFields fields[2];
  fields[0].read(left);
  fields[1].read(right);
  const auto find = [&](bool with_sums) -> FieldDifference {
    std::vector<MessageField> kept[2];
    for (int i = 0; i < 2; ++i) {
      std::ranges::copy_if(fields[i].all(), std::back_inserter(kept[i]), [&](const auto& field) {
        return with_sums || (field.tag != tag::BodyLength && field.tag != tag::CheckSum);
      });
    }
    const std::size_t size = std::max(kept[0].size(), kept[1].size());
    for (std::size_t at = 0; at < size; ++at) {
      FieldDifference difference;
      for (std::size_t i = 0; i < 2; ++i) {
        if (at < kept[i].size()) difference.texts[i] = kept[i][at].text;
      }
      if (difference.texts[0] == difference.texts[1]) continue;
      const bool has_both = at < kept[0].size() && at < kept[1].size();
      if (has_both && kept[0][at].tag == kept[1][at].tag) difference.tag = kept[0][at].tag;
      return difference;
    }
    return {};
  };
  FieldDifference difference = find(false);
  if (difference.texts[0].empty() && difference.texts[1].empty()) difference = find(true);
  return difference;
}

std::string LogDiff::key_of(std::string_view sender, std::string_view target,
                            std::string_view number) const {
  std::string key{sender};
  key.append(1, '\x01').append(target).append(1, '\x01').append(number);
  return key;
}

void LogDiff::add(std::size_t side, const LogMessage& message) {
  fields_.read(message.bytes);
  std::string key = key_of(fields_.value(49), fields_.value(56), fields_.value(34));
  const bool is_gap_fill = fields_.value(35) == "4" && fields_.value(123) == "Y";
  auto& waiting = waiting_[key];
  if (match(key, waiting, side, message.bytes)) {
    if (is_gap_fill && waiting_count_ > 0) apply_gap_fill(side);
    return;
  }
  keep(key, waiting,
       {.side = side,
        .bytes = std::string{message.bytes},
        .offset = message.offset,
        .direction = direction_in(message.prefix),
        .is_resend = is_resend(fields_)});
  limit_memory(key);
}

// Whether the other log has the message. Removes what has found its other half.
bool LogDiff::match(const std::string& key, std::vector<DiffMessage>& waiting, std::size_t side,
                    std::string_view bytes) {
  const auto other = std::ranges::find_if(
      waiting, [&](const DiffMessage& one) { return one.side != side && one.bytes == bytes; });
  const bool is_equal = other != waiting.end();
  const bool is_sent_again = is_resend(fields_);
  if (is_equal) {
    ++counts_.equal;
    matched_ = other->arrival;
    remove(waiting, static_cast<std::size_t>(other - waiting.begin()));
  }
  bool is_resent = false;
  for (std::size_t at = is_equal && !is_sent_again ? waiting.size() : 0; at < waiting.size();) {
    // A lost original waits, and its resend came; or the resend is the only one that was logged.
    const DiffMessage& one = waiting[at];
    const bool is_candidate = one.is_resend != is_sent_again &&
                              (is_equal ? came_before_match(one, side) : one.side != side);
    if (is_candidate && is_same_but_resent(one.bytes, bytes)) {
      ++counts_.resent;
      is_resent = true;
      if (!is_equal) matched_ = one.arrival;
      remove(waiting, at);
      if (!is_equal) break;
    } else {
      ++at;
    }
  }
  if (waiting.empty() && (is_equal || is_resent)) waiting_.erase(key);
  return is_equal || is_resent;
}

void LogDiff::remove(std::vector<DiffMessage>& waiting, std::size_t at) {
  --waiting_count_;
  waiting_bytes_ -= waiting[at].bytes.size();
  waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
}

void LogDiff::keep(const std::string& key, std::vector<DiffMessage>& waiting, DiffMessage message) {
  message.arrival = ++arrivals_;
  ++waiting_count_;
  waiting_bytes_ += message.bytes.size();
  waiting.push_back(std::move(message));
  order_.push_back({arrivals_, key});
}

// Whether it is before the two messages of the last match, in the log that has it. One log may be
// read ahead of the other.
bool LogDiff::came_before_match(const DiffMessage& message, std::size_t side) const noexcept {
  return message.side == side || message.arrival < matched_;
}

// Both sides have the gap fill in fields_: session messages before its NewSeqNo were not needed.
void LogDiff::apply_gap_fill(std::size_t side) {
  constexpr std::uint64_t kNumbersMax = 1'000'000;
  const std::uint64_t first = number_of(fields_.value(34));
  const std::uint64_t end = std::min(number_of(fields_.value(36)), first + kNumbersMax);
  for (std::uint64_t number = first; number < end && waiting_count_ > 0; ++number) {
    const auto found =
        waiting_.find(key_of(fields_.value(49), fields_.value(56), std::to_string(number)));
    if (found == waiting_.end()) continue;
    for (std::size_t at = 0; at < found->second.size();) {
      const DiffMessage& one = found->second[at];
      if (came_before_match(one, side) && is_of_session_layer(one.bytes)) {
        ++counts_.gap_filled;
        remove(found->second, at);
      } else {
        ++at;
      }
    }
    if (found->second.empty()) waiting_.erase(found);
  }
}

// No other half will come.
void LogDiff::resolve(std::vector<DiffMessage>& waiting) {
  std::vector<const DiffMessage*> sides[2];
  for (const DiffMessage& message : waiting) sides[message.side].push_back(&message);
  const std::size_t pairs = std::min(sides[0].size(), sides[1].size());
  for (std::size_t i = 0; i < pairs; ++i) {
    ++counts_.different;
    found_({{sides[0][i], sides[1][i]}, first_difference(sides[0][i]->bytes, sides[1][i]->bytes)});
  }
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t i = pairs; i < sides[side].size(); ++i) {
      ++counts_.only[side];
      LogDifference difference;
      difference.messages[side] = sides[side][i];
      found_(difference);
    }
  }
  while (!waiting.empty()) remove(waiting, waiting.size() - 1);
}

// The messages of the key of this one; end(): it has left.
LogDiff::Waiting::iterator LogDiff::waiting_at(const Arrival& arrival) {
  const auto found = waiting_.find(arrival.key);
  if (found == waiting_.end()) return found;
  const bool waits =
      std::ranges::binary_search(found->second, arrival.number, {}, &DiffMessage::arrival);
  return waits ? found : waiting_.end();
}

// key: of the newest message.
void LogDiff::limit_memory(const std::string& key) {
  if (const auto newest = waiting_.find(key); newest->second.size() > kWaitingOfKeyMax) {
    counts_.is_limited = true;
    resolve(newest->second);
    waiting_.erase(newest);
  }
  while (waiting_count_ > kWaitingMax || waiting_bytes_ > kWaitingBytesMax) {
    const auto found = waiting_at(order_.front());
    if (found != waiting_.end()) {
      counts_.is_limited = true;
      resolve(found->second);
      waiting_.erase(found);
    }
    order_.pop_front();
  }
  if (order_.size() > 2 * kWaitingMax) {
    std::erase_if(order_, [&](const Arrival& one) { return waiting_at(one) == waiting_.end(); });
  }
}

void LogDiff::finish() {
  for (const Arrival& arrival : order_) {
    const auto found = waiting_.find(arrival.key);
    if (found == waiting_.end()) continue;
    resolve(found->second);
    waiting_.erase(found);
  }
  order_.clear();
}

}  // namespace nexusfix::logs
