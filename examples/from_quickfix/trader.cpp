// The trader of 02_initiator.cpp as it was with QuickFIX 1.15, in C++14: logs on to a venue, sends
// one order, prints its report, and logs out. Usage: quickfix_trader trader.cfg
#include <future>
#include <iostream>
#include <quickfix/Application.h>
#include <quickfix/FileLog.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageCracker.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketInitiator.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <utility>

class Trader : public FIX::Application, public FIX::MessageCracker {
 public:
  void onCreate(const FIX::SessionID&) override {}
  void toAdmin(FIX::Message&, const FIX::SessionID&) override {}
  void toApp(FIX::Message&, const FIX::SessionID&) noexcept override {}
  void fromAdmin(const FIX::Message&, const FIX::SessionID&) noexcept override {}
  void fromApp(const FIX::Message& message,
               const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                               FIX::IncorrectTagValue,
                                               FIX::UnsupportedMessageType) override {
    crack(message, id);
  }

  void onLogon(const FIX::SessionID& id) override {
    FIX44::NewOrderSingle order(FIX::ClOrdID("A1"), FIX::Side(FIX::Side_BUY), FIX::TransactTime(),
                                FIX::OrdType(FIX::OrdType_LIMIT));
    order.set(FIX::Symbol("AAPL"));
    order.set(FIX::OrderQty(100));
    order.set(FIX::Price(150.25));
    FIX::Session::sendToTarget(order, id);
  }

  void onMessage(const FIX44::ExecutionReport& report, const FIX::SessionID& id) override {
    FIX::OrderID order_id;
    FIX::ExecType exec_type;
    report.get(order_id);
    report.get(exec_type);
    const bool filled = exec_type == FIX::ExecType_TRADE;
    const bool refused = exec_type == FIX::ExecType_REJECTED;
    std::cout << "order " << order_id.getValue()
              << (filled    ? " filled"
                  : refused ? " rejected"
                            : " taken")
              << std::endl;
    is_answered_ = true;
    FIX::Session::lookupSession(id)->logout("done");
  }

  // QuickFIX also calls this for a Logon that was not answered.
  void onLogout(const FIX::SessionID&) override {
    if (std::exchange(is_answered_, false)) logged_out_.set_value();
  }

  void wait() { logged_out_.get_future().wait(); }

 private:
  bool is_answered_ = false;
  std::promise<void> logged_out_;
};

int main(int argc, char** argv) {
  FIX::SessionSettings settings(argc > 1 ? argv[1] : "trader.cfg");
  Trader trader;
  FIX::FileStoreFactory stores(settings);
  FIX::FileLogFactory logs(settings);
  FIX::SocketInitiator initiator(trader, stores, settings, logs);
  initiator.start();
  trader.wait();
  initiator.stop();
}
