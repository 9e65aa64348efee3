#include "logs/stats/log_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>

#include "logs/fields/field_slots.hpp"
#include "logs/messages/find_bytes.hpp"

namespace nexusfix::logs {
namespace {

// The tables are bounded: no log needs more than 150 MiB.
constexpr std::size_t kRejectReasonsMax = 10'000;
constexpr std::size_t kOrdersMax = 1'000'000;
constexpr std::size_t kSecondsMax = 1'000'000;
constexpr std::size_t kPlaces = 1024;  // of a flow
constexpr std::size_t kPlaceFlowsMax = 1000;
constexpr std::size_t kGapsMax = 1000;  // open ones of each of these flows; older ones stay missing
constexpr std::size_t kGapsOfLaterFlowsMax = 16;
constexpr std::size_t kFlowsMax = 20'000;   // later ones count together, with empty CompIDs
constexpr std::size_t kTypesMax = 500;      // of a flow; later ones count as "?"
constexpr std::size_t kTextBytesMax = 200;  // of a CompID, a reason or an identifier
constexpr std::size_t kTypeBytesMax = 16;
constexpr unsigned kSwitchesOfTwo = 4;              // between sequences that take turns
constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // of hashes
constexpr wire::Tag kCumQty = 14;
constexpr wire::Tag kOrderQty = 38;
constexpr std::string_view kCumQtyBegin =
    "\x01"
    "14=";
constexpr std::string_view kOrderQtyBegin =
    "\x01"
    "38=";
constexpr wire::Tag kCxlRejReason = 102;
constexpr wire::Tag kOrdRejReason = 103;
constexpr wire::Tag kSessionRejectReason = 373;
constexpr wire::Tag kBusinessRejectReason = 380;

// text: of a message, with at least 8 bytes before its end. 0: it is no quantity. Most quantities
// are integers of a few digits, which are read without branches on their number.
double quantity_of(std::string_view text) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kEach = 0x0101010101010101;
  if (!text.empty() && text.size() <= kWord && std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + text.size() - kWord, kWord);
    // The bytes before the text become zeros.
    const std::uint64_t digits =
        (word ^ '0' * kEach) & (~std::uint64_t{0} << (kWord - text.size()) * 8);
    if (((digits | (digits + 0x76 * kEach)) & 0x80 * kEach) == 0) {
      const std::uint64_t pairs = (digits * 10 + (digits >> 8U)) & 0x00ff00ff00ff00ff;
      const std::uint64_t fours = (pairs * 100 + (pairs >> 16U)) & 0x0000ffff0000ffff;
      return static_cast<double>((fours * 10'000 + (fours >> 32U)) & 0xffffffff);
    }
  }
  const auto number = wire::to_decimal(text);
  if (!number) return 0;
  return static_cast<double>(number->mantissa()) / std::pow(10, number->scale());
}

// The hash of a ClOrdID. That of the standard library takes four times as long.
std::uint64_t hash_of(std::string_view text) noexcept {
  const auto mixed = [](std::uint64_t hash, std::uint64_t word) {
    hash ^= word;
    hash = (hash ^ hash >> 32U) * kMix;
    return hash ^ hash >> 29U;
  };
  std::uint64_t hash = text.size() * kMix;
  std::uint64_t word = 0;
  if (text.size() < sizeof(word)) {
    for (const char c : text) word = word << 8U | static_cast<unsigned char>(c);
    return mixed(hash, word);
  }
  // The last word overlaps the one before it.
  const std::size_t last = text.size() - sizeof(word);
  for (std::size_t at = 0;; at = std::min(at + sizeof(word), last)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    hash = mixed(hash, word);
    if (at == last) return hash;
  }
}

// Whether a value is this character. A comparison with a text calls memcmp().
bool is_code(std::string_view value, char code) noexcept {
  return value.size() == 1 && value.front() == code;
}

// begin: SOH, the tag and `=`. bytes: a message without data fields. likely: in it; the field most
// often comes later.
std::string_view value_after(std::string_view begin, std::string_view bytes, const char* likely) {
  std::size_t at = bytes.npos;
  if (likely != nullptr) {
    at = printing::find_bytes(bytes, begin, static_cast<std::size_t>(likely - bytes.data()));
  }
  if (at == bytes.npos) at = printing::find_bytes(bytes, begin);
  if (at == bytes.npos) return {};
  const std::size_t first = at + begin.size();
  std::size_t end = first;
  while (end < bytes.size() && bytes[end] != wire::kSoh) ++end;  // a quantity is short
  return bytes.substr(first, end - first);
}

}  // namespace

// Views of the message.
class LogStatistics::Header {
 public:
  enum Slot : std::uint8_t {
    MsgType = 1,
    Number,
    Sender,
    Target,
    PossDup,
    ClOrdID,
    OrdStatus,
    ExecType,
    ExecTransType,
    Text,
    NewNumber,
    RefNumber,
    LastQty,
    GapFillFlag,
    ResetFlag,
    RejectReason,
    kEnd
  };

