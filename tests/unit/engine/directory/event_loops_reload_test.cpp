// A reload of the configuration file by an engine with several event loops.
#include <algorithm>
#include <fstream>
#include <future>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/directory/reload/reload_job.hpp"
#include "engine/loop/event_loop.hpp"
#include "support/disks/fake_disk.hpp"
#include "unit/engine/support/event_loops_fixture.hpp"

namespace nexusfix::testing {
namespace {

// Written by the loops while the test reads it.
class LockedLog final : public observe::EventLog {
 public:
  void write(const observe::Event& event) override {
    const std::lock_guard lock{mutex_};
    log_.write(event);
  }
  bool has(std::string_view part) {
    const std::lock_guard lock{mutex_};
    return log_.has(part);
  }
  std::string all() {
    const std::lock_guard lock{mutex_};
    return log_.all();
  }
  long count(std::string_view part) {
    const std::lock_guard lock{mutex_};
    return std::ranges::count_if(log_.lines,
                                 [&](const std::string& line) { return line.contains(part); });
  }

 private:
  std::mutex mutex_;
  RecordingLog log_;
};

class EventLoopsReloadTest : public EventLoopsTest {
 protected:
  using Names = std::set<std::string>;

  EventLoopsReloadTest() { sessions = session_text(0, "EventLoop=0\n") + session_text(1, of_one); }
  void TearDown() override {
    if (is_running_) stop_and_join();
    EventLoopsTest::TearDown();
  }
  static std::string name(int i) { return "FIX.4.4:VENUE->" + who(i); }
  void start() {
    write();
    EngineUnderTest opening = under_test_of_file(path());
    opening.options.log = &locked;
    opening.open(acceptor, loop_venue);
    acceptor->start();
    is_running_ = true;
  }
  void stop() {
    is_running_ = false;
    stop_and_join();
  }
  engine::Reloaded reload() {
    write();
    const auto done = acceptor->reload();
    EXPECT_TRUE(done.has_value()) << done.error().what();
    return done.value_or(engine::Reloaded{});
  }
  std::string reload_error() {
    write();
    const auto done = acceptor->reload();
    return done ? std::string{"reloaded"} : done.error().what();
  }
  static Names set_of(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
  }
  RawPeer& log_on_to(std::uint16_t port, int i) {
    RawPeer& peer = *peers.emplace_back(std::make_unique<RawPeer>(port));
    peer.send(logon(who(i), 1));
    EXPECT_TRUE(wait_until([&] { return peer.closed() || !peer.messages().empty(); }))
        << locked.all();
    return peer;
  }
  bool logs_on(int i) {
    RawPeer& peer = log_on_to(acceptor->accept_port(), i);
    return !peer.closed() && contains(peer.messages().front(), "|35=A|");
  }
  void expect_trading(RawPeer& peer, int i, std::uint64_t msg_seq_num) {
    const std::size_t before = peer.messages().size();
    peer.send(order(who(i), msg_seq_num, who(i)));
    EXPECT_TRUE(wait_until([&] { return peer.messages().size() > before; })) << locked.all();
  }
  // The port at 0.0.0.0 that was opened last; 0 if none was.
  std::uint16_t second_port() {
    const std::string said = "listening on 0.0.0.0 port ";
    const std::string text = locked.all();
    const auto at = text.rfind(said);
    if (at == std::string::npos) return 0;
    return static_cast<std::uint16_t>(std::stoul(text.substr(at + said.size())));
  }

