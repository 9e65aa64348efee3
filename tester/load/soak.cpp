// The suite soak: random valid traffic, gaps, lost connections and resends for a stated time.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "tester/load/measured.hpp"
#include "tester/load/process_memory.hpp"
#include "tester/load/requests.hpp"

namespace nexusfix::tester {
namespace {

constexpr double kSoakSeconds = 60;  // unless --seconds says otherwise
constexpr std::uint64_t kBurstMax = 50;
constexpr std::uint64_t kGapMax = 20;
constexpr std::uint64_t kResendMax = 500;
constexpr std::uint64_t kIdleMaxMilliseconds = 1500;
constexpr std::chrono::seconds kProgress{60};

class Soak {
 public:
  explicit Soak(const LoadContext& context)
      : context_{context},
        result_{.name = std::string{context.name}},
        peer_{context, result_},
        random_{context.play.seed},
        memory_{context.load.process_id, disk_} {}

  Result run() {
    play();
    report();
    if (!peer_.is_over()) static_cast<void>(peer_.log_out());
    check_memory();
    peer_.finish();
    return std::move(result_);
  }

 private:
  enum Counter : std::uint8_t {
    kRounds,
    kOrders,
    kTestRequests,
    kResends,
    kGaps,
    kDuplicates,
    kReconnects,
    kLostConnections,
    kLogouts,
    kRestarts,
    kCounters
  };
  static constexpr std::array<const char*, kCounters> kNames{
      "rounds",     "orders",     "test requests",    "resends", "gaps",
      "duplicates", "reconnects", "lost connections", "logouts", "restarts"};

  void play() {
    if (!peer_.log_on(Numbers::Reset)) return;
    tests_ = Requests::make(peer_, RequestKind::TestRequest);
    orders_ = Requests::make(peer_, RequestKind::Order);
    if (!tests_ || !orders_ || !tests_->are_answered(peer_)) return;
    if (!find_out_orders()) return;
    const MonoTime begin = peer_.now();
    const double seconds = context_.load.seconds > 0 ? context_.load.seconds : kSoakSeconds;
    const Duration time{static_cast<std::int64_t>(seconds * 1e9)};
    MonoTime shown = begin;
    while (peer_.now() - begin < time && !peer_.is_over()) {
      if (!round()) return;
      ++counts_[kRounds];
      memory_.sample(seconds_of(peer_.now() - begin) / seconds_of(time));
      if (peer_.now() - shown < kProgress) continue;
      shown = peer_.now();
      context_.load.on_progress(fmt::format(
          "{:.0f} s: {} rounds, {} messages sent, {} received, {} connections",
          seconds_of(shown - begin), counts_[kRounds], peer_.sent_count(), peer_.received_count(),
          1 + counts_[kReconnects] + counts_[kLostConnections] + counts_[kLogouts]));
    }
  }

  // An engine that answers orders is sent some; one that does not, TestRequests alone.
  bool find_out_orders() {
    if (!peer_.send(orders_->message(), 0, Delivery::Sent)) return false;
    if (!peer_.send(tests_->message(), ++last_test_, Delivery::Sent)) return false;
    const MonoTime end = peer_.deadline();
    bool is_done = false;
    while (!is_done) {
      const Received* const received = peer_.next(end);
      if (received == nullptr) return peer_.fail("the TestRequest is not answered", "35=0");
      if (orders_->answered_by(*received)) has_orders_ = true;
      is_done = tests_->answered_by(*received) == last_test_;
    }
    // A report may come after the Heartbeat.
    const MonoTime later = peer_.now() + std::chrono::milliseconds{500};
    while (!has_orders_) {
      const Received* const received = peer_.next(later);
      if (received == nullptr) break;
      if (orders_->answered_by(*received)) has_orders_ = true;
    }
    if (!has_orders_)
      result_.remarks.emplace_back("the engine answers no order: only TestRequests");
    return !peer_.is_over();
  }

  bool round() {
    switch (random_.below(context_.can_restart ? 25 : 24)) {
      case 0:
      case 1:
        return resend();
      case 2:
      case 3:
        return gap();
      case 4:
        return duplicate();
      case 5:
        return reconnect();
      case 6:
        return lose_connection();
      case 7:
        return log_out();
      case 8:
        return idle();
      case 24:
        return restart();
      default:
        return traffic() && settle();
    }
  }

  bool traffic() {
    const std::uint64_t count = 1 + random_.below(kBurstMax);
    for (std::uint64_t i = 0; i < count; ++i) {
      if (has_orders_ && random_.below(2) == 0) {
        ++counts_[kOrders];
        awaited_orders_.insert(++last_order_);
        peer_.append(orders_->message(), last_order_);
      } else {
        ++counts_[kTestRequests];
        awaited_tests_.insert(++last_test_);
        peer_.append(tests_->message(), last_test_);
      }
    }
    return peer_.flush();
  }

  // Waits until each message is acknowledged.
  bool settle() {
    MonoTime end = peer_.deadline();
    while (!awaited_orders_.empty() || !awaited_tests_.empty()) {
      const Received* const received = peer_.next(end);
      if (received == nullptr) {
        return peer_.fail(fmt::format("{} orders and {} TestRequests are not answered",
                                      awaited_orders_.size(), awaited_tests_.size()));
      }
      if (!judge(*received)) return false;
      end = peer_.deadline();
    }
    return true;
  }

