// What the messages of logs add up to, in bounded memory.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "logs/fields/message_fields.hpp"
#include "logs/source/log_reader.hpp"
#include "logs/source/log_time.hpp"
#include "logs/stats/latency_histogram.hpp"
#include "logs/stats/session_timeline.hpp"

namespace nexusfix::logs {

// MsgSeqNums that did not come in order.
struct GapStatistics {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t missing = 0;       // of them, those that never came
  std::optional<WallTime> time{};  // of the message after the gap
  MessagePlace place{};            // of that message
  std::optional<WallTime>
      closed{};  // when the last of them came; nothing: not all have, or no time
};

// One direction of a session: from SenderCompID to TargetCompID.
struct FlowStatistics {
  std::string sender;
  std::string target;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::map<std::string, std::uint64_t, std::less<>> by_type;
  std::uint64_t last_number = 0;          // the MsgSeqNum that was seen last, in order
  std::uint64_t gaps = 0;                 // times that numbers were left out
  std::uint64_t missing = 0;              // numbers of gaps that never came
  std::uint64_t duplicates = 0;           // numbers that came again without PossDupFlag
  std::uint64_t resends = 0;              // messages with PossDupFlag
  std::uint64_t resets = 0;               // times that the numbers began again
  std::vector<GapStatistics> gap_list{};  // the first of them
  // Two sequences of numbers take turns, as of two programs with one identity: where that is
  // certain.
  std::optional<MessagePlace> two_sequences{};
};

// Messages that reject others, with the same kind and reason.
struct RejectStatistics {
  std::string kind;  // "Reject", "BusinessMessageReject", "order rejected", "cancel rejected"
  wire::Tag reason_tag = 0;  // of the field that has the reason
  std::string reason;        // its value; empty: there is none
  std::string text;          // Text (58)
  std::uint64_t count = 0;
  // The first of them.
  std::string first_id;                  // ClOrdID or MsgSeqNum of the rejected message
  std::optional<MessagePlace> rejected;  // where the rejected message is, if it is near
  MessagePlace place;
};

struct OrderStatistics {
  std::uint64_t orders = 0;      // NewOrderSingle
  std::uint64_t cancels = 0;     // OrderCancelRequest
  std::uint64_t replaces = 0;    // OrderCancelReplaceRequest
  std::uint64_t filled = 0;      // reports with OrdStatus FILLED
  std::uint64_t canceled = 0;    // with CANCELED
  std::uint64_t rejected = 0;    // with REJECTED
  std::uint64_t expired = 0;     // with EXPIRED
  std::uint64_t fills = 0;       // reports of executions
  std::uint64_t unanswered = 0;  // requests without a report
  // The sums of OrderQty of the new orders, and of LastQty of the fills. A bust takes nothing away.
  double ordered_quantity = 0;
  double filled_quantity = 0;
  // The sum of OrderQty of the reports that end an order: after its replaces, and also of orders
  // from before the log. Of it that of filled orders, and CumQty of canceled and expired ones.
  double ended_quantity = 0;
  double ended_filled_quantity = 0;

  [[nodiscard]] std::uint64_t ended() const noexcept {
    return filled + canceled + rejected + expired;
  }
};

// Times between messages with the same ClOrdID.
struct LatencyStatistics {
  LatencyHistogram order_to_report;  // from a NewOrderSingle to its first report
  LatencyHistogram request_to_ack;   // from a cancel or a replace to its report or reject
};

// A request and its first answer.
struct SlowRequest {
  std::chrono::nanoseconds latency{};
  std::string type;  // MsgType of the request
  std::string cl_ord_id;
  std::string sender;  // of the request
  std::string target;
  WallTime time;  // of the request
  std::optional<MessagePlace> request;
  MessagePlace answer;
};

struct StatisticsOptions {
  std::size_t slowest_max = 0;  // requests to name
  std::size_t gaps_max = 200;   // to list of each direction
  bool has_timeline = false;
};

class LogStatistics {
 public:
  explicit LogStatistics(StatisticsOptions options = {}) : options_{options} {}

  // is_selected: false: only its number counts, and that it answers a request.
  void add(const LogMessage& message, bool is_selected = true);
  // Call it once, after the last message. paths: of the files, by their positions.
  void finish(std::vector<std::string> paths);

  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t garbled = 0;  // without MsgType in its place
  std::optional<WallTime> first;
  std::optional<WallTime> last;
  std::map<std::string, std::uint64_t, std::less<>> by_type;
  std::chrono::sys_seconds busiest_second{};
  std::uint64_t busiest_count = 0;
  OrderStatistics orders;
  LatencyStatistics latencies;

  // By the number of messages, the largest first.
  [[nodiscard]] std::vector<const FlowStatistics*> flows() const;
  [[nodiscard]] std::vector<const RejectStatistics*> rejects() const;
  // The longest first.
  [[nodiscard]] std::vector<const SlowRequest*> slowest() const;
  // After finish().
  [[nodiscard]] const TimelineCollector& timeline() const noexcept { return timeline_; }
  // After finish(): the messages of each second since 1970 that has any. After a million seconds
  // with messages only the later ones.
  [[nodiscard]] const std::unordered_map<std::int64_t, std::uint64_t>& by_second() const noexcept {
    return seconds_.counts;
  }
  // The paths of the files, by their positions.
  [[nodiscard]] const std::vector<std::string>& paths() const noexcept { return paths_; }
  // Reject reasons, requests and seconds that found no room in the tables.
  [[nodiscard]] std::uint64_t unlisted_rejects() const noexcept { return unlisted_rejects_; }
  [[nodiscard]] std::uint64_t forgotten_requests() const noexcept { return requests_.forgotten; }

