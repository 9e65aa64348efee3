// Honest counterparties: traders that trade all the time, and a visitor that connects, trades and
// leaves.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "transport/api/tls.hpp"

namespace nexusfix::attack {

using std::chrono::steady_clock;

// CPU time of this thread, which does not pass while other threads run on its core.
[[nodiscard]] std::chrono::nanoseconds own_time() noexcept;

// How long the answer to an order took, by the clock and in CPU time of this thread.
struct AnswerTimes {
  std::vector<std::chrono::nanoseconds> by_clock;
  std::vector<std::chrono::nanoseconds> by_own_time;
};
[[nodiscard]] double percentile_us(std::vector<std::chrono::nanoseconds> times, unsigned percent);

// The bytes of a connection, split into messages.
class Inbox {
 public:
  // False: the connection has ended.
  [[nodiscard]] bool receive(transport::Network& network, transport::SocketId socket);
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(messages_, {}); }

 private:
  std::string bytes_;
  std::vector<std::string> messages_;
};

// Sessions LIVE0 to LIVEn. Each always has one order that is not answered.
class LiveTraders {
 public:
  // The last sessions use TLS.
  struct Venue {
    std::uint16_t port = 0;
    transport::Endpoint protected_one{};
    std::size_t protected_count = 0;
  };
  LiveTraders(std::size_t count, const Venue& venue);

  // Without waiting. times: of the answers that have arrived; may be null.
  void poll(AnswerTimes* times);
  // With that of the Logon.
  [[nodiscard]] std::size_t answers() const noexcept { return answers_; }
  [[nodiscard]] std::size_t answers_of(std::size_t trader) const noexcept {
    return traders_[trader].answers;
  }
  [[nodiscard]] std::size_t least_answers() const noexcept;
  // The first error; empty: none.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

 private:
  struct Trader {
    std::string name;
    transport::SocketId socket = 0;
    Inbox inbox{};
    std::size_t answers = 0;
    steady_clock::time_point sent_at{};
    std::chrono::nanoseconds sent_own{};
  };
  void take(Trader& trader, const std::string& answer, AnswerTimes* times);
  void send(Trader& trader, const std::string& bytes);
  [[nodiscard]] static std::string order_of(const Trader& trader);

  std::unique_ptr<transport::Network> inner_;
  std::unique_ptr<transport::Network> network_;  // with TLS if needed
  std::vector<Trader> traders_;
  std::size_t answers_ = 0;
  std::string trouble_;
};

// Logs on, has an order answered, logs out.
class Visitor {
 public:
  struct Visit {
    std::string who;
    std::uint16_t port = 0;
    std::string host = "127.0.0.1";
    std::string from = "127.0.0.3";
    std::string logon_fields{};  // after those of every Logon
    std::shared_ptr<transport::TlsContext> tls{};
  };
  explicit Visitor(Visit visit);
  ~Visitor();
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void poll();
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }
  // The error; empty: none.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  // From the first step of the connection to the answer to the Logon.
  [[nodiscard]] std::chrono::nanoseconds logon_time() const noexcept { return logon_time_; }

 private:
  void send(const std::string& bytes);
  void take(const std::string& answer);
  void end(const std::string& trouble);

  Visit visit_;
  std::unique_ptr<transport::Network> inner_;
  std::unique_ptr<transport::Network> protected_;
  transport::Network& network_;
  transport::SocketId socket_ = 0;
  Inbox inbox_;
  steady_clock::time_point begun_ = steady_clock::now();
  std::chrono::nanoseconds logon_time_{};
  std::size_t answers_ = 0;
  bool is_over_ = false;
  std::string trouble_;
};

}  // namespace nexusfix::attack