  // The first value of the field; empty: the message does not have it.
  [[nodiscard]] std::string_view operator[](Slot slot) const noexcept {
    if ((seen_ >> slot & 1U) == 0) return {};
    return {values_[slot].data, values_[slot].size};
  }
  // False: the message has a Length field, and only MessageFields knows where its data ends.
  bool read(std::string_view bytes) {
    return kSlots.each(bytes, [&](unsigned slot, std::string_view value)
                                  __attribute__((always_inline)) { take(slot, value); });
  }
  void read(std::span<const MessageField> fields) {
    seen_ = 0;
    for (const MessageField& field : fields) {
      if (!FieldSlots::can_want(field.tag)) continue;
      if (const unsigned slot = kSlots.of(field.tag); slot != 0) take(slot, field.value);
    }
  }

 private:
  static const FieldSlots kSlots;
  static FieldSlots make_slots();

  void take(unsigned slot, std::string_view value) noexcept {
    if ((seen_ >> slot & 1U) != 0) return;
    seen_ |= 1U << slot;
    values_[slot] = {value.data(), value.size()};
  }

  // Not initialised: to clear them takes as long as to find the fields.
  struct Value {
    const char* data;
    std::size_t size;
  };
  std::array<Value, kEnd> values_;
  unsigned seen_ = 0;  // a bit for each slot
};

const FieldSlots LogStatistics::Header::kSlots = make_slots();

FieldSlots LogStatistics::Header::make_slots() {
  FieldSlots slots;
  constexpr std::array<wire::Tag, kEnd - 2> kTags{35, 34, 49, 56, 43, 11,  39, 150,
                                                  20, 58, 36, 45, 32, 123, 141};
  unsigned slot = 0;
  for (const wire::Tag tag : kTags) slots.want(tag, ++slot);
  for (const wire::Tag tag :
       {kCxlRejReason, kOrdRejReason, kSessionRejectReason, kBusinessRejectReason}) {
    slots.want(tag, RejectReason);
  }
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
    found->second.request_hash = (hash_of(sender) * kMix + hash_of(target)) * kMix;
    found->second.report_hash = (hash_of(target) * kMix + hash_of(sender)) * kMix;
    if (flows_.size() <= kPlaceFlowsMax) found->second.places.resize(kPlaces);
  }
  recent = &found->second;
  return *recent;
}

void LogStatistics::count_second(WallTime time) {
  const std::int64_t second = floor<std::chrono::seconds>(time).time_since_epoch().count();
  if (second != seconds_.last || seconds_.last_count == 0) {
    if (seconds_.last_count > 0) seconds_.counts[seconds_.last] = seconds_.last_count;
    if (seconds_.counts.size() > kSecondsMax) seconds_.counts.clear();
    const auto before = seconds_.counts.find(second);
    seconds_.last = second;
    seconds_.last_count = before == seconds_.counts.end() ? 0 : before->second;
  }
  if (++seconds_.last_count > busiest_count) {
    busiest_count = seconds_.last_count;
    busiest_second = std::chrono::sys_seconds{std::chrono::seconds{second}};
  }
}