  bool judge(const Received& received) {
    if (const auto count = tests_->answered_by(received)) {
      if (*count > last_test_) return peer_.fail("the answer of no TestRequest");
      if (awaited_tests_.erase(*count) == 0 && *count > settled_tests_) {
        return peer_.fail("a TestRequest is answered twice");
      }
      return true;
    }
    if (const auto count = orders_->answered_by(received)) {
      if (*count > last_order_) return peer_.fail("the report of no order");
      if (*count == duplicate_ && !received.is_resent) {
        return peer_.fail("a possible duplicate that has been received before is processed again");
      }
      awaited_orders_.erase(*count);
      return true;
    }
    const bool is_known = received.type == "4" || received.type == "8" || received.is_resent;
    return is_known || peer_.fail("an unexpected message");
  }

  OnMessage judges() {
    return [this](const Received& received) { return judge(received); };
  }

  // After this the engine has handled all before.
  bool prove_alive() {
    if (!probe(peer_, *tests_, last_test_, judges())) return false;
    settled_tests_ = last_test_;
    return settle();
  }

  bool resend() {
    ++counts_[kResends];
    const std::uint64_t last_in = peer_.next_in() - 1;
    const std::uint64_t first = 1 + random_.below(last_in);
    const std::uint64_t size = std::min(last_in - first + 1, 1 + random_.below(kResendMax));
    const bool is_open = first + kResendMax > last_in && random_.below(2) == 0;
    const std::uint64_t last = is_open ? last_in : first + size - 1;
    const std::string end = is_open ? "<infinity>" : "16=" + std::to_string(last);
    return peer_.send("35=2|7=" + std::to_string(first) + "|" + end) &&
           peer_.resent(first, last, judges());
  }

  // What is lost are orders, which must be acknowledged when they are resent.
  bool gap() {
    ++counts_[kGaps];
    const std::uint64_t count = 1 + random_.below(kGapMax);
    const std::uint64_t first = last_order_ + 1;
    last_order_ += count;
    for (std::uint64_t i = first; has_orders_ && i <= last_order_; ++i) awaited_orders_.insert(i);
    const OnMessage on_message = has_orders_ ? judges() : OnMessage{};
    if (!fill_gap(peer_, {*orders_, first, count}, *tests_, last_test_, on_message)) return false;
    settled_tests_ = last_test_;
    return settle();
  }

  // An order that was received comes again.
  bool duplicate() {
    if (!has_orders_) return traffic() && settle();
    ++counts_[kDuplicates];
    ++counts_[kOrders];
    awaited_orders_.insert(++last_order_);
    const std::uint64_t number = peer_.next_out();
    if (!peer_.send(orders_->message(), last_order_, Delivery::Sent) || !prove_alive())
      return false;
    duplicate_ = last_order_;
    const bool is_good = peer_.send_again(number) && peer_.flush() && prove_alive();
    duplicate_ = 0;
    return is_good;
  }

  bool log_on_again() {
    // What the engine has answered to TestRequests is not resent.
    awaited_tests_.clear();
    settled_tests_ = last_test_;
    return peer_.log_on(Numbers::Continued, judges()) && prove_alive();
  }

  bool reconnect() {
    ++counts_[kReconnects];
    peer_.drop();
    return log_on_again();
  }

  bool lose_connection() {
    ++counts_[kLostConnections];
    if (!traffic()) return false;
    peer_.drop();
    return log_on_again();
  }

  bool log_out() {
    ++counts_[kLogouts];
    return peer_.log_out() && log_on_again();
  }

  bool restart() {
    ++counts_[kRestarts];
    peer_.drop();
    auto wrong = context_.engine.restart();
    if (wrong && !context_.play.is_interrupted()) return peer_.fail(std::move(*wrong));
    return log_on_again();
  }

  bool idle() {
    const MonoTime end =
        peer_.now() + std::chrono::milliseconds{random_.below(kIdleMaxMilliseconds)};
    while (const Received* const received = peer_.next(end)) {
      if (!judge(*received)) return false;
    }
    return !peer_.is_over();
  }

  void report() {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      result_.measurements.push_back({kNames[i], static_cast<double>(counts_[i]), ""});
    }
    result_.measurements.push_back({"sent", static_cast<double>(peer_.sent_count()), ""});
    result_.measurements.push_back({"received", static_cast<double>(peer_.received_count()), ""});
  }

  void check_memory() {
    const auto wrong = memory_.growth(context_.load.max_growth_mebibytes, result_.measurements);
    if (wrong) peer_.fail(*wrong);
  }

  const LoadContext& context_;
  Result result_;
  Counterparty peer_;
  SeededRandom random_;
  PosixDisk disk_;
  ProcessMemory memory_;
  std::optional<Requests> tests_;
  std::optional<Requests> orders_;
  bool has_orders_ = false;
  std::uint64_t last_order_ = 0;
  std::uint64_t last_test_ = 0;
  std::uint64_t settled_tests_ = 0;  // up to this one no answer is awaited
  std::uint64_t duplicate_ = 0;      // the order that has been sent again; 0: none
  std::set<std::uint64_t> awaited_orders_;
  std::set<std::uint64_t> awaited_tests_;
  std::array<std::uint64_t, kCounters> counts_{};
};

Result random_session(const LoadContext& context) { return Soak{context}.run(); }

}  // namespace

std::span<const LoadCase> soak_cases() {
  // FIX 4.0 has no ResetSeqNumFlag, so that the first Logon cannot have a known number.
  static const std::array<LoadCase, 1> kCases{{
      {"soak", "random_session",
       "FIX Session Layer, \"Sequence numbers\": random traffic loses and repeats no message.",
       true, *parse_versions("4.1+"), random_session},
  }};
  return kCases;
}

}  // namespace nexusfix::tester
