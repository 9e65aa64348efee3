#include "engine/service/operator/operator_commands.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/statistics.hpp>

#include "control/api/operations.hpp"
#include "control/api/running_engine.hpp"
#include "engine/service/floors.hpp"
#include "engine/service/operator/control_tasks.hpp"

namespace nexusfix::engine {
namespace {

class TapTask final : public LoopTask {
 public:
  explicit TapTask(std::shared_ptr<observe::TapChannel> channel) noexcept
      : channel_{std::move(channel)} {}
  // A loop that has ended, or has no memory, copies nothing.
  ~TapTask() override {
    if (channel_) channel_->end();
  }
  void run(Floors& floors) override {
    floors.loop.report.logs().add_reader(channel_);
    channel_.reset();
  }

 private:
  std::shared_ptr<observe::TapChannel> channel_;
};

// An act that reads or opens files may take this many times the limit of other acts.
constexpr int kReadingLimits = 6;

bool reads_files(const ControlRequest& request) noexcept {
  const auto* const command = std::get_if<OperatorCommand>(&request);
  return command != nullptr &&
         (command->act == OperatorAct::Reload || command->act == OperatorAct::ReloadCertificates);
}

bool is_done(const ControlAnswer& answer) noexcept {
  return std::holds_alternative<CarriedOut>(answer);
}
bool lacks_session(const ControlAnswer& answer) noexcept {
  const auto* const refusal = std::get_if<Refusal>(&answer);
  return refusal != nullptr && refusal->lacks_session;
}

std::expected<CarriedOut, std::string> to_result(ControlAnswer answer) {
  if (auto* const done = std::get_if<CarriedOut>(&answer)) return std::move(*done);
  return std::unexpected{std::move(std::get<Refusal>(answer).text)};
}

LatencyRow latency_row(std::uint32_t loop, const char* what, const LatencyHistogram& durations) {
  return {.loop = loop,
          .what = what,
          .count = durations.count(),
          .mean = durations.mean(),
          .p50 = durations.percentile(50),
          .p90 = durations.percentile(90),
          .p99 = durations.percentile(99),
          .p999 = durations.percentile(99.9),
          .highest = durations.percentile(100)};
}

// "node b waits for shard s1 of cluster c, which node a has; the lease was renewed 412 ms ago"
std::string cluster_text(const ClusterStatistics& cluster, WallTime now) {
  const std::string shard = "shard " + cluster.shard + " of cluster " + cluster.cluster;
  std::string text = "node " + cluster.node;
  if (cluster.is_owner) {
    text += " has " + shard;
    text += cluster.token != 0 ? ": fencing token " + std::to_string(cluster.token)
                               : std::string{" without a lease"};
  } else {
    text += " waits for " + shard;
    text +=
        cluster.owner.empty() ? ", which no node has" : ", which node " + cluster.owner + " has";
  }
  if (!cluster.renewed_at) return text + "; etcd has confirmed no lease of it";
  using std::chrono::milliseconds;
  const auto age = std::chrono::duration_cast<milliseconds>(now - *cluster.renewed_at).count();
  return text + "; the lease was renewed " + std::to_string(age) + " ms ago";
}

// An event or a record has both: what the operator writes, and what this process knows.
void add_caller(std::string& reason, const OperatorCaller& caller) {
  ((reason += " (given to the running engine by ") += caller.identity) += ')';
}

class ReportTask final : public LoopTask {
 public:
  ReportTask(EventId id, std::string text) : id_{id}, text_{std::move(text)} {}
  void run(Floors& floors) override { floors.loop.report.engine(id_, text_); }

 private:
  EventId id_;
  std::string text_;
};

class TapSubscription final : public MessageSubscription {
 public:
  explicit TapSubscription(observe::TapReader reader) noexcept : reader_{std::move(reader)} {}
  void read(std::size_t bytes_max, Visitor visit) override { reader_.read(bytes_max, visit); }
  [[nodiscard]] std::uint64_t consume_lost() override { return reader_.consume_lost(); }

