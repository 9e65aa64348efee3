// A QuickFIX engine as the counterparty of an interop test. It is driven by commands on standard
// input, one a line, and answers each with one line of JSON that has its whole state. README.md
// lists the commands; the QuickFIX/J peer has the same ones.
//
// C++14 on purpose: QuickFIX 1.15 declares its interface with dynamic exception specifications.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <quickfix/Application.h>
#include <quickfix/FileLog.h>
#include <quickfix/FileStore.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/SocketInitiator.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

enum Tag {
  kAvgPx = 6,
  kClOrdID = 11,
  kCumQty = 14,
  kExecID = 17,
  kExecTransType = 20,
  kHandlInst = 21,
  kLastPx = 31,
  kLastQty = 32,
  kMsgType = 35,
  kOrderID = 37,
  kOrderQty = 38,
  kOrdStatus = 39,
  kOrdType = 40,
  kPossDupFlag = 43,
  kPrice = 44,
  kSide = 54,
  kSymbol = 55,
  kText = 58,
  kTransactTime = 60,
  kEncryptMethod = 98,
  kHeartBtInt = 108,
  kTestReqID = 112,
  kResetSeqNumFlag = 141,
  kExecType = 150,
  kLeavesQty = 151,
};

std::string value_of(const FIX::FieldMap& fields, int tag) {
  return fields.isSetField(tag) ? fields.getField(tag) : std::string();
}

int number_of(const FIX::FieldMap& fields, int tag) {
  return std::atoi(value_of(fields, tag).c_str());
}

std::string utc_now() { return FIX::UtcTimeStampConvertor::convert(FIX::UtcTimeStamp(), 3); }

// An order, and what the reports say about it.
struct Order {
  int quantity = 0;
  int acknowledged = 0;
  int filled = 0;
};

using State = std::map<std::string, long>;

class Peer : public FIX::Application {
 public:
  void attach(const FIX::SessionID& id) { id_ = id; }

  State state() {
    std::lock_guard<std::mutex> lock(mutex_);
    State state = counters_;
    state["open_orders"] = open_orders();
    state["next_sender"] = session()->getExpectedSenderNum();
    state["next_target"] = session()->getExpectedTargetNum();
    state["logged_on"] = session()->isLoggedOn();
    return state;
  }

  std::string faults() {
    std::lock_guard<std::mutex> lock(mutex_);
    return faults_;
  }

