#include "cluster_world.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::simulator::cluster {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WorldTime kDuration = seconds{60};
// After the faults: a lease that ends, a process that starts, timeouts of the database, and
// counterparties that find out that their connection is silent, and connect again.
constexpr WorldTime kSettledWithin = seconds{20};
constexpr WorldTime kLeaseTtl = seconds{3};
constexpr std::uint16_t kNodePort = 5001;
constexpr std::uint16_t kPeerPort = 6001;
// Millionths. HeldLease has a margin for the first.
constexpr std::int64_t kDriftBounded = 50'000;
constexpr std::int64_t kDriftWild = 500'000;
constexpr std::int64_t kDriftWildest = 900'000;

// The nodes, the services, the counterparties and the faults of one world.
class ClusterWorld final : public InternetObserver {
 public:
  explicit ClusterWorld(const ClusterOptions& options);
  ClusterOutcome run();

  // InternetObserver.
  void wake_at(WorldTime time, std::uint64_t connection) override {
    context_.agenda.at(time, [this, connection] { internet_.advance(connection); });
  }
  void process_is_ready(std::size_t process) override { host(process).wake(); }
  void bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                  std::string_view bytes) override;
  void connection_event(std::uint64_t connection, std::string_view what) override;
  void closed_by(std::uint64_t, Side, std::size_t, bool) override {}
  void connection_over(std::uint64_t connection) override { checker_.connection_over(connection); }

 private:
  [[nodiscard]] EngineHost& host(std::size_t process) {
    if (process < nodes_.size()) return *nodes_[process];
    return *peers_[process - nodes_.size()];
  }
  [[nodiscard]] static config::Settings settings_of(const std::string& text);
  [[nodiscard]] config::Settings node_settings(std::size_t node) const;
  [[nodiscard]] config::Settings peer_settings(std::size_t peer) const;
  [[nodiscard]] bool is_acceptor(std::size_t peer) const { return peer == 0 && peers_accept_; }
  void step_until(WorldTime end);
  void schedule_traffic();
  void send_some();
  void schedule_fault(ClusterFault fault);
  void schedule_loss();
  void lose_owner_and_primary();
  void strike(ClusterFault fault);
  void strike_node(ClusterFault fault, std::size_t node);
  void strike_database(ClusterFault fault);
  void let_drift(ClusterNode& node);
  void cut(std::size_t node, bool is_database, bool is_lease);
  void mend();
  [[nodiscard]] WorldTime some_time();
  [[nodiscard]] std::size_t any_node();
  [[nodiscard]] std::string unsettled();

  Context context_;
  SeededRandom random_loss_;  // so that a world without a loss stays as it is
  FaultCounts network_counts_{};
  SimulatedInternet internet_;
  std::size_t node_count_;
  std::size_t session_count_;
  bool clocks_are_bounded_;
  bool peers_accept_;
  bool faults_strike_ = true;
  SimulatedDatabase database_;
  LeaseService leases_;
  HistoryChecker checker_;
  std::vector<std::unique_ptr<ClusterNode>> nodes_;
  std::vector<std::unique_ptr<ClusterPeer>> peers_;
  std::array<bool, kClusterFaults> has_{};
  std::array<std::uint64_t, kClusterFaults> counts_{};
  std::uint64_t news_ = 0;
};

ClusterWorld::ClusterWorld(const ClusterOptions& options)
    : context_{options.seed, options.bug, options.trace_lines, options.trace_stream},
      random_loss_{stream(options.seed, 3)},
      internet_{context_.agenda.now(), context_.random_network, network_counts_, *this},
      node_count_{2 + static_cast<std::size_t>(context_.random.below(4) == 0)},
      session_count_{1 + static_cast<std::size_t>(context_.random.below(3))},
      clocks_are_bounded_{context_.random.below(3) != 0},
      peers_accept_{context_.random.below(2) == 0},
      database_{context_, node_count_},
      leases_{context_, node_count_, kLeaseTtl},
      checker_{context_, database_, session_count_, clocks_are_bounded_} {
  database_.on_committed = [this](const Chunk& chunk) { checker_.committed(chunk); };
  for (std::size_t i = 0; i < node_count_; ++i) {
    nodes_.push_back(std::make_unique<ClusterNode>(
        context_, internet_, network_counts_, i, node_settings(i),
        ClusterNode::Services{.leases = leases_, .database = database_, .checker = checker_}));
  }
  for (std::size_t i = 0; i < session_count_; ++i) {
    peers_.push_back(std::make_unique<ClusterPeer>(context_, internet_, network_counts_,
                                                   node_count_ + i, peer_settings(i), checker_));
  }
  // Few kinds of faults leave time for what one of them does; many kinds meet each other.
  const std::uint64_t quarters = 1 + context_.random.below(3);
  for (std::size_t i = 0; i < kClusterFaults; ++i) {
    if (static_cast<ClusterFault>(i) == ClusterFault::LoseOwnerAndPrimary) continue;
    has_[i] = context_.random.below(4) < quarters;
  }
}

