// The cost of an order after Logon, apart from memory (allocation_test.cpp): no system calls except
// wait, receive and send, no lock, and one clock reading per batch.
#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mutex>
#include <netinet/in.h>
#include <new>
#include <optional>
#include <ostream>
#include <pthread.h>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/wire/frame.hpp>

#include "control/api/counters.hpp"
#include "support/network/counting_network.hpp"
#include "support/sanitized.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace {

// The lock counter of the event loop's thread while orders are watched; null otherwise.
thread_local std::atomic<std::uint64_t>* locks = nullptr;

[[maybe_unused]] void count_lock() noexcept {
  if (locks != nullptr) locks->fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// Sanitizers replace these functions themselves.
#if !NEXUSFIX_IS_SANITIZED
namespace {

template <class Function>
Function* next_of(const char* name) noexcept {
  // Valid: POSIX requires that a dlsym() pointer can be a function pointer.
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = next_of<int(pthread_mutex_t*)>("pthread_mutex_lock");
  count_lock();
  return next(mutex);
}
extern "C" int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = next_of<int(pthread_mutex_t*)>("pthread_mutex_trylock");
  count_lock();
  return next(mutex);
}
extern "C" int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  static auto* const next = next_of<int(pthread_rwlock_t*)>("pthread_rwlock_rdlock");
  count_lock();
  return next(lock);
}
extern "C" int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  static auto* const next = next_of<int(pthread_rwlock_t*)>("pthread_rwlock_wrlock");
  count_lock();
  return next(lock);
}
extern "C" int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  static auto* const next = next_of<int(pthread_spinlock_t*)>("pthread_spin_lock");
  count_lock();
  return next(lock);
}
#endif

namespace nexusfix::testing {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kMachine = 0;
#endif

class CountingClock final : public Clock {
 public:
  CountingClock(std::atomic<std::uint64_t>& readings, Clock& clock)
      : readings_{&readings}, clock_{&clock} {}
  [[nodiscard]] Now now() noexcept override {
    readings_->fetch_add(1, std::memory_order_relaxed);
    return clock_->now();
  }

 private:
  std::atomic<std::uint64_t>* readings_;
  Clock* clock_;
};

// Memory shared by the test and the process of the engine.
struct Shared {
  std::atomic<std::uint16_t> port{0};
  std::atomic<bool> is_to_be_watched{false};
  std::atomic<bool> is_watched{false};
  std::atomic<int> filter_error{0};
  std::atomic<long> trapped{-1};
  std::atomic<std::uint64_t> locks{0};
  std::atomic<std::uint64_t> readings{0};
  NetworkCounts network;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

Shared* seen_by_handler = nullptr;

// Records the call and exits: without the result of the call the process cannot continue.
void record_trapped(int, siginfo_t* info, void*) {
  seen_by_handler->trapped.store(info->si_syscall, std::memory_order_release);
  ::_exit(3);
}

std::vector<long> calls_allowed(bool is_clock_a_call) {
  std::vector<long> calls{SYS_recvfrom, SYS_sendto, SYS_epoll_pwait, SYS_epoll_pwait2,
                          SYS_exit_group};
#ifdef SYS_epoll_wait
  calls.push_back(SYS_epoll_wait);
#endif
  if (is_clock_a_call) calls.push_back(SYS_clock_gettime);
  return calls;
}

// From now on the calling thread may make only these system calls.
bool refuse_all_but(const std::vector<long>& calls) {
  std::vector<sock_filter> program;
  const auto load = [&](std::size_t offset) {
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  };
  const auto answer = [&](std::uint32_t what) {
    program.push_back(BPF_STMT(BPF_RET | BPF_K, what));
  };
  load(offsetof(seccomp_data, arch));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0));
  answer(SECCOMP_RET_TRAP);
  load(offsetof(seccomp_data, nr));
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    answer(SECCOMP_RET_ALLOW);
  }
  answer(SECCOMP_RET_TRAP);
  const sock_fprog whole{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &whole) == 0;
}

// Runs in a separate process. 0: it can be watched; 1: there is no seccomp; 3: the clock traps.
int probe(bool is_clock_a_call) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (!refuse_all_but(calls_allowed(is_clock_a_call))) ::_exit(1);
    static_cast<void>(SystemClock{}.now());
    ::_exit(0);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