  bool wait(const std::function<bool(const State&)>& done, std::chrono::seconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!done(state())) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      // Some conditions change without a callback (the expected number moves after it), so the
      // condition is checked again now and then.
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
    return true;
  }

  FIX::Session* session() const { return FIX::Session::lookupSession(id_); }

  // Every four orders, all at one price, leave nothing in the book: the first is filled in two
  // parts, the third rests for the fourth.
  void send_orders(int count) {
    static const struct {
      const char* side;
      int quantity;
    } kPattern[] = {{"1", 100}, {"2", 60}, {"2", 100}, {"1", 60}};
    for (int i = 0; i < count; ++i) {
      FIX::Message order;
      order.getHeader().setField(kMsgType, "D");
      std::unique_lock<std::mutex> lock(mutex_);
      const long number = counters_["orders_sent"]++;
      const auto& leg = kPattern[number % 4];
      const std::string cl_ord_id = order_prefix_ + std::to_string(number + 1);
      orders_[cl_ord_id].quantity = leg.quantity;
      lock.unlock();
      order.setField(kClOrdID, cl_ord_id);
      if (is_fix42()) order.setField(kHandlInst, "1");
      order.setField(kSymbol, "AAPL");
      order.setField(kSide, leg.side);
      order.setField(kTransactTime, utc_now());
      order.setField(kOrderQty, std::to_string(leg.quantity));
      order.setField(kOrdType, "2");
      order.setField(kPrice, "150.25");
      FIX::Session::sendToTarget(order, id_);
    }
  }

  void set_order_prefix(const std::string& prefix) {
    const std::lock_guard<std::mutex> lock(mutex_);
    order_prefix_ = prefix;
  }

  void send_test_request(const std::string& test_req_id) {
    FIX::Message request;
    request.getHeader().setField(kMsgType, "1");
    request.setField(kTestReqID, test_req_id);
    FIX::Session::sendToTarget(request, id_);
  }

  // Initiator: a Logon with ResetSeqNumFlag on the living connection. The engine resets its
  // numbers.
  void reset_in_session() {
    FIX::Message logon;
    logon.getHeader().setField(kMsgType, "A");
    logon.setField(kEncryptMethod, "0");
    logon.setField(kHeartBtInt, "30");
    logon.setField(kResetSeqNumFlag, "Y");
    FIX::Session::sendToTarget(logon, id_);
  }

  // Moves both numbers while order number `order` is handled: the report that answers it is `skip`
  // too high for the counterparty, and the next order `rewind` too high for this side.
  void gap_at_order(long order, int skip, int rewind) {
    std::lock_guard<std::mutex> lock(mutex_);
    gap_order_ = order;
    gap_skip_ = skip;
    gap_rewind_ = rewind;
  }

  void skip_sender(int count) {
    session()->setNextSenderMsgSeqNum(session()->getExpectedSenderNum() + count);
  }
  void rewind_target(int count) {
    session()->setNextTargetMsgSeqNum(session()->getExpectedTargetNum() - count);
  }

  void onCreate(const FIX::SessionID&) override {}
  void onLogon(const FIX::SessionID&) override { count("logons"); }
  void onLogout(const FIX::SessionID&) override { count("logouts"); }
  void toAdmin(FIX::Message&, const FIX::SessionID&) override {}
  void toApp(FIX::Message&, const FIX::SessionID&) throw(FIX::DoNotSend) override {}

  void fromAdmin(const FIX::Message& message,
                 const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                              FIX::IncorrectTagValue, FIX::RejectLogon) override {
    const std::string type = value_of(message.getHeader(), kMsgType);
    if (type == "0") {
      count("heartbeats");
      if (!value_of(message, kTestReqID).empty()) count("test_replies");
    } else if (type == "2") {
      count("resend_requests");
    } else if (type == "4") {
      count("sequence_resets");
    } else if (type == "3") {
      fault("Reject: " + value_of(message, kText));
    }
  }

  void fromApp(const FIX::Message& message,
               const FIX::SessionID&) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                            FIX::IncorrectTagValue,
                                            FIX::UnsupportedMessageType) override {
    const std::string type = value_of(message.getHeader(), kMsgType);
    const bool repeated = value_of(message.getHeader(), kPossDupFlag) == "Y";
    if (type == "8") {
      on_report(message, repeated);
    } else if (type == "D") {
      on_order(message, repeated);
    } else {
      fault("unexpected message of type " + type + ": " + value_of(message, kText));
    }
  }

 private:
  bool is_fix42() const { return id_.getBeginString().getValue() == "FIX.4.2"; }

  void count(const char* name) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++counters_[name];
    changed_.notify_all();
  }

  void fault(const std::string& text) {
    std::lock_guard<std::mutex> lock(mutex_);
    add_fault(text);
  }

  // With the lock held:

  void add_fault(const std::string& text) { faults_ += (faults_.empty() ? "" : "; ") + text; }

  long open_orders() const {
    long open = 0;
    for (const auto& entry : orders_) {
      if (entry.second.acknowledged == 0 || entry.second.filled < entry.second.quantity) ++open;
    }
    return open;
  }

  // As initiator: every report belongs to an order, every ExecID occurs once, and no order is
  // filled beyond its quantity.
  void on_report(const FIX::Message& report, bool repeated) {
    std::lock_guard<std::mutex> lock(mutex_);
    ++counters_["reports"];
    if (repeated) ++counters_["reports_possdup"];
    changed_.notify_all();
    const std::string exec_id = value_of(report, kExecID);
    if (!exec_ids_.insert(exec_id).second) {
      if (!repeated) add_fault("ExecID " + exec_id + " twice without PossDupFlag");
      return;
    }
    const std::string cl_ord_id = value_of(report, kClOrdID);
    const auto found = orders_.find(cl_ord_id);
    if (found == orders_.end()) {
      add_fault("report for unknown ClOrdID '" + cl_ord_id + "'");
      return;
    }
    apply(report, cl_ord_id, found->second);
  }

  void apply(const FIX::Message& report, const std::string& cl_ord_id, Order& order) {
    const std::string exec_type = value_of(report, kExecType);
    const bool trade = is_fix42() ? exec_type == "1" || exec_type == "2" : exec_type == "F";
    if (exec_type == "0") {
      if (++order.acknowledged > 1) add_fault(cl_ord_id + " acknowledged twice");
    } else if (trade) {
      order.filled += number_of(report, kLastQty);
      const bool complete = order.filled == order.quantity;
      if (order.acknowledged == 0) add_fault(cl_ord_id + " filled before it was acknowledged");
      if (order.filled > order.quantity) add_fault(cl_ord_id + " filled beyond its quantity");
      if (number_of(report, kCumQty) != order.filled) add_fault(cl_ord_id + ": wrong CumQty");
      if (number_of(report, kLeavesQty) != order.quantity - order.filled) {
        add_fault(cl_ord_id + ": wrong LeavesQty");
      }
      if (value_of(report, kOrdStatus) != (complete ? "2" : "1")) {
        add_fault(cl_ord_id + ": wrong OrdStatus");
      }
    } else {
      add_fault(cl_ord_id + ": unexpected ExecType " + exec_type);
    }
  }

  // As acceptor: every order is acknowledged and filled at once.
  void on_order(const FIX::Message& order, bool repeated) {
    const std::string cl_ord_id = value_of(order, kClOrdID);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (repeated) ++counters_["orders_possdup"];
      changed_.notify_all();
      if (!received_.insert(cl_ord_id).second) {
        if (!repeated) add_fault("ClOrdID " + cl_ord_id + " twice without PossDupFlag");
        return;
      }
      if (++counters_["orders_received"] == gap_order_) open_gap();
    }
    send_report(order, false);
    send_report(order, true);
  }

  void open_gap() {
    skip_sender(gap_skip_);
    rewind_target(gap_rewind_);
  }

  void send_report(const FIX::Message& order, bool filled) {
    const std::string quantity = value_of(order, kOrderQty);
    const std::string price = value_of(order, kPrice);
    FIX::Message report;
    report.getHeader().setField(kMsgType, "8");
    {
      std::lock_guard<std::mutex> lock(mutex_);
      report.setField(kExecID, "E" + std::to_string(++counters_["reports_sent"]));
    }
    report.setField(kOrderID, "O-" + value_of(order, kClOrdID));
    report.setField(kClOrdID, value_of(order, kClOrdID));
    if (is_fix42()) report.setField(kExecTransType, "0");
    report.setField(kExecType, !filled ? "0" : is_fix42() ? "2" : "F");
    report.setField(kOrdStatus, filled ? "2" : "0");
    report.setField(kSymbol, value_of(order, kSymbol));
    report.setField(kSide, value_of(order, kSide));
    report.setField(kOrderQty, quantity);
    report.setField(kPrice, price);
    if (filled) {
      report.setField(kLastQty, quantity);
      report.setField(kLastPx, price);
    }
    report.setField(kLeavesQty, filled ? "0" : quantity);
    report.setField(kCumQty, filled ? quantity : "0");
    report.setField(kAvgPx, filled ? price : "0");
    report.setField(kTransactTime, utc_now());
    FIX::Session::sendToTarget(report, id_);
  }

  FIX::SessionID id_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State counters_;
  std::string order_prefix_ = "C";
  std::string faults_;
  std::map<std::string, Order> orders_;
  std::set<std::string> exec_ids_;
  std::set<std::string> received_;
  long gap_order_ = 0;
  int gap_skip_ = 0;
  int gap_rewind_ = 0;
};

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

