// The path between the gateway and one client: a socket, or a pair of rings in shared memory. Every
// path has the same frames.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nexusfix::gateway {

// The thread of the gateway's loop. The other side is another program: what it writes is not
// trusted, and a link never blocks on it.
class ClientLink {
 public:
  virtual ~ClientLink() = default;

  // The next whole frame; empty: none has arrived. Valid until the next call of this object. Only
  // its length and its version are checked. After fault() has a text it is always empty.
  [[nodiscard]] virtual std::span<const char> read() = 0;
  // Takes a whole frame, and sends it with the next flush() at the latest. False: the link has no
  // room for it now, and nothing was taken.
  [[nodiscard]] virtual bool write(std::span<const char> frame) = 0;
  // Gives the client what it can take now.
  virtual void flush() = 0;
  // Whether bytes wait for the client, so that flush() has to be called again.
  [[nodiscard]] virtual bool has_unsent() const noexcept = 0;
  // Why the Send that read() has returned last, and whose body is empty, has no message. Empty: it
  // has none because the client wrote none.
  [[nodiscard]] virtual std::string_view message_fault() const noexcept { return {}; }
  // Why nothing more can be read: the client has gone, or its bytes are no frames. Empty: no fault.
  [[nodiscard]] virtual std::string_view fault() const noexcept = 0;
  // Whether the fault is that of the client's bytes: then it gets a Closed.
  [[nodiscard]] virtual bool is_protocol_fault() const noexcept = 0;
  // Readable when read() has something; -1: the loop must ask in each turn.
  [[nodiscard]] virtual int descriptor() const noexcept = 0;
  // Before the loop sleeps: from now on the descriptor becomes readable with the next frame. False:
  // the loop must not sleep, because read() has something.
  [[nodiscard]] virtual bool begin_sleep() noexcept { return true; }
  // Whether the client has closed its end. Frames from before may still come, and the next read()
  // without a frame sees the end. True, too, if only read() can see it.
  [[nodiscard]] virtual bool has_ended() { return true; }
  // Whether the client is on this machine, and can have shared memory.
  [[nodiscard]] virtual bool is_of_this_machine() const noexcept { return true; }
  // Whether the descriptor becomes writable when flush() can go on. Otherwise the loop asks again
  // after a millisecond at most.
  [[nodiscard]] virtual bool waits_for_room_by_descriptor() const noexcept { return true; }
};

}  // namespace nexusfix::gateway
