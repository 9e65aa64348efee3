#include "engine/service/operator/control_tasks.hpp"

#include <optional>
#include <utility>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/service/floors.hpp"
#include "engine/service/operator/command_task.hpp"

namespace nexusfix::engine {
namespace {

// The first run sets the sequence numbers; it runs again until they are durable in the log.
class SetNumbersTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~SetNumbersTask() override {
    if (!order_) return;
    order_->refuse(set_at_ ? "they are set, but the engine has ended, or has no memory, before it "
                             "knew that the disk has them: look at them with nexusfix journal show"
                           : "the engine has ended, or has no memory: nothing was done");
  }
  void run(Floors& floors) override {
    if (!set_at_) {
      if (!take()) return;
      if (auto refused = set(floors, std::get<LiveNumbers>(order_->request))) {
        return reply(*std::move(refused));
      }
      floors.loop.network->wake();  // The disk may have them at the end of this turn.
    }
    if (floors.io.commit.store().durable() >= *set_at_) return reply(CarriedOut{});
    if (order_->state.load() == ControlOrder::State::Aborted) return order_.reset();
  }
  [[nodiscard]] bool comes_back() const noexcept override { return order_ != nullptr; }

 private:
  [[nodiscard]] std::optional<Refusal> set(Floors& floors, const LiveNumbers& request) {
    SessionEntry* const entry = floors.sessions.registry.find_entry(request.session);
    if (entry == nullptr || is_gone(*entry)) {
      Refusal none = lacks_session(request.session);
      none.text += " from here";
      return none;
    }
    const session::Numbers now = entry->machine.sequence_numbers();
    if (now != request.expected) {
      return Refusal{"they have moved meanwhile: the next ones are in " +
                     std::to_string(now.next_inbound) + ", out " +
                     std::to_string(now.next_outbound)};
    }
    auto done = floors.sessions.control.set_next_numbers(*entry, request.wanted, request.reason);
    if (!done) return Refusal{std::move(done.error())};
    set_at_ = floors.io.commit.store().appended();
    return std::nullopt;
  }

  std::optional<store::LogPosition> set_at_;
};

[[nodiscard]] SessionStatus status_of(const SessionEntry& entry, bool store_has_failed) {
  const SessionCounters& counters = *entry.counters;
  const SessionState state = store_has_failed ? SessionState::StoreFailed : state_of(entry).state;
  return {.name = entry.name,
          .is_initiator = entry.settings().session.role == session::Role::Initiator,
          .state = std::string{to_string(state)},
          .why = counters.why.read(),
          .failures_in_a_row = counters.failures_in_a_row.read(),
          .since = counters.logon_changed_at.if_set(),
          .next = entry.machine.sequence_numbers(),
          .messages_in = counters.messages_in(),
          .messages_out = counters.messages_out(),
          .received_at = counters.in.last_at.if_set(),
          .unsent_bytes = entry.session.unsent_bytes(),
          .bytes_in = counters.in.bytes.read(),
          .bytes_out = counters.out.bytes.read(),
          .logons = counters.logons.read(),
          .logon_failures = counters.logon_failures.read(),
          .connect_failures = counters.connect_failures.read(),
          .disconnects = counters.disconnects.read(),
          .gaps = counters.gaps.read(),
          .resent = counters.resent.read(),
          .garbled = counters.garbled.read()};
}

class StatusTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~StatusTask() override {
    if (order_) order_->refuse("the engine has ended, or has no memory");
  }
  void run(Floors& floors) override {
    if (!take()) return;
    const auto& entries = floors.sessions.registry.entries();
    const StatusRequest request = std::get<StatusRequest>(order_->request);
    StatusPage page{.status = std::move(order_->engine), .next = {request.loop + 1, 0}};
    std::size_t text_bytes = 0;
    for (std::size_t at = request.first; at < entries.size(); ++at) {
      if (at == request.first + ControlOrder::kRowsMax || text_bytes > kTextBytesMax) {
        page.next = {request.loop, at};
        break;
      }
      const SessionEntry& entry = *entries[at];
      if (is_gone(entry)) continue;
      SessionStatus& one =
          page.status.sessions.emplace_back(status_of(entry, floors.io.commit.has_failed()));
      text_bytes += one.name.size() + one.why.size();
    }
    reply(std::move(page));
  }

 private:
  // The names and texts of a page, which then fits a line.
  static constexpr std::size_t kTextBytesMax = std::size_t{16} << 10U;
};

class RoundTripTask final : public ControlTask {
 public:
  using ControlTask::ControlTask;
  ~RoundTripTask() override {
    if (order_) order_->refuse("the engine has ended, or has no memory");
  }
  void run(Floors& floors) override {
    if (!take()) return;
    const auto& request = std::get<RoundTripRequest>(order_->request);
    const SessionEntry* const entry = floors.sessions.registry.find_entry(request.session);
    if (entry == nullptr || is_gone(*entry)) return reply(lacks_session(request.session));
    const RoundTrips::Trip* const trip = floors.loop.round_trips.find(*entry, request.id);
    if (trip == nullptr) return refuse("the engine knows no such TestRequest any more");
    reply(RoundTripAnswer{trip->took});
  }
};

}  // namespace

bool ControlTask::take() noexcept {
  auto waiting = ControlOrder::State::Waiting;
  if (order_->state.compare_exchange_strong(waiting, ControlOrder::State::Taken)) return true;
  order_.reset();
  return false;
}

void ControlOrder::refuse(std::string_view why) noexcept {
  refusal.text.assign(why.substr(0, kRefusalBytesMax));
  reply(std::move(refusal));
}

void ControlOrder::reply(ControlAnswer all) noexcept {
  answer = std::move(all);
  state.store(State::Answered, std::memory_order_release);  // Pairs with the wait for the answer.
  const std::uint64_t one = 1;
  static_cast<void>(!::write(answered, &one, sizeof one));
}

std::unique_ptr<LoopTask> make_control_task(std::shared_ptr<ControlOrder> order,
                                            const WholeEngine& engine) {
  if (std::holds_alternative<LiveNumbers>(order->request)) {
    return std::make_unique<SetNumbersTask>(std::move(order));
  }
  if (std::holds_alternative<StatusRequest>(order->request)) {
    return std::make_unique<StatusTask>(std::move(order));
  }
  if (std::holds_alternative<RoundTripRequest>(order->request)) {
    return std::make_unique<RoundTripTask>(std::move(order));
  }
  return make_command_task(std::move(order), engine);
}

}  // namespace nexusfix::engine