// Keeps where the message is, for a Reject that refers to its number.
void LogStatistics::keep_place(Flow& flow, Numbered& one) {
  if (flow.places.empty()) return;
  constexpr std::uint32_t kFilesMax = (1U << 22U) - 1;
  constexpr std::uint32_t kCheckSumMax = (1U << 10U) - 1;
  constexpr std::size_t kCheckSumBytes = 4;  // ddd, SOH
  const std::string_view bytes = one.message.bytes;
  const std::size_t trailer = bytes.size() - std::min(bytes.size(), kCheckSumBytes);
  const auto check_sum =
      static_cast<std::uint32_t>(number_of(bytes.substr(trailer, kCheckSumBytes - 1)));
  const bool fits =
      one.number <= std::numeric_limits<std::uint32_t>::max() && one.place.file < kFilesMax;
  NumberedPlace& place = flow.places[one.number % kPlaces];
  one.was_seen = fits && place.number == one.number;
  one.is_copy = one.was_seen && place.check_sum == check_sum;
  place = {one.place.offset, one.place.file & kFilesMax, check_sum & kCheckSumMax,
           fits ? static_cast<std::uint32_t>(one.number) : 0};
  // The next number of the flow is needed when the cache has seen many bytes of the log.
  __builtin_prefetch(&flow.places[(one.number + 1) % kPlaces], 1);
}

void LogStatistics::count_number(Flow& flow, const Header& header, const LogMessage& message,
                                 MessagePlace place, const std::optional<WallTime>& time) {
  FlowStatistics& counts = flow.counts;
  Numbered one{.header = header,
               .message = message,
               .place = place,
               .time = time,
               .number = number_of(header[Header::Number]),
               .is_resend = is_code(header[Header::PossDup], 'Y')};
  if (one.number == 0) return;
  keep_place(flow, one);
  if (one.is_resend) ++counts.resends;
  // SequenceReset: the next message has the number NewSeqNo, and those before it do not come.
  const std::uint64_t next =
      is_code(header[Header::MsgType], '4') ? number_of(header[Header::NewNumber]) : 0;
  one.last = next > one.number ? next - 1 : one.number;
  if (flow.low_logon > 0 && !one.is_resend) [[unlikely]]
    decide_low_logon(flow, one);
  const std::uint64_t expected = counts.last_number + 1;
  const bool is_reset =
      next > 0 && next < expected && !one.is_resend && !is_code(header[Header::GapFillFlag], 'Y');
  if (is_reset) [[unlikely]] {
    reset_numbers(flow, one, next);
    counts.last_number = next - 1;
  } else if (one.number == expected || counts.last_number == 0) [[likely]] {
    // A log may begin with resends.
    if (!one.is_resend || counts.last_number > 0) counts.last_number = one.last;
    if (one.was_seen && !one.is_resend) ++counts.duplicates;
  } else if (!one.is_resend && !one.is_copy && one.number == flow.other_last + 1 &&
             flow.other_last > 0) {
    go_on_elsewhere(flow, one);
  } else if (one.number > expected) {
    ++counts.gaps;
    open_gap(flow, {expected, one.number - 1}, one);
    counts.last_number = one.last;
  } else {
    record_low_number(flow, one);
  }
  if (options_.has_timeline && time) timeline_.add(timeline_message(one));
}

