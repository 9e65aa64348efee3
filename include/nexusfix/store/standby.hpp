// What a store shows of itself while another process owns its log and it waits to take the log
// over.
#pragma once

#include <string>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// A standby, at one moment.
struct StandbyState {
  // Who owns the log: "process 4711 on host venue-1 since ...". Empty: no process, or not known.
  std::string owner{};
  bool is_connected = false;     // to the database
  LogPosition log_end = 0;       // the end of the log, at the last look
  LogPosition followed_end = 0;  // on_message() has got the messages before this position
};

// Is called on the thread that opens the store, while that waits. An exception ends the waiting,
// and passes to the caller.
class StandbyObserver {
 public:
  // Outlives the call that opens the store.
  virtual ~StandbyObserver() = default;
  // Whether on_message() is to be called. Asked once, before the waiting.
  [[nodiscard]] virtual bool follows_messages() const = 0;
  // One stored message, in the order of the log. A Store::scan() after the opening goes on after
  // the last of them.
  virtual void on_message(const Store::LogMessage& message) = 0;
  // Several times a second. False: ends the waiting, and the opening fails with Refused.
  [[nodiscard]] virtual bool on_waiting(const StandbyState& state) = 0;
  // Something that the operator must know.
  virtual void on_event(StoreEvent event) = 0;
};

}  // namespace nexusfix::store