std::string name_of(long call) {
  struct Name {
    long number;
    const char* text;
  };
  constexpr std::array kNames{
      Name{SYS_futex, "futex"},         Name{SYS_read, "read"},
      Name{SYS_write, "write"},         Name{SYS_getpid, "getpid"},
      Name{SYS_mmap, "mmap"},           Name{SYS_munmap, "munmap"},
      Name{SYS_madvise, "madvise"},     Name{SYS_brk, "brk"},
      Name{SYS_fsync, "fsync"},         Name{SYS_fdatasync, "fdatasync"},
      Name{SYS_pwrite64, "pwrite64"},   Name{SYS_msync, "msync"},
      Name{SYS_epoll_ctl, "epoll_ctl"}, Name{SYS_clock_gettime, "clock_gettime"},
      Name{SYS_statfs, "statfs"},       Name{SYS_fstatfs, "fstatfs"},
      Name{SYS_ioctl, "ioctl"},         Name{SYS_close, "close"},
      Name{SYS_openat, "openat"},       Name{SYS_sched_yield, "sched_yield"}};
  for (const Name& one : kNames) {
    if (one.number == call) return one.text;
  }
  return "the one with number " + std::to_string(call);
}

enum class Fault { None, SystemCall, Lock };

// Answers each order, and makes a forbidden call if fault says so.
struct WatchedVenue {
  Fault fault;
  Shared* shared;
  std::mutex mutex{};

  MessageReply on_message(Session& session, const MessageView& message) {
    EchoVenue::answer(session, std::string{message[11].value_or("")});
    if (!shared->is_watched.load(std::memory_order_relaxed)) return accept();
    if (fault == Fault::SystemCall) static_cast<void>(::getpid());
    if (fault == Fault::Lock) const std::lock_guard lock{mutex};
    return accept();
  }
};

// How the event loop waits for input, and whether messages are logged.
struct Way {
  const char* name;
  bool spins;
  bool logs;
  friend std::ostream& operator<<(std::ostream& to, const Way& way) { return to << way.name; }
};

class Trader {
 public:
  explicit Trader(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    const timeval limit{.tv_sec = 30, .tv_usec = 0};
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  ~Trader() { ::close(socket_); }
  Trader(const Trader&) = delete;
  Trader& operator=(const Trader&) = delete;

  // The next whole message; empty if none arrives.
  std::string ask(std::string_view message) {
    const auto sent = ::send(socket_, message.data(), message.size(), MSG_NOSIGNAL);
    if (sent != static_cast<ssize_t>(message.size())) return {};
    while (true) {
      wire::Framer framer{received_};
      if (const auto frame = framer.next()) {
        std::string found{*frame};
        received_ = std::string{framer.rest()};
        return found;
      }
      std::array<char, 4'096> buffer;
      const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (count <= 0) return {};
      received_.append(buffer.data(), static_cast<std::size_t>(count));
    }
  }

 private:
  int socket_;
  std::string received_;
};

class LivePathTest : public ::testing::TestWithParam<Way> {
 protected:
  static constexpr std::uint64_t kWarmUpOrders = 200;
  static constexpr std::uint64_t kOrders = 1'000;

  void SetUp() override {
    static_cast<void>(SystemClock{}.now());  // The first call detects which clock the kernel has.
    if (kIsSanitized) GTEST_SKIP() << "a sanitizer calls the system itself";
    if (kMachine == 0 || probe(true) == 1) GTEST_SKIP() << "this machine has no seccomp";
    ASSERT_EQ(probe(true), 0);
    is_clock_a_call_ = probe(false) != 0;
    void* const memory =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared = new (memory) Shared;
  }
  void TearDown() override {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
    if (shared != nullptr) ::munmap(shared, sizeof(Shared));
  }

  // A separate process serves: the thread of its loop is watched, not this one.
  void serve(const Way& way, Fault fault = Fault::None) {
    child_ = ::fork();
    ASSERT_GE(child_, 0);
    if (child_ == 0) serve_until_killed(way, fault);
    ASSERT_TRUE(comes([&] { return shared->port.load(std::memory_order_acquire) != 0; }));
    trader.emplace(shared->port.load());
    ASSERT_NE(trader->ask(message("A", "98=0|108=30|")), "");
    trade(kWarmUpOrders);
    shared->is_to_be_watched.store(true, std::memory_order_release);
    trade(1);  // A sleeping loop checks the flag only after it wakes.
    ASSERT_TRUE(comes([&] {
      return shared->is_watched.load(std::memory_order_acquire) || shared->filter_error.load() != 0;
    }));
    ASSERT_EQ(shared->filter_error.load(), 0);
  }
  void trade(std::uint64_t orders) {
    for (std::uint64_t i = 0; i < orders; ++i) {
      const std::string id = std::to_string(++ordered_);
      const std::string answer = trader->ask(
          message("D", "11=" + id + "|55=AAPL|54=1|60=" + time_text() + "|38=100|40=2|44=10.5|"));
      if (shared->trapped.load(std::memory_order_acquire) >= 0) return;
      ASSERT_TRUE(contains(answer, "|11=" + id + "|")) << bar(answer);
    }
  }
  [[nodiscard]] std::string trapped() const {
    const long call = shared->trapped.load(std::memory_order_acquire);
    return call < 0 ? "none" : name_of(call);
  }

