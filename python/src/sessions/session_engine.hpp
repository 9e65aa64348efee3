// The Python class SessionEngine: an engine on a thread of its own.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "config/api/settings.hpp"
#include "python/src/catalog.hpp"
#include "python/src/message.hpp"

namespace nexusfix::python {

struct EngineState;
struct SessionPort;

// What an engine is opened with.
struct EngineRequest {
  std::string path;                 // of the configuration; with a text, its name in errors
  std::optional<std::string> text;  // not null: the configuration
  bool is_initiator = false;        // the role that every session must have
  bool asks_logons = false;         // Python gives the fields of Logons, or answers them
  std::uint64_t waiting_bytes_max = 0;
  std::shared_ptr<Catalog> dictionary;  // of messages; null: that of their version
};

// Threads: Python's; each call needs the lock of the interpreter and gives it up where it waits. A
// child after fork() has no engine: a call raises, and the object does nothing when it ends.
class SessionEngine {
 public:
  // Opens the engine: its ports, and its store. Raises ConfigurationError.
  explicit SessionEngine(EngineRequest request);
  SessionEngine(const SessionEngine&) = delete;
  SessionEngine& operator=(const SessionEngine&) = delete;
  // Ends the engine, and does not wait for it.
  ~SessionEngine();

  void start();
  [[nodiscard]] int descriptor() const;
  // Events as tuples, at most count_max; fewer: the descriptor is readable when the next comes.
  [[nodiscard]] nb::list drain(std::size_t count_max);
  // The program has got messages of this size.
  void release(std::uint32_t session, std::uint64_t bytes);
  // False: too many messages wait for the engine.
  [[nodiscard]] bool send(std::uint32_t session, const MessageObject& message, std::uint64_t token);

  void log_out(std::uint32_t session, const std::string& text);
  void log_on(std::uint32_t session);
  void disconnect(std::uint32_t session, const std::string& why);
  // The fields of the next Logon; message: null: there are none, and why.
  void give_logon(std::uint32_t session, const MessageObject* message, const std::string& why);
  void answer_logon(std::uint32_t session, std::uint64_t request, bool is_accepted,
                    const std::string& text);

  void stop();
  // After the event End: waits until the store and the ports are free again. Later calls raise.
  void close();
  // The port of an acceptor; 0: it has none.
  [[nodiscard]] std::uint16_t port() const;
  // Why a session is not logged on, in words. Empty: there is nothing to say.
  [[nodiscard]] std::string why(std::uint32_t session) const;

 private:
  [[nodiscard]] EngineState& state() const;
  [[nodiscard]] SessionPort& port_of(std::uint32_t session) const;
  void open(EngineRequest& request);
  [[nodiscard]] nb::object message_of(std::string_view bytes) const;

  std::shared_ptr<EngineState> state_;
  std::future<void> ended_;          // the thread does not use the state any more
  std::vector<SessionPort*> ports_;  // by id, as far as drain() has seen them
  std::shared_ptr<Catalog> dictionary_;
  pid_t process_;
};

// Raises ConfigurationError. name: in errors.
[[nodiscard]] config::Settings parsed_settings(const std::string& text, const std::string& name);

// Waits until every engine of this process has ended, at most this time.
void join_engines(double seconds);

void add_session_engine(nb::module_& module);

}  // namespace nexusfix::python
