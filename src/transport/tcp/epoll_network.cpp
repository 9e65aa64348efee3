#include "transport/tcp/epoll_network.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <new>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <utility>

#include <nexusfix/base/clock.hpp>

#include "transport/tcp/socket_calls.hpp"

namespace nexusfix::transport {
namespace {

// Events taken from the kernel at once. The next call takes more.
constexpr std::size_t kBatchMax = 256;
// Accepted connections on which nothing was sent yet: at most this number of them is read in one
// wait(), so that thousands of them do not delay the sessions.
constexpr std::size_t kUnansweredPerWait = 32;
// Closed sockets whose last bytes the peer has not acknowledged yet. A peer that never closes its
// end holds one of these; the oldest is closed for a new one.
constexpr std::size_t kDrainingMax = 64;
constexpr std::size_t kDiscardedMax = 16U << 20U;  // more than a peer's send buffer holds
// A slot's generation starts with 1, so no socket has these ids.
constexpr std::uint64_t kWakeupId = 0;
constexpr std::uint64_t kRestId = 1;
constexpr std::uint64_t kUnansweredId = 2;
constexpr std::size_t kSlotsAtFirst = 64;
// The interval after which a listener that is paused for lack of descriptors or memory is tried
// again: other threads may have freed some, without a notification.
constexpr std::chrono::milliseconds kRest{100};
constexpr std::chrono::nanoseconds kForever = std::chrono::nanoseconds::max();

}  // namespace

bool EpollNetwork::watch_always(int descriptor, std::uint64_t id) noexcept {
  epoll_event interest{};
  interest.events = EPOLLIN;
  interest.data.u64 = id;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &interest) == 0;
}

std::expected<std::unique_ptr<EpollNetwork>, NetworkError> EpollNetwork::make(
    Lookup lookup, std::chrono::nanoseconds busy_poll) {
  std::unique_ptr<EpollNetwork> network{new EpollNetwork{busy_poll}};
  network->epoll_ = Descriptor{::epoll_create1(EPOLL_CLOEXEC)};
  network->unanswered_ = Descriptor{::epoll_create1(EPOLL_CLOEXEC)};
  if (!network->epoll_ || !network->unanswered_) {
    return std::unexpected{error_now("epoll_create1", {})};
  }
  auto wakeup = std::make_shared<Wakeup>();
  wakeup->descriptor = Descriptor{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!wakeup->descriptor) return std::unexpected{error_now("eventfd", {})};
  network->reserve_ = open_reserve();
  if (!network->reserve_) return std::unexpected{error_now("open", "/dev/null")};
  if (!network->watch_always(wakeup->descriptor.get(), kWakeupId) ||
      !network->watch_always(network->unanswered_.get(), kUnansweredId)) {
    return std::unexpected{error_now("epoll_ctl", {})};
  }
  network->rest_timer_ = Descriptor{::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)};
  if (!network->rest_timer_) return std::unexpected{error_now("timerfd_create", {})};
  if (!network->watch_always(network->rest_timer_.get(), kRestId)) {
    return std::unexpected{error_now("epoll_ctl", {})};
  }
  network->wakeup_ = wakeup;
  network->resolver_ =
      std::make_unique<Resolver>(std::move(lookup), [wakeup] { wakeup->signal(); });
  return network;
}

EpollNetwork::~EpollNetwork() {
  for (std::size_t index = 0; index < slots_.size(); ++index) {
    close(make_id(slots_[index].generation, index));
  }
}

