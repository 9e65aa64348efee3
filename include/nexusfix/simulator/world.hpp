// A world in one thread: processes with engines in them, on machines with clocks and disks of their
// own, joined by a network. Time is virtual, chance has a seed: the same world runs the same way
// every time.
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
  FaultSet faults;                    // what may strike while run() goes on
  WallTime begin = kWorldBegin;       // what every wall clock shows at first
  std::size_t trace_lines = 0;        // how many of the last lines trace() has; 0: none are made
  std::FILE* trace_stream = nullptr;  // gets every line at once
  // Has every byte between the processes, and forwards what he likes. Must outlive the world. With
  // one, Fault::ResetWithin and Fault::AskAgain do not strike: that is his business then.
  Middleman* middleman = nullptr;
};

struct WorldStatistics {
  FaultCounts faults{};
  std::uint64_t wire_messages = 0;    // sent by any process, administrative ones too
  std::uint64_t delivered = 0;        // to an application
  std::uint64_t delivered_again = 0;  // of them, with PossDupFlag
  std::uint64_t promised = 0;         // World::promised(), and kept by a store
  std::uint64_t epochs = 0;           // begun by a reset
  std::uint64_t starts = 0;           // of processes
  std::uint64_t turns = 0;            // Engine::poll()
  std::uint64_t rolls = 0;            // of journals, to a new segment
  std::uint64_t retired = 0;  // messages that a gap fill stood for: their segment was retired
  std::uint64_t resets_in_resend = 0;  // within a session, while a ResendRequest was answered
};

class WorldState;  // its inside

class World {
 public:
  explicit World(WorldOptions options = {});
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // A machine whose process runs this configuration with an Application{arguments...}; both are
  // made anew at each start. References are passed by std::ref(). Ports are of the whole world:
  // SocketConnectHost may say anything. A journal with JournalKeepBytes has segments of a quarter
  // of that, so that some are retired. Exits with an assertion when the configuration is wrong.
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

  // Runs on; processes that do not run yet are started. Ends early at a violation.
  void run(WorldTime duration);
  // No new fault strikes, and what was broken is mended. Runs until every session is logged on,
  // both sides agree on all numbers, and every promised message is delivered; false, and a
  // violation, when that does not come within the limit.
  bool settle(WorldTime limit);

  [[nodiscard]] const std::optional<Violation>& violation() const noexcept;
  // What a user's own checks find.
  void found(std::string invariant, std::string what);

  // Calls action once, so much later.
  void after(WorldTime delay, std::function<void()> action);
  [[nodiscard]] WorldTime now() const noexcept;
  // For the workload: a stream of its own, which no fault disturbs.
  [[nodiscard]] SeededRandom& random() noexcept;

  // Null while the process is down: ask anew each time.
  [[nodiscard]] engine::Engine* engine(ProcessId process) noexcept;
  template <class Application>
  [[nodiscard]] Application* application(ProcessId process) noexcept {
    return static_cast<Application*>(application_of(process));
  }
  // Dies now, as by kill -9, and comes back after a while.
  void kill(ProcessId process);

  // An application has sent a message: from the end of the turn on, it has to be delivered at least
  // once, or the epoch to end. Without this the world knows of a message when it sees it sent.
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