// A Logon with MsgSeqNum 1 without ResetSeqNumFlag begins the numbers again if the message after it
// goes on from there, as after the start of the schedule. Otherwise it was refused.
void LogStatistics::decide_low_logon(Flow& flow, Numbered& one) {
  const std::string_view type = one.header[Header::MsgType];
  const bool is_accepted =
      one.number == flow.low_logon + 1 && !is_code(type, 'A') && !is_code(type, '5');
  if (is_accepted) {
    reset_numbers(flow, one, one.number);
    keep_place(flow, one);
    flow.counts.last_number = flow.low_logon;
  } else {
    ++flow.counts.duplicates;
  }
  flow.low_logon = 0;
}

// The numbers of two sequences take turns. A few may be the messages of one program that come
// again.
void LogStatistics::go_on_elsewhere(Flow& flow, const Numbered& one) {
  std::swap(flow.counts.last_number, flow.other_last);
  if (!close_gaps(flow, one) && one.was_seen) ++flow.counts.duplicates;
  flow.counts.last_number = one.last;
  if (++flow.switches == kSwitchesOfTwo) flow.counts.two_sequences = one.place;
}

// A second program began above the first one, and both go on. Numbers that fill their gap are late
// messages of one program.
void LogStatistics::count_late_number(Flow& flow, const Numbered& one) {
  const std::uint64_t next = one.last + 1;
  const auto gap = std::ranges::lower_bound(flow.gaps, next, {}, &OpenGap::last);
  const bool is_filled = gap == flow.gaps.end() || gap->first > next;
  if (is_filled) {
    flow.late_switches = 0;
  } else if (one.number == flow.late_last + 1 && flow.counts.last_number > flow.late_high &&
             ++flow.late_switches == kSwitchesOfTwo) {
    flow.counts.two_sequences = one.place;
  }
  flow.late_last = one.last;
  flow.late_high = flow.counts.last_number;
}

void LogStatistics::record_low_number(Flow& flow, Numbered& one) {
  FlowStatistics& counts = flow.counts;
  const bool is_late = close_gaps(flow, one);
  if (is_late && !one.is_resend) count_late_number(flow, one);
  if (one.is_resend || is_late) {
    counts.last_number = std::max(counts.last_number, one.last);
    return;
  }
  const bool is_logon = is_code(one.header[Header::MsgType], 'A');
  if (is_logon && is_code(one.header[Header::ResetFlag], 'Y')) {
    reset_numbers(flow, one, one.number);
    keep_place(flow, one);
    counts.last_number = one.last;
  } else if (is_logon && one.number == 1 && !one.is_copy) {
    flow.low_logon = one.number;
  } else {
    ++counts.duplicates;
    if (!one.is_copy) flow.other_last = one.number;
  }
}

void LogStatistics::reset_numbers(Flow& flow, const Numbered& one, std::uint64_t next) {
  ++flow.counts.resets;
  flow.gaps.clear();
  std::ranges::fill(flow.places, NumberedPlace{});
  flow.other_last = flow.counts.last_number;
  if (options_.has_timeline && one.time) timeline_.add_reset(timeline_message(one), next);
}

TimelineCollector::Message LogStatistics::timeline_message(const Numbered& one) {
  return {.sender = one.header[Header::Sender],
          .target = one.header[Header::Target],
          .type = one.header[Header::MsgType],
          .number = one.number,
          .last = one.last,
          .is_resend = one.is_resend,
          .bytes = one.message.bytes,
          .time = *one.time,
          .place = one.place};
}

void LogStatistics::open_gap(Flow& flow, OpenGap gap, const Numbered& one) {
  FlowStatistics& counts = flow.counts;
  const std::uint64_t size = gap.last - gap.first + 1;
  counts.missing += size;
  const std::size_t listed_max = flow.places.empty() ? kGapsOfLaterFlowsMax : options_.gaps_max;
  gap.listed = counts.gap_list.size();
  if (gap.listed < listed_max) {
    counts.gap_list.push_back({gap.first, gap.last, size, one.time, one.place, {}});
  } else {
    gap.listed = kGapsMax;
  }
  flow.gaps.push_back(gap);
  limit_gaps(flow);
  if (options_.has_timeline && one.time) {
    timeline_.add_gap(timeline_message(one), gap.first, gap.last);
  }
}