bool answer(Peer& peer, const std::string& error) {
  const std::string faults = peer.faults();
  const std::string text = error.empty() ? faults : error + (faults.empty() ? "" : "; " + faults);
  std::cout << "{\"ok\":" << (text.empty() ? "true" : "false") << ",\"error\":" << quoted(text);
  for (const auto& entry : peer.state())
    std::cout << "," << quoted(entry.first) << ":" << entry.second;
  std::cout << "}" << std::endl;
  return text.empty();
}

long at(const State& state, const std::string& name) {
  const auto found = state.find(name);
  return found == state.end() ? 0 : found->second;
}

void await(Peer& peer, const std::string& name, long value, bool exactly) {
  const auto reached = [&](const State& state) {
    return exactly ? at(state, name) == value : at(state, name) >= value;
  };
  if (!peer.wait(reached, std::chrono::seconds(60))) {
    throw std::runtime_error("timed out waiting for " + name + " to be " + std::to_string(value));
  }
}

void execute(Peer& peer, const std::string& line) {
  std::istringstream words(line);
  std::string command, name;
  long a = 0, b = 0, c = 0;
  words >> command;
  if (command == "logon") {
    peer.session()->logon();
  } else if (command == "logout") {
    peer.session()->logout();
  } else if (command == "orders" && words >> a) {
    peer.send_orders(static_cast<int>(a));
  } else if (command == "order-prefix" && words >> name) {
    peer.set_order_prefix(name);
  } else if (command == "test-request" && words >> name) {
    peer.send_test_request(name);
  } else if (command == "reset-in-session") {
    peer.reset_in_session();
  } else if (command == "skip-sender" && words >> a) {
    peer.skip_sender(static_cast<int>(a));
  } else if (command == "rewind-target" && words >> a) {
    peer.rewind_target(static_cast<int>(a));
  } else if (command == "gap-at-order" && words >> a >> b >> c) {
    peer.gap_at_order(a, static_cast<int>(b), static_cast<int>(c));
  } else if (command == "await" && words >> name >> a) {
    await(peer, name, a, true);
  } else if (command == "await-at-least" && words >> name >> a) {
    await(peer, name, a, false);
  } else if (command != "state") {
    throw std::runtime_error("unknown command: " + line);
  }
}

