// What the event loops of one engine share: the loop of each counterparty's session.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/language.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

struct Floors;
class Reloader;

// A task that another loop or another thread posts to a loop. It runs at the end of a turn, on the
// loop's thread. A loop that has ended destroys the task without running it.
class LoopTask {
 public:
  LoopTask() = default;
  LoopTask(const LoopTask&) = delete;
  LoopTask& operator=(const LoopTask&) = delete;
  virtual ~LoopTask() = default;
  virtual void run(Floors& floors) = 0;
  // After run(): whether TaskInbox runs it again, in the next turn that another event causes.
  [[nodiscard]] virtual bool comes_back() const noexcept { return false; }

  std::unique_ptr<LoopTask> next{};  // the list of waiting tasks, so that a post needs no memory
};

// One loop listens on an acceptor's endpoint. If a Logon names a session of another loop, the
// connection migrates to it, with its TLS state and bytes. Only Logons for sessions that the
// listening loop does not have are looked up here. All functions: any thread.
class LoopDirectory {
 public:
  // A connection that moves to another loop.
  struct MigratedConnection {
    transport::Detached connection{};
    transport::Endpoint endpoint;  // where it was accepted
    std::string bytes;             // received so far: the Logon, and the bytes after it
  };

  LoopDirectory();
  LoopDirectory(const LoopDirectory&) = delete;
  LoopDirectory& operator=(const LoopDirectory&) = delete;
  ~LoopDirectory();

  void add_loop(std::uint32_t loop, transport::Network& network);
  [[nodiscard]] std::size_t loop_count() const noexcept { return loops_.size(); }
  // The loop has ended: it takes nothing any more, and connections that move to it are closed.
  void remove_loop(std::uint32_t loop);

  // The calling thread serves one of these loops.
  void serve_here() const noexcept;
  static void serve_no_more() noexcept;
  [[nodiscard]] bool is_served_here() const noexcept;

  // True: this loop listens there. If no loop does, claim() calls listen(); if that fails, no loop
  // listens. The loop then counts as a user of the endpoint until it leaves.
  using Listen = FunctionRef<std::expected<void, transport::NetworkError>()>;
  [[nodiscard]] std::expected<bool, transport::NetworkError> claim(
      const transport::Endpoint& endpoint, std::uint32_t loop, Listen listen);
  // "TLS" or "proxies", if the endpoint in use differs in it; empty: no difference, or not in use.
  [[nodiscard]] std::string_view difference(const transport::Endpoint& endpoint);
  // The endpoint in use has this TLS, and these proxies and options from now on.
  void change(const transport::Endpoint& endpoint);
  // Returns the loop that listens there when no user is left. No value: other loops still use it.
  [[nodiscard]] std::optional<std::uint32_t> leave(const transport::Endpoint& endpoint,
                                                   std::uint32_t loop);
  // Calls close if this loop listens there and no loop uses the endpoint.
  void retire(const transport::Endpoint& endpoint, std::uint32_t loop, FunctionRef<void()> close);
  // allow() sets the addresses that a loop's sessions of that endpoint admit, and their limit of a
  // Logon's bytes. allows() asks all loops; logon_bytes_max() is the maximum of all loops.
  void allow(const transport::Endpoint& endpoint, std::uint32_t loop,
             const transport::AllowList& allowed, std::uint32_t logon_bytes_max);
  [[nodiscard]] bool allows(const transport::Endpoint& endpoint, std::string_view address);
  [[nodiscard]] std::uint32_t logon_bytes_max(const transport::Endpoint& endpoint);
  void add_acceptor(const std::string& name, std::uint32_t loop);
  void remove_acceptor(const std::string& name);
  void add_template(const session::SessionId& pattern, std::uint32_t loop);
  void remove_template(const session::SessionId& pattern, std::uint32_t loop);

  // A session of one of the loops accepts messages with an invalid BodyLength or CheckSum.
  void accept_unsound() noexcept { accepts_unsound_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool accepts_unsound() const noexcept {
    return accepts_unsound_.load(std::memory_order_relaxed);
  }

  // set_pending() sets the number of a loop's sessions that wait for changed keys. has_pending():
  // any loop has some.
  void set_pending(std::uint32_t loop, std::uint32_t sessions) noexcept {
    loops_[loop]->pending.store(sessions, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_pending() const noexcept {
    return std::ranges::any_of(loops_, [](const std::unique_ptr<Loop>& one) {
      return one->pending.load(std::memory_order_relaxed) > 0;
    });
  }

  // True: no loop has logged the text before.
  [[nodiscard]] bool is_said_first(const std::string& text);

  // Returns the loop whose store has the session. If none has it, this loop has it from then on.
  std::uint32_t settle(std::string_view name, std::uint32_t loop);
  [[nodiscard]] std::optional<std::uint32_t> home_of(std::string_view name);

  // The loop of the session with that identity. No value: no loop has it.
  [[nodiscard]] std::optional<std::uint32_t> find(const session::SessionId& id);
  // False: that loop has ended, or memory is missing; the connection is then closed.
  bool migrate(std::uint32_t loop, MigratedConnection handed);
  // Each loop's part of a reload: set before any loop runs, and used on its loop's thread.
  void set_reloader(std::uint32_t loop, Reloader& reloader) noexcept;
  [[nodiscard]] Reloader& reloader(std::uint32_t loop) const noexcept;
  // The loop closes the listeners that no session uses.
  void close_unused(std::uint32_t loop) noexcept;
  // If the loop has ended, the task is destroyed here.
  void post(std::uint32_t loop, std::unique_ptr<LoopTask> task) noexcept;
  // Takes the connections and tasks for a loop. One atomic load if there are none.
  struct Arrived {
    std::vector<MigratedConnection> connections;
    std::unique_ptr<LoopTask> tasks;  // the first one; the others follow by next
    bool closes_unused = false;       // of close_unused()
  };
  [[nodiscard]] Arrived take(std::uint32_t loop) noexcept;

 private:
  struct Loop {
    transport::Network* network = nullptr;
    std::vector<MigratedConnection> inbox;
    std::unique_ptr<LoopTask> tasks;
    LoopTask* last_task = nullptr;
    Reloader* reloader = nullptr;
    bool closes_unused = false;
    std::atomic<bool> has_work{false};
    std::atomic<std::uint32_t> pending{0};  // sessions that wait for changed keys
  };
  struct Template {
    session::SessionId pattern;
    std::uint32_t loop = 0;
  };
  struct Claim {
    transport::Endpoint endpoint;
    std::uint32_t loop = 0;
    std::vector<std::uint32_t> users{};
    struct Rules {
      transport::AllowList allowed{};
      std::uint32_t logon_bytes_max = 0;
    };
    std::map<std::uint32_t, Rules> rules{};  // by loop
  };
  [[nodiscard]] Claim* find_claim(const transport::Endpoint& endpoint);

  const std::uint64_t id_;  // unique in the process
  std::mutex mutex_;
  std::vector<std::unique_ptr<Loop>> loops_;  // grows before any loop runs
  std::map<std::string, std::uint32_t, std::less<>> acceptors_;
  std::vector<Template> templates_;
  std::vector<Claim> claims_;
  std::atomic<bool> accepts_unsound_{false};  // independent of all other memory
  std::set<std::string, std::less<>> said_;
  std::map<std::string, std::uint32_t, std::less<>> homes_;  // of all stored sessions
};

}  // namespace nexusfix::engine
