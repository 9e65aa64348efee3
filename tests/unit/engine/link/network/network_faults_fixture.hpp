// Ten sessions that trade while a fault happens: they lose nothing, and the latencies of their
// answers are printed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {

inline constexpr std::size_t kLive = 10;

inline std::string live_name(std::size_t i) { return "LIVE" + std::to_string(i); }

inline std::string session_text(const std::string& who) {
  return "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=" + who + "\n";
}

// The trading of one session: an order, its report, the next order.
class Trading {
 public:
  explicit Trading(RawPeer& peer, std::string who) : peer_{&peer}, who_{std::move(who)} {}

  // order_of creates the order with a MsgSeqNum and a ClOrdID.
  template <class OrderOf>
  void step(OrderOf order_of) {
    if (is_waiting_) {
      if (peer_->messages().size() < expected_) return;
      const std::string& report = peer_->messages()[expected_ - 1];
      if (!contains(report, "|34=" + std::to_string(expected_) + "|") ||
          !contains(report, "|11=" + id() + "|")) {
        faults_.push_back(bar(report));
      }
      waited_.push_back(std::chrono::steady_clock::now() - sent_);
      is_waiting_ = false;
    }
    ++expected_;
    peer_->send(order_of(who_, expected_, id()));
    sent_ = std::chrono::steady_clock::now();
    is_waiting_ = true;
  }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] bool is_alive() const { return !peer_->closed(); }
  std::vector<std::chrono::nanoseconds> consume_waits() { return std::exchange(waited_, {}); }

 private:
  [[nodiscard]] std::string id() const { return who_ + '-' + std::to_string(expected_); }

  RawPeer* peer_;
  std::string who_;
  std::uint64_t expected_ = 1;  // messages from the venue so far, and the number of the last
  bool is_waiting_ = false;
  std::chrono::steady_clock::time_point sent_;
  std::vector<std::chrono::nanoseconds> waited_;
  std::vector<std::string> faults_;
};

class NetworkFaultTest : public AcceptorTest {
 protected:
  void begin() {
    for (std::size_t i = 0; i < kLive; ++i) sessions += session_text(live_name(i));
    open();
    start_trading();
  }
  void start_trading() {
    for (std::size_t i = 0; i < kLive; ++i)
      trading_.emplace_back(log_on(live_name(i)), live_name(i));
    trade(100);
    show("calm");
  }
  // As begin(), with a configuration file that has the live sessions.
  void begin_with_file(const std::string& path) {
    under_test_of_file(path).open(acceptor, venue);
    start_trading();
  }
  // As run_until(), while the live sessions trade.
  bool trade_until(const std::function<bool()>& condition) {
    return run_until([&] {
      step();
      return condition();
    });
  }
  void trade(int turns) {
    trade_until([&] { return turns-- == 0; });
  }
  // Checks that the live sessions have lost nothing, and that answers still come.
  void expect_unharmed(const char* meanwhile) {
    trade(50);
    show(meanwhile);
    for (const Trading& one : trading_) {
      EXPECT_TRUE(one.is_alive());
      EXPECT_TRUE(one.faults().empty()) << one.faults().front();
    }
  }
  [[nodiscard]] Session& session(std::string_view who) {
    return *acceptor->find_session("FIX.4.4:VENUE->" + std::string{who});
  }

 private:
  void step() {
    for (Trading& one : trading_) {
      one.step([this](const std::string& who, std::uint64_t number, const std::string& id) {
        return order(who, number, id);
      });
    }
  }
  void show(const char* when) {
    std::vector<std::chrono::nanoseconds> waits;
    for (Trading& one : trading_) {
      const auto some = one.consume_waits();
      waits.insert(waits.end(), some.begin(), some.end());
    }
    ASSERT_GE(waits.size(), kLive) << when;
    std::ranges::sort(waits);
    const auto at = [&](double part) {
      return static_cast<double>(
                 waits[static_cast<std::size_t>(part * static_cast<double>(waits.size() - 1))]
                     .count()) /
             1e3;
    };
    std::printf("other sessions, %s: %zu answers, P50 %.0f us, P99 %.0f us\n", when, waits.size(),
                at(0.5), at(0.99));
  }

  std::vector<Trading> trading_;
};

}  // namespace nexusfix::testing
