// Moves the time from event to event; starts and ends processes.
#include "simulator/world_state.hpp"

#include <algorithm>
#include <chrono>
#include <malloc.h>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/session/identity.hpp>

#include "session/api/config.hpp"

namespace nexusfix::simulator {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// The time that a turn of an engine takes.
constexpr WorldTime kTurn = microseconds{20};
// An engine with more turns in a second never comes to rest.
constexpr std::uint64_t kTurnsPerSecondMax = 20'000;
// The memory of an engine besides its disk: buffers of fixed sizes, and what waits for slow
// readers.
constexpr std::uint64_t kMachineBytesMax = 24U << 20U;
constexpr std::uint64_t kSessionBytesMax = 1U << 20U;
// Small enough for a new segment every few seconds, or every few minutes.
constexpr std::uint64_t kSegmentBytesMin = 2U << 10U;
// A counterparty may request the numbers that a loss of power skips one by one
// (ResendRequestChunkSize=1).
constexpr std::uint32_t kNumbersAhead = 500;
// A process that dies while it starts does so within this number of calls.
constexpr std::uint64_t kCallsOfStartMax = 40;

// Each stream has different numbers.
SeededRandom stream(std::uint64_t seed, std::uint64_t number) {
  return SeededRandom{SeededRandom{seed * 64 + number}.next()};
}

std::uint64_t heap_bytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::uint64_t disk_faults(const FaultCounts& counts) {
  return counts[static_cast<std::size_t>(Fault::DiskFull)] +
         counts[static_cast<std::size_t>(Fault::WriteError)] +
         counts[static_cast<std::size_t>(Fault::SyncError)] +
         counts[static_cast<std::size_t>(Fault::Remount)];
}

}  // namespace

WorldState::WorldState(WorldOptions world_options)
    : options{world_options},
      trace{now, options.trace_lines, options.trace_stream},
      random{stream(options.seed, 1)},
      random_world{stream(options.seed, 2)},
      injector{now, options.begin, fault_counts, checker},
      internet{now, random_world, fault_counts, *this},
      heap_at_begin_{heap_bytes()} {
  internet.middleman = options.middleman;
  const bool injects =
      options.faults.has(Fault::ResetWithin) || options.faults.has(Fault::AskAgain);
  if (injects && options.middleman == nullptr) internet.middleman = &injector;
  for (std::size_t i = 0; i < kFaults; ++i) fault_random_.push_back(stream(options.seed, 8 + i));
  if (options.faults.has(Fault::JumpInFlight)) {
    jumps_ = fault_random_[static_cast<std::size_t>(Fault::JumpInFlight)].below(3) == 0;
    checker.watch_orders();
  }
}

WorldState::~WorldState() {
  // The world is over: engines must not use the network while they are destroyed.
  for (Machine& machine : machines) {
    machine.life.end();
    machine.network.end_process(true);
    machine.process.end();
  }
}

ProcessId WorldState::add(std::string name, const std::string& configuration, Launcher launcher) {
  const std::size_t index = machines.size();
  Machine& machine = machines.emplace_back(*this, index, std::move(name), now, options.begin,
                                           internet, random_world, fault_counts);
  auto settings = config::parse_settings(configuration, machine.name);
  NEXUSFIX_ASSERT(settings.has_value());
  machine.settings = *std::move(settings);
  machine.settings.numbers_ahead = kNumbersAhead;
  machine.launcher = std::move(launcher);
  machine.disk.on_create([this, &machine] { segment_begins(machine); });
  if (options.faults.has(Fault::DieInRoll)) {
    SeededRandom& chance = fault_random_[static_cast<std::size_t>(Fault::DieInRoll)];
    machine.segment_bytes = kSegmentBytesMin << chance.below(6);
  }
  const std::uint64_t keep_bytes = machine.settings.journal_retention.keep_bytes;
  if (keep_bytes > 0 && machine.segment_bytes == 0) {
    machine.segment_bytes =
        std::clamp(keep_bytes / 4, kSegmentBytesMin, machine.settings.segment_bytes);
  }
  checker.add_process(index, machine.name);
  return index;
}

