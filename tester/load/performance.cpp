// The suite performance: rates, round trips and recovery times. A time fails a case only if the
// user has given a limit.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "tester/load/measured.hpp"
#include "tester/load/requests.hpp"

namespace nexusfix::tester {
namespace {

constexpr double kRateSeconds = 5;              // unless --seconds says otherwise
constexpr std::uint64_t kWarmUpMax = 100;       // round trips that are not measured
constexpr std::uint64_t kInFlightMax = 1000;    // requests without an answer, at a free rate
constexpr std::size_t kPartBytes = 16'384;      // one write to the connection
constexpr std::chrono::milliseconds kTurn{20};  // between looks at an interrupt
constexpr unsigned kLogons = 20;

class Measurer {
 public:
  explicit Measurer(const LoadContext& context)
      : context_{context}, result_{.name = std::string{context.name}}, peer_{context, result_} {}

  template <class Measure>
  Result run(Measure&& measure) {
    if (peer_.log_on(Numbers::Reset)) measure(*this);
    if (!peer_.is_over()) static_cast<void>(peer_.log_out());
    peer_.finish();
    return std::move(result_);
  }

  // One request at a time.
  void round_trips(RequestKind kind) {
    auto requests = Requests::make(peer_, kind);
    if (!requests || !requests->are_answered(peer_)) return;
    const std::uint64_t messages = context_.load.messages;
    const std::uint64_t warm_up = std::min(messages / 10, kWarmUpMax);
    Times times;
    for (std::uint64_t i = 1; i <= warm_up + messages; ++i) {
      const MonoTime begin = peer_.now();
      if (!peer_.send(requests->message(), i, Delivery::Sent)) return;
      const auto end = await(*requests, i);
      if (!end) return;
      if (i > warm_up) times.add(*end - begin);
    }
    report("messages", static_cast<double>(times.count()), "");
    times.append_to(result_.measurements);
    check_percentiles(times);
  }

  // As many requests as the engine answers, or a given number a second.
  void rate(RequestKind kind) {
    auto requests = Requests::make(peer_, kind);
    if (!requests || !requests->are_answered(peer_)) return;
    const bool is_paced = context_.load.rate > 0;
    const double seconds = context_.load.seconds > 0 ? context_.load.seconds : kRateSeconds;
    const Duration time{static_cast<std::int64_t>(seconds * 1e9)};
    std::vector<MonoTime> due;  // of each request, from count 1 on
    Times times;
    std::uint64_t answered = 0;
    const MonoTime begin = peer_.now();
    MonoTime last = begin;
    while (true) {
      const bool is_sending = peer_.now() - begin < time;
      if (is_sending && !send_due(*requests, begin, answered, due)) return;
      if (!is_sending && answered == due.size()) break;
      const MonoTime end = is_sending ? wake_up(begin, due.size(), answered)
                                      : std::max(last, begin + time) + context_.play.timeout;
      const Received* const received = peer_.next(end);
      if (peer_.is_over()) return;
      if (received == nullptr && !is_sending) {
        peer_.fail(
            fmt::format("{} of {} requests are not answered", due.size() - answered, due.size()));
        return;
      }
      if (received != nullptr && received->type == "5") {
        refused(*received);
        return;
      }
      const auto count = received != nullptr ? requests->answered_by(*received) : std::nullopt;
      if (!count || *count == 0 || *count > due.size()) continue;
      MonoTime& sent = due[*count - 1];
      if (sent == MonoTime{}) continue;  // a further report of the order
      if (is_paced) times.add(received->at - sent);
      sent = MonoTime{};
      last = received->at;
      ++answered;
    }
    const double per_second = static_cast<double>(answered) / seconds_of(last - begin);
    report("messages", static_cast<double>(answered), "");
    report("rate", per_second, "messages/s");
    if (is_paced) {
      times.append_to(result_.measurements);
      check_percentiles(times);
    }
    if (per_second < context_.load.min_rate) {
      peer_.fail(fmt::format("the rate is {:.0f} messages/s, and --min-rate is {:.0f}", per_second,
                             context_.load.min_rate));
    }
  }

  // The engine resends its reports.
  void resend() {
    auto orders = Requests::make(peer_, RequestKind::Order);
    if (!orders || !orders->are_answered(peer_)) return;
    const std::uint64_t first = peer_.next_in();
    for (std::uint64_t i = 1; i <= context_.load.messages; ++i) {
      if (!peer_.send(orders->message(), i, Delivery::Sent) || !await(*orders, i)) return;
    }
    const std::uint64_t last = peer_.next_in() - 1;
    std::uint64_t resent = 0;
    const MonoTime begin = peer_.now();
    MonoTime end = begin;
    const std::string range = std::to_string(first) + "|16=" + std::to_string(last);
    if (!peer_.send("35=2|7=" + range)) return;
    const auto count = [&](const Received& received) {
      if (received.is_resent && received.type == "8") ++resent;
      end = received.at;
      return true;
    };
    if (!peer_.resent(first, last, count)) return;
    report("messages", static_cast<double>(last - first + 1), "");
    report("resent", static_cast<double>(resent), "");
    if (resent == 0) result_.remarks.emplace_back("the engine gap-fills its reports");
    recovered(end - begin, last - first + 1);
  }

  // The tester resends what the engine has missed.
  void gap() {
    auto orders = Requests::make(peer_, RequestKind::Order);
    auto probes = Requests::make(peer_, RequestKind::TestRequest);
    if (!orders || !probes) return;
    std::uint64_t probe = 0;
    const std::uint64_t messages = context_.load.messages;
    const auto begin = fill_gap(peer_, {*orders, 1, messages}, *probes, probe, nullptr);
    if (!begin) return;
    report("messages", static_cast<double>(messages), "");
    report("resend requests", static_cast<double>(peer_.resend_requests()), "");
    recovered(peer_.now() - *begin, messages);
  }