  Shared* shared = nullptr;
  std::optional<Trader> trader;

 private:
  template <class Condition>
  static bool comes(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes{5};
    while (!condition()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      ::sched_yield();
    }
    return true;
  }
  [[nodiscard]] static std::string time_text() {
    char text[wire::kUtcTimestampBytesMax];
    const std::size_t size =
        wire::from_utc_timestamp(SystemClock{}.now().wall, wire::TimePrecision::Millis, text);
    return {text, size};
  }
  [[nodiscard]] std::string message(std::string_view msg_type, std::string_view body) {
    return fix("FIX.4.4", "35=" + std::string{msg_type} +
                              "|49=TRADER|56=VENUE|34=" + std::to_string(++number_) +
                              "|52=" + time_text() + "|" + std::string{body});
  }
  [[noreturn]] void serve_until_killed(const Way& way, Fault fault) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    SystemClock system;
    CountingClock clock{shared->readings, system};
    CountingNetwork network{shared->network};
    RecordingLog log;
    WatchedVenue venue{.fault = fault, .shared = shared};
    EngineOptions options;
    options.clock = &clock;
    options.network = &network;
    options.log = &log;
    options.busy_spin = way.spins;
    auto settings = config::parse_settings(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "NonStopSession=Y\nJournalDurability=process\nFileStorePath=" +
            folder_.path() + "/store\n" +
            (way.logs ? "FileLogPath=" + folder_.path() + "/log\nLogMaxBytes=1000000\n" : "") +
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n",
        "venue.cfg");
    if (!settings) ::_exit(4);
    settings->segment_bytes = 8 * kSegmentBytes;
    auto opened = Engine::open(std::move(*settings), venue, options);
    if (!opened) ::_exit(5);
    shared->port.store(opened->accept_port(), std::memory_order_release);
    const std::chrono::nanoseconds timeout =
        way.spins ? std::chrono::nanoseconds{0} : std::chrono::seconds{1};
    while (opened->poll(timeout)) {
      const bool is_wanted = shared->is_to_be_watched.load(std::memory_order_acquire);
      if (is_wanted && !shared->is_watched.load(std::memory_order_relaxed)) watch();
    }
    ::_exit(6);
  }
  void watch() {
    seen_by_handler = shared;
    struct sigaction action{};
    action.sa_sigaction = record_trapped;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSYS, &action, nullptr);
    locks = &shared->locks;
    if (refuse_all_but(calls_allowed(is_clock_a_call_))) {
      shared->is_watched.store(true, std::memory_order_release);
    } else {
      shared->filter_error.store(errno, std::memory_order_release);
    }
  }

  TemporaryFolder folder_;
  pid_t child_ = 0;
  bool is_clock_a_call_ = false;
  std::uint64_t number_ = 0;
  std::uint64_t ordered_ = 0;
};

