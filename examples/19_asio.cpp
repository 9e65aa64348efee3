// An engine in an io_context of Asio, on the program's only thread, beside an admin port. A line
// that is sent to that port is answered with the engine's counts, and goes to all traders as News.
// Usage: example_19_asio 19_asio.cfg
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/news.hpp>
#include <nexusfix/statistics.hpp>

#if __has_include(<boost/asio.hpp>)
#include <boost/asio.hpp>
namespace asio = boost::asio;
#else
#include <asio.hpp>
#endif

namespace fix44 = nexusfix::fix44;
using asio::ip::tcp;
using nexusfix::Engine;
using nexusfix::Session;
using namespace nexusfix::literals;
using namespace std::chrono_literals;

namespace {

// [driver]
// Runs an engine with one event loop in an io_context. All of it is on the thread of the
// io_context.
class AsioDriver {
 public:
  // on_end: called once, when the engine has ended. The engine must outlive this object.
  AsioDriver(asio::io_context& io, Engine& engine, std::function<void()> on_end)
      : engine_{engine},
        on_end_{std::move(on_end)},
        descriptor_{io, engine.descriptor()},
        timer_{io} {
    turn();  // before the first wait: initiators connect
  }
  AsioDriver(const AsioDriver&) = delete;
  AsioDriver& operator=(const AsioDriver&) = delete;
  ~AsioDriver() { descriptor_.release(); }  // The engine owns it, and closes it.

  // Call it after each use of the engine or a session outside of the engine's callbacks: what was
  // sent waits for a turn, and the next deadline may be earlier. Not from within a callback.
  void turn() {
    if (has_ended_) return;
    if (!engine_.poll(0ns)) {
      has_ended_ = true;
      timer_.cancel();
      descriptor_.cancel();
      return on_end_();
    }
    wait_for_deadline();
    if (!std::exchange(waits_to_read_, true)) wait_to_read();
  }

 private:
  // The deadline changes with each turn: this replaces the wait before.
  void wait_for_deadline() {
    using Time = asio::steady_timer::time_point;  // the clock of nexusfix::SystemClock, too
    const auto deadline = engine_.next_deadline().time_since_epoch();
    timer_.expires_at(Time{std::max(deadline, std::chrono::nanoseconds{0})});
    timer_.async_wait([this](auto error) {
      if (!error) turn();
    });
  }
  void wait_to_read() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, [this](auto error) {
      waits_to_read_ = false;
      if (!error) turn();
    });
  }

  Engine& engine_;
  std::function<void()> on_end_;
  asio::posix::stream_descriptor descriptor_;
  asio::steady_timer timer_;
  bool waits_to_read_ = false;
  bool has_ended_ = false;
};
// [end]

// Takes every order, and fills it a moment later.
class Venue {
 public:
  void on_message(Session& session, const fix44::NewOrderSingle& order) {
    const std::string id{order.cl_ord_id().value};
    report(session, id, fix44::ExecType::New, fix44::OrdStatus::New);
    session.call_after(50ms, [this, id = id](Session& s) {
      report(s, id, fix44::ExecType::Trade, fix44::OrdStatus::Filled);
    });
  }

 private:
  void report(Session& session, const std::string& id, fix44::ExecType type,
              fix44::OrdStatus status) {
    const std::string number = std::to_string(++last_);
    const auto sent = session.send<fix44::ExecutionReport>(
        fix44::OrderID{id}, fix44::ClOrdID{id}, fix44::ExecID{number}, type, status,
        fix44::Symbol{"AAPL"}, fix44::Side::Buy, fix44::LeavesQty{0_d}, fix44::CumQty{0_d},
        fix44::AvgPx{0_d});
    if (!sent) std::fprintf(stderr, "not sent: %s\n", sent.error().what().c_str());
  }

  int last_ = 0;
};

void send_news(Engine& engine, const std::string& headline) {
  for (Session& session : engine.sessions()) {
    if (!session.is_logged_on()) continue;
    const auto sent = session.send<fix44::News>(
        fix44::Headline{headline},
        nexusfix::group<fix44::News::LinesOfText>(nexusfix::entry(fix44::Text{headline})));
    if (!sent) std::fprintf(stderr, "not sent: %s\n", sent.error().what().c_str());
  }
}

// A connection of the admin port. It lives as long as one of its operations.
class Admin : public std::enable_shared_from_this<Admin> {
 public:
  Admin(tcp::socket peer, Engine& engine, AsioDriver& driver)
      : peer_{std::move(peer)}, engine_{engine}, driver_{driver} {}

  void read() {
    constexpr std::size_t kLineBytesMax = 256;
    asio::async_read_until(peer_, asio::dynamic_buffer(line_, kLineBytesMax), '\n',
                           [self = shared_from_this()](auto error, std::size_t size) {
                             if (!error) self->answer(size);
                           });
  }

 private:
  void answer(std::size_t size) {
    send_news(engine_, line_.substr(0, size - 1));
    line_.erase(0, size);
    driver_.turn();
    const auto stats = engine_.statistics().loops[0];
    answer_ = "messages in " + std::to_string(stats.messages_in) + ", out " +
              std::to_string(stats.messages_out) + "\n";
    asio::async_write(peer_, asio::buffer(answer_),
                      [self = shared_from_this()](auto error, std::size_t) {
                        if (!error) self->read();
                      });
  }

  tcp::socket peer_;
  Engine& engine_;
  AsioDriver& driver_;
  std::string line_;
  std::string answer_;
};

void accept_admins(tcp::acceptor& port, Engine& engine, AsioDriver& driver) {
  port.async_accept([&](auto error, tcp::socket peer) {
    if (error) return;
    std::make_shared<Admin>(std::move(peer), engine, driver)->read();
    accept_admins(port, engine, driver);
  });
}

}  // namespace

int main(int argc, char** argv) {
  Venue venue;
  auto engine = Engine::open(argc > 1 ? argv[1] : "19_asio.cfg", venue);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  asio::io_context io;
  AsioDriver driver{io, *engine, [&] { io.stop(); }};

  asio::signal_set signals{io, SIGINT, SIGTERM};
  signals.async_wait([&](auto error, int) {
    if (!error) engine->stop();  // Sessions log out, and then poll() returns false.
  });

  tcp::acceptor admin{io, tcp::endpoint{asio::ip::address_v4::loopback(), 0}};
  std::printf("admin port %u\n", unsigned{admin.local_endpoint().port()});
  std::fflush(stdout);
  accept_admins(admin, *engine, driver);

  io.run();
}