 private:
  // The fields that count, by place in this table.
  class Header;
  // 16 bytes, because each message writes one.
  struct NumberedPlace {
    std::uint64_t offset = 0;
    std::uint32_t file : 22 = 0;
    std::uint32_t check_sum : 10 = 0;
    std::uint32_t number = 0;  // MsgSeqNum; 0: none, or it does not fit
  };
  // Numbers of a gap that have not come.
  struct OpenGap {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::size_t listed = 0;  // in gap_list; its size or more: not listed
  };
  struct Flow {
    FlowStatistics counts;
    std::uint64_t other_last = 0;  // of a sequence that may go on beside the usual one
    std::uint64_t low_logon = 0;   // MsgSeqNum of a Logon that is too low; the next message decides
    unsigned switches = 0;         // between the two sequences
    // Numbers of a gap that come without PossDupFlag: the last one, the highest number of the flow
    // then, and the switches between them.
    std::uint64_t late_last = 0;
    std::uint64_t late_high = 0;
    unsigned late_switches = 0;
    std::vector<OpenGap> gaps;            // ascending
    std::vector<NumberedPlace> places;    // of the last messages, by MsgSeqNum
    std::uint64_t* type_count = nullptr;  // of last_type
    std::string last_type;
    // Hashes of the session, for the keys of requests and of the reports about them.
    std::uint64_t request_hash = 0;
    std::uint64_t report_hash = 0;
  };

  // A request that waits for a report. 16 bytes: there may be a million.
  class Waiting {
   public:
    // type: D, F or G.
    Waiting(WallTime time, MessagePlace place, char type)
        : time_{time},
          bits_{place.offset << 17U | std::min<std::uint64_t>(place.file, kFilesMax) << 2U |
                static_cast<std::uint64_t>(type == 'D' ? 0 : type - 'E')} {}
    [[nodiscard]] WallTime time() const noexcept { return time_; }
    [[nodiscard]] bool is_order() const noexcept { return type() == 'D'; }
    [[nodiscard]] char type() const noexcept { return "DFG"[bits_ & 3U]; }
    // Nothing: it is in a later file than the first 32,767.
    [[nodiscard]] std::optional<MessagePlace> place() const {
      const std::uint64_t file = bits_ >> 2U & kFilesMax;
      if (file == kFilesMax) return std::nullopt;
      return MessagePlace{bits_ >> 17U, static_cast<std::uint32_t>(file)};
    }

   private:
    static constexpr std::uint64_t kFilesMax = 32'767;
    WallTime time_;
    std::uint64_t bits_;
  };

  Flow& flow_of(std::string_view sender, std::string_view target);
  void count_second(WallTime time);
  // A message with a MsgSeqNum.
  struct Numbered {
    const Header& header;
    const LogMessage& message;
    MessagePlace place;
    std::optional<WallTime> time;
    std::uint64_t number = 0;
    std::uint64_t last = 0;  // NewSeqNo - 1 of a SequenceReset; else number
    bool is_resend = false;
    bool was_seen = false;  // the number, not long ago
    bool is_copy = false;   // and the same message with it
  };
  void count_number(Flow& flow, const Header& header, const LogMessage& message, MessagePlace place,
                    const std::optional<WallTime>& time);
  static void keep_place(Flow& flow, Numbered& one);
  void decide_low_logon(Flow& flow, Numbered& one);
  void go_on_elsewhere(Flow& flow, const Numbered& one);
  static void count_late_number(Flow& flow, const Numbered& one);
  void record_low_number(Flow& flow, Numbered& one);
  void reset_numbers(Flow& flow, const Numbered& one, std::uint64_t next);
  void open_gap(Flow& flow, OpenGap gap, const Numbered& one);
  static void limit_gaps(Flow& flow);
  static bool close_gaps(Flow& flow, const Numbered& one);
  [[nodiscard]] static TimelineCollector::Message timeline_message(const Numbered& one);
  // True: it ends an order.
  bool count_order(const Flow& flow, const Header& header, MessagePlace place,
                   const std::optional<WallTime>& time);
  void count_request(const Flow& flow, const Header& header, const Waiting& request);
  std::optional<MessagePlace> answered_request(const Flow& flow, const Header& header,
                                               MessagePlace place,
                                               const std::optional<WallTime>& time);
  void keep_slowest(const Flow& flow, const Header& header, const Waiting& request,
                    MessagePlace place, std::chrono::nanoseconds latency);
  std::uint64_t* ended_count(std::string_view status) noexcept;
  bool count_report(const Header& header, MessagePlace place,
                    const std::optional<MessagePlace>& request);
  void count_reject(std::string_view kind, wire::Tag reason_tag, const Header& header,
                    MessagePlace place, std::optional<MessagePlace> rejected);

  StatisticsOptions options_;
  MessageFields fields_;
  TimelineCollector timeline_;
  std::vector<SlowRequest> slowest_;  // a heap: the shortest is first
  std::unordered_map<std::string, Flow> flows_;
  std::string flow_key_;
  std::array<Flow*, 64> recent_flows_{};
  TimeReader times_;
  std::map<std::string, RejectStatistics, std::less<>> rejects_;
  std::uint64_t unlisted_rejects_ = 0;
  struct Requests {
    std::pmr::unsynchronized_pool_resource memory;
    std::pmr::unordered_map<std::uint64_t, Waiting> waiting{&memory};  // by session and ClOrdID
    std::uint64_t forgotten = 0;
  } requests_;
  struct Seconds {
    std::unordered_map<std::int64_t, std::uint64_t> counts;
    std::int64_t last = 0;         // the second of the last message
    std::uint64_t last_count = 0;  // its messages, which are not in counts
  } seconds_;
  std::vector<std::string> paths_;
};

}  // namespace nexusfix::logs
