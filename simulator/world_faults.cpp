// The faults of a world: when they strike, which machine, and how hard.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "simulator/world_state.hpp"

namespace nexusfix::simulator {
namespace {

using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Between two of a kind, on average.
// tidy: flat switch
seconds interval(Fault fault) {
  switch (fault) {
    case Fault::Tear:
    case Fault::Reorder:
      return seconds{0};  // always
    case Fault::Delay:
      return seconds{6};
    case Fault::Drop:
    case Fault::Throw:
      return seconds{10};
    case Fault::Refuse:
    case Fault::Alter:
      return seconds{12};
    case Fault::ClockJump:
    case Fault::Congest:
      return seconds{15};
    case Fault::Logout:
    case Fault::Pause:
      return seconds{20};
    case Fault::HalfOpen:
    case Fault::Kill:
    case Fault::ClockDrift:
      return seconds{25};
    case Fault::TornWrite:
    case Fault::DieInRoll:
      return seconds{30};
    case Fault::DiskFull:
    case Fault::WriteError:
    case Fault::SyncError:
    case Fault::PowerLoss:
    case Fault::Remount:
      return seconds{50};
    case Fault::Reset:
    case Fault::DieInReset:
      return seconds{70};
    case Fault::ResetWithin:
    case Fault::AskAgain:
      return seconds{8};
    case Fault::JumpInFlight:
      return seconds{60};
  }
  return seconds{60};
}

// A process that dies in the middle of something does so within this number of calls.
constexpr std::uint64_t kCallsOfRoll = 6;
constexpr std::uint64_t kCallsOfReset = 8;
// A doomed process that makes no calls dies after this time.
constexpr WorldTime kDoom = seconds{1};
// An operator ends a process that does not notice that its disk is broken.
constexpr WorldTime kBroken = seconds{10};
// With CheckLatency, clocks stay so near the true time that no correct message is refused for its
// age, even if it waited for a paused process.
constexpr WorldTime kErrorMax = seconds{20};

// Mostly short, sometimes up to most_ms.
milliseconds skewed(SeededRandom& chance, std::uint64_t most_ms) {
  const std::uint64_t scale = std::uint64_t{1} << chance.below(8);
  return milliseconds{chance.below(most_ms / scale + 1)};
}

bool checks_latency(const std::deque<Machine>& machines) {
  return std::ranges::any_of(machines, [](const Machine& machine) {
    return std::ranges::any_of(machine.settings.sessions,
                               [](const auto& one) { return one.session.header.check_latency; });
  });
}

}  // namespace

bool WorldState::is_initiator(const Machine& machine) {
  return std::ranges::any_of(machine.settings.sessions, [](const auto& one) {
    return one.session.role == session::Role::Initiator;
  });
}

void WorldState::schedule_fault(Fault fault) {
  const auto mean = static_cast<std::uint64_t>(milliseconds{interval(fault)}.count());
  if (mean == 0) return;
  SeededRandom& chance = fault_random_[static_cast<std::size_t>(fault)];
  after(milliseconds{1 + chance.below(2 * mean)}, [this, fault] {
    if (!faults_strike_) return;
    strike(fault);
    schedule_fault(fault);
  });
}

Machine* WorldState::any_machine(SeededRandom& chance, bool is_to_initiate) {
  std::vector<Machine*> fit;
  for (Machine& machine : machines) {
    if (!is_to_initiate || is_initiator(machine)) fit.push_back(&machine);
  }
  return fit.empty() ? nullptr : fit[chance.below(fit.size())];
}

void WorldState::strike(Fault fault) {
  SeededRandom& chance = fault_random_[static_cast<std::size_t>(fault)];
  if (fault <= Fault::Alter) return strike_internet(fault, chance);
  if (fault == Fault::JumpInFlight) {
    // Few worlds have it: which messages are lost is not checked after it.
    jumps_next_ = jumps_ && checks_latency(machines);
    return;
  }
  if (fault >= Fault::ResetWithin) return strike_messages(fault, chance);
  const bool is_reset = fault == Fault::Reset || fault == Fault::DieInReset;
  Machine* const machine = any_machine(chance, is_reset);
  if (machine == nullptr) return;
  if (trace.is_on()) trace.line(machine->name, "! " + std::string{to_string(fault)});
  if (fault <= Fault::DieInRoll || fault == Fault::Remount)
    return strike_disk(fault, *machine, chance);
  if (fault <= Fault::ClockJump) return strike_clock(fault, *machine, chance);
  strike_process(fault, *machine, chance);
}

void WorldState::strike_internet(Fault fault, SeededRandom& chance) {
  switch (fault) {
    case Fault::Delay:
      internet.delay_one(skewed(chance, 8'000));
      break;
    case Fault::Drop:
      internet.drop_one();
      break;
    case Fault::HalfOpen:
      internet.silence_one();
      break;
    case Fault::Refuse:
      internet.refuse_next(chance.below(2) == 0);
      break;
    case Fault::Congest:
      internet.congest_one();
      break;
    case Fault::Alter:
      internet.alter_one();
      break;
    default:
      break;
  }
}

void WorldState::strike_messages(Fault fault, SeededRandom& chance) {
  if (internet.middleman != &injector) return;
  if (fault == Fault::ResetWithin) {
    injector.reset_one(chance);
  } else {
    injector.ask_again(chance);
    if (!options.faults.has(Fault::Logout) || chance.below(3) != 0) return;
    // Perhaps while the request is being answered.
    after(skewed(chance, 2'000), [this] {
      if (faults_strike_) strike(Fault::Logout);
    });
  }
}

void WorldState::strike_disk(Fault fault, Machine& machine, SeededRandom& chance) {
  switch (fault) {
    case Fault::PowerLoss:
      return lose_power(machine);
    case Fault::Remount:
      return lose_mount(machine);
    case Fault::TornWrite:
      if (machine.is_up()) machine.life.end_in_write();
      break;
    case Fault::DiskFull:
      machine.disk.set_full(true);
      after(skewed(chance, 10'000), [&machine] { machine.disk.set_full(false); });
      break;
    case Fault::WriteError:
      machine.disk.fail_next_write();
      break;
    case Fault::SyncError:
      machine.disk.fail_next_sync(true);
      break;
    case Fault::DieInRoll:
      machine.death.plan_in_roll();
      break;
    default:
      break;
  }
}

void WorldState::strike_clock(Fault fault, Machine& machine, SeededRandom& chance) {
  if (fault == Fault::ClockDrift) {
    constexpr std::int64_t kMillionthsMax = 20'000;
    machine.clock.drift(static_cast<std::int64_t>(chance.below(2 * kMillionthsMax)) -
                        kMillionthsMax);
  } else {
    const bool is_near = checks_latency(machines);
    const auto most = duration_cast<milliseconds>(is_near ? kErrorMax : WorldTime{hours{30}});
    const milliseconds error{
        static_cast<std::int64_t>(chance.below(2 * static_cast<std::uint64_t>(most.count()))) -
        most.count()};
    machine.clock.jump(error - machine.clock.error());
  }
  count(fault_counts, fault);
  process_is_ready(machine.index);
}

// Orders are on their way over this connection, and the clock of the machine that gets them jumps.
// It is set right again before the operators would look for the cause.
void WorldState::jump_in_flight(std::uint64_t connection) {
  constexpr seconds kJump{600};
  const auto index = checker.process_of(connection, 1);
  if (!index || !faults_strike_) return;
  Machine& machine = machines[*index];
  if (machine.clock.error() > kErrorMax) return;  // it has jumped already
  jumps_next_ = false;
  count(fault_counts, Fault::JumpInFlight);
  if (trace.is_on()) trace.line(machine.name, "! jump-in-flight");
  checker.excuse_for_good(machine.index);
  machine.clock.jump(kJump);
  process_is_ready(machine.index);
  SeededRandom& chance = fault_random_[static_cast<std::size_t>(Fault::JumpInFlight)];
  after(seconds{2} + skewed(chance, 20'000), [this, &machine] {
    machine.clock.jump(-machine.clock.error());
    process_is_ready(machine.index);
  });
}

void WorldState::strike_process(Fault fault, Machine& machine, SeededRandom& chance) {
  if (!machine.is_up()) return;
  switch (fault) {
    case Fault::Kill: {
      count(fault_counts, fault);
      if (machine.turns.is_paused(now)) return end_process(machine, End::Process);
      doom(machine, chance.below(30), End::Process);
      break;
    }
    case Fault::Pause:
      machine.turns.pause(now + skewed(chance, 40'000));
      count(fault_counts, fault);
      break;
    case Fault::Throw:
      machine.throws_next = true;
      break;
    case Fault::Logout:
      log_out_one(machine, chance);
      break;
    case Fault::Reset:
      count(fault_counts, fault);
      reset_by_operators(machine);
      break;
    case Fault::DieInReset:
      die_in_reset(machine, chance);
      break;
    default:
      break;
  }
}

// The process has this number of calls left, and kDoom at most.
void WorldState::doom(Machine& machine, std::uint64_t calls, End end) {
  machine.death.worsen(end);
  machine.life.end_after(static_cast<std::uint32_t>(calls));
  const std::uint64_t incarnation = machine.life.incarnation();
  after(kDoom, [this, &machine, incarnation] {
    if (machine.life.incarnation() == incarnation) {
      end_process(machine, machine.death.end());
    }
  });
}

// A file was created while the engine runs: a segment of its journal.
void WorldState::segment_begins(Machine& machine) {
  if (!machine.is_up() || !machine.life.alive()) return;
  ++rolls_;
  if (!machine.death.consume_in_roll()) return;
  SeededRandom& chance = fault_random_[static_cast<std::size_t>(Fault::DieInRoll)];
  const bool without_power = options.faults.has(Fault::PowerLoss) && chance.below(2) == 0;
  trace.line(machine.name, "! a segment of its journal begins");
  count(fault_counts, Fault::DieInRoll);
  doom(machine, chance.below(kCallsOfRoll), without_power ? End::Machine : End::Process);
}

// The initiator, or its counterparty, dies at its next reset.
void WorldState::die_in_reset(Machine& machine, SeededRandom& chance) {
  Machine* const other = any_machine(chance, false);
  (chance.below(2) == 0 ? *other : machine).death.plan_in_reset();
  reset_by_operators(machine);
}

void WorldState::reset_begins(Machine& machine) {
  if (!machine.death.consume_in_reset()) return;
  count(fault_counts, Fault::DieInReset);
  doom(machine, fault_random_[static_cast<std::size_t>(Fault::DieInReset)].below(kCallsOfReset),
       End::Process);
}

// Between any two calls, as with Kill, but unsynced writes are lost, too.
void WorldState::lose_power(Machine& machine) {
  if (!machine.is_up() || machine.death.end() == End::Machine) return;
  count(fault_counts, Fault::PowerLoss);
  doom(machine, fault_random_[static_cast<std::size_t>(Fault::PowerLoss)].below(30), End::Machine);
}

// The disk fails, the engine stops or is killed, and the file system is mounted again: unsynced
// writes are lost, and the machine did not restart.
void WorldState::lose_mount(Machine& machine) {
  if (!machine.is_up() || machine.death.end() != End::Process) return;
  SeededRandom& chance = fault_random_[static_cast<std::size_t>(Fault::Remount)];
  if (chance.below(2) == 0) {
    count(fault_counts, Fault::Remount);
    return doom(machine, chance.below(30), End::Mount);
  }
  machine.disk.break_down();
  const std::uint64_t incarnation = machine.life.incarnation();
  after(kBroken, [this, &machine, incarnation] {
    if (machine.life.incarnation() == incarnation) end_process(machine, End::Mount);
  });
}

// A store has lost what a counterparty knows. The operators agree to reset, and the initiators'
// side does it, with ResetOnLogon.
void WorldState::forget_promises_of_peers(const Machine& machine) {
  for (Machine& other : machines) {
    if (&other != &machine && !connects_to(other, machine)) continue;
    if (!is_initiator(other)) continue;
    other.reset.request();
    end_process(other, End::Process);
  }
}

bool WorldState::connects_to(const Machine& other, const Machine& machine) {
  return std::ranges::any_of(other.settings.sessions, [&](const auto& one) {
    return std::ranges::any_of(one.connect, [&](const transport::Endpoint& endpoint) {
      return std::ranges::any_of(machine.settings.sessions, [&](const auto& its) {
        return its.accept && its.accept->port == endpoint.port;
      });
    });
  });
}

void WorldState::log_out_one(Machine& machine, SeededRandom& chance) {
  engine::Session* const session =
      machine.process.sessions()[chance.below(machine.process.sessions().size())];
  if (!session->is_logged_on()) return;
  count(fault_counts, Fault::Logout);
  session->log_out("the operator's wish");
  process_is_ready(machine.index);
  const std::uint64_t incarnation = machine.life.incarnation();
  after(skewed(chance, 5'000), [this, &machine, session, incarnation] {
    if (machine.life.incarnation() != incarnation || !machine.is_up()) return;
    session->log_on();
    process_is_ready(machine.index);
  });
}

// The initiator's process is stopped, and starts again with ResetOnLogon.
void WorldState::reset_by_operators(Machine& machine) {
  if (!machine.reset.request()) return;
  checker.allow_reset(machine.index);
  if (!machine.is_up()) return;
  trace.line(machine.name, "is stopped, to reset");
  machine.process.engine().stop();
  process_is_ready(machine.index);
}

void WorldState::mend() {
  trace.line("world", "no more faults");
  internet.mend();
  injector.mend();
  for (Machine& machine : machines) {
    machine.disk.mend();
    machine.clock.mend();
    machine.throws_next = false;
    machine.death.cancel();
    machine.turns.shorten_pause(now + seconds{5});
    process_is_ready(machine.index);
  }
}

}  // namespace nexusfix::simulator
