#include "config/build/thread_settings.hpp"

#include <string>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {

void ThreadBuilder::take(const MergedSection& session) {
  for (std::size_t i = 0; i < std::size(kKeys); ++i) {
    const Given* given = session.right(kKeys[i]);
    if (given == nullptr) continue;
    if (!chosen_[i]) chosen_[i] = *given;
    if (equals_ignoring_case(chosen_[i]->value, given->value)) continue;
    report_.error(given->line, std::string{key_name(kKeys[i])} + ": differs from line " +
                                   std::to_string(chosen_[i]->line) +
                                   ", but all sessions share the engine's threads");
  }
}

void ThreadBuilder::finish() {
  const auto& [cpus, busy_spin, lock_memory, core_dumps, lateness] = chosen_;
  ThreadSettings& threads = settings_.threads;
  if (busy_spin) threads.busy_spin = *read_bool(busy_spin->value);
  if (lock_memory) {
    threads.lock_memory = *read_bool(lock_memory->value);
    threads.lock_memory_line = lock_memory->line;
  }
  if (core_dumps) threads.core_dumps = *read_bool(core_dumps->value);
  if (lateness)
    threads.logon_lateness_max = std::chrono::milliseconds{*read_number(lateness->value)};
  if (!cpus) return;
  threads.cpus = *read_cpus(cpus->value);
  threads.cpus_line = cpus->line;
  if (threads.cpus.size() == settings_.event_loops) return;
  report_.error(cpus->line, "EventLoopCpu=" + std::string{cpus->value} + ": " +
                                std::to_string(settings_.event_loops) +
                                (settings_.event_loops == 1 ? " CPU was" : " CPUs were") +
                                " expected, one for each of EventLoops");
}

}  // namespace nexusfix::config