// Executes commands until the end of input or `quit`. Returns whether all succeeded.
bool serve_commands(Peer& peer) {
  bool well = answer(peer, "");
  std::string line;
  while (std::getline(std::cin, line) && line != "quit") {
    std::string error;
    try {
      execute(peer, line);
    } catch (const std::exception& e) {
      error = e.what();
    }
    well = answer(peer, error) && well;
  }
  return well;
}

template <class Engine>
int run(const FIX::SessionSettings& settings, Peer& peer) {
  FIX::FileStoreFactory stores(settings);
  FIX::FileLogFactory logs(settings);
  Engine engine(peer, stores, settings, logs);
  peer.attach(*settings.getSessions().begin());
  engine.start();
  const bool well = serve_commands(peer);
  engine.stop();
  return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc == 3 ? argv[1] : "";
  if (role != "initiator" && role != "acceptor") {
    std::cerr << "Usage: quickfix_peer initiator|acceptor CONFIG\n";
    return 2;
  }
  try {
    const FIX::SessionSettings settings{std::string(argv[2])};
    Peer peer;
    return role == "initiator" ? run<FIX::SocketInitiator>(settings, peer)
                               : run<FIX::SocketAcceptor>(settings, peer);
  } catch (const std::exception& e) {
    std::cerr << "quickfix_peer: " << e.what() << "\n";
    return EXIT_FAILURE;
  }
}
