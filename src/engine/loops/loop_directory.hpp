// What several event loops of one engine know of each other: which of them a counterparty belongs
// to.
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

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/session/session_id.hpp>
#include <nexusfix/transport/address_range.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

class EventLoop;

// What a loop is asked to do by another one, or by another thread: at the end of a turn, on its own
// thread. A loop that has ended destroys it undone.
class LoopTask {
 public:
  LoopTask() = default;
  LoopTask(const LoopTask&) = delete;
  LoopTask& operator=(const LoopTask&) = delete;
  virtual ~LoopTask() = default;
  virtual void run(EventLoop& event_loop) = 0;
  // Behind run(): whether a mail room is to run it once more, in the next turn that something else
  // brings about.
  [[nodiscard]] virtual bool comes_back() const noexcept { return false; }

  std::unique_ptr<LoopTask> next{};  // of those that wait, so that one more needs no memory
};

// Acceptors' endpoints are one loop's to listen on, whoever's session a Logon then names: that
// connection is handed over, with its TLS and bytes. All functions: any thread. Only Logons that
// the listening loop does not know come here.
class LoopDirectory {
 public:
  // A connection on its way to another loop.
  struct MigratedConnection {
    transport::Detached connection{};
    transport::Endpoint endpoint;  // where it was accepted
    std::string bytes;             // received so far: the Logon, and what followed it
  };

  LoopDirectory();
  LoopDirectory(const LoopDirectory&) = delete;
  LoopDirectory& operator=(const LoopDirectory&) = delete;
  ~LoopDirectory();

  void add_loop(std::uint32_t loop, transport::Network& network);
  [[nodiscard]] std::size_t loop_count() const noexcept { return loops_.size(); }
  // The loop takes nothing any more; what was on its way to it is closed.
  void remove_loop(std::uint32_t loop);

  // That thread serves one of these loops.
  void serve_here() const noexcept;
  static void serve_no_more() noexcept;
  [[nodiscard]] bool is_served_here() const noexcept;

  // Whether this loop is the one to listen there, for whom nobody else does yet. If its listen()
  // fails, nobody is. A loop uses the endpoint from then on, until it leaves.
  using Listen = FunctionRef<std::expected<void, transport::NetworkError>()>;
  [[nodiscard]] std::expected<bool, transport::NetworkError> claim(
      const transport::Endpoint& endpoint, std::uint32_t loop, Listen listen);
  // "TLS" or "proxies", if that is not what is used there; empty: it is the same, or not used.
  [[nodiscard]] std::string_view difference(const transport::Endpoint& endpoint);
  // Its TLS, proxies and options are these from now on.
  void change(const transport::Endpoint& endpoint);
  // The loop that listens for nobody from then on. Nothing: it does for somebody.
  [[nodiscard]] std::optional<std::uint32_t> leave(const transport::Endpoint& endpoint,
                                                   std::uint32_t loop);
  // Calls close, if this loop listens there for nobody.
  void retire(const transport::Endpoint& endpoint, std::uint32_t loop, FunctionRef<void()> close);
  // Whom a loop's sessions of that endpoint let in, with a Logon of how many bytes; and whether any
  // loop's do, and the most that one takes.
  void allow(const transport::Endpoint& endpoint, std::uint32_t loop,
             const transport::AllowList& allowed, std::uint32_t logon_bytes_max);
  [[nodiscard]] bool allows(const transport::Endpoint& endpoint, std::string_view address);
  [[nodiscard]] std::uint32_t logon_bytes_max(const transport::Endpoint& endpoint);
  void add_acceptor(const std::string& name, std::uint32_t loop);
  void remove_acceptor(const std::string& name);
  void add_template(const session::SessionId& pattern, std::uint32_t loop);
  void remove_template(const session::SessionId& pattern, std::uint32_t loop);

  // A session of one of the loops takes messages with a wrong BodyLength or CheckSum.
  void take_unsound() noexcept { takes_unsound_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool takes_unsound() const noexcept {
    return takes_unsound_.load(std::memory_order_relaxed);
  }

  // How many sessions of a loop wait for changed keys; and whether any of any loop does.
  void note_pending(std::uint32_t loop, std::uint32_t sessions) noexcept {
    loops_[loop]->pending.store(sessions, std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_pending() const noexcept {
    return std::ranges::any_of(loops_, [](const std::unique_ptr<Loop>& one) {
      return one->pending.load(std::memory_order_relaxed) > 0;
    });
  }

  // Whether no loop has said that before.
  [[nodiscard]] bool is_said_first(const std::string& text);

  // The loop whose store has a session, or this one if none has: it is that from then on.
  std::uint32_t settle(std::string_view name, std::uint32_t loop);
  [[nodiscard]] std::optional<std::uint32_t> home_of(std::string_view name);

  // The loop of a session of that identity. Nothing: there is none.
  [[nodiscard]] std::optional<std::uint32_t> find(const session::SessionId& id);
  // False: that loop has ended, or there is no memory, and the connection is closed.
  bool migrate(std::uint32_t loop, MigratedConnection handed);
  // A loop that has ended destroys it here.
  void post(std::uint32_t loop, std::unique_ptr<LoopTask> task) noexcept;
  // What has come for a loop. One atomic load if there is nothing.
  struct Arrived {
    std::vector<MigratedConnection> connections;
    std::unique_ptr<LoopTask> tasks;  // the first one, and so on by next
  };
  [[nodiscard]] Arrived take(std::uint32_t loop) noexcept;

 private:
  struct Loop {
    transport::Network* network = nullptr;
    std::vector<MigratedConnection> inbox;
    std::unique_ptr<LoopTask> tasks;
    LoopTask* last_task = nullptr;
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

  const std::uint64_t id_;  // no other one has it, before or behind
  std::mutex mutex_;
  std::vector<std::unique_ptr<Loop>> loops_;  // grows before any loop runs
  std::map<std::string, std::uint32_t, std::less<>> acceptors_;
  std::vector<Template> templates_;
  std::vector<Claim> claims_;
  std::atomic<bool> takes_unsound_{false};  // alone: it says nothing about other memory
  std::set<std::string, std::less<>> said_;
  std::map<std::string, std::uint32_t, std::less<>> homes_;  // of all sessions that are stored
};

// Whether a template's CompID stands for this one.
[[nodiscard]] bool stands_for(std::string_view pattern, std::string_view comp_id) noexcept;
[[nodiscard]] bool stands_for(const session::SessionId& pattern, const session::SessionId& id);

}  // namespace nexusfix::engine
