#include "simulation/gateway_world.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "gateway/gateway.hpp"

namespace nexusfix::gateway {
namespace {

using namespace std::chrono_literals;
using simulator::Fault;
using simulator::World;

constexpr wire::Tag kClOrdId = 11;
constexpr simulator::WorldTime kStops = 60s;
constexpr simulator::WorldTime kCalm = 90s;
constexpr simulator::WorldTime kEnd = 120s;
constexpr std::size_t kQueueBytes = 8U << 10U;

// What the venue has received. It outlives the venue's processes.
struct Books {
  World* world = nullptr;
  std::map<std::uint64_t, std::set<std::uint64_t>> orders{};  // ClOrdID: its MsgSeqNums
};

struct Venue {
  Books& books;

  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
    const auto id = message.get<std::uint64_t>(kClOrdId).value_or(0);
    books.orders[id].insert(message.get<std::uint64_t>(tag::MsgSeqNum).value_or(0));
    for (const char exec_type : {'0', 'F'}) {
      wire::Encoder encoder = session.begin("8");
      encoder.field(kClOrdId, id).field(17, id).field(150, exec_type).field(39, exec_type);
      const auto sent = session.finish(encoder);
      if (!sent) return engine::business_reject(0, 0, "cannot report");
      books.world->promised(session, *sent);
    }
    return engine::accept();
  }
};

ClientFile clients_of_world() {
  ClientFile file;
  for (const char* const name : {"copy", "desk"}) {
    ClientRights& client = file.clients.emplace_back();
    client.name = name;
    client.token = "0123456789abcdef";
    client.queue_bytes = kQueueBytes;
  }
  file.clients.front().role = ClientRole::Observer;
  file.memory_path = "/nonexistent";
  return file;
}

// The gateway's process: its application, and what the loop of the command does.
class GatewayProcess {
 public:
  explicit GatewayProcess(World& world) : world_{world} {}

  void opened(engine::Engine& engine, const engine::EngineOptions& options) {
    GatewayOptions of_gateway{.clients = clients_of_world(),
                              .open_log = journal_opener(*options.disk, "/journal"),
                              .reads_on_loop = true,
                              .version = "simulated",
                              .events = options.log,
                              .clock = options.clock};
    of_gateway.memory.directory = "/nonexistent";
    gateway_.emplace(std::move(of_gateway));
    // The command ends without the clients' counters; a supervisor starts it again.
    if (!gateway_->attach(engine)) engine.stop();
  }
  std::shared_ptr<SimulatedSocket> connect() {
    auto socket = std::make_shared<SimulatedSocket>();
    gateway_->add(std::make_unique<SimulatedLink>(socket), "simulated");
    return socket;
  }
  void begin_turn() { has_more_ = gateway_->serve(); }
  bool end_turn() { return gateway_->flush() || std::exchange(has_more_, false); }
  void ended() { gateway_->stop(); }

  void on_logon(engine::Session& session) { gateway_->on_logon(session); }
  void on_logout(engine::Session& session) { gateway_->on_logout(session); }
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
    return gateway_->on_message(session, message);
  }
  void on_sent(engine::Session& session, const engine::SentMessage& sent) {
    if (sent.kind == engine::SentMessage::Kind::Application) {
      world_.promised(session, {.msg_seq_num = sent.msg_seq_num});
    }
    gateway_->on_sent(session, sent);
  }

 private:
  World& world_;
  std::optional<GatewayWithObservers> gateway_;
  bool has_more_ = false;
};

void check_trader(World& world, const Books& books, const SimulatedClient& trader,
                  const SimulatedClient& observer) {
  const auto count = [](const SimulatedClient& client, const std::string& key) {
    const auto found = client.handled().find(key);
    return found == client.handled().end() ? 0U : found->second;
  };
  for (std::uint64_t id = 1; id <= trader.accepted(); ++id) {
    const std::string order = "order " + std::to_string(id);
    const auto found = books.orders.find(id);
    if (found == books.orders.end()) return world.found("order-lost", order);
    if (found->second.size() != 1) return world.found("order-repeated", order);
    if (count(observer, std::to_string(id)) != 1) return world.found("copy-of-order", order);
    for (const char* const exec_type : {" 0", " F"}) {
      const std::string key = std::to_string(id) + exec_type;
      if (count(trader, key) != 1) return world.found("report-not-once", key);
      if (count(observer, key) != 1) return world.found("copy-of-report", key);
    }
  }
  if (!books.orders.empty() && books.orders.rbegin()->first > trader.accepted()) {
    world.found("order-unknown-to-the-client", std::to_string(books.orders.rbegin()->first));
  }
}

}  // namespace