 private:
  observe::TapReader reader_;
};

}  // namespace

OperatorCommands::OperatorCommands(std::vector<std::shared_ptr<TaskInbox>> inboxes,
                                   WholeEngine engine, std::shared_ptr<DisabledSessions> disabled,
                                   std::shared_ptr<const StandbyStatus> standby,
                                   std::chrono::milliseconds loop_timeout)
    : inboxes_{std::move(inboxes)},
      engine_{std::move(engine)},
      disabled_{std::move(disabled)},
      standby_{std::move(standby)},
      loop_timeout_{loop_timeout},
      opened_at_{SystemClock{}.now().wall} {}

// Waits until the order is answered, the time-out has passed, or stop is readable.
ControlAnswer OperatorCommands::wait_for(ControlOrder& order, int stop) const {
  SystemClock clock;
  const MonoTime deadline =
      clock.now().mono + (reads_files(order.request) ? kReadingLimits : 1) * loop_timeout_;
  std::array<pollfd, 2> waited{pollfd{order.answered, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now().mono);
    if (left.count() <= 0) break;
    const int count = ::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (count != 0 && !(count < 0 && errno == EINTR)) break;
  }
  using State = ControlOrder::State;
  auto waiting = State::Waiting;
  if (order.state.compare_exchange_strong(waiting, State::Aborted)) {
    return Refusal{"the engine did not look at it in time: nothing was done"};
  }
  auto taken = State::Taken;
  if (order.state.compare_exchange_strong(taken, State::Aborted)) {
    return Refusal{
        "the engine has taken it, but it was not done in time, because the disk is slow: the event "
        "log and nexusfix journal show say what came of it"};
  }
  return std::move(order.answer);
}

EngineStatus OperatorCommands::status_without_sessions() const {
  EngineStatus status{.process = ::getpid(),
                      .started = opened_at_,
                      .loops = static_cast<std::uint32_t>(inboxes_.size())};
  if (cluster_ != nullptr) {
    status.cluster = cluster_text(cluster_->statistics(), SystemClock{}.now().wall);
  }
  return status;
}

std::string OperatorCommands::refusal() const {
  const std::string waits = standby_->text();
  if (waits.empty()) return {};
  return "this engine is a standby, which " + waits + ": nothing was done";
}

ControlAnswer OperatorCommands::ask(std::size_t loop, ControlRequest request,
                                    const OperatorCaller& caller) {
  if (std::string refused = refusal(); !refused.empty()) return Refusal{std::move(refused)};
  auto order = std::make_shared<ControlOrder>(std::move(request));
  if (order->answered < 0) return Refusal{"the engine is out of descriptors: nothing was done"};
  order->engine = status_without_sessions();
  inboxes_[loop]->add(make_control_task(order, engine_));
  return wait_for(*order, caller.stop);
}

ControlAnswer OperatorCommands::ask_session_loop(const ControlRequest& request,
                                                 const OperatorCaller& caller) {
  ControlAnswer answer;
  for (std::size_t loop = 0; loop < inboxes_.size(); ++loop) {
    answer = ask(loop, request, caller);
    if (!lacks_session(answer)) break;
  }
  return answer;
}

std::expected<CarriedOut, std::string> OperatorCommands::carry_out(OperatorCommand command,
                                                                   const OperatorCaller& caller) {
  if (is_of_cluster(command.act)) {
    add_caller(command.reason, caller);
    return order_cluster(command, caller);
  }
  if (std::string refused = refusal(); !refused.empty()) {
    return std::unexpected{std::move(refused)};
  }
  add_caller(command.reason, caller);
  const bool changes_enabled =
      command.act == OperatorAct::Enable || command.act == OperatorAct::Disable;
  if (!needs_session(command.act)) {
    return to_result(carry_out_on_engine(std::move(command), caller));
  }
  return to_result(changes_enabled ? change_enabled(command, caller)
                                   : ask_session_loop(command, caller));
}

// A standby has no record of it but its event log: the store belongs to the owner.
std::expected<CarriedOut, std::string> OperatorCommands::order_cluster(
    const OperatorCommand& command, const OperatorCaller& caller) {
  if (cluster_ == nullptr) {
    return std::unexpected{std::string{"the engine is in no cluster: nothing was done"}};
  }
  constexpr std::size_t kNodeBytesMax = 63;  // of ClusterNode
  const bool needs_node = command.act == OperatorAct::MoveShard;
  const std::size_t size = command.text.size();
  if (needs_node ? size == 0 || size > kNodeBytesMax : size > 0) {
    return std::unexpected{
        std::string{needs_node ? "the name of a node was expected" : "no node was expected"} +
        ": nothing was done"};
  }
  if (standby_->text().empty()) {
    auto recorded = to_result(ask(0, RecordRequest{command}, caller));
    if (!recorded) return recorded;
  }
  if (auto done = cluster_->order(command.act, command.text, text_of(command)); !done) {
    return std::unexpected{std::move(done.error())};
  }
  return CarriedOut{};
}

// Each loop records it in its own store before the first one carries it out.
ControlAnswer OperatorCommands::carry_out_on_engine(OperatorCommand command,
                                                    const OperatorCaller& caller) {
  if (command.act == OperatorAct::ReloadCertificates && engine_.tls == nullptr) {
    return Refusal{"no session of the engine has TLS"};
  }
  if (command.act == OperatorAct::Drain && command.number > kDrainSecondsMax) {
    return Refusal{"a drain may take at most " + std::to_string(kDrainSecondsMax) + " seconds"};
  }
  for (std::size_t loop = 1; loop < inboxes_.size(); ++loop) {
    if (auto answer = ask(loop, RecordRequest{command}, caller); !is_done(answer)) return answer;
  }
  if (command.act == OperatorAct::RotateLogs) return rotate_logs(std::move(command), caller);
  return ask(0, std::move(command), caller);
}

ControlAnswer OperatorCommands::rotate_logs(OperatorCommand command, const OperatorCaller& caller) {
  constexpr int kBetweenLooksMillis = 2;
  std::vector<std::uint64_t> before;
  before.reserve(engine_.loops.size());
  for (LoopContext* const loop : engine_.loops) {
    before.push_back(loop->report.logs().stats().reopenings);
  }
  if (auto answer = ask(0, std::move(command), caller); !is_done(answer)) return answer;
  SystemClock clock;
  const MonoTime deadline = clock.now().mono + kReadingLimits * loop_timeout_;
  std::uint64_t failed = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const EngineLogs& logs = engine_.loops[i]->report.logs();
    if (!logs.has_files()) return CarriedOut{.result = "no log file is open"};
    while (logs.stats().reopenings == before[i]) {
      if (clock.now().mono >= deadline) {
        return Refusal{"the log files are not open yet: the disk is slow"};
      }
      pollfd stop{caller.stop, POLLIN, 0};
      if (::poll(&stop, 1, kBetweenLooksMillis) > 0) return Refusal{"the engine is stopping"};
    }
    failed += logs.stats().not_reopened;
  }
  if (failed == 0) return CarriedOut{.result = "the log files are open again"};
  return Refusal{std::to_string(failed) + " log files cannot be opened: the event log says why"};
}