config::Settings ClusterWorld::settings_of(const std::string& text) {
  auto settings = config::parse_settings(
      "[DEFAULT]\nNonStopSession=Y\nCheckLatency=N\nUseDataDictionary=N\nReconnectInterval=1\n"
      "LogonTimeout=2\nLogoutTimeout=1\nHeartBtInt=2\nBeginString=FIX.4.4\n" +
          text,
      "cluster");
  NEXUSFIX_ASSERT(settings.has_value());
  // Sessions connect again after whole seconds: a seed stays the world that it was.
  for (config::SessionSettings& session : settings->sessions) session.reconnect.jitter = 0;
  return *std::move(settings);
}

config::Settings ClusterWorld::node_settings(std::size_t node) const {
  std::string text = "Store=program\nSenderCompID=CLUSTER\n";
  for (std::size_t i = 0; i < session_count_; ++i) {
    text += "[SESSION]\nTargetCompID=PEER" + std::to_string(i) + '\n';
    if (is_acceptor(i)) {
      text += "ConnectionType=initiator\nSocketConnectHost=peer\nSocketConnectPort=" +
              std::to_string(kPeerPort + i) + '\n';
    } else {
      text +=
          "ConnectionType=acceptor\nSocketAcceptPort=" + std::to_string(kNodePort + node) + '\n';
    }
  }
  return settings_of(text);
}

config::Settings ClusterWorld::peer_settings(std::size_t peer) const {
  std::string text = "Store=memory\nSenderCompID=PEER" + std::to_string(peer) +
                     "\nTargetCompID=CLUSTER\n[SESSION]\n";
  if (is_acceptor(peer)) {
    text += "ConnectionType=acceptor\nSocketAcceptPort=" + std::to_string(kPeerPort + peer) + '\n';
    return settings_of(text);
  }
  text += "ConnectionType=initiator\n";
  for (std::size_t node = 0; node < node_count_; ++node) {
    const std::string number = node == 0 ? "" : std::to_string(node);
    text += "SocketConnectHost" + number + "=node\nSocketConnectPort" + number + '=' +
            std::to_string(kNodePort + node) + '\n';
  }
  return settings_of(text);
}

void ClusterWorld::bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                              std::string_view bytes) {
  static_cast<void>(side);
  if (context_.trace.is_on()) context_.trace.line(host(process).name(), bytes);
  context_.count(static_cast<std::uint64_t>(context_.agenda.now().count()));
  context_.count(bytes.size());
  if (process < nodes_.size()) checker_.bytes_sent(connection, process, bytes);
}

void ClusterWorld::connection_event(std::uint64_t connection, std::string_view what) {
  if (context_.trace.is_on()) {
    context_.trace.line("network",
                        "connection " + std::to_string(connection) + ' ' + std::string{what});
  }
}

void ClusterWorld::step_until(WorldTime end) {
  while (!context_.violation.get()) {
    WorldTime at = context_.agenda.next();
    EngineHost* turn = nullptr;
    for (std::size_t i = 0; i < nodes_.size() + peers_.size(); ++i) {
      if (host(i).turns().next() >= at) continue;
      at = host(i).turns().next();
      turn = &host(i);
    }
    if (at > end) return context_.agenda.advance(end);
    if (turn == nullptr) {
      context_.agenda.take();
    } else {
      context_.agenda.advance(at);
      turn->run_turn();
    }
  }
}