TEST_P(LivePathTest, order_only_waits_receives_and_sends_and_takes_no_lock) {
  ASSERT_NO_FATAL_FAILURE(serve(GetParam()));
  trade(kOrders);
  EXPECT_EQ(trapped(), "none");
  EXPECT_EQ(shared->locks.load(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Ways, LivePathTest,
                         ::testing::Values(Way{"spinning", true, false},
                                           Way{"spinning_with_logs", true, true},
                                           Way{"blocking", false, false},
                                           Way{"blocking_with_logs", false, true}),
                         [](const auto& way) { return std::string{way.param.name}; });

using LivePathCountsTest = LivePathTest;

// The turn that answers an order may still run when its answer arrives: one count more or less at
// each end.
TEST_P(LivePathCountsTest, order_in_a_sleeping_loop_costs_one_wait_one_receive_and_one_send) {
  ASSERT_NO_FATAL_FAILURE(serve(GetParam()));
  const NetworkCounts& counts = shared->network;
  const std::uint64_t waits = counts.waits.load() - counts.idle_waits.load();
  const std::uint64_t receives = counts.receives.load();
  const std::uint64_t sends = counts.sends.load();
  const std::uint64_t readings = shared->readings.load();
  trade(kOrders);
  EXPECT_EQ(trapped(), "none");
  const std::uint64_t waited = counts.waits.load() - counts.idle_waits.load() - waits;
  EXPECT_NEAR(static_cast<double>(waited), kOrders, 1);
  EXPECT_EQ(counts.receives.load() - receives, kOrders);
  EXPECT_EQ(counts.sends.load() - sends, kOrders);
  // One reading for the batch, and one to compute how long the loop may sleep after it; two for an
  // order whose latency is measured. On a busy machine the loop measures who costs it time, with
  // two more for an event. ClockReadingTest has the exact numbers.
  const std::uint64_t turns = kOrders + 2 + counts.idle_waits.load();
  const std::uint64_t timed = kOrders / engine::LatencyMeter::kTimedEvery + 1;
  EXPECT_LE(shared->readings.load() - readings, 4 * turns + 2 * timed);
}

INSTANTIATE_TEST_SUITE_P(Ways, LivePathCountsTest, ::testing::Values(Way{"blocking", false, false}),
                         [](const auto& way) { return std::string{way.param.name}; });

using LivePathSpinTest = LivePathTest;

TEST_P(LivePathSpinTest, order_in_a_spinning_loop_costs_one_receive_of_bytes_and_one_send) {
  ASSERT_NO_FATAL_FAILURE(serve(GetParam()));
  const NetworkCounts& counts = shared->network;
  const std::uint64_t receives = counts.receives_of_bytes.load();
  const std::uint64_t sends = counts.sends.load();
  trade(kOrders);
  EXPECT_EQ(trapped(), "none");
  EXPECT_EQ(counts.receives_of_bytes.load() - receives, kOrders);
  EXPECT_EQ(counts.sends.load() - sends, kOrders);
}

INSTANTIATE_TEST_SUITE_P(Ways, LivePathSpinTest, ::testing::Values(Way{"spinning", true, false}),
                         [](const auto& way) { return std::string{way.param.name}; });

using LivePathWatchTest = LivePathTest;

TEST_P(LivePathWatchTest, watch_detects_a_system_call_and_names_it) {
  ASSERT_NO_FATAL_FAILURE(serve(GetParam(), Fault::SystemCall));
  trade(1);
  EXPECT_EQ(trapped(), "getpid");
}

TEST_P(LivePathWatchTest, watch_detects_a_lock) {
  ASSERT_NO_FATAL_FAILURE(serve(GetParam(), Fault::Lock));
  trade(10);
  EXPECT_GE(shared->locks.load(), 10U);
}

INSTANTIATE_TEST_SUITE_P(Ways, LivePathWatchTest, ::testing::Values(Way{"blocking", false, false}),
                         [](const auto& way) { return std::string{way.param.name}; });

// One turn at a time, in this process.
class ClockReadingTest : public AcceptorTest {
 protected:
  void open_counted(bool busy_spin) {
    EngineUnderTest opening = under_test();
    opening.options.clock = &counting;
    opening.options.busy_spin = busy_spin;
    opening.open(acceptor, venue);
  }
  // The clock readings in a turn that answers ten orders received at once: without an order whose
  // latency is measured, and with one.
  struct Readings {
    std::uint64_t least = ~0ULL;
    std::uint64_t most = 0;
  };
  Readings readings_of_a_turn(std::chrono::nanoseconds timeout) {
    RawPeer& peer = log_on("TRADER");
    Readings found;
    std::uint64_t number = 1;
    for (int batch = 0; batch < 20; ++batch) {
      std::string orders;
      for (int i = 0; i < 10; ++i) {
        ++number;
        orders += order("TRADER", number, std::to_string(number));
      }
      peer.send(orders);
      while (!peer.all_sent()) peer.poll();
      while (venue.orders.size() + 1 < number) {
        const std::uint64_t before = readings;
        acceptor->poll(timeout);
        found.least = std::min(found.least, readings - before);
        found.most = std::max(found.most, readings - before);
      }
    }
    return found;
  }

  std::atomic<std::uint64_t> readings{0};
  // Time stands still: on a busy machine no turn is slow, and the loop measures nothing more.
  CountingClock counting{readings, clock};
};

TEST_F(ClockReadingTest, batch_of_orders_costs_one_clock_reading) {
  open_counted(/*busy_spin=*/false);
  const auto [least, most] = readings_of_a_turn(std::chrono::nanoseconds{0});
  EXPECT_EQ(least, 1U);
  EXPECT_EQ(most, 3U);
}

TEST_F(ClockReadingTest, spinning_loop_reads_the_clock_once_for_a_batch) {
  open_counted(/*busy_spin=*/true);
  const auto [least, most] = readings_of_a_turn(std::chrono::nanoseconds{0});
  EXPECT_EQ(least, 1U);
  EXPECT_EQ(most, 2U);
}

TEST_F(ClockReadingTest, loop_that_may_sleep_reads_the_clock_once_more) {
  open_counted(/*busy_spin=*/false);
  const auto [least, most] = readings_of_a_turn(std::chrono::milliseconds{1});
  EXPECT_EQ(least, 2U);
  EXPECT_EQ(most, 4U);
}

}  // namespace
}  // namespace nexusfix::testing