EpollNetwork::Slot* EpollNetwork::find_any(SocketId socket) noexcept {
  const std::size_t index = index_of(socket);
  if (index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  return slot.generation == generation_of(socket) && slot.state != State::Free ? &slot : nullptr;
}

EpollNetwork::Slot* EpollNetwork::find(SocketId socket) noexcept {
  Slot* slot = find_any(socket);
  return slot != nullptr && slot->state != State::Draining ? slot : nullptr;
}

const EpollNetwork::Slot* EpollNetwork::find(SocketId socket) const noexcept {
  return const_cast<EpollNetwork*>(this)->find(socket);
}

SocketId EpollNetwork::add_slot() {
  if (free_.empty()) {
    // All that can throw comes first: the slot is added completely or not at all.
    if (slots_.size() == slots_.capacity()) {
      const std::size_t capacity = std::max(kSlotsAtFirst, 2 * slots_.size());
      free_.reserve(capacity);
      broken_.reserve(capacity);
      draining_.reserve(capacity);
      slots_.reserve(capacity);
    }
    slots_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::size_t index = free_.back();
  free_.pop_back();
  ++slots_[index].generation;
  return make_id(slots_[index].generation, index);
}

void EpollNetwork::free_slot(SocketId socket) noexcept {
  const std::size_t index = index_of(socket);
  Slot& slot = slots_[index];
  if (slot.paused) --paused_listeners_;
  // close() takes the descriptor out of the epoll set, because there is no copy of it.
  const std::uint32_t generation = slot.generation;
  slot = Slot{};
  slot.generation = generation;
  // A slot whose generations are used up is not used again: an id is never assigned twice.
  if (generation != UINT32_MAX) free_.push_back(static_cast<std::uint32_t>(index));
}

bool EpollNetwork::watch(int operation, SocketId socket, std::uint32_t interest) noexcept {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = socket;
  const Slot& slot = slots_[index_of(socket)];
  return ::epoll_ctl(set_of(slot).get(), operation, slot.descriptor.get(), &event) == 0;
}

// Without memory it stays in its set.
void EpollNetwork::make_known(SocketId socket, Slot& slot) noexcept {
  slot.is_unanswered = false;
  if (watch(EPOLL_CTL_ADD, socket, interest_of(slot))) {
    static_cast<void>(
        ::epoll_ctl(unanswered_.get(), EPOLL_CTL_DEL, slot.descriptor.get(), nullptr));
  } else {
    slot.is_unanswered = true;
  }
}

// From now on wait() returns Failed for it, until close().
void EpollNetwork::fail(SocketId socket, const char* operation, int error_number) noexcept {
  Slot& slot = slots_[index_of(socket)];
  slot.state = State::Broken;
  slot.operation = operation;
  slot.error_number = error_number;
  slot.descriptor.reset();
  broken_.push_back(socket);
  wakeup_->signal();  // descriptor() must become readable
}

std::uint16_t EpollNetwork::local_port(SocketId socket) const {
  const Slot* slot = find(socket);
  if (slot == nullptr || !slot->descriptor) return 0;
  return local_address(slot->descriptor.get()).port();
}

std::string EpollNetwork::peer_name(SocketId socket) const {
  const Slot* slot = find(socket);
  if (slot == nullptr) return {};
  return slot->attempt ? to_string(slot->attempt->endpoint) : slot->peer.to_string();
}

std::string EpollNetwork::last_error(SocketId socket) const {
  const Slot* slot = find(socket);
  if (slot == nullptr || *slot->operation == '\0') return {};
  if (slot->error_text.empty()) {
    return explain(slot->operation, peer_name(socket), slot->error_number);
  }
  return std::string{slot->operation} + " " + peer_name(socket) + ": " + slot->error_text;
}

IoResult EpollNetwork::failed_io(SocketId socket, Slot& slot, const char* operation) noexcept {
  const int error_number = slot.error_number;
  const bool reported_before = *slot.operation != '\0';  // by send()
  fail(socket, reported_before ? slot.operation : operation, error_number);
  return {IoResult::Status::Failed, 0, error_number};
}

IoResult EpollNetwork::receive(SocketId socket, std::span<char> buffer) noexcept {
  Slot* slot = find(socket);
  if (slot == nullptr) return {IoResult::Status::Failed, 0, EBADF};
  if (slot->state == State::Broken) return {IoResult::Status::Failed, 0, slot->error_number};
  if (slot->state != State::Open) return {IoResult::Status::WouldBlock, 0, 0};
  if (buffer.empty()) return {IoResult::Status::Ok, 0, 0};
  ssize_t count = 0;
  do {
    count = slot->timed ? slot->timed->receive(slot->descriptor.get(), buffer)
                        : ::recv(slot->descriptor.get(), buffer.data(), buffer.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) return {IoResult::Status::Ok, static_cast<std::size_t>(count), 0};
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return {IoResult::Status::WouldBlock, 0, 0};
  // After a failed send() the end of the bytes is not a close: send() has consumed the error.
  if (count == 0 && slot->error_number == 0) return {IoResult::Status::Closed, 0, 0};
  if (slot->error_number == 0) slot->error_number = errno;
  return failed_io(socket, *slot, "receive from");
}

ReceiveTime EpollNetwork::receive_time(SocketId socket) const noexcept {
  const Slot* const slot = find(socket);
  return slot != nullptr && slot->timed ? slot->timed->last() : ReceiveTime{};
}

// Without memory the times are not known.
void EpollNetwork::time_receives(Slot& slot, ReceiveTimestamps asked_for) noexcept {
  if (asked_for == ReceiveTimestamps::None) return;
  slot.timed.reset(new (std::nothrow) TimedReceives{asked_for});
}

IoResult EpollNetwork::send(SocketId socket, std::span<const char> bytes) noexcept {
  Slot* slot = find(socket);
  if (slot == nullptr) return {IoResult::Status::Failed, 0, EBADF};
  if (slot->state == State::Broken) return {IoResult::Status::Failed, 0, slot->error_number};
  if (slot->state != State::Open) return {IoResult::Status::WouldBlock, 0, 0};
  if (slot->error_number != 0) return {IoResult::Status::Failed, 0, slot->error_number};
  if (slot->is_unanswered) [[unlikely]]
    make_known(socket, *slot);
  ssize_t count = 0;
  if (!bytes.empty()) {
    do {
      count = ::send(slot->descriptor.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    } while (count < 0 && errno == EINTR);
  }
  if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
    // Not Broken yet: what the peer sent before it failed (perhaps a Logout with its reason) can
    // still be received, and receive() returns this error after it.
    slot->error_number = errno;
    slot->operation = "send to";
    arm_writable(socket, *slot, false);
    return {IoResult::Status::Failed, 0, slot->error_number};
  }
  const std::size_t taken = count < 0 ? 0 : static_cast<std::size_t>(count);
  arm_writable(socket, *slot, taken < bytes.size());
  if (count < 0) return {IoResult::Status::WouldBlock, 0, 0};
  return {IoResult::Status::Ok, taken, 0};
}

void EpollNetwork::arm_writable(SocketId socket, Slot& slot, bool armed) noexcept {
  if (slot.writable_armed != armed) change(socket, slot, &Slot::writable_armed, armed);
}

// A connection that cannot be put back into the set fails: there is no memory, or the user has too
// many watches.
void EpollNetwork::change(SocketId socket, Slot& slot, bool Slot::* flag, bool value) noexcept {
  const bool was_in_set = is_in_set(slot);
  slot.*flag = value;
  if (!was_in_set) {
    if (!watch(EPOLL_CTL_ADD, socket, interest_of(slot))) fail(socket, "watch", errno);
  } else if (!watch(is_in_set(slot) ? EPOLL_CTL_MOD : EPOLL_CTL_DEL, socket, interest_of(slot))) {
    slot.*flag = !value;
  }
}

// The kernel reports EPOLLERR and EPOLLHUP always.
std::uint32_t EpollNetwork::interest_of(const Slot& slot) noexcept {
  std::uint32_t interest = 0;
  if (!slot.unread) interest |= EPOLLIN;
  if (slot.writable_armed) interest |= EPOLLOUT;
  return interest;
}

void EpollNetwork::pause(SocketId socket, bool paused) noexcept {
  Slot* const slot = find(socket);
  if (slot == nullptr || slot->state != State::Open || slot->unread == paused) return;
  change(socket, *slot, &Slot::unread, paused);
}

// For a connection in the set, the kernel calls epoll with each packet, before a receive() can see
// its bytes.
void EpollNetwork::unwatch(SocketId socket, bool unwatched) noexcept {
  Slot* const slot = find(socket);
  if (slot == nullptr || slot->state != State::Open || slot->is_unanswered ||
      slot->unwatched == unwatched) {
    return;
  }
  change(socket, *slot, &Slot::unwatched, unwatched);
}

void EpollNetwork::close(SocketId socket) noexcept {
  Slot* slot = find(socket);
  if (slot == nullptr) return;
  if (slot->state == State::Broken) std::erase(broken_, socket);
  if (const SocketId twin = std::exchange(slot->twin, 0); twin != 0) close(twin);
  if (slot->state == State::Open && slot->error_number == 0 &&
      unacknowledged_bytes(slot->descriptor.get()) > 0) {
    start_draining(socket);
  } else {
    free_slot(socket);
  }
  if (paused_listeners_ > 0) resume_listeners();
}

// close() with unread bytes makes the kernel send a reset and drop what it still had to send,
// perhaps a Logout with the reason. So we shut down our side, and discard what comes in until the
// peer has closed, too, or has sent kDiscardedMax bytes.
void EpollNetwork::start_draining(SocketId socket) noexcept {
  if (draining_.size() == kDrainingMax) {
    free_slot(draining_.front());
    draining_.erase(draining_.begin());
  }
  Slot& slot = slots_[index_of(socket)];
  slot.state = State::Draining;
  slot.discarded = 0;
  draining_.push_back(socket);
  static_cast<void>(::shutdown(slot.descriptor.get(), SHUT_WR));
  if (!is_in_set(slot)) {
    // If this fails, it stays until it is the oldest of kDrainingMax.
    static_cast<void>(watch(EPOLL_CTL_ADD, socket, EPOLLIN));
  } else if (slot.writable_armed || slot.unread) {
    static_cast<void>(watch(EPOLL_CTL_MOD, socket, EPOLLIN));
  }
  drain(socket);
}

void EpollNetwork::drain(SocketId socket) noexcept {
  constexpr std::size_t kDiscardBytes = 1U << 20U;
  Slot& slot = slots_[index_of(socket)];
  // MSG_TRUNC on a TCP socket discards without copying.
  const ssize_t count = ::recv(slot.descriptor.get(), nullptr, kDiscardBytes, MSG_TRUNC);
  if (count > 0) slot.discarded += static_cast<std::size_t>(count);
  if (count > 0 && slot.discarded < kDiscardedMax) return;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  std::erase(draining_, socket);
  free_slot(socket);
  if (paused_listeners_ > 0) resume_listeners();
}

std::size_t EpollNetwork::wait(std::span<Ready> events,
                               std::optional<std::chrono::nanoseconds> timeout) noexcept {
  if (events.empty()) return 0;
  Sink sink{events};
  report_broken(sink);
  if (sink.full()) return sink.count;
  if (sink.count > 0) timeout = std::chrono::nanoseconds::zero();
  if (paused_listeners_ > 0 && !is_resting_) [[unlikely]] {
    resume_listeners();
    if (paused_listeners_ > 0)
      timeout = std::min<std::chrono::nanoseconds>(kRest, timeout.value_or(kRest));
  }
  std::array<epoll_event, kBatchMax> ready;
  const std::size_t room = std::min(ready.size(), events.size() - sink.count);
  const int count = wait_for_kernel(std::span{ready}.first(room), timeout);
  for (int i = 0; i < count && !sink.full(); ++i) {
    on_ready(ready[static_cast<std::size_t>(i)], sink);
  }
  // A connect that failed just now is reported before the next call.
  if (sink.count == 0) report_broken(sink);
  return sink.count;
}

void EpollNetwork::report_broken(Sink& sink) noexcept {
  for (std::size_t i = 0; i < broken_.size() && !sink.full(); ++i) {
    sink.put({Ready::Kind::Failed, broken_[i], 0});
  }
}

// An event that wakes the thread is found by polling as well: none is lost between the two.
int EpollNetwork::wait_for_kernel(std::span<epoll_event> ready,
                                  std::optional<std::chrono::nanoseconds> timeout) noexcept {
  SystemClock clock;
  constexpr std::chrono::nanoseconds kNow{0};
  const bool expects_wake = std::exchange(expects_wake_, false);
  if (!busy_poll_.is_enabled() || (timeout && *timeout <= kNow)) return poll_kernel(ready, timeout);
  BusyPoll& busy_poll = expects_wake ? wake_poll_ : busy_poll_;
  const MonoTime begin = clock.now().mono;
  std::chrono::nanoseconds took = kNow;
  const std::chrono::nanoseconds time_max = std::min(busy_poll.begin(), timeout.value_or(kForever));
  int count = 0;
  while (count == 0 && took < time_max) {
    count = poll_kernel(ready, kNow);
    took = clock.now().mono - begin;
  }
  if (count == 0) {
    if (timeout) timeout = std::max(*timeout - took, kNow);
    count = poll_kernel(ready, timeout);
    took = clock.now().mono - begin;
  }
  const auto found = ready.first(static_cast<std::size_t>(std::max(count, 0)));
  busy_poll.end(took, expects_wake ? wakes_in(found) : count);
  return count;
}

// A wait that expects a wake counts only that: messages of counterparties would end it soon
// while a store that is down confirms nothing, and the thread would poll all the time.
int EpollNetwork::wakes_in(std::span<const epoll_event> found) noexcept {
  return static_cast<int>(
      std::ranges::count(found, kWakeupId, [](const epoll_event& one) { return one.data.u64; }));
}

int EpollNetwork::poll_kernel(std::span<epoll_event> ready,
                              std::optional<std::chrono::nanoseconds> timeout) const noexcept {
  const int room = static_cast<int>(ready.size());
  if (!timeout) return ::epoll_wait(epoll_.get(), ready.data(), room, -1);
  if (*timeout <= std::chrono::nanoseconds::zero()) {
    return ::epoll_wait(epoll_.get(), ready.data(), room, 0);
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*timeout);
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds.count());
  limit.tv_nsec = static_cast<long>((*timeout - seconds).count());
  const int count = ::epoll_pwait2(epoll_.get(), ready.data(), room, &limit, nullptr);
  if (count >= 0 || errno != ENOSYS) return count;
  // A kernel before 5.11 counts milliseconds. They are rounded up: a late timer is better than a
  // loop that spins.
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(*timeout).count();
  return ::epoll_wait(epoll_.get(), ready.data(), room,
                      static_cast<int>(std::min<std::int64_t>(ms, INT_MAX)));
}

void EpollNetwork::on_wakeup() noexcept {
  // descriptor() must stay readable while there are errors to report.
  if (broken_.empty()) {
    std::uint64_t counter = 0;
    [[maybe_unused]] const ssize_t count =
        ::read(wakeup_->descriptor.get(), &counter, sizeof counter);
  }
  if (questions_open_ > 0) accept_resolutions();
}

// A connection that was not read now is among the first of the next call.
void EpollNetwork::read_unanswered(Sink& sink) noexcept {
  std::array<epoll_event, kUnansweredPerWait> ready;
  const std::size_t room = std::min(ready.size(), sink.events.size() - sink.count);
  const int count = ::epoll_wait(unanswered_.get(), ready.data(), static_cast<int>(room), 0);
  for (int i = 0; i < count && !sink.full(); ++i) {
    on_ready(ready[static_cast<std::size_t>(i)], sink);
  }
}

void EpollNetwork::on_ready(const epoll_event& ready, Sink& sink) noexcept {
  const SocketId socket = ready.data.u64;
  if (socket == kWakeupId) return on_wakeup();
  if (socket == kRestId) {
    std::uint64_t times = 0;
    [[maybe_unused]] const ssize_t count = ::read(rest_timer_.get(), &times, sizeof times);
    is_resting_ = false;
    return resume_listeners();
  }
  if (socket == kUnansweredId) return read_unanswered(sink);
  Slot* slot = find_any(socket);
  if (slot == nullptr) return;
  switch (slot->state) {
    case State::Listening:
      return accept_some(socket, sink);
    case State::Connecting:
      return finish_connect(socket, sink);
    case State::Draining:
      return drain(socket);
    case State::Open:
      break;
    case State::Free:
    case State::Resolving:
    case State::Broken:
      return;
  }
  if ((ready.events & EPOLLOUT) != 0) {
    sink.put({Ready::Kind::Writable, socket, 0});
  }
  // An error or a reset is Readable, too: receive() returns the bytes that came before it, and then
  // the error.
  if ((ready.events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0 && !sink.full()) {
    sink.put({Ready::Kind::Readable, socket, 0});
  }
}

// Pauses: a call that comes at once would get the same error.
void EpollNetwork::rest() noexcept {
  itimerspec once{};
  once.it_value.tv_nsec = std::chrono::nanoseconds{kRest}.count();
  is_resting_ = ::timerfd_settime(rest_timer_.get(), 0, &once, nullptr) == 0;
}

std::expected<std::unique_ptr<Network>, NetworkError> make_epoll_network(
    std::chrono::nanoseconds busy_poll) {
  return EpollNetwork::make(resolve_blocking, busy_poll);
}

}  // namespace nexusfix::transport