void WorldState::after(WorldTime delay, std::function<void()> action) {
  std::size_t place = actions_.size();
  if (free_actions_.empty()) {
    actions_.push_back(std::move(action));
  } else {
    place = free_actions_.back();
    free_actions_.pop_back();
    actions_[place] = std::move(action);
  }
  events_.push({.at = now + delay, .order = next_order_++, .connection = 0, .action = place});
}

void WorldState::wake_at(WorldTime time, std::uint64_t connection) {
  events_.push({.at = time, .order = next_order_++, .connection = connection, .action = 0});
}

void WorldState::process_is_ready(std::size_t process) {
  Machine& machine = machines[process];
  if (!machine.is_up()) return;
  machine.turns.wake(now);
}

void WorldState::bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                            std::string_view bytes) {
  checker.bytes_sent(connection, side, process, bytes);
  if (jumps_next_ && side == 0 &&
      bytes.contains("\x01"
                     "35=D\x01")) {
    jump_in_flight(connection);
  }
}

void WorldState::connection_event(std::uint64_t connection, std::string_view what) {
  if (trace.is_on()) {
    trace.line("network", "connection " + std::to_string(connection) + ' ' + std::string{what});
  }
}

void WorldState::closed_by(std::uint64_t connection, Side side, std::size_t process, bool works) {
  checker.closed_by(connection, side, process, works, now);
}

// After a reset within a session whose connection broke, the sides cannot know whether both have
// done it: operators reset again.
void WorldState::connection_over(std::uint64_t connection) {
  const auto initiator = checker.process_of(connection, 0);
  if (initiator && injector.is_half_reset(connection)) reset_by_operators(machines[*initiator]);
  checker.connection_over(connection);
}

void WorldState::run(WorldTime duration) {
  for (Machine& machine : machines) {
    if (!std::exchange(machine.has_begun, true)) start(machine);
  }
  if (!std::exchange(faults_strike_, true)) {
    internet.weather = {.tears = options.faults.has(Fault::Tear),
                        .reorders = options.faults.has(Fault::Reorder)};
    for (std::size_t i = 0; i < kFaults; ++i) {
      if (options.faults.has(static_cast<Fault>(i))) schedule_fault(static_cast<Fault>(i));
    }
  }
  step_until(now + duration);
}

void WorldState::step_until(WorldTime end) {
  while (!violation.get()) {
    WorldTime at = events_.empty() ? WorldTime::max() : events_.top().at;
    Machine* turn = nullptr;
    for (Machine& machine : machines) {
      if (machine.turns.next() < at) {
        at = machine.turns.next();
        turn = &machine;
      }
    }
    if (at > end) {
      now = end;
      return;
    }
    now = std::max(now, at);
    if (turn != nullptr) {
      run_turn(*turn);
    } else {
      run_event();
    }
  }
}

void WorldState::run_event() {
  const Event event = events_.top();
  events_.pop();
  if (event.connection != 0) {
    internet.advance(event.connection);
    return;
  }
  const std::function<void()> action = std::exchange(actions_[event.action], nullptr);
  free_actions_.push_back(event.action);
  action();
}

void WorldState::run_turn(Machine& machine) {
  if (!machine.turns.begin_turn(now)) return;
  count_turn_of(machine);
  machine.disk_faults_before = disk_faults(fault_counts);
  const ClockOfThread clock{machine.clock};
  machine.process.begin_turn();
  const bool has_work = machine.process.engine().poll(std::chrono::nanoseconds{0});
  if (!machine.life.alive()) return on_death(machine);
  const bool has_more = machine.process.end_turn();
  if (!machine.life.alive()) return on_death(machine);
  // After a store error, nothing of the turn is promised.
  if (!machine.has_store_failed) checker.turn_done(machine.index);
  if (!has_work) {
    machine.process.ended();
    return finish(machine);
  }
  if (machine.reset.runs()) machine.reset.set_complete(machine.process.is_all_logged_on());
  schedule_turn(machine, has_more);
}