void LogStatistics::limit_gaps(Flow& flow) {
  const std::size_t gaps_max = flow.places.empty() ? kGapsOfLaterFlowsMax : kGapsMax;
  if (flow.gaps.size() > gaps_max) flow.gaps.erase(flow.gaps.begin());
}

// These numbers have come. False: none of them was missing.
bool LogStatistics::close_gaps(Flow& flow, const Numbered& one) {
  const std::uint64_t first = one.number;
  const std::uint64_t last = one.last;
  const auto begin = std::ranges::lower_bound(flow.gaps, first, {}, &OpenGap::last);
  if (begin == flow.gaps.end() || begin->first > last) return false;
  auto end = begin;
  std::vector<OpenGap> left;
  for (; end != flow.gaps.end() && end->first <= last; ++end) {
    const std::uint64_t size = std::min(end->last, last) - std::max(end->first, first) + 1;
    flow.counts.missing -= size;
    if (end->listed < flow.counts.gap_list.size()) {
      GapStatistics& gap = flow.counts.gap_list[end->listed];
      gap.missing -= size;
      if (gap.missing == 0) gap.closed = one.time;
    }
    if (end->first < first) left.push_back({end->first, first - 1, end->listed});
    if (end->last > last) left.push_back({last + 1, end->last, end->listed});
  }
  flow.gaps.insert(flow.gaps.erase(begin, end), left.begin(), left.end());
  limit_gaps(flow);
  return true;
}

// rejected: nothing if MsgSeqNum (45) names the message.
void LogStatistics::count_reject(std::string_view kind, wire::Tag reason_tag, const Header& header,
                                 MessagePlace place, std::optional<MessagePlace> rejected) {
  const std::string_view text = header[Header::Text].substr(0, kTextBytesMax);
  const std::string_view reason = header[Header::RejectReason].substr(0, kTextBytesMax);
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
    reject.reason_tag = reason_tag;
    reject.reason = reason;
    reject.text = text;
    reject.place = place;
    const bool has_number = !header[Header::RefNumber].empty();
    reject.first_id =
        (has_number ? header[Header::RefNumber] : header[Header::ClOrdID]).substr(0, kTextBytesMax);
    const std::uint64_t number = number_of(header[Header::RefNumber]);
    const Flow& other = flow_of(header[Header::Target], header[Header::Sender]);
    if (number > 0 && !other.places.empty() && other.places[number % kPlaces].number == number) {
      const NumberedPlace& place_of_number = other.places[number % kPlaces];
      rejected = {place_of_number.offset, place_of_number.file};
    }
    reject.rejected = rejected;
  }
  ++found->second.count;
}

// The count of orders that end with this OrdStatus; null: with it they go on.
std::uint64_t* LogStatistics::ended_count(std::string_view status) noexcept {
  if (status.size() != 1) return nullptr;
  switch (status.front()) {
    case '2':
      return &orders.filled;
    case '4':
      return &orders.canceled;
    case '8':
      return &orders.rejected;
    case 'C':
      return &orders.expired;
    default:
      return nullptr;
  }
}