// The list is changed first, so that it has the session even if the process dies in between.
ControlAnswer OperatorCommands::change_enabled(const OperatorCommand& command,
                                               const OperatorCaller& caller) {
  const bool disables = command.act == OperatorAct::Disable;
  const auto was_by = disabled_->disabled_by(command.session);
  const bool was_disabled = was_by.has_value();
  const std::string by = was_by.value_or(command.reason);
  const auto change = [&](bool to_disabled) {
    return to_disabled ? disabled_->add(command.session, by) : disabled_->remove(command.session);
  };
  if (auto done = change(disables); !done) {
    return Refusal{std::move(done.error()) + ": nothing was done"};
  }
  ControlAnswer answer = ask_session_loop(command, caller);
  if (!is_done(answer) && was_disabled != disables) static_cast<void>(change(was_disabled));
  return answer;
}

std::expected<void, std::string> OperatorCommands::set_numbers(LiveNumbers request,
                                                               const OperatorCaller& caller,
                                                               std::optional<std::size_t> loop) {
  add_caller(request.reason, caller);
  auto done = to_result(loop ? ask(*loop, std::move(request), caller)
                             : ask_session_loop(std::move(request), caller));
  if (!done) return std::unexpected{std::move(done.error())};
  return {};
}

ControlAnswer OperatorCommands::round_trip(const RoundTripRequest& request,
                                           const OperatorCaller& caller) {
  return ask_session_loop(request, caller);
}

ControlAnswer OperatorCommands::status_page(const StatusRequest& request,
                                            const OperatorCaller& caller) {
  if (request.loop >= inboxes_.size()) {
    return Refusal{"the engine has no event loop of this number"};
  }
  std::string waits = standby_->text();
  if (waits.empty()) return ask(request.loop, request, caller);
  StatusPage page{.status = status_without_sessions(), .next = {}};
  if (const auto standby = standby_->read(); standby && standby->is_connected) {
    const std::uint64_t lag = standby->log_bytes - standby->followed_bytes;
    waits += "; the application lacks " + std::to_string(lag) + " bytes of the log";
  }
  page.status.standby = std::move(waits);
  page.next.loop = page.status.loops;
  return page;
}

