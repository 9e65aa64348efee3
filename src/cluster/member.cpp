#include "cluster/member.hpp"

#include <algorithm>
#include <array>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nexusfix::cluster {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLookInterval{200};
// The store asks ten times a second while it could take the log.
constexpr milliseconds kAskedLately{1'000};
// A store that has the lease and does not claim the log has lost the database.
constexpr milliseconds kClaimTimeMax{3'000};

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
      etcd_{settings.etcd, settings.request_timeout},
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
  // Otherwise it ends by itself.
  if (lease_.id != 0) static_cast<void>(etcd_.revoke(lease_.id));
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
  shared_.mark = {
      .cluster = state.id, .shard = settings_.shard, .token = *shard.base + state.revision};
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

std::expected<std::uint64_t, std::string> Member::ask() {
  const std::lock_guard lock{mutex_};
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
          .is_handing_over = shared_.is_handing_over};
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
  if (!changed->is_done) {
    return std::unexpected{EtcdError{
        .text = "another engine is registered as node " + text() + " now", .is_answered = true}};
  }
  lease_.is_registered = true;
  return {};
}

bool Member::was_asked_within(milliseconds time) {
  const std::lock_guard lock{mutex_};
  return shared_.asked_at && clock_.now().mono - *shared_.asked_at < time;
}

EtcdResult<void> Member::look() {
  const auto range = etcd_.read({names_.id(), names_.drained(), names_.shard(settings_.shard)});
  if (!range) return std::unexpected{range.error()};
  const ClusterState state = read_state(*range, names_);
  const ShardState shard = state.shard(settings_.shard);
  bool is_claimed = false;
  {
    const std::lock_guard lock{mutex_};
    is_claimed = shared_.is_claimed;
    shared_.owner = shard.owner ? shard.owner->node : std::string{};
    if (state.id != shared_.mark.cluster || !shard.base) {
      const std::string why = "etcd has lost the cluster, or is another one: shard " +
                              settings_.shard + " of cluster " + shared_.mark.cluster +
                              " is not there. Run nexusfix cluster join --etcd-lost, if it is "
                              "the right one";
      if (!is_claimed) shared_.refusal = why;
      token_ = 0;
      return std::unexpected{EtcdError{.text = why, .is_answered = true}};
    }
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
  const bool is_asked = was_asked_within(kAskedLately);
  if (!shard.owner && (is_claimed || is_asked)) return try_to_take(state, shard);
  return write_ready(!is_claimed && is_asked);
}

EtcdResult<void> Member::write_ready(bool is_ready) {
  if (lease_.is_ready_written == is_ready) return {};
  const std::string key = names_.member(settings_.shard, settings_.node);
  const auto changed = etcd_.change({.puts = {{key, myself(is_ready).to_value(), lease_.id}}});
  if (!changed) return std::unexpected{changed.error()};
  lease_.is_ready_written = is_ready;
  return {};
}

EtcdResult<void> Member::try_to_take(const ClusterState& state, const ShardState& shard) {
  if (!may_take(state, shard, settings_.node)) return write_ready(was_asked_within(kAskedLately));
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
  {
    const std::lock_guard lock{mutex_};
    is_claimed = shared_.is_claimed;
  }
  if (!is_claimed && !was_asked_within(kClaimTimeMax)) {
    token_ = 0;
    const auto given_back =
        etcd_.change({.conditions = {{names_.owner(settings_.shard), shard.owner->created}},
                      .deletions = {names_.owner(settings_.shard)}});
    if (!given_back) return std::unexpected{given_back.error()};
    return {};
  }
  token_ = shard.token();
  if (auto written = write_ready(false); !written) return written;
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