void WorldState::schedule_turn(Machine& machine, bool has_more) {
  const WorldTime busy_until = now + kTurn;
  const MonoTime deadline = machine.process.engine().next_deadline();
  WorldTime next = WorldTime::max();
  if (has_more || deadline == MonoTime::min() || machine.network.is_ready()) {
    next = busy_until;
  } else if (deadline != kNever) {
    next = machine.clock.world_time(deadline);
  }
  machine.turns.end_turn(busy_until, next);
}

void WorldState::count_turn_of(Machine& machine) {
  ++turns_;
  if (machine.turns.count_turn(now) > kTurnsPerSecondMax) {
    violation.found("livelock", machine.name + ": more than " + std::to_string(kTurnsPerSecondMax) +
                                    " turns within a second");
  }
}

config::Settings WorldState::settings_of(const Machine& machine) const {
  config::Settings settings = machine.settings;
  if (machine.segment_bytes != 0) settings.segment_bytes = machine.segment_bytes;
  if (!machine.reset.runs()) return settings;
  for (config::SessionSettings& one : settings.sessions) {
    // Without ResetSeqNumFlag in its Logon, a one-sided reset would do harm.
    const session::VersionTraits* const version =
        session::find_version(one.session.id.begin_string);
    const bool has_reset_flag = version != nullptr && version->has_reset_seq_num_flag;
    if (one.session.role == session::Role::Initiator && has_reset_flag)
      one.session.reset.on_logon = true;
  }
  return settings;
}