std::expected<std::vector<LatencyRow>, std::string> OperatorCommands::latencies(
    const std::string& session) const {
  EngineStatistics figures;
  for (const LoopContext* const loop : engine_.loops) loop->add_to(figures, SystemClock{}.now());
  std::vector<LatencyRow> rows;
  if (session.empty()) {
    for (const LoopStatistics& loop : figures.loops) {
      if (!loop.wire_to_callback.empty())
        rows.push_back(latency_row(loop.index, "wire to callback", loop.wire_to_callback));
      rows.push_back(latency_row(loop.index, "receive to callback", loop.receive_to_callback));
      rows.push_back(latency_row(loop.index, "callback to sent", loop.callback_to_sent));
      rows.push_back(latency_row(loop.index, "receive to sent", loop.receive_to_sent));
      rows.push_back(latency_row(loop.index, "TestRequest", loop.test_request_round_trip));
    }
    return rows;
  }
  const auto found = std::ranges::find(figures.sessions, session, &SessionStatistics::name);
  if (found == figures.sessions.end()) return std::unexpected{engine::lacks_session(session).text};
  rows.push_back(latency_row(found->loop, "receive to sent", found->receive_to_sent));
  rows.push_back(latency_row(found->loop, "TestRequest", found->test_request_round_trip));
  return rows;
}

bool OperatorCommands::serves(const std::string& session, const OperatorCaller& caller) {
  return !lacks_session(ask_session_loop(RoundTripRequest{session, 0}, caller));
}

std::expected<observe::TapReader, std::string> OperatorCommands::tap(const std::string& session) {
  if (std::string refused = refusal(); !refused.empty()) {
    return std::unexpected{std::move(refused)};
  }
  const std::lock_guard lock{readers_mutex_};
  std::erase_if(readers_, [](const auto& one) {
    const auto channel = one.lock();
    return channel == nullptr || channel->is_abandoned() || channel->has_ended();
  });
  if (readers_.size() >= kReadersMax) {
    return std::unexpected{"the engine has " + std::to_string(kReadersMax) +
                           " readers of its messages already: end one"};
  }
  std::vector<std::shared_ptr<observe::TapChannel>> channels;
  for (const auto& inbox : inboxes_) {
    auto channel = std::make_shared<observe::TapChannel>(session);
    inbox->add(std::make_unique<TapTask>(channel));
    channels.push_back(std::move(channel));
  }
  readers_.push_back(channels.front());
  return observe::TapReader{std::move(channels)};
}

EngineStatistics EngineOperations::statistics() const {
  const Now now = facts_.clock->now();
  EngineStatistics figures{.process = ::getpid(),
                           .started = facts_.started,
                           .taken_at = now.wall,
                           .is_stopping = loops_.front()->stop.is_asked(),
                           .standby = facts_.standby->read(),
                           .buffered_bytes = facts_.budget->used(),
                           .logs = log_stats()};
  if (facts_.cluster != nullptr) figures.cluster = facts_.cluster->statistics();
  for (LoopContext* const loop : loops_) loop->add_to(figures, now);
  return figures;
}

observe::SessionLogsStats EngineOperations::log_stats() const noexcept {
  observe::SessionLogsStats all;
  for (LoopContext* const loop : loops_) {
    const observe::SessionLogsStats one = loop->report.logs().stats();
    all.taken += one.taken;
    all.lost_in_queue += one.lost_in_queue;
    all.lost_on_disk += one.lost_on_disk;
    all.lost_on_screen += one.lost_on_screen;
  }
  return all;
}

std::expected<void, std::string> EngineOperations::command(OperatorCommand command,
                                                           const std::string& identity) {
  const auto done = facts_.commands->carry_out(std::move(command), {.identity = identity});
  if (!done) return std::unexpected{done.error()};
  return {};
}

std::expected<void, std::string> EngineOperations::set_numbers(LiveNumbers numbers,
                                                               const std::string& identity) {
  return facts_.commands->set_numbers(std::move(numbers), {.identity = identity});
}

std::expected<std::unique_ptr<MessageSubscription>, std::string> EngineOperations::follow(
    const std::string& session) {
  auto reader = facts_.commands->tap(session);
  if (!reader) return std::unexpected{std::move(reader.error())};
  return std::make_unique<TapSubscription>(std::move(*reader));
}

void EngineOperations::report(EventId id, std::string text) {
  facts_.inbox->add(std::make_unique<ReportTask>(id, std::move(text)));
}

}  // namespace nexusfix::engine
