// A trader and a venue that number their messages, and expect each other's numbers in order: none
// omitted, none repeated.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>

namespace nexusfix::soak {

// The first errors, as text. Any thread.
class Faults {
 public:
  void add(std::string text);
  [[nodiscard]] bool any() const noexcept { return any_.load(); }
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
  std::atomic<bool> any_{false};
};

// The progress of one session: the engine's thread writes it, any thread reads it.
struct Progress {
  std::string name{};
  std::atomic<std::uint64_t> sent{0};      // the number of the last one
  std::atomic<std::uint64_t> received{0};  // the number of the last one
  std::atomic<std::uint64_t> resent{0};    // received with PossDupFlag
  std::atomic<bool> is_logged_on{false};
};

// The common part of both.
class Counterparty {
 public:
  Counterparty(std::string_view who, std::size_t sessions, Faults& faults);

  void on_logon(Session& session) { of(session).is_logged_on.store(true); }
  void on_logout(Session& session) { of(session).is_logged_on.store(false); }
  // After an engine was destroyed.
  void forget_logons();
  // The engine's thread, when the engine is open: sessions are known by their place in the file.
  void open(engine::Engine& engine);

  [[nodiscard]] const std::vector<Progress>& sessions() const noexcept { return sessions_; }
  [[nodiscard]] bool all_logged_on() const;

 protected:
  [[nodiscard]] Progress& of(const Session& session);
  // Expects the next number.
  void take(Progress& progress, const MessageView& message, std::string_view number);
  void sent(Progress& progress, const engine::SendResult& result, std::uint64_t number);

  std::string who_;
  std::vector<Progress> sessions_;
  Faults& faults_;
};

// Answers each order with a report, and now and then with more reports than a slow reader can take.
class SoakVenue : public Counterparty {
 public:
  using Counterparty::Counterparty;
  engine::MessageReply on_message(Session& session, const MessageView& message);
  void turn(engine::Engine&, MonoTime) {}

 private:
  void report(Session& session, Progress& progress, std::string_view order, std::size_t text_bytes);
  std::string text_ = std::string(4'096, 'x');
};

// Sends orders all the time, also while it is logged out, while few enough are unanswered.
class SoakTrader : public Counterparty {
 public:
  SoakTrader(std::size_t sessions, Faults& faults, std::chrono::microseconds between_orders);
  void on_message(Session& session, const MessageView& message);
  void turn(engine::Engine& engine, MonoTime now);
  // Whether orders are sent; at first they are not.
  void trade(bool trades) noexcept { trades_.store(trades); }
  // Whether each order was answered.
  [[nodiscard]] bool all_answered() const;

 private:
  struct Orders {
    std::atomic<std::uint64_t> answered{0};
    MonoTime next_at = MonoTime::min();
  };
  void order(Session& session, Progress& progress);

  std::chrono::nanoseconds between_orders_;
  std::vector<Orders> orders_;
  std::atomic<bool> trades_{false};
};

}  // namespace nexusfix::soak
