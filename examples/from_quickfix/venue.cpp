// The venue of 03_acceptor.cpp as it was with QuickFIX 1.15, in C++14: listens, and fills every
// order at once, at its price. Usage: quickfix_venue venue.cfg
#include <iostream>
#include <quickfix/Application.h>
#include <quickfix/FileLog.h>
#include <quickfix/FileStore.h>
#include <quickfix/MessageCracker.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <string>

// [venue]
class Venue : public FIX::Application, public FIX::MessageCracker {
 public:
  void onCreate(const FIX::SessionID&) override {}
  void onLogon(const FIX::SessionID&) override {}
  void onLogout(const FIX::SessionID&) override {}
  void toAdmin(FIX::Message&, const FIX::SessionID&) override {}
  void toApp(FIX::Message&, const FIX::SessionID&) noexcept override {}
  void fromAdmin(const FIX::Message&, const FIX::SessionID&) noexcept override {}
  void fromApp(const FIX::Message& message,
               const FIX::SessionID& id) throw(FIX::FieldNotFound, FIX::IncorrectDataFormat,
                                               FIX::IncorrectTagValue,
                                               FIX::UnsupportedMessageType) override {
    crack(message, id);
  }

  void onMessage(const FIX44::NewOrderSingle& order, const FIX::SessionID& id) override {
    FIX::ClOrdID cl_ord_id;
    FIX::Symbol symbol;
    FIX::Side side;
    FIX::OrderQty quantity;
    FIX::Price price;
    order.get(cl_ord_id);  // throws FieldNotFound: QuickFIX answers with a BusinessMessageReject
    order.get(symbol);
    order.get(side);
    order.get(quantity);
    order.get(price);
    const std::string number = std::to_string(++orders_);
    FIX44::ExecutionReport report(FIX::OrderID{number}, FIX::ExecID{number},
                                  FIX::ExecType(FIX::ExecType_TRADE),
                                  FIX::OrdStatus(FIX::OrdStatus_FILLED), side, FIX::LeavesQty(0),
                                  FIX::CumQty(quantity), FIX::AvgPx(price));
    report.set(cl_ord_id);
    report.set(symbol);
    FIX::Session::sendToTarget(report, id);
  }
  unsigned orders_ = 0;
};

int main(int argc, char** argv) {
  FIX::SessionSettings settings(argc > 1 ? argv[1] : "venue.cfg");
  Venue venue;
  FIX::FileStoreFactory stores(settings);
  FIX::FileLogFactory logs(settings);
  FIX::SocketAcceptor acceptor(venue, stores, settings, logs);
  acceptor.start();
  std::cin.get();
  acceptor.stop();
}
// [end]