  static constexpr const char* of_one = "EventLoop=1\n";
  static constexpr const char* elsewhere = "SocketAcceptAddress=0.0.0.0\n";
  PosixDisk disk_;
  LockedLog locked;
  bool is_running_ = false;
};

TEST_F(EventLoopsReloadTest, sessions_of_all_loops_are_added_and_removed_while_others_trade) {
  sessions += session_text(2, "EventLoop=0\n") + session_text(3, of_one);
  start();
  RawPeer& first = log_on_to(acceptor->accept_port(), 0);
  RawPeer& second = log_on_to(acceptor->accept_port(), 1);
  RawPeer& gone = log_on_to(acceptor->accept_port(), 2);
  RawPeer& also_gone = log_on_to(acceptor->accept_port(), 3);
  EXPECT_FALSE(logs_on(4));
  sessions = session_text(0, "EventLoop=0\n") + session_text(1, of_one) +
             session_text(4, "EventLoop=0\n") + session_text(5, of_one);
  const engine::Reloaded done = reload();
  EXPECT_EQ(set_of(done.added), (Names{name(4), name(5)}));
  EXPECT_EQ(set_of(done.removed), (Names{name(2), name(3)}));
  EXPECT_TRUE(done.changed.empty());
  EXPECT_TRUE(logs_on(4)) << locked.all();
  EXPECT_TRUE(logs_on(5)) << locked.all();
  for (RawPeer* one : {&gone, &also_gone}) {
    ASSERT_TRUE(wait_until([&] { return one->messages().size() == 2; })) << locked.all();
    EXPECT_TRUE(contains(one->messages()[1], "|35=5|"));
  }
  gone.send(from(who(2), "5", 2));
  EXPECT_TRUE(wait_until([&] { return gone.closed(); })) << locked.all();
  EXPECT_FALSE(logs_on(2));
  expect_trading(first, 0, 2);
  expect_trading(second, 1, 2);
}

TEST_F(EventLoopsReloadTest, pending_keys_of_any_loop_are_named_in_each_reload) {
  start();
  RawPeer& peer = log_on_to(acceptor->accept_port(), 1);
  sessions = session_text(0, "EventLoop=0\nMaxHeartBtInt=20\n") +
             session_text(1, "EventLoop=1\nMaxHeartBtInt=20\nMaxLatency=7\n");
  for (int i = 0; i < 3; ++i) {
    const engine::Reloaded done = reload();
    EXPECT_EQ(set_of(done.changed), (i == 0 ? Names{name(0), name(1)} : Names{}));
    ASSERT_EQ(done.pending.size(), 1U) << "the other one is not logged on: " << locked.all();
    EXPECT_EQ(done.pending[0].session, name(1));
    EXPECT_EQ(set_of(done.pending[0].keys.until_logon), Names{"MaxHeartBtInt"});
    EXPECT_EQ(locked.count("take effect at the next Logon: MaxHeartBtInt"), i + 1);
  }
  peer.send(from(who(1), "5", 2));
  EXPECT_TRUE(wait_until([&] { return locked.has("that now take effect: MaxHeartBtInt"); }))
      << locked.all();
  EXPECT_TRUE(reload().pending.empty());
  EXPECT_FALSE(logs_on(0)) << "its 30 s are too many now";
  EXPECT_FALSE(logs_on(1));
}

TEST_F(EventLoopsReloadTest, session_added_again_is_in_the_loop_that_has_its_numbers) {
  start();
  const std::string before = sessions;
  sessions = session_text(0, "EventLoop=0\n");
  EXPECT_EQ(set_of(reload().removed), Names{name(1)});
  EXPECT_FALSE(logs_on(1));
  sessions = before;
  EXPECT_EQ(set_of(reload().added), Names{name(1)});
  EXPECT_TRUE(logs_on(1)) << locked.all();
}

TEST_F(EventLoopsReloadTest, error_in_one_loop_changes_nothing_in_any_loop) {
  start();
  RawPeer& first = log_on_to(acceptor->accept_port(), 0);
  const std::string before = sessions;
  sessions = session_text(1, of_one) + session_text(4, "EventLoop=0\n") +
             session_text(6, std::string{"EventLoop=0\n"} + elsewhere) +
             session_text(5, "EventLoop=1\nSocketAcceptAddress=192.0.2.1\n");
  const std::string error = reload_error();
  EXPECT_TRUE(error.starts_with(path() + ":")) << error;
  EXPECT_NE(error.find("SocketAcceptAddress=192.0.2.1: "), std::string::npos) << error;
  EXPECT_FALSE(logs_on(4));
  EXPECT_TRUE(wait_until([&] {
    return locked.has("port " + std::to_string(second_port()) + " is closed");
  })) << locked.all();
  expect_trading(first, 0, 2);
  EXPECT_FALSE(locked.has("session added"));
  EXPECT_FALSE(locked.has("session removed"));
  sessions = before + session_text(4, "EventLoop=0\n");
  EXPECT_EQ(set_of(reload().added), Names{name(4)}) << "it may be tried again";
  EXPECT_TRUE(logs_on(4));
}

TEST_F(EventLoopsReloadTest, errors_of_the_file_and_missing_loops_are_named) {
  start();
  const std::string before = sessions;
  sessions += session_text(4, "LogonTimeout=soon\n");
  EXPECT_NE(reload_error().find("LogonTimeout=soon"), std::string::npos);
  sessions = session_text(0, of_one);
  EXPECT_NE(reload_error().find("EventLoop=1, and it is stored in loop 0"), std::string::npos);
  sessions = before + session_text(4, "EventLoop=2\n");
  extra = "EventLoops=3";
  EXPECT_NE(reload_error().find("EventLoop=2: the engine was started with 2 EventLoops"),
            std::string::npos);
  EXPECT_TRUE(logs_on(0));
}

TEST_F(EventLoopsReloadTest, port_is_open_as_long_as_a_session_of_any_loop_uses_it) {
  start();
  const std::string before = sessions;
  const std::string of_first = session_text(4, std::string{"EventLoop=0\n"} + elsewhere);
  const std::string of_second = session_text(5, std::string{of_one} + elsewhere);
  sessions = before + of_first + of_second;
  static_cast<void>(reload());
  const std::uint16_t port = second_port();
  ASSERT_NE(port, 0) << locked.all();
  EXPECT_FALSE(log_on_to(port, 4).closed());
  sessions = before + of_second;
  static_cast<void>(reload());
  EXPECT_FALSE(log_on_to(port, 5).closed()) << locked.all();
  sessions = before;
  static_cast<void>(reload());
  EXPECT_TRUE(wait_until([&] {
    return locked.has("port " + std::to_string(port) + " is closed: no session is left for it");
  })) << locked.all();
  sessions = before + session_text(7, std::string{of_one} + elsewhere);
  static_cast<void>(reload());
  EXPECT_FALSE(log_on_to(second_port(), 7).closed()) << "it is opened again";
  EXPECT_FALSE(locked.has("port " + std::to_string(acceptor->accept_port()) + " is closed"));
}

TEST_F(EventLoopsReloadTest, template_is_added_and_removed) {
  start();
  const std::string before = sessions;
  sessions +=
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  static_cast<void>(reload());
  EXPECT_TRUE(logs_on(6)) << locked.all();
  sessions = before;
  static_cast<void>(reload());
  EXPECT_FALSE(logs_on(7)) << locked.all();
}

TEST_F(EventLoopsReloadTest, changed_keys_are_named_by_each_loop) {
  start();
  extra += "\nLogoutTimeout=3";
  EXPECT_EQ(set_of(reload().changed), (Names{name(0), name(1)}));
  EXPECT_TRUE(locked.has(name(1) + " " + path() + " changed; values now in effect: LogoutTimeout"))
      << locked.all();
  EXPECT_TRUE(reload().changed.empty());
}

TEST_F(EventLoopsReloadTest, misspelt_key_is_named_once_for_all_loops) {
  start();
  sessions += session_text(5, std::string{of_one} + "LogonTimout=9\n");
  EXPECT_EQ(set_of(reload().added), Names{name(5)});
  EXPECT_EQ(locked.count("LogonTimout: unknown key"), 1) << locked.all();
  sessions = session_text(0, "EventLoop=0\nLogoutTimout=9\n");
  EXPECT_EQ(set_of(reload().removed), (Names{name(1), name(5)}));
  EXPECT_EQ(locked.count("LogoutTimout: unknown key"), 1) << locked.all();
}

TEST_F(EventLoopsReloadTest, dictionary_warning_is_logged_once_for_all_loops) {
  const std::string dictionary_path = folder.path() + "/own.xml";
  std::ofstream{dictionary_path}
      << "<fix type='FIX' major='4' minor='4'><header/><trailer/><messages/><components/>"
         "<fields><field number='55' name='Symbol' type='STRING'/></fields><extra/></fix>\n";
  dictionary = "UseDataDictionary=Y\nDataDictionary=" + dictionary_path;
  start();
  EXPECT_EQ(locked.count("<extra> is not part of a dictionary"), 1) << locked.all();
}

TEST_F(EventLoopsReloadTest, request_is_answered_in_the_log) {
  start();
  sessions += session_text(4);
  write();
  acceptor->request_reload();
  EXPECT_TRUE(wait_until([&] {
    return locked.has(" was read again: 1 session added, 0 removed, 0 changed");
  })) << locked.all();
  EXPECT_TRUE(logs_on(4));
  std::ofstream{path()} << "[SESSION]\nHeartBtInt=never\n";
  acceptor->request_reload();
  EXPECT_TRUE(wait_until([&] { return locked.has("HeartBtInt=never"); })) << locked.all();
}

TEST_F(EventLoopsReloadTest, concurrent_reloads_wait_for_each_other) {
  start();
  sessions += session_text(4, "EventLoop=0\n") + session_text(5, of_one);
  write();
  std::atomic<std::size_t> added{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto done = acceptor->reload();
      EXPECT_TRUE(done.has_value());
      if (done) added += done->added.size();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added.load(), 2U) << "by the first of them alone";
}

TEST_F(EventLoopsReloadTest, reload_on_the_thread_of_a_loop_is_refused) {
  std::string refused;
  loop_venue.before_answer = [&] {
    const auto done = acceptor->reload();
    refused = done ? "reloaded" : done.error().what();
  };
  start();
  expect_trading(log_on_to(acceptor->accept_port(), 0), 0, 2);
  stop();
  EXPECT_EQ(refused, "not on a thread that serves an event loop: request_reload() is for that");
}

TEST_F(EventLoopsReloadTest, reload_of_an_ended_engine_is_refused) {
  start();
  stop();
  EXPECT_EQ(reload_error(), "a loop ended");
}

TEST_F(EventLoopsReloadTest, thread_that_polled_a_destroyed_engine_may_reload_another_one) {
  write();
  open_loops();
  acceptor->poll(std::chrono::nanoseconds{0});
  acceptor.reset();
  start();
  sessions += session_text(4);
  EXPECT_EQ(set_of(reload().added), Names{name(4)});
}

// No machine has enough CPUs for the last one of a set to be online.
constexpr unsigned kNoCpu = CPU_SETSIZE - 1;

// A single loop, which is the first one of a LoopDirectory.
class LoopInDirectoryTest : public EventLoopsReloadTest {
 protected:
  engine::EventLoop make_loop(std::optional<unsigned> cpu = {}) {
    engine::LoopDependencies dependencies;
    auto network = transport::make_epoll_network();
    EXPECT_TRUE(network.has_value());
    dependencies.networks.system = std::move(*network);
    dependencies.network = dependencies.networks.system.get();
    dependencies.clock = &clock;
    dependencies.disk = all_disk;
    dependencies.logs.events = &log;
    dependencies.service = service;
    dependencies.cpu = cpu;
    dependencies.shared.directory = directory;
    return {std::move(dependencies), engine::make_callbacks(loop_venue), false};
  }

