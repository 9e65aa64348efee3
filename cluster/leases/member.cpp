#include "cluster/leases/member.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <unistd.h>
#include <utility>

#include "cluster/leases/cluster_orders.hpp"

namespace nexusfix::cluster {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookInterval{200};
constexpr milliseconds kClaimTimeLeast{2'000};
// Far below the two minutes by which FIX lets SendingTime differ.
constexpr std::chrono::seconds kClockDifferenceMax{5};

std::string host_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return host.data();
}

}  // namespace

std::expected<std::unique_ptr<engine::ClusterMember>, std::string> Member::join(
    const config::ClusterSettings& settings, engine::ClusterObserver& observer) {
  std::unique_ptr<Member> member{new Member{settings, observer}};
  if (auto begun = member->begin(); !begun) return std::unexpected{std::move(begun.error())};
  return member;
}

Member::Member(const config::ClusterSettings& settings, engine::ClusterObserver& observer)
    : settings_{settings},
      observer_{observer},
      names_{settings.name},
      etcd_{settings},
      since_{clock_.now().wall} {}

Member::~Member() {
  {
    const std::lock_guard lock{mutex_};
    shared_.is_stopping = true;
    shared_.is_serving = false;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  token_ = 0;
  write_refusal();
  give_lease_back();
}

// Before the lease is given back: the node is shown as refused from its end on. If etcd does not
// answer, the loss of the lease is reported.
void Member::write_refusal() {
  if (shared_.refused.empty()) return;
  Holder refused = myself(false);
  refused.since = clock_.now().wall;
  refused.refusal = std::move(shared_.refused);
  static_cast<void>(etcd_.change(
      {.puts = {{names_.refused(settings_.shard, settings_.node), refused.to_value()}}}));
}

void Member::give_lease_back() {
  if (lease_.id == 0) return;
  constexpr int kAttempts = 2;
  for (int attempt = 1;; ++attempt) {
    const auto revoked = etcd_.revoke(lease_.id);
    if (revoked || revoked.error().is_answered) return;
    if (attempt < kAttempts) continue;
    observer_.on_event(EventId::ClusterLeaseLost,
                       "node " + text() +
                           ": the lease was not given back, and ends by itself within " +
                           std::to_string(settings_.lease.count()) + " s: " + revoked.error().text);
    return;
  }
}

std::expected<void, std::string> Member::begin() {
  const auto fail = [&](const std::string& why) {
    return std::unexpected{"node " + text() + ": " + why};
  };
  if (auto renewed = renew(); !renewed) return fail(renewed.error().text);
  if (auto registered = register_first(); !registered) return fail(registered.error());
  const auto range = etcd_.read(names_.all());
  if (!range) return fail(range.error().text);
  const ClusterState state = read_state(*range, names_);
  const ShardState shard = state.shard(settings_.shard);
  if (state.id.empty() || !shard.base) {
    return fail("etcd (" + etcd_.members() + ") knows no " +
                (state.id.empty() ? "cluster " + settings_.name : "shard " + settings_.shard) +
                ". If it is new, run nexusfix cluster join with this configuration file; if it is "
                "not, this is another etcd, or it has lost its data");
  }
  look_at_clock();
  shared_.mark = {.cluster = state.id, .shard = settings_.shard};
  observer_.on_event(EventId::ClusterJoined, "cluster " + settings_.name + ", node " + text() +
                                                 ": a member, with a lease of " +
                                                 std::to_string(settings_.lease.count()) +
                                                 " s in etcd (" + etcd_.members() + ')');
  thread_ = std::thread{[this] { run(); }};
  return {};
}

// The lease of an engine of this name that was killed a moment ago may not have ended.
std::expected<void, std::string> Member::register_first() {
  const MonoTime end = clock_.now().mono + settings_.lease + std::chrono::seconds{2};
  for (;;) {
    const auto range = etcd_.read(names_.all());
    if (!range) return std::unexpected{range.error().text};
    const ClusterState state = read_state(*range, names_);
    for (const auto& [name, shard] : state.shards) {
      const auto found = shard.members.find(settings_.node);
      if (found == shard.members.end() || found->second.host == host_name()) continue;
      return std::unexpected{"a node of this name runs already: " + found->second.text() +
                             ", for shard " + name + ". This is host " + host_name() +
                             ": give each machine a ClusterNode of its own. If that machine is "
                             "gone, its lease ends within " +
                             std::to_string(settings_.lease.count()) + " s"};
    }
    auto registered = register_member();
    if (registered) return {};
    const ShardState shard = state.shard(settings_.shard);
    const auto other = shard.members.find(settings_.node);
    const std::string who = other == shard.members.end() ? "another one" : other->second.text();
    if (!registered.error().is_answered) return std::unexpected{registered.error().text};
    if (clock_.now().mono > end) {
      return std::unexpected{"an engine of this node and shard runs already: " + who};
    }
    std::unique_lock lock{mutex_};
    changed_.wait_for(lock, kLookInterval);
    lock.unlock();
    if (auto renewed = renew(); !renewed) return std::unexpected{renewed.error().text};
  }
}

store::ClusterMark Member::mark() const {
  const std::lock_guard lock{mutex_};
  return shared_.mark;
}

std::expected<std::uint64_t, std::string> Member::ask(std::uint64_t claimed) {
  const std::lock_guard lock{mutex_};
  shared_.claimed = claimed;
  if (!shared_.refusal.empty()) return std::unexpected{shared_.refusal};
  const MonoTime now = clock_.now().mono;
  shared_.asked_at = now;
  return now < shared_.until ? token_.load() : 0;
}

void Member::on_claimed() noexcept {
  const std::lock_guard lock{mutex_};
  shared_.is_claimed = true;
}

void Member::serve() {
  const std::lock_guard lock{mutex_};
  shared_.is_serving = true;
  shared_.has_served = true;
}

// Before it has claimed the log, nothing was refused: the engine could not even begin.
void Member::refuse(std::string why) {
  constexpr std::size_t kRefusalBytesMax = 2'000;
  const std::lock_guard lock{mutex_};
  if (!shared_.is_claimed) return;
  why.resize(std::min(why.size(), kRefusalBytesMax));
  shared_.refused = std::move(why);
}

void Member::stop_serving() noexcept {
  const std::lock_guard lock{mutex_};
  shared_.is_serving = false;
}

engine::ClusterStatistics Member::statistics() const {
  const std::lock_guard lock{mutex_};
  return {.cluster = settings_.name,
          .node = settings_.node,
          .shard = settings_.shard,
          .is_owner = shared_.is_claimed,
          .owner = shared_.owner,
          .token = token_.load(),
          .renewed_at = shared_.renewed_at,
          .is_handing_over = shared_.is_handing_over,
          .engines = shared_.engines};
}

std::expected<void, std::string> Member::order(engine::OperatorAct act, const std::string& node,
                                               const std::string& text) {
  using engine::OperatorAct;
  auto done = act == OperatorAct::MoveShard   ? move_shard(settings_, settings_.shard, node)
              : act == OperatorAct::DrainNode ? drain_node(settings_, settings_.node)
                                              : end_drain(settings_);
  if (done) observer_.on_event(EventId::OperatorCommand, "node " + this->text() + ": " + text);
  return done;
}

void Member::run() {
  std::unique_lock lock{mutex_};
  while (!shared_.is_stopping) {
    lock.unlock();
    turn();
    lock.lock();
    changed_.wait_for(lock, kLookInterval, [this] { return shared_.is_stopping; });
  }
}

void Member::turn() {
  EtcdResult<void> done;
  const MonoTime now = clock_.now().mono;
  if (lease_.id == 0 || now >= lease_.renew_at) done = renew();
  if (done && !lease_.is_registered) done = register_member();
  if (done) done = look();
  set_link(done);
  look_at_clock();
}

// No lease depends on it: FIX does, and the times in logs do.
void Member::look_at_clock() {
  const ClockDifference& found = etcd_.clock_difference();
  const bool is_right = std::chrono::abs(found.least) < kClockDifferenceMax;
  if (std::exchange(is_clock_right_, is_right) == is_right || is_right) return;
  observer_.on_event(EventId::ClusterClockDiffers,
                     "node " + text() + ": the clock of this machine is " +
                         std::to_string(std::chrono::abs(found.least).count()) + " s or more " +
                         (found.least.count() > 0 ? "later" : "earlier") + " than that of etcd " +
                         found.member);
}

// Renews the lease, or gets a new one.
EtcdResult<void> Member::renew() {
  const Now now = clock_.now();
  if (lease_.id != 0) {
    const auto renewed = etcd_.renew(lease_.id);
    if (!renewed) return std::unexpected{renewed.error()};
    if (!*renewed) {
      lease_ = {};
      lose_lease("it has ended");
    }
  }
  if (lease_.id == 0) {
    const auto granted = etcd_.grant(settings_.lease);
    if (!granted) return std::unexpected{granted.error()};
    lease_ = {.id = *granted};
  }
  lease_.until = now.mono + settings_.lease;
  lease_.renew_at = now.mono + settings_.renewal;
  const std::lock_guard lock{mutex_};
  shared_.until = lease_.until;
  shared_.renewed_at = now.wall;
  return {};
}

void Member::lose_lease(const std::string& why) {
  const bool was_owner = token_.exchange(0) != 0;
  {
    const std::lock_guard lock{mutex_};
    shared_.until = {};
    shared_.renewed_at.reset();
    shared_.owner.clear();
    shared_.engines.clear();
  }
  if (!std::exchange(is_linked_, false)) return;
  observer_.on_event(EventId::ClusterLeaseLost,
                     "node " + text() + ": the lease is lost: " + why +
                         (was_owner ? ". The engine goes on until the database has another owner"
                                    : ". The engine waits for etcd"));
}

Holder Member::myself(bool is_ready) const {
  return {.node = settings_.node,
          .host = host_name(),
          .process = ::getpid(),
          .since = since_,
          .is_ready = is_ready};
}

EtcdResult<void> Member::register_member() {
  const std::string key = names_.member(settings_.shard, settings_.node);
  const auto changed = etcd_.change(
      {.conditions = {{.key = key}}, .puts = {{key, myself(false).to_value(), lease_.id}}});
  if (!changed) return std::unexpected{changed.error()};
  auto is_done = changed->is_done ? EtcdResult<bool>{true} : is_registered_already();
  if (!is_done) return std::unexpected{std::move(is_done.error())};
  if (!*is_done) {
    return std::unexpected{EtcdError{
        .text = "another engine is registered as node " + text() + " now", .is_answered = true}};
  }
  lease_.is_registered = true;
  return {};
}

// An earlier request was done if its answer alone was lost.
EtcdResult<bool> Member::is_registered_already() {
  const auto range = etcd_.read(names_.shard(settings_.shard));
  if (!range) return std::unexpected{range.error()};
  const ShardState shard = read_state(*range, names_).shard(settings_.shard);
  const auto mine = shard.members.find(settings_.node);
  return mine != shard.members.end() && mine->second.lease == lease_.id;
}

// A store that has the lease and does not claim the log within this time has lost the database. It
// asks ten times a second while it could take the log; a busy machine delays it.
milliseconds Member::claim_time_max() const {
  return std::max<milliseconds>(kClaimTimeLeast, settings_.lease);
}

bool Member::was_asked_within(milliseconds time) {
  const std::lock_guard lock{mutex_};
  return shared_.asked_at && clock_.now().mono - *shared_.asked_at < time;
}

// Whether etcd has the cluster, and is not older than the log.
EtcdResult<void> Member::check_cluster(const ClusterState& state, const ShardState& shard,
                                       std::uint64_t claimed) {
  const std::lock_guard lock{mutex_};
  shared_.owner = shard.owner ? shard.owner->node : std::string{};
  shared_.engines.clear();
  for (const auto& [node, one] : shard.engines()) {
    shared_.engines.push_back({.node = node,
                               .host = one.host,
                               .process = one.process,
                               .is_owner = shard.owner && shard.owner->lease == one.lease,
                               .is_ready = one.is_ready,
                               .is_drained = state.drained.contains(node),
                               .refusal = one.refusal});
  }
  std::string why;
  if (state.id != shared_.mark.cluster || !shard.base) {
    why = "etcd has lost the cluster, or is another one: shard " + settings_.shard +
          " of cluster " + shared_.mark.cluster +
          " is not there. Run nexusfix cluster join --etcd-lost, if it is the right one";
  } else if (!shared_.is_claimed && *shard.base + state.revision < claimed) {
    why = "etcd has old data: it has given fencing tokens up to " +
          std::to_string(*shard.base + state.revision) + ", and the log was claimed with " +
          std::to_string(claimed) +
          " already. It was restored from a backup, or is another one. If it is the right one, "
          "run nexusfix cluster join --etcd-lost";
  }
  if (why.empty()) return {};
  if (!shared_.is_claimed) shared_.refusal = why;
  token_ = 0;
  return std::unexpected{EtcdError{.text = std::move(why), .is_answered = true}};
}

EtcdResult<void> Member::look() {
  bool is_claimed = false;
  std::uint64_t claimed = 0;
  // Who asks has said which token the log was claimed with, so that it is checked before the engine
  // is shown as ready.
  const bool is_asked = this->is_asked();
  {
    // Before the read: etcd has given that token by then.
    const std::lock_guard lock{mutex_};
    is_claimed = shared_.is_claimed;
    claimed = shared_.claimed;
  }
  const auto range = etcd_.read({names_.id(), names_.drained(), names_.shard(settings_.shard)});
  if (!range) return std::unexpected{range.error()};
  const ClusterState state = read_state(*range, names_);
  const ShardState shard = state.shard(settings_.shard);
  if (auto checked = check_cluster(state, shard, claimed); !checked) {
    // If etcd fails now, the lease ends with the engine.
    if (!is_claimed) static_cast<void>(write_ready(shard, false));
    return checked;
  }
  if (shard.owner && shard.owner->lease == lease_.id) return own(state, shard);
  token_ = 0;
  if (shard.owner && is_claimed) {
    const std::string text = "node " + shard.owner->node + " (" + shard.owner->text() +
                             ") has the lease of the shard now: this engine ends when that one "
                             "claims the log";
    if (std::exchange(reported_, text) != text) {
      observer_.on_event(EventId::ClusterLeaseLost, "node " + this->text() + ": " + text);
    }
  }
  if (!shard.owner && (is_claimed || is_asked)) return try_to_take(state, shard);
  return write_ready(shard, !is_claimed && is_asked);
}

// shard: as etcd has it. What was written is not remembered: an answer may have been lost.
EtcdResult<void> Member::write_ready(const ShardState& shard, bool is_ready) {
  const auto mine = shard.members.find(settings_.node);
  if (mine == shard.members.end() || mine->second.lease != lease_.id) {
    lease_.is_registered = false;  // the key was removed
    return {};
  }
  if (mine->second.is_ready == is_ready) return {};
  const std::string key = names_.member(settings_.shard, settings_.node);
  const auto changed = etcd_.change({.puts = {{key, myself(is_ready).to_value(), lease_.id}}});
  if (!changed) return std::unexpected{changed.error()};
  return {};
}

// The engine serves what its node refused before.
EtcdResult<void> Member::end_refusal(const ShardState& shard) {
  {
    const std::lock_guard lock{mutex_};
    if (!shared_.has_served || !shard.refused.contains(settings_.node)) return {};
  }
  const auto changed =
      etcd_.change({.deletions = {names_.refused(settings_.shard, settings_.node)}});
  if (!changed) return std::unexpected{changed.error()};
  return {};
}

EtcdResult<void> Member::try_to_take(const ClusterState& state, const ShardState& shard) {
  if (!may_take(state, shard, settings_.node)) return write_ready(shard, is_asked());
  const std::string owner = names_.owner(settings_.shard);
  const auto changed = etcd_.change({.conditions = {{.key = owner}},
                                     .puts = {{owner, myself(false).to_value(), lease_.id}},
                                     .deletions = {names_.wanted(settings_.shard)}});
  if (!changed) return std::unexpected{changed.error()};
  if (!changed->is_done) return {};
  token_ = *shard.base + changed->revision;
  {
    const std::lock_guard lock{mutex_};
    shared_.owner = settings_.node;
  }
  observer_.on_event(EventId::ClusterShardOwned,
                     "node " + text() + ": has the lease of the shard: fencing token " +
                         std::to_string(token_.load()));
  return {};
}

// The shard's lease is this engine's.
EtcdResult<void> Member::own(const ClusterState& state, const ShardState& shard) {
  bool is_claimed = false;
  std::uint64_t claimed = 0;
  {
    const std::lock_guard lock{mutex_};
    is_claimed = shared_.is_claimed;
    claimed = shared_.claimed;
  }
  // The next one has a higher token, as this one needs if the log was claimed with its own.
  const bool is_usable = shard.token() > claimed && was_asked_within(claim_time_max());
  if (!is_claimed && !is_usable) {
    token_ = 0;
    const auto given_back =
        etcd_.change({.conditions = {{names_.owner(settings_.shard), shard.owner->created}},
                      .deletions = {names_.owner(settings_.shard)}});
    if (!given_back) return std::unexpected{given_back.error()};
    return {};
  }
  token_ = shard.token();
  if (auto written = write_ready(shard, false); !written) return written;
  if (auto ended = end_refusal(shard); !ended) return ended;
  hand_over_if_asked(state, shard);
  return {};
}

void Member::hand_over_if_asked(const ClusterState& state, const ShardState& shard) {
  const std::string to = hands_over_to(state, shard, settings_.node);
  if (to.empty()) {
    const bool is_drained = state.drained.contains(settings_.node);
    const std::string text = is_drained ? "this node is drained, and no other engine is ready to "
                                          "take the shard: this one keeps it"
                                        : std::string{};
    if (std::exchange(reported_, text) != text && is_drained) {
      observer_.on_event(EventId::ClusterCannotHandOver, "node " + this->text() + ": " + text);
    }
    return;
  }
  // Under the lock: stop_serving() waits for the call.
  const std::unique_lock lock{mutex_};
  if (!std::exchange(shared_.is_serving, false)) return;
  shared_.is_handing_over = true;
  observer_.on_event(EventId::ClusterHandsOver,
                     "node " + text() + ": the engine stops, and hands the shard over to " +
                         (to == "another node" ? to : "node " + to));
  observer_.on_hand_over();
}

void Member::set_link(const EtcdResult<void>& result) {
  if (result) {
    if (std::exchange(is_linked_, true)) return;
    observer_.on_event(EventId::ClusterLeaseBack,
                       "node " + text() + ": has a lease again, in etcd (" + etcd_.members() + ')');
    return;
  }
  // One lost answer is no loss. The lease may also outlast a longer silence: see renew().
  const bool lasts = lease_.id != 0 && clock_.now().mono < lease_.until;
  if (result.error().is_answered || !lasts) lose_lease(result.error().text);
}

}  // namespace nexusfix::cluster