void WorldState::start(Machine& machine) {
  if (machine.is_up()) return;
  ++starts_;
  machine.reset.begin_process();
  trace.line(machine.name, machine.reset.runs() ? "starts, to reset" : "starts");
  machine.has_store_failed = false;
  machine.death.begin_process();
  machine.throws_next = false;
  machine.turns.unpause(now);
  machine.life.begin();
  if (faults_strike_ && options.faults.has(Fault::Kill)) {
    SeededRandom& chance = fault_random_[static_cast<std::size_t>(Fault::Kill)];
    if (chance.below(8) == 0) {
      machine.life.end_after(static_cast<std::uint32_t>(chance.below(kCallsOfStartMax)));
      count(fault_counts, Fault::Kill);
    }
  }
  const std::uint64_t faults_before = disk_faults(fault_counts);
  engine::EngineOptions engine_options;
  engine_options.clock = &machine.clock;
  engine_options.disk = &machine.disk;
  engine_options.network = &machine.network;
  engine_options.log = &machine.watch;
  const config::Settings settings = settings_of(machine);
  const ClockOfThread clock{machine.clock};
  OpenedProcess opened = machine.launcher(settings, engine_options, machine.watch);
  if (!machine.life.alive()) {
    // The checker does not know it: it has promised nothing.
    opened = nullptr;
    trace.line(machine.name, "dies while it starts");
    abort_start(machine);
    return start_later(machine, milliseconds{50 + random_world.below(1'000)});
  }
  if (!opened) {
    trace.line(machine.name, "cannot start: " + opened.error().text);
    if (disk_faults(fault_counts) == faults_before) {
      violation.found("cannot-start", machine.name + ": " + opened.error().text);
    }
    abort_start(machine);
    return start_later(machine, milliseconds{500 + random_world.below(2'000)});
  }
  const CheckedEngine& checked = machine.process.begin(*std::move(opened), settings);
  checker.process_started(machine.index, checked, settings);
  machine.turns.begin(now);
}

// The writes of earlier lives that it was to bring to the disk may be gone.
void WorldState::abort_start(Machine& machine) {
  const End end = end_with_disk(machine, End::Process);
  clear_away(machine, end);
  if (end == End::Process || !forgets(machine, end)) return;
  checker.process_ended(machine.index, true);
  forget_promises_of_peers(machine);
}

void WorldState::start_later(Machine& machine, WorldTime delay) {
  after(delay, [this, &machine] { start(machine); });
}

// Its store may forget its promises: it is in memory, or only the operating system had them.
bool WorldState::forgets(const Machine& machine, End end) const {
  return machine.settings.store == config::StoreKind::Memory ||
         (end != End::Process && !machine.waits_for_disk());
}

// A process that died before it recorded what its disk dropped leaves no trace of it; a mount does.
// And a failed disk works only after it is mounted again.
End WorldState::end_with_disk(Machine& machine, End end) {
  const bool has_dropped = machine.disk.consume_dropped();
  return has_dropped || machine.disk.is_broken() ? std::max(end, End::Mount) : end;
}

// Removes what is left of a process.
void WorldState::clear_away(Machine& machine, End end) {
  machine.life.end();
  machine.network.end_process(end == End::Machine);
  if (end == End::Machine) {
    machine.disk.lose_power();
  } else if (end == End::Mount) {
    machine.disk.remount();
  } else {
    machine.disk.end_process();
  }
  machine.process.end();
  machine.turns.end();
  machine.reset.end_process();
}

// The process has died in the middle of its work.
void WorldState::on_death(Machine& machine) {
  const End end = end_with_disk(machine, machine.death.end());
  trace.line(machine.name, end == End::Machine ? "loses its power"
                           : end == End::Mount ? "dies, and its disk is mounted again"
                                               : "dies");
  clear_away(machine, end);
  const bool is_forgetful = forgets(machine, end);
  checker.process_ended(machine.index, is_forgetful);
  if (is_forgetful) forget_promises_of_peers(machine);
  check_memory();
  // Mostly at once, as by a supervisor, sometimes after a while.
  const std::uint64_t most = random_world.below(4) == 0 ? 15'000 : 1'000;
  start_later(machine, milliseconds{20 + random_world.below(most)});
}

void WorldState::end_process(Machine& machine, End end) {
  if (!machine.is_up()) return;
  machine.death.set(end);
  on_death(machine);
}

// The engine has reported that it has nothing left to do.
void WorldState::finish(Machine& machine) {
  const End end = machine.disk.is_broken() ? End::Mount : End::Process;
  trace.line(machine.name, end == End::Mount ? "ends, and its disk is mounted again" : "ends");
  clear_away(machine, end);
  // Writes that a failed sync dropped are gone on the same mount, too.
  const End lost = machine.disk.consume_dropped() ? End::Mount : end;
  const bool is_forgetful = forgets(machine, lost);
  checker.process_ended(machine.index, is_forgetful);
  if (is_forgetful) forget_promises_of_peers(machine);
  start_later(machine, milliseconds{20 + random_world.below(2'000)});
}

void WorldState::delivered(Machine& machine, const engine::Session& session,
                           std::string_view bytes) {
  checker.delivered(machine.index, machine.process.index_of(session), bytes);
}

void WorldState::logged_out(Machine& machine, const engine::Session& session) {
  checker.logged_out(machine.index, machine.process.index_of(session), now);
}

void WorldState::promised(const engine::Session& session, std::uint64_t msg_seq_num) {
  for (Machine& machine : machines) {
    const std::optional<std::size_t> index = machine.process.find(session);
    if (!index) continue;
    if (!machine.life.alive()) return;
    checker.promised(machine.index, *index, msg_seq_num);
    process_is_ready(machine.index);
    return;
  }
}

void WorldState::record_log_line(Machine& machine, const observe::Event& event) {
  if (!machine.life.alive()) return;
  if (trace.is_on()) {
    trace.line(machine.name, "# " + observe::identifier_of(event.id) + ' ' +
                                 std::string{event.session} + ' ' + std::string{event.text});
  }
  if (event.id == EventId::SequenceNumbersReset) {
    checker.session_reset(machine.index, event.session);
    reset_begins(machine);
  } else if (event.id == EventId::LogoutReceived) {
    checker.logout_received(machine.index, event.session);
  } else if (event.id == EventId::InitiatorHalted) {
    // It is right if there may have been resets between the sides; otherwise numbers were lost.
    if (!checker.may_reset(machine.index, event.session)) {
      violation.found("numbers-disagree",
                      machine.name + ", " + std::string{event.session} + ": it is halted");
    }
    after(seconds{1}, [this, &machine] { reset_by_operators(machine); });
  } else if (event.id == EventId::AcceptorHalted &&
             checker.may_reset(machine.index, event.session)) {
    after(seconds{1}, [this, &machine] {
      for (Machine& other : machines) {
        if (connects_to(other, machine)) reset_by_operators(other);
      }
    });
  } else if (event.id == EventId::StoreFailed) {
    machine.has_store_failed = true;
    if (disk_faults(fault_counts) > machine.disk_faults_before) return;
    violation.found("store-failed", machine.name + ": " + std::string{event.text});
  }
}

// Unlimited growth shows here sooner or later.
void WorldState::check_memory() {
  std::uint64_t known = heap_at_begin_ + checker.memory_bytes();
  std::uint64_t allowed = 0;
  for (const Machine& machine : machines) {
    known += machine.disk.used_bytes();
    allowed += kMachineBytesMax + machine.settings.sessions.size() * kSessionBytesMax;
  }
  known += internet.bytes_on_their_way();
  const std::uint64_t used = heap_bytes();
  if (used > known + allowed) {
    violation.found("memory-grows", std::to_string(used - known) + " bytes are in use");
  }
}

// MaxResendsPerSecond extends resends that no settling waits for.
std::string WorldState::unsettled() {
  constexpr WorldTime kNothingResentFor = seconds{3};
  if (const std::uint64_t resent = checker.counts().resent; resent != resent_) {
    resent_ = resent;
    resent_at_ = now;
  }
  if (std::string left = checker.unsettled(); !left.empty()) return left;
  if (std::string left = injector.unanswered(); !left.empty()) return left;
  return now - resent_at_ < kNothingResentFor ? "messages are resent without end" : "";
}

bool WorldState::settle(WorldTime limit) {
  if (violation.get()) return false;
  faults_strike_ = false;
  mend();
  const WorldTime end = now + limit;
  std::string left = "it was not checked";
  while (!violation.get() && now < end && !left.empty()) {
    // Not in step with heartbeats, which take a moment to arrive.
    step_until(now + milliseconds{500 + random_world.below(1'000)});
    left = unsettled();
  }
  if (!violation.get() && !left.empty()) violation.found("not-settled", std::move(left));
  if (violation.get()) return false;
  check_memory();
  // An idle session sends heartbeats, and nothing else.
  constexpr WorldTime kQuiet = seconds{30};
  std::uint64_t allowed = 0;
  for (const Machine& machine : machines) {
    for (const config::SessionSettings& one : machine.settings.sessions) {
      const auto heart_bt_int =
          std::max<std::int64_t>(1, one.session.heartbeat.heart_bt_int.count());
      allowed += 8 + 6 * static_cast<std::uint64_t>(kQuiet / seconds{heart_bt_int});
    }
  }
  const std::uint64_t before = checker.counts().wire_messages;
  step_until(now + kQuiet);
  const std::uint64_t sent = checker.counts().wire_messages - before;
  if (sent > allowed) {
    violation.found("livelock", std::to_string(sent) + " messages within " +
                                    std::to_string(kQuiet / seconds{1}) + " idle seconds");
  }
  return !violation.get();
}

WorldStatistics WorldState::statistics() const {
  const CheckerCounts& counts = checker.counts();
  return {.faults = fault_counts,
          .wire_messages = counts.wire_messages,
          .delivered = counts.delivered,
          .delivered_again = counts.delivered_again,
          .promised = counts.promised,
          .epochs = counts.epochs,
          .starts = starts_,
          .turns = turns_,
          .rolls = rolls_,
          .retired = counts.retired,
          .resets_in_resend = injector.resets_in_resend()};
}

}  // namespace nexusfix::simulator
