// Deribit: subscribes to a book and sends one order after the Logon, prints what comes, and logs
// out when the order is done. Usage: venue_example_deribit client.cfg
#include <chrono>
#include <cstdio>
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/encoder.hpp>

namespace tag = nexusfix::fix44::tag;
using nexusfix::MessageView;
using nexusfix::Session;
using namespace nexusfix::literals;

namespace {

constexpr nexusfix::wire::Tag kDeribitLabel = 100010;  // a text of the client's own

struct Desk {
  void on_logon(Session& session) {
    // Bids (0) and offers (1) of all levels (264=0): a snapshot, and then the changes (263=1).
    auto request = session.begin("V");
    request.field(tag::MDReqID, "book-1")
        .field(tag::SubscriptionRequestType, '1')
        .field(tag::MarketDepth, '0')
        .field(tag::NoMDEntryTypes, '2')
        .field(tag::MDEntryType, '0')
        .field(tag::MDEntryType, '1')
        .field(tag::NoRelatedSym, '1')
        .field(tag::Symbol, "BTC-PERPETUAL");
    send(session, request);

    // OrderQty is in contracts. Reports have our ClOrdID in OrigClOrdID (41).
    auto order = session.begin("D");
    const auto now = session.now().time_since_epoch();
    order.field(tag::ClOrdID, "d-" + std::to_string(now / std::chrono::milliseconds{1}))
        .field(tag::OrderQty, 10_d)
        .field(tag::OrdType, '2')
        .field(tag::Price, 50010_d)
        .field(tag::Side, '1')
        .field(tag::Symbol, "BTC-PERPETUAL")
        .field(tag::TimeInForce, '1')
        .field(kDeribitLabel, "example");
    send(session, order);
  }

  void on_message(Session& session, const MessageView& message) {
    if (message.msg_type() != "8") return print("message", message);
    print("report", message);
    const std::string status{message[tag::OrdStatus].value_or("")};
    const bool is_done = status == "2" || status == "4" || status == "8" || status == "C";
    if (is_done) session.log_out("done");
  }

  void on_admin(Session&, const MessageView& message) {
    if (message.msg_type() == "3") print("refused", message);
  }

 private:
  static void send(Session& session, nexusfix::wire::Encoder& message) {
    const auto sent = session.finish(message);
    if (!sent) std::printf("not sent: %s\n", sent.error().what().c_str());
  }

  static void print(const char* what, const MessageView& message) {
    std::printf("%s 35=%s", what, std::string{message.msg_type()}.c_str());
    for (const auto field :
         {tag::OrdStatus, tag::CumQty, tag::LastPx, tag::OrigClOrdID, tag::Text}) {
      const auto value = message[field];
      if (value) std::printf(" %u=%s", field, std::string{*value}.c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Desk desk;
  return nexusfix::run(argc > 1 ? argv[1] : "client.cfg", desk);
}