ClusterOutcome ClusterWorld::run() {
  for (auto& peer : peers_) peer->start();
  for (auto& node : nodes_) {
    let_drift(*node);
    context_.agenda.after(milliseconds{context_.random.below(500)}, [&node] { node->start(); });
  }
  schedule_traffic();
  for (std::size_t i = 0; i < kClusterFaults; ++i) {
    if (has_[i]) schedule_fault(static_cast<ClusterFault>(i));
  }
  if (random_loss_.below(4) == 0) schedule_loss();
  step_until(kDuration);
  faults_strike_ = false;
  mend();
  std::string left = "it was not checked";
  while (!context_.violation.get() && !left.empty() &&
         context_.agenda.now() < kDuration + kSettledWithin) {
    step_until(context_.agenda.now() + milliseconds{500});
    left = unsettled();
  }
  if (!left.empty()) context_.violation.found("not-recovered", std::move(left));
  ClusterOutcome outcome{.violation = context_.violation.get(),
                         .faults = counts_,
                         .deliveries = checker_.deliveries(),
                         .take_overs = 0,
                         .lost_confirmations = database_.lost_confirmations(),
                         .duration = context_.agenda.now(),
                         .settled_in = context_.agenda.now() - kDuration,
                         .digest = context_.digest,
                         .trace = context_.trace.text()};
  for (const auto& node : nodes_) outcome.take_overs += node->take_overs();
  return outcome;
}

std::string ClusterWorld::unsettled() {
  const auto serves = [](const auto& node) { return node->phase() == ClusterNode::Phase::Serving; };
  if (std::ranges::count_if(nodes_, serves) != 1) return "not one node owns the log";
  if (!std::ranges::all_of(peers_, [](const auto& peer) { return peer->is_all_logged_on(); })) {
    return "a counterparty is not logged on";
  }
  return checker_.unsettled();
}

void ClusterWorld::schedule_traffic() {
  context_.agenda.after(milliseconds{20 + context_.random.below(400)}, [this] {
    if (!faults_strike_) return;
    send_some();
    schedule_traffic();
  });
}

void ClusterWorld::send_some() {
  const auto index = static_cast<std::size_t>(context_.random.below(session_count_));
  ClusterPeer& peer = *peers_[index];
  for (std::uint64_t left = context_.random.below(4); left > 0; --left) {
    if (engine::Engine* const engine = peer.engine()) {
      send_order(checker_, engine->session(0), index);
    }
  }
  peer.wake();
  if (context_.random.below(3) != 0) return;
  for (auto& node : nodes_) {
    if (node->phase() != ClusterNode::Phase::Serving || node->is_frozen()) continue;
    send_news(node->engine()->session(index), ++news_);
    node->wake();
  }
}

void ClusterWorld::schedule_fault(ClusterFault fault) {
  const std::uint64_t most =
      12'000 + 3'000 * static_cast<std::uint64_t>(fault == ClusterFault::Kill);
  context_.agenda.after(milliseconds{500 + context_.random.below(most)}, [this, fault] {
    if (!faults_strike_) return;
    ++counts_[static_cast<std::size_t>(fault)];
    strike(fault);
    schedule_fault(fault);
  });
}