  // From the connection, or its end for an initiator, to the Logon of the engine.
  void logons() {
    Times times;
    for (unsigned i = 0; i < kLogons; ++i) {
      peer_.drop();
      MonoTime begin = peer_.now();
      if (!peer_.log_on(Numbers::Reset)) return;
      if (context_.play.side == EngineSide::Acceptor) begin = peer_.connected_at();
      times.add(peer_.logon_at() - begin);
    }
    report("logons", static_cast<double>(times.count()), "");
    times.append_to(result_.measurements);
    check("max", times.percentile(1), context_.load.max_recovery, "--max-recovery");
  }

 private:
  // When request i is answered. Nothing: the case is over.
  std::optional<MonoTime> await(const Requests& requests, std::uint64_t count) {
    const MonoTime end = peer_.deadline();
    while (const Received* const received = peer_.next(end)) {
      if (requests.answered_by(*received) == count) return received->at;
      if (received->type != "5") continue;
      peer_.skip(why_ended(*received) + "; --messages is a number that it takes");
      return std::nullopt;
    }
    peer_.fail("request " + std::to_string(count) + " is not answered");
    return std::nullopt;
  }

  static std::string why_ended(const Received& logout) {
    return "the engine ends the session: " + std::string{logout.value("58").value_or("no Text")};
  }

  // An engine may have a limit. One that ends the session at a rate that was asked for fails.
  void refused(const Received& logout) {
    const std::string text = why_ended(logout);
    if (context_.load.rate > 0) {
      peer_.fail(text);
    } else {
      peer_.skip(text + "; --rate is a rate that it takes");
    }
  }

  // Sends what is due, or what the number in flight allows.
  bool send_due(Requests& requests, MonoTime begin, std::uint64_t answered,
                std::vector<MonoTime>& due) {
    const MonoTime now = peer_.now();
    if (context_.load.rate == 0 && due.size() - answered > kInFlightMax / 2) return true;
    while (peer_.collected_bytes() < kPartBytes) {
      const MonoTime at = due_at(begin, due.size(), now);
      const bool is_free = context_.load.rate == 0 && due.size() - answered >= kInFlightMax;
      if (at > now || is_free) break;
      due.push_back(at);
      peer_.append(requests.message(), due.size());
    }
    return peer_.collected_bytes() == 0 || peer_.flush();
  }

  MonoTime due_at(MonoTime begin, std::size_t sent, MonoTime now) const {
    if (context_.load.rate == 0) return now;
    const double seconds = static_cast<double>(sent) / context_.load.rate;
    return begin + Duration{static_cast<std::int64_t>(seconds * 1e9)};
  }

  // Until when messages may be waited for: the next request is due.
  MonoTime wake_up(MonoTime begin, std::size_t sent, std::uint64_t answered) {
    const MonoTime now = peer_.now();
    if (context_.load.rate > 0) return std::min(due_at(begin, sent, now), now + kTurn);
    return sent - answered <= kInFlightMax / 2 ? now : now + kTurn;
  }

  void report(std::string name, double value, std::string unit) {
    result_.measurements.push_back({std::move(name), value, std::move(unit)});
  }

  void recovered(Duration time, std::uint64_t messages) {
    report("recovery", seconds_of(time) * 1e3, "ms");
    report("rate", static_cast<double>(messages) / std::max(seconds_of(time), 1e-9), "messages/s");
    check("the recovery", time, context_.load.max_recovery, "--max-recovery");
  }

  void check_percentiles(Times& times) {
    check("p50", times.percentile(0.5), context_.load.max_p50, "--max-p50");
    check("p99", times.percentile(0.99), context_.load.max_p99, "--max-p99");
  }

  void check(std::string_view name, Duration time, const std::optional<Duration>& limit,
             std::string_view option) {
    if (!limit || time <= *limit) return;
    peer_.fail(fmt::format("{} is {}, and {} is {}", name, duration_text(time), option,
                           duration_text(*limit)));
  }

  const LoadContext& context_;
  Result result_;
  Counterparty peer_;
};

Result test_request_round_trip(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.round_trips(RequestKind::TestRequest); });
}
Result order_round_trip(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.round_trips(RequestKind::Order); });
}
Result test_request_rate(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.rate(RequestKind::TestRequest); });
}
Result order_rate(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.rate(RequestKind::Order); });
}
Result recovery_resend(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.resend(); });
}
Result recovery_gap(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.gap(); });
}
Result recovery_logon(const LoadContext& context) {
  return Measurer{context}.run([](Measurer& m) { m.logons(); });
}

const VersionSet kAll = VersionSet{}.set();

}  // namespace

std::span<const LoadCase> performance_cases() {
  static const std::array<LoadCase, 7> kCases{{
      {"performance", "order_rate", "Orders a second, each answered by an ExecutionReport.", false,
       kAll, order_rate},
      {"performance", "order_round_trip", "From an order to its ExecutionReport, one at a time.",
       false, kAll, order_round_trip},
      {"performance", "recovery_gap", "From a gap until the session goes on.", false, kAll,
       recovery_gap},
      {"performance", "recovery_logon", "From a new connection to the answer of the Logon.", false,
       kAll, recovery_logon},
      {"performance", "recovery_resend", "From a ResendRequest to the last resent message.", false,
       kAll, recovery_resend},
      {"performance", "test_request_rate", "TestRequests a second, each answered by a Heartbeat.",
       false, kAll, test_request_rate},
      {"performance", "test_request_round_trip",
       "From a TestRequest to its Heartbeat, one at a time.", false, kAll, test_request_round_trip},
  }};
  return kCases;
}

}  // namespace nexusfix::tester
