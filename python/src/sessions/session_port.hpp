// A session, as the threads of its engine and of Python share it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine/session.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/field.hpp>

namespace nexusfix::python {

// The fields that Python adds to the Logons of an initiator.
struct LogonFields {
  enum class State : std::uint8_t {
    None,     // not asked for, or used by a Logon
    Wanted,   // Python is asked
    Ready,    // for the next Logon
    Refused,  // there are none: the connection fails
  };
  State state = State::None;
  std::string text;  // Refused: why
  // Length fields and data fields beside each other.
  std::vector<std::pair<wire::Tag, std::string>> fields;
};

// Threads: the constants, and the two atomics, any; what follows them, that of the engine.
struct SessionPort {
  std::uint32_t id = 0;
  engine::SessionHandle handle;
  session::SessionId identity;
  std::string name;

  // Bytes of its messages that the program has not got. The engine adds, Python subtracts. Both
  // atomics are sequentially consistent: either the engine sees that few bytes wait, or Python sees
  // that the session is held.
  std::atomic<std::uint64_t> waiting_bytes{0};
  std::atomic<bool> is_held{false};  // its connection is not read

  std::vector<std::string> hosts;  // of an initiator: "host:port", as in the configuration
  bool is_logged_on = false;
  transport::SocketId socket = 0;
  LogonFields logon;
};

// All sessions of an engine; none is ever removed.
class SessionPorts {
 public:
  // That of the session, if it was here before. The thread of the engine, or before it runs.
  [[nodiscard]] static SessionPort* find(engine::Session& session) noexcept {
    SessionPort* const* const attached = session.data<SessionPort*>();
    return attached == nullptr ? nullptr : *attached;
  }
  SessionPort& add(engine::Session& session) {
    SessionPort& port = all_.emplace_back();
    port.id = static_cast<std::uint32_t>(all_.size() - 1);
    port.handle = session.handle();
    port.identity = session.id();
    port.name = session.name();
    session.attach<SessionPort*>(&port);
    return port;
  }
  [[nodiscard]] std::deque<SessionPort>& all() noexcept { return all_; }

 private:
  std::deque<SessionPort> all_;
};

}  // namespace nexusfix::python
