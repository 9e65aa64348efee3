// The C++ of the guide that has no example: sending, drafts, threads, timers, statistics, epoll.
// It is compiled, so that a page that quotes it stays true.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <sys/epoll.h>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/text.hpp>

namespace {

namespace fix44 = nexusfix::fix44;
using namespace nexusfix::literals;
using namespace std::chrono_literals;
using nexusfix::Session;

[[maybe_unused]] void complain(std::string_view text) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
}

[[maybe_unused]] void send(Session& session) {
  // [send]
  auto sent = session.send<fix44::NewOrderSingle>(
      fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy, fix44::TransactTime::now(),
      fix44::OrderQty{100_d}, fix44::OrdType::Limit, fix44::Price{150.25_d});
  if (!sent) std::fprintf(stderr, "not sent: %s\n", sent.error().what().c_str());
  // [end]
}

nexusfix::MessageReply answer(Session& /*session*/, const fix44::NewOrderSingle& /*order*/) {
  return nexusfix::accept();
}

// [virtual]
struct OrderVenue final : nexusfix::Application {
  nexusfix::MessageReply on_message(Session& session,
                                    const nexusfix::MessageView& message) override {
    if (message.msg_type() != "D") return nexusfix::unsupported_message_type();
    const auto order = fix44::NewOrderSingle::from(message);
    return order ? answer(session, *order) : nexusfix::reject_for(order.error());
  }
  void on_logon(Session& session) override { complain(session.name()); }
};
// [end]

[[maybe_unused]] void edit(nexusfix::OutgoingMessage& message) {
  // [edit]
  message.edit().set(fix44::Account{"A1"});
  message.edit().set(58, "text");
  message.edit().remove(58);
  // [end]
}

[[maybe_unused]] void send_draft(Session& session) {
  // [draft]
  fix44::NewOrderSingle::Draft order;
  auto set = order.set(fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
                       fix44::OrderQty{100}, fix44::OrdType::Limit, fix44::Price{"150.25"});
  auto good = order.validate();  // "TransactTime (60): the required field is missing"
  auto sent = session.send(order);
  // [end]
  if (!set || !good || !sent) complain("not sent");
}

[[maybe_unused]] void use_party(std::string_view /*id*/) {}

[[maybe_unused]] void change_group(fix44::NewOrderSingle::Draft& order) {
  // [group]
  using Parties = fix44::NewOrderSingle::NoPartyIDs;

  auto parties = order.group<Parties>();
  auto added = parties.add(fix44::PartyID{"DESK7"}, fix44::PartyRole::ClientId);
  auto done = parties[0].set(fix44::PartyID{"DESK8"});
  auto nested = parties[0].group<Parties::NoPartySubIDs>().add(fix44::PartySubID{"a"});
  auto erased = parties.erase(0);  // the last entry takes the group with it

  for (auto party : order.no_party_ids()) use_party(party.party_id());
  // [end]
  if (!added || !done || !nested || !erased) complain("not changed");
}

[[maybe_unused]] void send_from_any_thread(nexusfix::Engine& engine,
                                           const fix44::NewOrderSingle::Draft& order) {
  // [remote]
  auto remote = engine.remote("FIX.4.4:TRADER->VENUE");  // any thread, also while the engine runs
  if (!remote) return complain(remote.error().what());   // names the nearest session

  if (remote->wait_logged_on(5s) != nexusfix::LogonWait::LoggedOn) return;
  const auto accepted = remote->send(order);         // fix44::NewOrderSingle::Draft order;
  if (!accepted) complain(accepted.error().what());  // "Side (54): the required field is missing"
  // [end]
}

[[maybe_unused]] void slow_down(std::string_view /*why*/) {}

[[maybe_unused]] void post(nexusfix::Engine& engine, const std::string& id) {
  // [task]
  auto remote = engine.remote("FIX.4.4:TRADER->VENUE");
  if (!remote) return complain(remote.error().what());

  const auto send_order = [id](Session& session) {
    return session.send<fix44::NewOrderSingle>(fix44::ClOrdID{id}, fix44::Symbol{"AAPL"},
                                               fix44::Side::Buy, fix44::TransactTime::now(),
                                               fix44::OrderQty{100_d}, fix44::OrdType::Market);
  };
  const auto on_result = [](const nexusfix::PostResult& result) {  // on the session's thread
    if (!result.sent) std::fprintf(stderr, "task %lu: %s\n", result.token, result.text.c_str());
  };
  const auto token = remote->post(send_order, on_result);
  if (!token) slow_down(token.error().what());  // the queue is full, or the engine has ended
  // [end]
}

