// A world in one thread: processes with engines, each on its own machine with a clock and a disk,
// joined by a network. Time is virtual, chance has a seed: the same world always runs the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/hosted.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_network.hpp>
#include <nexusfix/simulator/violation.hpp>

namespace nexusfix::simulator {

// A process of a world: 0, 1, 2 and so on, in the order of add_process().
using ProcessId = std::size_t;

// What a world begins with.
struct WorldOptions {
  std::uint64_t seed = 1;             // of all random choices: the same seed, the same run
  FaultSet faults;                    // the faults that may strike during run(); empty: none
  WallTime begin = kWorldBegin;       // the first value of every wall clock
  std::size_t trace_lines = 0;        // the maximum of lines in trace(); 0: no lines are made
  std::FILE* trace_stream = nullptr;  // gets every line at once; may be null
  // Gets every byte between the processes, and forwards what it wants. Must outlive the world; may
  // be null. With a middleman, Fault::ResetWithin and Fault::AskAgain do not strike.
  Middleman* middleman = nullptr;
};

// The counts of a world since it began.
struct WorldStatistics {
  FaultCounts faults{};               // how often each fault struck, by Fault
  std::uint64_t wire_messages = 0;    // messages that a process sent, with administrative ones
  std::uint64_t delivered = 0;        // messages that an application got
  std::uint64_t delivered_again = 0;  // of them, with PossDupFlag
  std::uint64_t promised = 0;         // messages of World::promised() that a store kept
  std::uint64_t epochs = 0;           // epochs of sequence numbers that a reset began
  std::uint64_t starts = 0;           // starts of processes
  std::uint64_t turns = 0;            // calls of Engine::poll()
  std::uint64_t rolls = 0;            // new segments of journals
  std::uint64_t retired = 0;  // messages that a gap fill replaced because their segment was retired
  // Resets within a session while a ResendRequest was being answered.
  std::uint64_t resets_in_resend = 0;
};

// The implementation of World.
class WorldState;

// A simulated world. It and everything in it belong to the thread that made it.
class World {
 public:
  // A world without processes, at WorldTime 0.
  explicit World(WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Adds a machine whose process runs this configuration with an Application{arguments...}; both
  // are made again at each start. Pass references by std::ref(). Ports belong to the whole world:
  // any SocketConnectHost works. An engine has one event loop. A journal with JournalKeepBytes has
  // segments of a quarter of that, so that some are retired. A wrong configuration fails an
  // assertion.
  template <class Application, class... Arguments>
  ProcessId add_process(std::string name, const std::string& configuration,
                        Arguments... arguments) {
    return add(std::move(name), configuration,
               [... kept = std::move(arguments)](Settings settings, engine::EngineOptions options,
                                                 CallbackWatch& watch) -> OpenedProcess {
                 auto image = std::make_unique<HostedApplication<Application>>(watch, kept...);
                 if (auto opened = image->open(std::move(settings), options); !opened) {
                   return std::unexpected{std::move(opened.error())};
                 }
                 return image;
               });
  }

  // Runs the world for this virtual time, with its faults; starts processes that do not run yet.
  // Ends early at a violation.
  void run(WorldTime duration);
  // Stops all faults, and repairs what was broken. Runs until every session is logged on, both
  // sides agree on all sequence numbers, and every promised message is delivered. False, with a
  // violation, if that takes longer than limit, in virtual time.
  bool settle(WorldTime limit);

  // The first violation; later ones are its consequences. No value: there was none. Valid as long
  // as the world.
  [[nodiscard]] const std::optional<Violation>& violation() const noexcept;
  // Reports a violation of a user's own check. invariant: a short name, such as "exec-id-reused";
  // what: the case, for people.
  void found(std::string invariant, std::string what);

  // Calls action once, after this delay, while the world runs. It must not throw.
  void after(WorldTime delay, std::function<void()> action);
  // The virtual time since the world began.
  [[nodiscard]] WorldTime now() const noexcept;
  // For the workload: a separate stream that faults do not change.
  [[nodiscard]] SeededRandom& random() noexcept;

  // The engine of a process. Null while the process is down: call it each time. Do not call its
  // run(), start() or poll(): the world does.
  [[nodiscard]] engine::Engine* engine(ProcessId process) noexcept;
  // The application of a process: Application must be the type of add_process(). Null while the
  // process is down: call it each time.
  template <class Application>
  [[nodiscard]] Application* application(ProcessId process) noexcept {
    return static_cast<Application*>(application_of(process));
  }
  // The process has a turn as soon as it is free: its application has something to do. Nothing
  // happens while it is down.
  void wake(ProcessId process);
  // The process dies now, as by `kill -9`, and starts again after a while.
  void kill(ProcessId process);

  // An application has sent a message: after the end of the turn it must be delivered at least
  // once, or its epoch must end. Without this call the world knows of a message when it sees it on
  // the wire.
  void promised(const engine::Session& session, const engine::Sent& sent);

  // The counts of now.
  [[nodiscard]] WorldStatistics statistics() const;
  // The last WorldOptions::trace_lines lines, oldest first, each with a line feed.
  [[nodiscard]] std::string trace() const;

 private:
  using Launcher = std::function<OpenedProcess(Settings, engine::EngineOptions, CallbackWatch&)>;
  ProcessId add(std::string name, const std::string& configuration, Launcher launcher);
  [[nodiscard]] void* application_of(ProcessId process) noexcept;

  std::unique_ptr<WorldState> state_;
};

}  // namespace nexusfix::simulator
