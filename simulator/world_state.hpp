// The implementation of a world: its event queue, its machines, and their faults.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/observe/logs.hpp>
#include <nexusfix/simulator/world.hpp>

#include "simulator/check/checker.hpp"
#include "simulator/machine/machine.hpp"
#include "simulator/message_injector.hpp"

namespace nexusfix::simulator {

class WorldState final : public InternetObserver {
 public:
  explicit WorldState(WorldOptions options);
  ~WorldState() override;

  ProcessId add(std::string name, const std::string& configuration, Launcher launcher);
  void run(WorldTime duration);
  bool settle(WorldTime limit);
  void after(WorldTime delay, std::function<void()> action);
  // Dies now. With End::Machine its disk loses its unsynced writes, and its peers are not notified.
  void end_process(Machine& machine, End end);
  void promised(const engine::Session& session, std::uint64_t msg_seq_num);
  [[nodiscard]] WorldStatistics statistics() const;

  // For MachineWatch.
  void record_log_line(Machine& machine, const observe::Event& event);
  void delivered(Machine& machine, const engine::Session& session, std::string_view bytes);
  void logged_out(Machine& machine, const engine::Session& session);

  // InternetObserver.
  void wake_at(WorldTime time, std::uint64_t connection) override;
  void process_is_ready(std::size_t process) override;
  void bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                  std::string_view bytes) override;
  void bytes_received(std::uint64_t connection, Side side, std::string_view bytes) override {
    checker.bytes_received(connection, side, bytes, now);
  }
  void connection_event(std::uint64_t connection, std::string_view what) override;
  void closed_by(std::uint64_t connection, Side side, std::size_t process, bool works) override;
  void connection_over(std::uint64_t connection) override;

  WorldOptions options;
  WorldTime now{};
  FirstViolation violation{now};
  Trace trace;
  SeededRandom random;        // of the workload
  SeededRandom random_world;  // of network, disk and operators
  FaultCounts fault_counts{};
  Checker checker{trace, violation};
  MessageInjector injector;
  SimulatedInternet internet;
  std::deque<Machine> machines;

 private:
  struct Event {
    WorldTime at{};
    std::uint64_t order = 0;
    std::uint64_t connection = 0;  // 0: the event is an action
    std::size_t action = 0;
  };
  struct Later {
    bool operator()(const Event& one, const Event& other) const noexcept {
      return one.at != other.at ? one.at > other.at : one.order > other.order;
    }
  };

  // world_state.cpp: time, starts and ends of processes.
  void step_until(WorldTime end);
  void run_event();
  void run_turn(Machine& machine);
  void schedule_turn(Machine& machine, bool has_more);
  void count_turn_of(Machine& machine);
  void start(Machine& machine);
  void abort_start(Machine& machine);
  void start_later(Machine& machine, WorldTime delay);
  void clear_away(Machine& machine, End end);
  void on_death(Machine& machine);
  void finish(Machine& machine);
  [[nodiscard]] std::string unsettled();
  void check_memory();
  [[nodiscard]] bool forgets(const Machine& machine, End end) const;
  [[nodiscard]] static End end_with_disk(Machine& machine, End end);
  [[nodiscard]] config::Settings settings_of(const Machine& machine) const;

  // world_faults.cpp: faults.
  void schedule_fault(Fault fault);
  void strike(Fault fault);
  void strike_messages(Fault fault, SeededRandom& chance);
  void strike_internet(Fault fault, SeededRandom& chance);
  void strike_disk(Fault fault, Machine& machine, SeededRandom& chance);
  void strike_clock(Fault fault, Machine& machine, SeededRandom& chance);
  void strike_process(Fault fault, Machine& machine, SeededRandom& chance);
  void jump_in_flight(std::uint64_t connection);
  void doom(Machine& machine, std::uint64_t calls, End end);
  void lose_power(Machine& machine);
  void lose_mount(Machine& machine);
  void segment_begins(Machine& machine);
  void die_in_reset(Machine& machine, SeededRandom& chance);
  void reset_begins(Machine& machine);
  void log_out_one(Machine& machine, SeededRandom& chance);
  void reset_by_operators(Machine& machine);
  void forget_promises_of_peers(const Machine& machine);
  [[nodiscard]] static bool connects_to(const Machine& other, const Machine& machine);
  [[nodiscard]] Machine* any_machine(SeededRandom& chance, bool is_initiator);
  [[nodiscard]] static bool is_initiator(const Machine& machine);
  void mend();

  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t next_order_ = 0;
  std::deque<std::function<void()>> actions_;
  std::vector<std::size_t> free_actions_;
  // one stream for each kind, so that none changes another
  std::vector<SeededRandom> fault_random_;
  bool faults_strike_ = false;
  bool jumps_ = false;       // Fault::JumpInFlight strikes in this world
  bool jumps_next_ = false;  // when the next order is sent
  std::uint64_t starts_ = 0;
  std::uint64_t turns_ = 0;
  std::uint64_t rolls_ = 0;
  std::uint64_t heap_at_begin_ = 0;
  std::uint64_t resent_ = 0;  // messages, at the last call of unsettled()
  WorldTime resent_at_{};     // the last time when this number grew
};

}  // namespace nexusfix::simulator