bool LogStatistics::count_report(const Header& header, MessagePlace place,
                                 const std::optional<MessagePlace>& request) {
  const std::string_view type = header[Header::ExecType];
  const std::string_view transaction = header[Header::ExecTransType];
  // The status of an order, which was reported.
  if (is_code(type, 'I')) return false;
  // Corrected, busted, restated, done for the day, calculated: the order has ended before.
  const char kind = type.size() == 1 ? type.front() : '\0';
  const bool is_news = kind != 'G' && kind != 'H' && kind != 'D' && kind != '3' && kind != 'B';
  const bool is_new = transaction.empty() || is_code(transaction, '0');
  std::uint64_t* const ended = ended_count(header[Header::OrdStatus]);
  const bool is_end = is_new && is_news && ended != nullptr;
  if (is_end) {
    ++*ended;
    if (ended == &orders.rejected) {
      count_reject("order rejected", kOrdRejReason, header, place, request);
    }
  }
  const bool may_fill =
      is_code(type, 'F') || is_code(type, '1') || is_code(type, '2') || type.empty();
  if (!is_new || !may_fill) return is_end;
  const double quantity = quantity_of(header[Header::LastQty]);
  orders.filled_quantity += quantity;
  // FIX 4.0 has no ExecType.
  if (!type.empty() || quantity > 0) ++orders.fills;
  return is_end;
}

void LogStatistics::count_request(const Flow& flow, const Header& header, const Waiting& request) {
  if (header[Header::ClOrdID].empty()) return;
  if (requests_.waiting.size() >= kOrdersMax) {
    requests_.forgotten += requests_.waiting.size();
    requests_.waiting.clear();
  }
  requests_.waiting.try_emplace(flow.request_hash + hash_of(header[Header::ClOrdID]), request);
}

// The request that waited for this report. Its time counts.
std::optional<MessagePlace> LogStatistics::answered_request(const Flow& flow, const Header& header,
                                                            MessagePlace place,
                                                            const std::optional<WallTime>& time) {
  const auto found = requests_.waiting.find(flow.report_hash + hash_of(header[Header::ClOrdID]));
  if (found == requests_.waiting.end()) return std::nullopt;
  const Waiting request = found->second;
  requests_.waiting.erase(found);
  if (time) {
    const std::chrono::nanoseconds latency = *time - request.time();
    (request.is_order() ? latencies.order_to_report : latencies.request_to_ack).add(latency);
    if (options_.slowest_max > 0) keep_slowest(flow, header, request, place, latency);
  }
  return request.place();
}

void LogStatistics::keep_slowest(const Flow& flow, const Header& header, const Waiting& request,
                                 MessagePlace place, std::chrono::nanoseconds latency) {
  const bool is_full = slowest_.size() == options_.slowest_max;
  if (is_full && latency <= slowest_.front().latency) return;
  if (is_full) {
    std::ranges::pop_heap(slowest_, std::greater{}, &SlowRequest::latency);
    slowest_.pop_back();
  }
  slowest_.push_back({.latency = latency,
                      .type = std::string(1, request.type()),
                      .cl_ord_id = std::string{header[Header::ClOrdID].substr(0, kTextBytesMax)},
                      .sender = flow.counts.target,
                      .target = flow.counts.sender,
                      .time = request.time(),
                      .request = request.place(),
                      .answer = place});
  std::ranges::push_heap(slowest_, std::greater{}, &SlowRequest::latency);
}

std::vector<const SlowRequest*> LogStatistics::slowest() const {
  std::vector<const SlowRequest*> all;
  all.reserve(slowest_.size());
  for (const SlowRequest& one : slowest_) all.push_back(&one);
  std::ranges::sort(all, [](const SlowRequest* left, const SlowRequest* right) {
    if (left->latency != right->latency) return left->latency > right->latency;
    return std::tie(left->time, left->cl_ord_id) < std::tie(right->time, right->cl_ord_id);
  });
  return all;
}

bool LogStatistics::count_order(const Flow& flow, const Header& header, MessagePlace place,
                                const std::optional<WallTime>& time) {
  if (header[Header::MsgType].size() != 1) return false;
  const char type = header[Header::MsgType].front();
  if (type == '8' || type == '9') {
    const auto request = answered_request(flow, header, place, time);
    if (type == '8') return count_report(header, place, request);
    count_reject("cancel rejected", kCxlRejReason, header, place, request);
    return false;
  }
  switch (type) {
    case 'D':
    case 'F':
    case 'G':
      ++(type == 'D' ? orders.orders : type == 'F' ? orders.cancels : orders.replaces);
      if (time) count_request(flow, header, {*time, place, type});
      break;
    case '3':
      count_reject("Reject", kSessionRejectReason, header, place, {});
      break;
    case 'j':
      count_reject("BusinessMessageReject", kBusinessRejectReason, header, place, {});
      break;
    default:
      break;
  }
  return false;
}