  std::shared_ptr<engine::LoopDirectory> directory = std::make_shared<engine::LoopDirectory>();
  transport::ServiceNotifier* service = nullptr;
  Disk* all_disk = &disk_;
};

TEST_F(LoopInDirectoryTest, loop_whose_thread_cannot_start_accepts_no_migration) {
  engine::EventLoop loop = make_loop(kNoCpu);
  EXPECT_TRUE(directory->migrate(0, {}));
  EXPECT_EQ(loop.run(), 1);
  EXPECT_FALSE(directory->migrate(0, {})) << log.all();
}

TEST_F(LoopInDirectoryTest, loop_whose_thread_cannot_start_does_not_block_the_watchdog) {
  // Otherwise the service manager would regard the other loops as dead.
  const std::string path = folder.path() + "/notify";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int receiver = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  ASSERT_EQ(::bind(receiver, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  auto opened = transport::ServiceNotifier::open(
      {.socket = path, .watchdog = std::chrono::milliseconds{400}, .loops = 2});
  ASSERT_TRUE(opened.has_value()) << opened.error().text;
  service = opened->get();
  engine::EventLoop loop = make_loop(kNoCpu);
  EXPECT_EQ(loop.run(), 1);
  service->is_alive(1, clock.now().mono);
  char text[64];
  const auto size = ::recv(receiver, text, sizeof text, 0);
  EXPECT_EQ(std::string_view(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0))),
            "WATCHDOG=1\n");
  ::close(receiver);
}

TEST_F(LoopInDirectoryTest, waiting_reloads_are_answered_when_the_store_fails) {
  FakeDisk fake;
  all_disk = &fake;
  sessions = session_text(0);
  engine::EventLoop loop = make_loop();
  write();
  auto settings = config::load_settings(disk_, path());
  ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
  settings->segment_bytes = kSegmentBytes;
  const auto put = [&](const std::string& text) {
    ASSERT_TRUE(fake.make_directories(folder.path()).has_value());
    auto file = fake.open(path(), OpenMode::Create);
    ASSERT_TRUE(file.has_value());
    ASSERT_TRUE((*file)->write_at(0, text).has_value());
  };
  ASSERT_TRUE(loop.open_store(*settings).has_value());
  ASSERT_TRUE(loop.prepare(*settings).has_value());
  ASSERT_TRUE(loop.open(std::move(*settings)).has_value());
  put(config() + "\n");
  std::vector<std::future<engine::ReloadResult>> results;
  for (int i = 0; i < 3; ++i) {
    auto order = std::make_shared<engine::ReloadOrder>();
    results.push_back(order->result());
    loop.reloader().begin_reload(std::move(order));
  }
  fake.fail(DiskCall::Write, 1, EIO);
  static_cast<void>(loop.control().set_next_numbers(*loop.registry().entries().front(),
                                                    {.next_inbound = 5, .next_outbound = 5}, "x"));
  EXPECT_FALSE(loop.poll(std::chrono::nanoseconds{0})) << log.all();
  for (auto& result : results) {
    ASSERT_EQ(result.wait_for(std::chrono::seconds{0}), std::future_status::ready);
    const auto done = result.get();
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().what(), "a loop ended");
  }
}

TEST_F(LoopInDirectoryTest, task_without_memory_does_not_drop_the_next_one) {
  struct Failing final : engine::LoopTask {
    void run(engine::Floors&) override { throw std::bad_alloc{}; }
  };
  struct Counting final : engine::LoopTask {
    explicit Counting(int& count) : done{count} {}
    void run(engine::Floors&) override { ++done; }
    int& done;
  };
  engine::EventLoop loop = make_loop();
  auto settings = config::parse_settings(config(), "venue.cfg");
  ASSERT_TRUE(settings.has_value());
  settings->store = config::StoreKind::Memory;
  ASSERT_TRUE(loop.open_store(*settings).has_value());
  ASSERT_TRUE(loop.prepare(*settings).has_value());
  ASSERT_TRUE(loop.open(std::move(*settings)).has_value());
  int done = 0;
  directory->post(0, std::make_unique<Counting>(done));
  directory->post(0, std::make_unique<Failing>());
  directory->post(0, std::make_unique<Counting>(done));
  EXPECT_TRUE(loop.poll(std::chrono::nanoseconds{0}));
  EXPECT_EQ(done, 2);
  EXPECT_TRUE(log.has("there was no memory, 1 times")) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
