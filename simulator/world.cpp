#include <nexusfix/simulator/world.hpp>
#include <nexusfix/statistics.hpp>

#include "simulator/world_state.hpp"

namespace nexusfix::simulator {

World::World(WorldOptions options) : state_{std::make_unique<WorldState>(options)} {}
World::~World() = default;

ProcessId World::add(std::string name, const std::string& configuration, Launcher launcher) {
  return state_->add(std::move(name), configuration, std::move(launcher));
}
void World::run(WorldTime duration) { state_->run(duration); }
bool World::settle(WorldTime limit) { return state_->settle(limit); }
const std::optional<Violation>& World::violation() const noexcept {
  return state_->violation.get();
}
void World::found(std::string invariant, std::string what) {
  state_->violation.found(std::move(invariant), std::move(what));
}
void World::after(WorldTime delay, std::function<void()> action) {
  state_->after(delay, std::move(action));
}
WorldTime World::now() const noexcept { return state_->now; }
SeededRandom& World::random() noexcept { return state_->random; }

engine::Engine* World::engine(ProcessId process) noexcept {
  Machine& machine = state_->machines[process];
  return machine.is_up() ? &machine.process.engine() : nullptr;
}
void* World::application_of(ProcessId process) noexcept {
  Machine& machine = state_->machines[process];
  return machine.is_up() ? machine.process.application() : nullptr;
}
void World::kill(ProcessId process) {
  state_->end_process(state_->machines[process], End::Process);
}

void World::wake(ProcessId process) { state_->process_is_ready(process); }

void World::promised(const engine::Session& session, const engine::Sent& sent) {
  state_->promised(session, sent.msg_seq_num);
}
WorldStatistics World::statistics() const { return state_->statistics(); }
std::string World::trace() const { return state_->trace.text(); }

// A process that died within its turn runs no more of its code.
bool MachineWatch::runs() noexcept {
  return machine_.life.step(SeamCall::Callback) == CallFate::Done;
}

void MachineWatch::on_logon(const engine::Callbacks& inner, engine::Session& session) {
  if (!runs()) return;
  if (inner.on_logon != nullptr) inner.on_logon(inner.application, session);
}

void MachineWatch::on_logout(const engine::Callbacks& inner, engine::Session& session) {
  if (!runs()) return;
  world_.logged_out(machine_, session);
  if (inner.on_logout != nullptr) inner.on_logout(inner.application, session);
}

engine::MessageReply MachineWatch::on_message(const engine::Callbacks& inner,
                                              engine::Session& session,
                                              const wire::MessageView& message) {
  if (!runs()) return engine::accept();
  world_.delivered(machine_, session, message.bytes());
  const std::size_t mark = world_.checker.promises(machine_.index);
  try {
    const engine::MessageReply reply = inner.on_message(inner.application, session, message);
    if (!machine_.throws_next) return reply;
  } catch (...) {
    world_.checker.roll_back(machine_.index, mark);
    throw;
  }
  machine_.throws_next = false;
  count(world_.fault_counts, Fault::Throw);
  world_.checker.roll_back(machine_.index, mark);
  machine_.process.callback_undone();
  throw InjectedThrow{};
}

void MachineWatch::write(const observe::Event& event) { world_.record_log_line(machine_, event); }

}  // namespace nexusfix::simulator
