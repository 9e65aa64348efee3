// Events from the engine's thread to the thread of Python.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/deferred/spsc_queue.hpp>

namespace nexusfix::python {

enum class EventKind : std::uint8_t {
  Message,  // bytes: of an application message, or of a Reject (3)
  LoggedOn,
  LoggedOut,
  Disconnected,  // text: why; is_set: orderly
  Sent,          // number: MsgSeqNum; is_set: transmitted; text: why it was not sent
  NewSession,    // number: the address of its SessionPort
  LogonRequest,  // number: for Session::answer_logon(); bytes: the Logon
  LogonWanted,   // a connection waits for the fields of its Logon
  Log,           // number: EventId; code: Severity; text: the session's name, a line feed, the text
  End,           // number: the result of Engine::run(). The last event.
};

struct EventHeader {
  EventKind kind = EventKind::End;
  bool is_set = false;
  std::uint8_t code = 0;      // Sent: SendFailure + 1; 0: sent, or a failure without a code
  std::uint32_t session = 0;  // SessionPort::id
  std::uint64_t number = 0;
  std::uint64_t token = 0;  // Sent: of send()
};

// A bounded ring. An event that finds it full waits in memory of the engine's thread, in order: how
// many these are is bounded because the engine then reads no more (GatedNetwork). A descriptor is
// readable when there is an event after drain() has found none.
//
// Threads: one producer calls push() and flush(), one consumer drain().
class EventChannel {
 public:
  static constexpr std::size_t kRingBytes = std::size_t{4} << 20U;

  // Throws std::system_error: the process has no descriptor left.
  EventChannel();
  EventChannel(const EventChannel&) = delete;
  EventChannel& operator=(const EventChannel&) = delete;
  ~EventChannel();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  // Producer. Copies the text. Throws std::bad_alloc only if the ring is full or the text is long.
  void push(const EventHeader& header, std::string_view text = {});
  // Producer. Moves events that have waited into the ring, as many as fit.
  void flush();
  // Any thread: whether some wait for flush().
  [[nodiscard]] bool has_waiting() const noexcept {
    // Relaxed: a hint to call flush(), which looks itself.
    return has_waiting_.load(std::memory_order_relaxed);
  }

  // Consumer. Calls handle(header, text) for events, at most count_max; returns their number. Fewer
  // than count_max: the descriptor is readable when the next one comes.
  template <class Handle>
  std::size_t drain(std::size_t count_max, Handle&& handle) {
    clear_descriptor();
    std::size_t count = 0;
    while (count < count_max) {
      const auto record = ring_.read();
      if (!record) {
        if (!arm()) continue;
        break;
      }
      ++count;
      // The record is released at the end also if handle() throws.
      const Release release{ring_};
      const Event event = event_of(*record);
      handle(event.header, event.text);
    }
    return count;
  }

 private:
  using Far = std::unique_ptr<std::string>;
  struct Release {
    deferred::RecordQueue& ring;
    ~Release() { ring.release(); }
  };
  struct Event {
    EventHeader header;
    std::string_view text;
    Far far;  // owns a long text
  };
  struct Prefix {
    EventHeader header;
    std::string* far = nullptr;  // not null: the text, which the consumer deletes
  };

  [[nodiscard]] bool try_push(const EventHeader& header, std::string_view text);
  [[nodiscard]] static Event event_of(std::span<const std::byte> record) noexcept;
  void wake() noexcept;
  void clear_descriptor() noexcept;
  // False: an event came meanwhile.
  [[nodiscard]] bool arm() noexcept;

  deferred::RecordQueue ring_{kRingBytes};
  int descriptor_;
  std::atomic<bool> is_armed_{true};
  std::atomic<bool> has_waiting_{false};
  std::deque<std::pair<EventHeader, std::string>> waiting_;  // of the producer
};

}  // namespace nexusfix::python
