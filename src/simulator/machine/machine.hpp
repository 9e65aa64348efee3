// One machine of a world: clock, disk, network, and the process that lives and dies on it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/engine.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/simulator/hosted.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_disk.hpp>
#include <nexusfix/simulator/simulated_network.hpp>

#include "simulator/check/checked_engine.hpp"

namespace nexusfix::simulator {

class WorldState;
struct Machine;

// What ends with a process: what it has not synced is lost with the mount, and with the machine.
enum class End : std::uint8_t { Process, Mount, Machine };

using Launcher =
    std::function<OpenedProcess(config::Settings, engine::EngineOptions, CallbackWatch&)>;

// The process's callbacks and log lines, on their way to the world.
class MachineWatch final : public CallbackWatch, public observe::EventLog {
 public:
  MachineWatch(WorldState& world, Machine& machine) : world_{world}, machine_{machine} {}

  [[nodiscard]] bool runs() noexcept override;
  void on_logon(const engine::Callbacks& inner, engine::Session& session) override;
  void on_logout(const engine::Callbacks& inner, engine::Session& session) override;
  engine::Verdict on_message(const engine::Callbacks& inner, engine::Session& session,
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

  [[nodiscard]] bool is_up() const noexcept { return image != nullptr; }

  std::size_t index;
  std::string name;
  std::string configuration;
  config::Settings settings;  // of the configuration
  Launcher launcher;
  // Nothing leaves that a loss of power could take.
  [[nodiscard]] bool waits_for_disk() const noexcept {
    return settings.durability == store::Durability::Sync ||
           settings.durability == store::Durability::Group;
  }

  ProcessLife life;
  SimulatedClock clock;
  SimulatedDisk disk;
  SimulatedNetwork network;
  MachineWatch watch;
  std::unique_ptr<ProcessImage> image;     // null: no process
  std::optional<CheckedEngine> checked;    // of it
  std::vector<engine::Session*> sessions;  // of it

  WorldTime next_turn = WorldTime::max();  // when the process has something to do
  WorldTime busy_until{};
  WorldTime paused_until{};
  End end = End::Process;          // of the death that awaits it, or has come
  bool has_store_failed = false;   // it has said so
  bool starts_with_reset = false;  // the next time: an operator's wish
  bool runs_with_reset = false;
  bool is_all_logged_on = false;  // noted while it runs with reset
  bool throws_next = false;
  bool dies_in_roll = false;        // when its journal begins the next segment
  bool dies_in_reset = false;       // when a session of it is reset next
  std::uint64_t segment_bytes = 0;  // of its journal; 0: as in production
  bool has_begun = false;           // it is to run: started, or waiting to be

  std::uint64_t disk_faults_before = 0;  // in the world, when its last turn began

  WorldTime turns_since{};  // for the check that it does not spin
  std::uint64_t turns = 0;
};

}  // namespace nexusfix::simulator
