// One machine of a world: its clock, disk and network, and the process that runs and dies on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <nexusfix/engine.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/simulator/hosted.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_disk.hpp>
#include <nexusfix/simulator/simulated_network.hpp>

#include "simulator/machine/operator_reset.hpp"
#include "simulator/machine/planned_death.hpp"
#include "simulator/machine/running_process.hpp"
#include "simulator/machine/turn_schedule.hpp"

namespace nexusfix::simulator {

class WorldState;
struct Machine;

using Launcher = std::function<OpenedProcess(Settings, engine::EngineOptions, CallbackWatch&)>;

// Passes the callbacks and log lines of the process on to the world.
class MachineWatch final : public CallbackWatch, public observe::EventLog {
 public:
  MachineWatch(WorldState& world, Machine& machine) : world_{world}, machine_{machine} {}

  [[nodiscard]] bool runs() noexcept override;
  void on_logon(const engine::Callbacks& inner, engine::Session& session) override;
  void on_logout(const engine::Callbacks& inner, engine::Session& session) override;
  engine::MessageReply on_message(const engine::Callbacks& inner, engine::Session& session,
                                  const wire::MessageView& message) override;
  void write(const observe::Event& event) override;

 private:
  WorldState& world_;
  Machine& machine_;
};

struct Machine {
  Machine(WorldState& world, std::size_t machine_index, std::string machine_name,
          const WorldTime& now, WallTime begin, SimulatedInternet& internet, SeededRandom& random,
          FaultCounts& counts)
      : index{machine_index},
        name{std::move(machine_name)},
        clock{now, begin},
        disk{life, random, counts},
        network{internet, life, machine_index},
        watch{world, *this} {}

  [[nodiscard]] bool is_up() const noexcept { return process.is_up(); }
  // With these durabilities nothing is sent that a loss of power could take back.
  [[nodiscard]] bool waits_for_disk() const noexcept {
    return settings.durability == store::Durability::Sync ||
           settings.durability == store::Durability::Group;
  }

  std::size_t index;
  std::string name;
  config::Settings settings;
  Launcher launcher;
  std::uint64_t segment_bytes = 0;  // of its journal; 0: as in the settings
  bool has_begun = false;           // it was started for the first time

  ProcessLife life;
  SimulatedClock clock;
  SimulatedDisk disk;
  SimulatedNetwork network;
  MachineWatch watch;
  RunningProcess process;
  TurnSchedule turns;
  PlannedDeath death;
  OperatorReset reset;

  bool throws_next = false;              // the next callback of on_message
  bool has_store_failed = false;         // the process has logged it
  std::uint64_t disk_faults_before = 0;  // in the world, when its last turn began
};

}  // namespace nexusfix::simulator