struct Strategy {
  void turn() {}
};
[[maybe_unused]] void pin_this_thread() {}

[[maybe_unused]] void drive(nexusfix::Engine* engine, Strategy& strategy) {
  // [drive]
  pin_this_thread();  // EventLoopCpu applies to run() and start() only
  while (engine->poll(0ns)) strategy.turn();
  // [end]
}

[[maybe_unused]] void mine(const epoll_event& /*event*/) {}

[[maybe_unused]] void wait_in_epoll(nexusfix::Engine& engine, int loop) {
  // [epoll]
  // `loop` is your epoll descriptor, and `mine` handles its other events.
  epoll_event added{.events = EPOLLIN, .data = {.fd = engine.descriptor()}};
  epoll_ctl(loop, EPOLL_CTL_ADD, engine.descriptor(), &added);
  nexusfix::SystemClock clock;
  std::array<epoll_event, 16> events;
  while (engine.poll(0ns)) {
    const auto now = clock.now().mono;
    const auto until = std::clamp(engine.next_deadline(), now, now + 1s);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(until - now);
    const int count = epoll_wait(loop, events.data(), 16, static_cast<int>(wait.count()));
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd != engine.descriptor()) mine(events[i]);
    }
  }
  // [end]
}

struct Book {
  explicit Book(std::string_view /*name*/) {}
  nexusfix::MessageReply add(const fix44::NewOrderSingle& /*order*/) { return nexusfix::accept(); }
};

struct Trader {
  void cancel_order(Session& /*session*/, const std::string& /*id*/) {}

  void set_timer(Session& session, const std::string& id) {
    // [timer]
    session.call_after(5s, [this, id](Session& s) { cancel_order(s, id); });
    // [end]
  }
};

struct Venue {
  // [data]
  void on_logon(Session& session) {
    if (session.data<Book>() == nullptr) session.attach<Book>(session.name());
  }
  nexusfix::MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
    return session.data<Book>()->add(order);
  }
  // [end]

  bool has_news(Session& /*session*/) { return false; }
  void send_next(Session& /*session*/) {}

  // [publish]
  void publish(Session& session) {
    while (has_news(session) && session.is_writable()) send_next(session);
  }
  void on_writable(Session& session) { publish(session); }
  // [end]
};

[[maybe_unused]] auto open_venue(Venue& venue) {
  return nexusfix::Engine::open("venue.cfg", venue);
}

[[maybe_unused]] int serve(Venue& venue, const std::string& folder,
                           std::span<const std::string> traders) {
  // [settings]
  // One session for each trader.
  std::string text =
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\n"
      "BeginString=FIX.4.4\nSenderCompID=VENUE\n";
  text += "FileStorePath=" + folder + "\n";
  for (const std::string& trader : traders) text += "[SESSION]\nTargetCompID=" + trader + "\n";
  auto settings = nexusfix::parse_settings(text, "venue");
  if (!settings) {
    for (const nexusfix::SettingsError& error : settings.error()) complain(error.what());
    return 1;
  }
  auto engine = nexusfix::Engine::open(std::move(*settings), venue);
  // [end]
  return engine ? engine->run() : 1;
}

[[maybe_unused]] void attach_books(nexusfix::Engine& engine) {
  // [sessions]
  for (Session& session : engine.sessions()) session.attach<Book>(session.name());
  // [end]
}

[[maybe_unused]] void show(std::string_view /*name*/, std::string_view /*state*/,
                           std::uint64_t /*in*/, std::uint64_t /*out*/,
                           std::chrono::nanoseconds /*p99*/) {}

[[maybe_unused]] void show_statistics(nexusfix::Engine& engine) {
  // [statistics]
  const nexusfix::EngineStatistics now = engine.statistics();
  for (const auto& session : now.sessions) {
    show(session.name, to_string(session.state), session.in.messages, session.out.messages,
         session.receive_to_sent.percentile(99));
  }
  // [end]
}

}  // namespace