GatewayWorldResult run_gateway_world(const GatewayWorldOptions& options) {
  World world{{.seed = options.seed,
               .faults = options.faults,
               .trace_lines = 60,
               .trace_stream = options.is_traced ? stdout : nullptr}};
  Books books{.world = &world};
  const bool loses_writes =
      options.faults.has(Fault::PowerLoss) || options.faults.has(Fault::Remount);
  const std::string both =
      std::string{"FileStorePath=/journal\nNonStopSession=Y\n"} +
      "UseDataDictionary=N\nJournalDurability=" + (loses_writes ? "group\n" : "process\n");
  world.add_process<Venue>("venue",
                           "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\n" + both +
                               "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                               "TargetCompID=TRADER\n",
                           std::ref(books));
  const std::string limits = "OutboundMessages=6\nOutboundInterval=1\nOutboundLimitRule=Refuse\n";
  const simulator::ProcessId gateway = world.add_process<GatewayProcess>(
      "gateway",
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=venue\nSocketConnectPort=5001\n"
      "ReconnectInterval=1\nHeartBtInt=10\nJournalInbound=Y\n" +
          both + (options.is_limited ? limits : "") +
          "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
      std::ref(world));
  const auto connect = [&world, gateway]() -> std::shared_ptr<SimulatedSocket> {
    auto* const process = world.application<GatewayProcess>(gateway);
    return process == nullptr ? nullptr : process->connect();
  };
  SimulatedClient trader{world,
                         {.name = "desk",
                          .is_in_order = options.is_in_order,
                          .received = options.cursor,
                          .stops = kStops,
                          .calm = kCalm},
                         connect};
  SimulatedClient observer{
      world, {.name = "copy", .is_observer = true, .stops = kStops, .calm = kCalm}, connect};
  std::function<void()> tick = [&] {
    trader.step();
    observer.step();
    world.wake(gateway);
    world.after(std::chrono::milliseconds{5 + world.random().below(30)}, tick);
  };
  world.after(100ms, tick);
  world.run(kEnd);
  if (world.settle(2h)) {
    if (!trader.is_caught_up() || !observer.is_caught_up()) {
      world.found("client-not-caught-up", "after the end of all faults");
    } else {
      check_trader(world, books, trader, observer);
    }
  }
  GatewayWorldResult result{.orders = trader.accepted(),
                            .starts = world.statistics().starts,
                            .trader = trader.counts(),
                            .observer = observer.counts()};
  if (world.violation()) {
    result.violation =
        world.violation()->invariant + ": " + world.violation()->what + "\n" + world.trace();
  }
  return result;
}

GatewayWorldOptions gateway_world_of(std::uint64_t seed) {
  constexpr simulator::FaultSet kFaultSets[] = {
      {},
      {Fault::Kill},
      {Fault::Drop, Fault::Refuse, Fault::HalfOpen, Fault::Pause},
      {Fault::Kill, Fault::Drop, Fault::Logout, Fault::Delay, Fault::Reorder},
      {Fault::Kill, Fault::TornWrite, Fault::Pause, Fault::Alter, Fault::ClockJump},
      {Fault::Kill, Fault::PowerLoss, Fault::Remount, Fault::Drop},
      {Fault::Kill, Fault::DiskFull, Fault::DieInRoll, Fault::Logout}};
  return {.seed = seed,
          .faults = kFaultSets[seed % std::size(kFaultSets)],
          .is_limited = seed / std::size(kFaultSets) % 3 == 2};
}

}  // namespace nexusfix::gateway