void LogStatistics::add(const LogMessage& message, bool is_selected) {
  const MessagePlace place{message.offset, static_cast<std::uint32_t>(message.file)};
  Header header;
  const bool is_plain = header.read(message.bytes);
  if (!is_plain) {
    fields_.read(message.bytes);
    header.read(fields_.all());
  }
  const std::optional<WallTime> time = times_.of_message(message);
  Flow& flow = flow_of(header[Header::Sender], header[Header::Target]);
  count_number(flow, header, message, place, time);
  if (!is_selected) {
    const std::string_view type = header[Header::MsgType];
    const bool is_answer =
        (is_code(type, '8') || is_code(type, '9')) && !is_code(header[Header::PossDup], 'Y');
    if (is_answer) answered_request(flow, header, place, time);
    return;
  }
  ++messages;
  bytes += message.bytes.size();
  if (msg_type_of(message.bytes).empty()) ++garbled;
  if (time) {
    first = std::min(first.value_or(*time), *time);
    last = std::max(last.value_or(*time), *time);
    count_second(*time);
  }
  ++flow.counts.messages;
  flow.counts.bytes += message.bytes.size();
  if (flow.type_count == nullptr || flow.last_type != header[Header::MsgType]) {
    flow.last_type = header[Header::MsgType];
    const bool is_full = flow.counts.by_type.size() >= kTypesMax;
    const std::string_view type = header[Header::MsgType].substr(0, kTypeBytesMax);
    flow.type_count = &flow.counts.by_type[is_full ? "?" : std::string{type}];
  }
  ++*flow.type_count;
  if (is_code(header[Header::PossDup], 'Y')) return;
  const bool is_end = count_order(flow, header, place, time);
  const bool is_order = is_code(header[Header::MsgType], 'D');
  if (!is_end && !is_order) return;
  // Only these messages need to be searched for their quantities.
  const auto quantity = [&](wire::Tag tag, std::string_view begin) {
    return quantity_of(is_plain ? value_after(begin, message.bytes, header[Header::ClOrdID].data())
                                : fields_.value(tag));
  };
  const double ordered = quantity(kOrderQty, kOrderQtyBegin);
  if (is_order) {
    orders.ordered_quantity += ordered;
  } else if (ordered > 0) {
    orders.ended_quantity += ordered;
    const std::string_view status = header[Header::OrdStatus];
    if (is_code(status, '2')) {
      orders.ended_filled_quantity += ordered;
    } else if (!is_code(status, '8')) {
      orders.ended_filled_quantity += std::min(ordered, quantity(kCumQty, kCumQtyBegin));
    }
  }
}

void LogStatistics::finish(std::vector<std::string> paths) {
  paths_ = std::move(paths);
  orders.unanswered = requests_.waiting.size();
  if (seconds_.last_count > 0) seconds_.counts[seconds_.last] = seconds_.last_count;
  timeline_.finish();
  for (auto& [key, flow] : flows_) {
    if (flow.low_logon > 0) ++flow.counts.duplicates;
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
  all.reserve(rejects_.size());
  for (const auto& [key, reject] : rejects_) all.push_back(&reject);
  std::ranges::sort(all, [](const RejectStatistics* left, const RejectStatistics* right) {
    if (left->count != right->count) return left->count > right->count;
    return std::tie(left->kind, left->reason, left->text) <
           std::tie(right->kind, right->reason, right->text);
  });
  return all;
}

}  // namespace nexusfix::logs