// With the policy `available` a database goes on alone when its standby is away.
void ClusterWorld::schedule_loss() {
  context_.agenda.after(milliseconds{4'000 + random_loss_.below(12'000)}, [this] {
    if (!faults_strike_) return;
    if (!checker_.has_all_sessions()) return schedule_loss();
    context_.note("database", "goes on without its standby");
    database_.lose_standby();
    context_.agenda.after(milliseconds{200 + random_loss_.below(2'000)},
                          [this] { lose_owner_and_primary(); });
  });
}

// A node that has not looked at the database since its standby is away cannot know of a loss.
void ClusterWorld::lose_owner_and_primary() {
  const std::size_t owner = database_.row().node;
  bool strikes = faults_strike_ && database_.row().is_one_copy &&
                 nodes_[owner]->phase() == ClusterNode::Phase::Serving;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const bool waits = nodes_[i]->phase() != ClusterNode::Phase::Serving;
    strikes = strikes && (i == owner || (waits && nodes_[i]->knows_one_copy()));
  }
  if (!strikes) {
    database_.regain_standby();
    return schedule_loss();
  }
  ++counts_[static_cast<std::size_t>(ClusterFault::LoseOwnerAndPrimary)];
  nodes_[owner]->end("its machine is lost, with the primary", true);
  database_.fail_over_with_loss();
  checker_.log_was_cut();
  context_.agenda.after(milliseconds{50 + random_loss_.below(3'000)},
                        [this] { database_.start(); });
}

// Mostly short, at times longer than a lease and than every time limit.
WorldTime ClusterWorld::some_time() {
  constexpr std::uint64_t kMillis[] = {1, 30, 400, 4'000, 9'000, 9'000};
  const std::uint64_t most = kMillis[context_.random.below(std::size(kMillis))];
  return microseconds{1 + context_.random.below(1'000 * most)};
}

// Mostly the owner.
std::size_t ClusterWorld::any_node() {
  if (context_.random.below(4) != 0) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i]->phase() == ClusterNode::Phase::Serving) return i;
    }
  }
  return static_cast<std::size_t>(context_.random.below(nodes_.size()));
}

void ClusterWorld::strike(ClusterFault fault) {
  switch (fault) {
    case ClusterFault::FailOver:
    case ClusterFault::FreezeDatabase:
    case ClusterFault::StallDatabase:
      return strike_database(fault);
    case ClusterFault::StopLeases:
      context_.note("lease", "has no leader");
      leases_.stop();
      return context_.agenda.after(some_time(), [this] { leases_.start(); });
    case ClusterFault::DropSession:
      return static_cast<void>(internet_.drop_one());
    case ClusterFault::SilenceSession:
      return static_cast<void>(internet_.silence_one());
    default:
      return strike_node(fault, any_node());
  }
}

void ClusterWorld::strike_node(ClusterFault fault, std::size_t index) {
  ClusterNode& node = *nodes_[index];
  SeededRandom& random = context_.random;
  switch (fault) {
    case ClusterFault::Kill:
      if (random.below(2) == 0 || node.phase() != ClusterNode::Phase::Serving) {
        return node.end("it is killed", false);
      }
      node.life().end_after(static_cast<std::uint32_t>(random.below(40)));
      return node.wake();
    case ClusterFault::LosePower:
      return node.end("its machine loses power", true);
    case ClusterFault::Freeze:
      return node.freeze(some_time());
    case ClusterFault::FreezeInAsking:
      return node.freeze_when_asking(some_time() + kLeaseTtl / 2);
    case ClusterFault::CutDatabase:
      return cut(index, true, false);
    case ClusterFault::CutLease:
      return cut(index, false, true);
    case ClusterFault::CutAll:
      return cut(index, true, true);
    case ClusterFault::DropDatabase:
      return database_.drop(index, random.below(2) == 0);
    case ClusterFault::Drift:
      return let_drift(node);
    case ClusterFault::StepClock:
      return node.clock().jump(milliseconds{random.below(20'000)} - seconds{10});
    case ClusterFault::HandOver:
      return node.hand_over();
    default:
      return;
  }
}

// With wild clocks, a node may believe in a lease that ended long ago: only the owner epoch keeps
// it from sending then.
void ClusterWorld::let_drift(ClusterNode& node) {
  SeededRandom& random = context_.random;
  const std::int64_t most = clocks_are_bounded_ ? kDriftBounded : kDriftWild;
  std::int64_t drift =
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * most))) - most;
  if (!clocks_are_bounded_ && random.below(3) == 0) drift = -kDriftWildest;
  node.clock().drift(drift);
  node.wake();  // its timers are at other times now
}

void ClusterWorld::strike_database(ClusterFault fault) {
  if (fault == ClusterFault::FailOver) {
    database_.fail_over(context_.random.below(4) == 0);
    context_.agenda.after(milliseconds{50} + some_time(), [this] { database_.start(); });
  } else if (fault == ClusterFault::FreezeDatabase) {
    database_.freeze();
    context_.agenda.after(some_time(), [this] { database_.thaw(); });
  } else {
    database_.stall();
    context_.agenda.after(some_time(), [this] { database_.go_on(); });
  }
}

void ClusterWorld::cut(std::size_t node, bool is_database, bool is_lease) {
  context_.note(nodes_[node]->name(), "is cut off");
  const WorldTime duration = some_time();
  if (is_database) {
    database_.link().cut(node);
    context_.agenda.after(duration, [this, node] { database_.link().mend(node); });
  }
  if (is_lease) {
    leases_.link().cut(node);
    context_.agenda.after(duration, [this, node] { leases_.link().mend(node); });
  }
}

void ClusterWorld::mend() {
  context_.note("world", "all faults end");
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    database_.link().mend(i);
    leases_.link().mend(i);
    nodes_[i]->clock().mend();
    nodes_[i]->thaw();
    nodes_[i]->wake();
    nodes_[i]->freeze_when_asking({});
  }
  database_.start();
  database_.thaw();
  database_.go_on();
  leases_.start();
  internet_.mend();
}

}  // namespace

ClusterOutcome run_cluster(const ClusterOptions& options) {
  return std::make_unique<ClusterWorld>(options)->run();
}

}  // namespace nexusfix::simulator::cluster
