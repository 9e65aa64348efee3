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

#include <nexusfix/base/random.hpp>
#include <nexusfix/engine/engine.hpp>
#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/hosted.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/simulator/simulated_network.hpp>
#include <nexusfix/simulator/violation.hpp>

namespace nexusfix::simulator {

// In the order of add_process().
using ProcessId = std::size_t;

struct WorldOptions {
  std::uint64_t seed = 1;
  FaultSet faults;                    // the faults that may strike during run()
  WallTime begin = kWorldBegin;       // the first value of every wall clock
  std::size_t trace_lines = 0;        // the maximum of lines in trace(); 0: no lines are made
  std::FILE* trace_stream = nullptr;  // gets every line at once; may be null
  // Gets every byte between the processes, and forwards what it wants. Must outlive the world. With
  // a middleman, Fault::ResetWithin and Fault::AskAgain do not strike.
  Middleman* middleman = nullptr;
};

struct WorldStatistics {
  FaultCounts faults{};
  std::uint64_t wire_messages = 0;    // sent by any process, with administrative ones
  std::uint64_t delivered = 0;        // to an application
  std::uint64_t delivered_again = 0;  // of them, with PossDupFlag
  std::uint64_t promised = 0;         // by World::promised(), and kept by a store
  std::uint64_t epochs = 0;           // begun by a reset
  std::uint64_t starts = 0;           // of processes
  std::uint64_t turns = 0;            // Engine::poll()
  std::uint64_t rolls = 0;            // of journals, to a new segment
  std::uint64_t retired = 0;  // messages that a gap fill replaced because their segment was retired
  std::uint64_t resets_in_resend = 0;  // within a session, while a ResendRequest was being answered
};

class WorldState;  // its implementation

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Adds a machine whose process runs this configuration with an Application{arguments...}; both
  // are made again at each start. Pass references by std::ref(). Ports belong to the whole world:
  // any SocketConnectHost works. A journal with JournalKeepBytes has segments of a quarter of that,
  // so that some are retired. A wrong configuration fails an assertion.
  template <class Application, class... Arguments>
  ProcessId add_process(std::string name, std::string configuration, Arguments... arguments) {
    return add(
        std::move(name), std::move(configuration),
        [... kept = std::move(arguments)](config::Settings settings, engine::EngineOptions options,
                                          CallbackWatch& watch) -> OpenedProcess {
          auto image = std::make_unique<HostedApplication<Application>>(watch, kept...);
          if (auto opened = image->open(std::move(settings), options); !opened) {
            return std::unexpected{std::move(opened.error())};
          }
          return image;
        });
  }

  // Runs the world; starts processes that do not run yet. Ends early at a violation.
  void run(WorldTime duration);
  // Stops all faults, and repairs what was broken. Runs until every session is logged on, both
  // sides agree on all sequence numbers, and every promised message is delivered. False, with a
  // violation, if that takes longer than limit.
  bool settle(WorldTime limit);

  [[nodiscard]] const std::optional<Violation>& violation() const noexcept;
  // Reports a violation of a user's own check.
  void found(std::string invariant, std::string what);

  // Calls action once, after this delay.
  void after(WorldTime delay, std::function<void()> action);
  [[nodiscard]] WorldTime now() const noexcept;
  // For the workload: a separate stream that faults do not change.
  [[nodiscard]] SeededRandom& random() noexcept;

  // Null while the process is down: call it each time.
  [[nodiscard]] engine::Engine* engine(ProcessId process) noexcept;
  template <class Application>
  [[nodiscard]] Application* application(ProcessId process) noexcept {
    return static_cast<Application*>(application_of(process));
  }
  // Dies now, as by kill -9, and starts again after a while.
  void kill(ProcessId process);

  // An application has sent a message: after the end of the turn it must be delivered at least
  // once, or its epoch must end. Without this call the world knows of a message when it sees it on
  // the wire.
  void promised(const engine::Session& session, const engine::Sent& sent);

  [[nodiscard]] WorldStatistics statistics() const;
  // The last lines, oldest first.
  [[nodiscard]] std::string trace() const;

 private:
  using Launcher =
      std::function<OpenedProcess(config::Settings, engine::EngineOptions, CallbackWatch&)>;
  ProcessId add(std::string name, std::string configuration, Launcher launcher);
  [[nodiscard]] void* application_of(ProcessId process) noexcept;

  std::unique_ptr<WorldState> state_;
};

}  // namespace nexusfix::simulator
