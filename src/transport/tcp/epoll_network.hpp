// The network over TCP, with level-triggered epoll.
#pragma once

#include <memory>
#include <string>
#include <sys/epoll.h>
#include <vector>

#include <nexusfix/transport/network.hpp>

#include "transport/api/address.hpp"
#include "transport/api/resolver.hpp"
#include "transport/tcp/busy_poll.hpp"
#include "transport/tcp/descriptor.hpp"
#include "transport/tcp/receive_time.hpp"

namespace nexusfix::transport {

// A SocketId is an index in the table of slots, and the generation of that slot.
constexpr unsigned kIndexBits = 32;

constexpr SocketId make_id(std::uint32_t generation, std::size_t index) noexcept {
  return (static_cast<SocketId>(generation) << kIndexBits) | index;
}
constexpr std::size_t index_of(SocketId socket) noexcept {
  return static_cast<std::size_t>(socket & 0xFFFF'FFFFU);
}
constexpr std::uint32_t generation_of(SocketId socket) noexcept {
  return static_cast<std::uint32_t>(socket >> kIndexBits);
}

class EpollNetwork final : public Network {
 public:
  // The lookup resolves names that are neither literal addresses nor localhost.
  [[nodiscard]] static std::expected<std::unique_ptr<EpollNetwork>, NetworkError> make(
      Lookup lookup, std::chrono::nanoseconds busy_poll = {});
  ~EpollNetwork() override;
  EpollNetwork(const EpollNetwork&) = delete;
  EpollNetwork& operator=(const EpollNetwork&) = delete;

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<void, NetworkError> could_listen(const Endpoint& endpoint) override;
  void change_listener(SocketId listener, const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) override;
  [[nodiscard]] std::uint16_t local_port(SocketId socket) const override;
  [[nodiscard]] std::string peer_name(SocketId socket) const override;
  [[nodiscard]] std::string last_error(SocketId socket) const override;
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override { return refused_; }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override;
  [[nodiscard]] ReceiveTime receive_time(SocketId socket) const noexcept override;
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;
  void pause(SocketId socket, bool paused) noexcept override;
  void unwatch(SocketId socket, bool unwatched) noexcept override;
  void close(SocketId socket) noexcept override;
  [[nodiscard]] Detached detach(SocketId socket) noexcept override;
  [[nodiscard]] std::expected<SocketId, NetworkError> attach(Detached detached) override;
  [[nodiscard]] std::size_t wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;
  void expect_wake() noexcept override { expects_wake_ = true; }
  void wake() noexcept override { wakeup_->signal(); }
  [[nodiscard]] int descriptor() const noexcept override { return epoll_.get(); }

  // For a test: as if another thread had taken the reserve descriptor.
  void drop_reserve() noexcept { reserve_.reset(); }
  // For a test: it replaces accept4().
  using Accept = int (*)(int descriptor, sockaddr* address, socklen_t* size, int flags);
  void accept_by(Accept accept) noexcept { accept_ = accept; }

 private:
  enum class State : std::uint8_t {
    Free,
    Listening,
    Resolving,
    Connecting,
    Open,
    Broken,    // failed; wait() returns Failed until close()
    Draining,  // closed by the user; the last bytes are not acknowledged yet
  };

  // The addresses that connect() has not tried yet.
  struct Attempt {
    Endpoint endpoint;
    std::vector<Address> candidates;
    std::size_t next = 0;
  };

  struct Slot {
    std::uint32_t generation = 0;
    State state = State::Free;
    bool writable_armed = false;
    bool unread = false;         // connection: paused by pause()
    bool unwatched = false;      // connection: by unwatch()
    bool is_unanswered = false;  // connection: accepted, and nothing was sent on it yet
    bool paused = false;         // listener: out of descriptors or memory, not watched
    Descriptor descriptor;
    int error_number = 0;
    const char* operation = "";  // what failed
    std::string error_text;      // when the cause is not an errno
    Address peer;
    std::unique_ptr<Attempt> attempt;
    std::unique_ptr<SocketOptions> options;  // listener: of the connections that it accepts
    std::unique_ptr<TimedReceives> timed;    // null: receive_time() is not known
    std::size_t discarded = 0;               // draining: bytes
    SocketId twin = 0;   // listener: that of the other family, closed with it; 0: none
    SocketId first = 0;  // listener that is a twin: the other one
  };

  // Fills the caller's events and knows whether there is room.
  struct Sink {
    std::span<Ready> events;
    std::size_t count = 0;
    [[nodiscard]] bool full() const noexcept { return count == events.size(); }
    void put(Ready ready) noexcept { events[count++] = ready; }
  };

  // A wait that expects a wake polls for this time, if another one polls for less: a sync of the
  // disk takes longer than the next order.
  static constexpr std::chrono::microseconds kWakePoll{200};

  explicit EpollNetwork(std::chrono::nanoseconds busy_poll)
      : busy_poll_{busy_poll},
        wake_poll_{busy_poll_.is_enabled()
                       ? std::max<std::chrono::nanoseconds>(busy_poll, kWakePoll)
                       : busy_poll} {}

  [[nodiscard]] Slot* find(SocketId socket) noexcept;  // null: unknown, closed or draining
  [[nodiscard]] const Slot* find(SocketId socket) const noexcept;
  [[nodiscard]] Slot* find_any(SocketId socket) noexcept;  // draining sockets, too
  [[nodiscard]] SocketId add_slot();
  void free_slot(SocketId socket) noexcept;
  [[nodiscard]] const Descriptor& set_of(const Slot& slot) const noexcept {
    return slot.is_unanswered ? unanswered_ : epoll_;
  }
  [[nodiscard]] bool watch(int operation, SocketId socket, std::uint32_t interest) noexcept;
  [[nodiscard]] bool watch_always(int descriptor, std::uint64_t id) noexcept;
  void make_known(SocketId socket, Slot& slot) noexcept;

  // One, or two of the same port for "localhost".
  [[nodiscard]] std::expected<std::vector<Descriptor>, NetworkError> bind_listener(
      const Endpoint& endpoint);
  [[nodiscard]] std::expected<std::vector<Descriptor>, NetworkError> bind_to_localhost(
      const Endpoint& endpoint);
  [[nodiscard]] std::expected<SocketId, NetworkError> add_listener(const Endpoint& endpoint,
                                                                   Descriptor descriptor);
  [[nodiscard]] std::expected<Descriptor, NetworkError> bind_to(const Endpoint& endpoint,
                                                                const Address& address);
  void start_next_candidate(SocketId socket);
  void finish_connect(SocketId socket, Sink& sink);
  void accept_resolutions();
  void fail(SocketId socket, const char* operation, int error_number) noexcept;
  static void time_receives(Slot& slot, ReceiveTimestamps asked_for) noexcept;
  [[nodiscard]] IoResult failed_io(SocketId socket, Slot& slot, const char* operation) noexcept;
  void arm_writable(SocketId socket, Slot& slot, bool armed) noexcept;
  [[nodiscard]] static std::uint32_t interest_of(const Slot& slot) noexcept;
  [[nodiscard]] static bool is_in_set(const Slot& slot) noexcept {
    return !slot.unwatched || slot.unread || slot.writable_armed;
  }
  void change(SocketId socket, Slot& slot, bool Slot::* flag, bool value) noexcept;

  // Polls before it sleeps, if that pays. Returns the number of `ready`, or -1 with errno.
  [[nodiscard]] int wait_for_kernel(std::span<epoll_event> ready,
                                    std::optional<std::chrono::nanoseconds> timeout) noexcept;
  [[nodiscard]] static int wakes_in(std::span<const epoll_event> found) noexcept;
  [[nodiscard]] int poll_kernel(std::span<epoll_event> ready,
                                std::optional<std::chrono::nanoseconds> timeout) const noexcept;
  void on_wakeup() noexcept;
  void read_unanswered(Sink& sink) noexcept;
  void on_ready(const epoll_event& ready, Sink& sink) noexcept;
  void accept_some(SocketId listener, Sink& sink) noexcept;
  [[nodiscard]] bool adopt(SocketId listener, Descriptor connection, const Address& peer,
                           Sink& sink) noexcept;
  [[nodiscard]] bool refuse_one(SocketId listener) noexcept;
  void pause_listener(SocketId listener) noexcept;
  void resume_listeners() noexcept;
  void rest() noexcept;
  void report_broken(Sink& sink) noexcept;
  void start_draining(SocketId socket) noexcept;
  void drain(SocketId socket) noexcept;

  Descriptor epoll_;
  Descriptor unanswered_;  // an epoll set within epoll_
  Descriptor reserve_;  // closed to accept and close a connection when there is no other descriptor
  std::shared_ptr<const Wakeup> wakeup_;
  std::unique_ptr<Resolver> resolver_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;  // capacity kept at slots_.size(): freeing does not allocate
  std::vector<SocketId> broken_;     // capacity as free_
  std::vector<SocketId> draining_;   // capacity as free_; oldest first
  Descriptor rest_timer_;
  Accept accept_ = ::accept4;
  BusyPoll busy_poll_;
  BusyPoll wake_poll_;         // for the wait after expect_wake()
  bool expects_wake_ = false;  // in the next wait
  bool is_resting_ = false;    // until the timer expires
  std::size_t paused_listeners_ = 0;
  std::size_t questions_open_ = 0;  // names that the resolver has not answered
  std::uint64_t refused_ = 0;
};

}  // namespace nexusfix::transport
