#include "faults/soak/counterparties.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace nexusfix::soak {
namespace {

constexpr std::size_t kFaultsKept = 20;
// Each of these orders is answered by a burst of more bytes than MaxQueuedBytes in the
// configuration.
constexpr std::uint64_t kOrdersPerBurst = 257;
constexpr std::size_t kBurstReports = 120;
constexpr std::size_t kBurstTextBytes = 1'024;

constexpr std::uint64_t kUnansweredMax = 200;
constexpr std::uint64_t kUnansweredWhileLoggedOutMax = 50;
// A loop that was delayed sends at most this much to catch up.
constexpr std::chrono::milliseconds kCatchUpMax{100};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

}  // namespace

void Faults::add(std::string text) {
  const std::lock_guard lock{mutex_};
  any_.store(true);
  if (texts_.size() < kFaultsKept) texts_.push_back(std::move(text));
}

std::vector<std::string> Faults::all() const {
  const std::lock_guard lock{mutex_};
  return texts_;
}

Counterparty::Counterparty(std::string_view who, std::size_t sessions, Faults& faults)
    : who_{who}, sessions_(sessions), faults_{faults} {}

void Counterparty::open(engine::Engine& engine) {
  for (std::size_t i = 0; i < sessions_.size(); ++i) sessions_[i].name = engine.session(i).name();
}

void Counterparty::forget_logons() {
  for (Progress& one : sessions_) one.is_logged_on.store(false);
}

bool Counterparty::all_logged_on() const {
  return std::ranges::all_of(sessions_,
                             [](const Progress& one) { return one.is_logged_on.load(); });
}

Progress& Counterparty::of(const Session& session) {
  return *std::ranges::find(sessions_, session.name(), &Progress::name);
}

void Counterparty::take(Progress& progress, const MessageView& message, std::string_view number) {
  const std::uint64_t got = number_of(number);
  const std::uint64_t expected = progress.received.load() + 1;
  const bool is_resent = message[43].value_or("N") == "Y";
  if (is_resent) progress.resent.fetch_add(1);
  if (got != expected) {
    faults_.add(who_ + ", " + progress.name + ": message " + std::string{number} + " came where " +
                std::to_string(expected) + " was expected" + (is_resent ? ", by resend" : ""));
  }
  progress.received.store(got);
}

void Counterparty::sent(Progress& progress, const engine::SendResult& result,
                        std::uint64_t number) {
  if (result) {
    progress.sent.store(number);
  } else {
    faults_.add(who_ + ", " + progress.name + ": message " + std::to_string(number) +
                " was not taken: " + result.error().what());
  }
}

engine::MessageReply SoakVenue::on_message(Session& session, const MessageView& message) {
  if (message.msg_type() != "D") return engine::unsupported_message_type();
  Progress& progress = of(session);
  const std::string_view order = message[11].value_or("");
  take(progress, message, order);
  const std::uint64_t number = progress.received.load();
  report(session, progress, order, number % 97);
  if (number % kOrdersPerBurst != 0) return engine::accept();
  for (std::size_t i = 0; i < kBurstReports; ++i) {
    report(session, progress, "none", kBurstTextBytes);
  }
  return engine::accept();
}

void SoakVenue::report(Session& session, Progress& progress, std::string_view order,
                       std::size_t text_bytes) {
  const std::uint64_t number = progress.sent.load() + 1;
  wire::Encoder report = session.begin("8");
  report.field(11, order).field(17, number).field(150, '0').field(39, '0');
  if (text_bytes > 0) report.field(58, std::string_view{text_}.substr(0, text_bytes));
  sent(progress, session.finish(report), number);
}

SoakTrader::SoakTrader(std::size_t sessions, Faults& faults,
                       std::chrono::microseconds between_orders)
    : Counterparty{"trader", sessions, faults},
      between_orders_{between_orders},
      orders_(sessions) {}

void SoakTrader::on_message(Session& session, const MessageView& message) {
  Progress& progress = of(session);
  take(progress, message, message[17].value_or(""));
  const std::uint64_t answered = number_of(message[11].value_or(""));
  if (answered == 0) return;
  Orders& orders = orders_[static_cast<std::size_t>(&progress - sessions_.data())];
  if (answered != orders.answered.load() + 1) {
    faults_.add(who_ + ", " + progress.name + ": order " + std::to_string(answered) +
                " was answered after " + std::to_string(orders.answered.load()));
  }
  orders.answered.store(answered);
}

void SoakTrader::turn(engine::Engine& engine, MonoTime now) {
  if (!trades_.load()) return;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    Progress& progress = sessions_[i];
    Orders& orders = orders_[i];
    orders.next_at = std::max(orders.next_at, now - kCatchUpMax);
    const std::uint64_t unanswered_max =
        progress.is_logged_on.load() ? kUnansweredMax : kUnansweredWhileLoggedOutMax;
    while (orders.next_at <= now &&
           progress.sent.load() - orders.answered.load() < unanswered_max) {
      orders.next_at += between_orders_;
      order(engine.session(i), progress);
    }
  }
}

void SoakTrader::order(Session& session, Progress& progress) {
  const std::uint64_t number = progress.sent.load() + 1;
  wire::Encoder order = session.begin("D");
  order.field(11, number).field(55, "AAPL").field(54, '1').field(38, 100).field(40, '1');
  sent(progress, session.finish(order), number);
}

bool SoakTrader::all_answered() const {
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (orders_[i].answered.load() != sessions_[i].sent.load()) return false;
  }
  return true;
}

}  // namespace nexusfix::soak
