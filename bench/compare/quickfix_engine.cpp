// Spinning: both sides call poll(), which does not block. Blocking: QuickFIX's own threads, and the
// thread that receives a report sends the next order, so that no other thread has to be woken.
// TCP_NODELAY is on. Both engines validate by a dictionary.
#include "bench/compare/quickfix_engine.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <sstream>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

namespace nexusfix {
namespace bench {
namespace {

// QuickFIX does not report the port that the system chose. So this returns one that was free a
// moment ago.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  sockaddr* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket, generic, size) != 0 || ::getsockname(socket, generic, &size) != 0) {
    throw std::runtime_error("no port is free");
  }
  ::close(socket);
  return ntohs(address.sin_port);
}

class Folder {
 public:
  Folder() {
    const char* const place = std::getenv("TMPDIR");
    path_ = std::string(place != nullptr ? place : "/tmp") + "/nexusfix-bench-XXXXXX";
    if (::mkdtemp(&path_[0]) == nullptr) throw std::runtime_error("mkdtemp failed");
  }
  ~Folder() { static_cast<void>(std::system(("rm -rf '" + path_ + "'").c_str())); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

FIX::SessionSettings settings(bool is_venue, int port, const std::string& folder) {
  std::ostringstream text;
  text << "[DEFAULT]\nHeartBtInt=30\nReconnectInterval=1\nStartTime=00:00:00\nEndTime=00:00:00\n"
       // Without a dictionary, QuickFIX rejects an order with two parties: a tag is repeated.
       << "UseDataDictionary=Y\nDataDictionary=" NEXUSFIX_BENCH_DICTIONARY
       << "\nSocketNodelay=Y\nFileStorePath=" << folder << "\n"
       << "[SESSION]\nBeginString=FIX.4.4\n";
  if (is_venue) {
    text << "ConnectionType=acceptor\nSocketAcceptPort=" << port
         << "\nSenderCompID=VENUE\nTargetCompID=T1\n";
  } else {
    text << "ConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=" << port
         << "\nSenderCompID=T1\nTargetCompID=VENUE\n";
  }
  std::istringstream stream(text.str());
  return FIX::SessionSettings(stream);
}

class Side : public FIX::Application {
 public:
  void onCreate(const FIX::SessionID&) override {}
  void onLogon(const FIX::SessionID&) override { is_logged_on = true; }
  void onLogout(const FIX::SessionID&) override {}
  void toAdmin(FIX::Message&, const FIX::SessionID&) override {}
  void toApp(FIX::Message&, const FIX::SessionID&) throw(FIX::DoNotSend) override {}
  void fromAdmin(const FIX::Message&,
                 const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                              FIX::IncorrectTagValue, FIX::RejectLogon) override {}

  std::atomic<bool> is_logged_on{false};
};

class VenueSide final : public Side {
 public:
  void fromApp(const FIX::Message& order,
               const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                               FIX::IncorrectTagValue,
                                               FIX::UnsupportedMessageType) override {
    FIX::ClOrdID cl_ord_id;
    FIX::Symbol symbol;
    FIX::Side side;
    FIX::OrderQty quantity;
    FIX::Price price;
    order.getField(cl_ord_id);
    order.getField(symbol);
    order.getField(side);
    order.getField(quantity);
    order.getField(price);
    FIX44::ExecutionReport report(FIX::OrderID(cl_ord_id.getValue()),
                                  FIX::ExecID(cl_ord_id.getValue()), FIX::ExecType('F'),
                                  FIX::OrdStatus('2'), side, FIX::LeavesQty(0),
                                  FIX::CumQty(quantity.getValue()), FIX::AvgPx(price.getValue()));
    report.set(cl_ord_id);
    report.set(symbol);
    FIX::Session::sendToTarget(report, id);
  }
};

class TraderSide final : public Side {
 public:
  explicit TraderSide(const TradeJob& job) : mode_(job.mode), desk_(job.orders) {}

  void send_order() {
    const DeskOrder& values = desk_[orders_++ % desk_.size()];
    FIX44::NewOrderSingle order(FIX::ClOrdID(values.cl_ord_id), FIX::Side(values.side),
                                FIX::TransactTime(FIX::UtcTimeStamp()), FIX::OrdType('2'));
    for (const std::string& party : values.parties) {
      FIX44::NewOrderSingle::NoPartyIDs entry;
      entry.set(FIX::PartyID(party));
      entry.set(FIX::PartyIDSource('D'));
      entry.set(FIX::PartyRole(FIX::PartyRole_EXECUTING_TRADER));
      order.addGroup(entry);
    }
    if (!values.account.empty()) order.set(FIX::Account(values.account));
    order.set(FIX::HandlInst('1'));
    order.set(FIX::Symbol(values.symbol));
    order.set(FIX::OrderQty(static_cast<double>(values.order_qty)));
    order.set(FIX::Price(values.price.value));
    order.set(FIX::TimeInForce('0'));
    if (!values.text.empty()) order.set(FIX::Text(values.text));
    sent_at_ = read_ticks();
    FIX::Session::sendToTarget(order, FIX::SessionID("FIX.4.4", "T1", "VENUE"));
  }
  void fromApp(const FIX::Message& report,
               const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                            FIX::IncorrectTagValue,
                                            FIX::UnsupportedMessageType) override {
    FIX::ExecType type;
    report.getField(type);
    if (type.getValue() != 'F') return;
    ++reports_;
    if (mode_ == WaitMode::Spin) return;
    const std::uint64_t elapsed = read_ticks() - sent_at_;
    if (ticks_ != nullptr) *ticks_++ = static_cast<std::uint32_t>(elapsed);
    if (--left_ > 0) return send_order();
    const std::lock_guard<std::mutex> lock(mutex_);
    is_done_ = true;
    done_.notify_one();
  }

  std::uint64_t reports() const { return reports_; }
  std::uint64_t orders() const { return orders_; }

  // Blocking: one order after another; QuickFIX's thread sends all but the first.
  void trade(std::size_t calls, std::uint32_t* ticks) {
    left_ = calls;
    ticks_ = ticks;
    is_done_ = false;
    send_order();
    std::unique_lock<std::mutex> lock(mutex_);
    if (!done_.wait_for(lock, std::chrono::minutes(1), [this] { return is_done_; })) {
      throw std::runtime_error("QuickFIX did not answer all orders within a minute");
    }
  }

 private:
  WaitMode mode_;
  std::vector<DeskOrder> desk_;
  std::uint64_t orders_ = 0;
  std::uint64_t reports_ = 0;
  std::uint64_t sent_at_ = 0;
  std::size_t left_ = 0;
  std::uint32_t* ticks_ = nullptr;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
};

// Both sides, logged on. The venue's thread polls between resume() and pause().
class Trading {
 public:
  explicit Trading(const TradeJob& job)
      : mode_(job.mode),
        trader_(job),
        venue_stores_(venue_folder_.path()),
        trader_stores_(trader_folder_.path()) {
    const int port = free_port();
    acceptor_.reset(
        new FIX::SocketAcceptor(venue_, venue_stores_, settings(true, port, venue_folder_.path())));
    initiator_.reset(new FIX::SocketInitiator(trader_, trader_stores_,
                                              settings(false, port, trader_folder_.path())));
    if (mode_ == WaitMode::Spin) {
      acceptor_->poll();  // listens
      venue_thread_ = job.start_elsewhere([this] { serve(); });
      resume();
      while (!trader_.is_logged_on) poll();
      pause();
    } else {
      // Its threads inherit the cores of the thread that starts them.
      job.start_elsewhere([this] { acceptor_->start(); }).join();
      initiator_->start();
      while (!trader_.is_logged_on) ::usleep(kPauseMicros);
    }
  }
  Trading(const Trading&) = delete;
  Trading& operator=(const Trading&) = delete;
  ~Trading() {
    if (mode_ == WaitMode::Spin) {
      wanted_ = kEnd;
      venue_thread_.join();
      return;
    }
    initiator_->stop(true);
    acceptor_->stop(true);
  }

  void resume() { command(kRun); }
  void pause() { command(kPause); }
  // Throws std::runtime_error after kPollsMax calls without a report.
  void poll() {
    initiator_->poll();
    if (trader_.reports() != reports_seen_) {
      reports_seen_ = trader_.reports();
      polls_ = 0;
    } else if (++polls_ == kPollsMax) {
      throw std::runtime_error("QuickFIX did not answer all orders");
    }
  }
  TraderSide& trader() { return trader_; }
  WaitMode mode() const { return mode_; }

 private:
  enum State { kPause, kRun, kEnd };
  static constexpr useconds_t kPauseMicros = 50;
  static constexpr std::uint64_t kPollsMax = 10'000'000;

  void command(State state) {
    if (mode_ == WaitMode::Block) return;
    wanted_ = state;
    while (state_ != state) continue;
  }
  void serve() {
    while (wanted_ != kEnd) {
      state_ = wanted_.load();
      if (state_ == kRun) {
        acceptor_->poll();
      } else {
        ::usleep(kPauseMicros);
      }
    }
  }

  WaitMode mode_;
  std::uint64_t reports_seen_ = 0;
  std::uint64_t polls_ = 0;  // since then
  Folder venue_folder_;
  Folder trader_folder_;
  VenueSide venue_;
  TraderSide trader_;
  FIX::FileStoreFactory venue_stores_;
  FIX::FileStoreFactory trader_stores_;
  std::unique_ptr<FIX::SocketAcceptor> acceptor_;
  std::unique_ptr<FIX::SocketInitiator> initiator_;
  std::atomic<State> wanted_{kPause};
  std::atomic<State> state_{kPause};
  std::thread venue_thread_;
};

class RoundTrip final : public Contestant {
 public:
  explicit RoundTrip(const TradeJob& job) : trading_(job) {}
  std::string check() override {
    const std::uint64_t before = trading_.trader().reports();
    prepare();
    run(1);
    settle();
    return trading_.trader().reports() == before + 1 ? "" : "no report came";
  }
  std::size_t inputs() const override { return 1; }
  void prepare() override { trading_.resume(); }
  void settle() override { trading_.pause(); }
  void run(std::size_t calls) override { trade(calls, nullptr); }
  void time_each(std::uint32_t* ticks, std::size_t calls) override { trade(calls, ticks); }

 private:
  void trade(std::size_t calls, std::uint32_t* ticks) {
    TraderSide& trader = trading_.trader();
    if (trading_.mode() == WaitMode::Block) return trader.trade(calls, ticks);
    for (std::size_t i = 0; i < calls; ++i) {
      const std::uint64_t before = trader.reports();
      const std::uint64_t begin = read_ticks();
      trader.send_order();
      while (trader.reports() == before) trading_.poll();
      if (ticks != nullptr) ticks[i] = static_cast<std::uint32_t>(read_ticks() - begin);
    }
  }

  Trading trading_;
};

struct Burst {
  std::shared_ptr<Trading> trading;
  std::uint64_t orders;

  std::uint64_t operator()(std::size_t) {
    constexpr std::uint64_t kTogether = 32;
    TraderSide& trader = trading->trader();
    const std::uint64_t begin = trader.reports();
    const std::uint64_t end = begin + orders;
    while (trader.reports() < end) {
      for (std::uint64_t i = 0; i < kTogether && trader.orders() < end; ++i) {
        if (trader.orders() - trader.reports() >= kUnansweredMax) break;
        trader.send_order();
      }
      trading->poll();
    }
    return trader.reports() - begin;
  }
  void prepare() { trading->resume(); }
  void settle() { trading->pause(); }
  CallLimits limits() const { return {}; }
};

}  // namespace

ContestantPtr make_quickfix_round_trip(const TradeJob& job) {
  return ContestantPtr(new RoundTrip(job));
}

ContestantPtr make_quickfix_burst(const TradeJob& job, std::uint64_t orders) {
  return make_prepared_contestant(
      Burst{std::make_shared<Trading>(job), orders}, 1, [orders](Burst& burst) {
        burst.prepare();
        const std::uint64_t reports = burst(0);
        burst.settle();
        return reports == orders ? std::string() : std::string("reports are missing");
      });
}

}  // namespace bench
}  // namespace nexusfix
