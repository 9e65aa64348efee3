// LMAX-style FX: sends one order after the Logon, prints its reports, and logs out when
// the order is done. Usage: venue_example_lmax client.cfg
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

struct Desk {
  void on_logon(Session& session) {
    // 4001 is EUR/USD: SecurityIDSource 8 says that the number is the venue's. OrderQty counts
    // contracts.
    auto order = session.begin("D");
    const auto now = session.now().time_since_epoch();
    order.field(tag::ClOrdID, "L" + std::to_string(now / std::chrono::microseconds{1}))
        .field(tag::SecurityID, "4001")
        .field(tag::SecurityIDSource, '8')
        .field(tag::Side, '1')
        .field(tag::TransactTime, session.now())
        .field(tag::OrderQty, 10_d)
        .field(tag::OrdType, '2')
        .field(tag::Price, 1.1716_d)
        .field(tag::TimeInForce, '3');
    const auto sent = session.finish(order);
    if (!sent) std::printf("not sent: %s\n", sent.error().what().c_str());
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
  static void print(const char* what, const MessageView& message) {
    std::printf("%s 35=%s", what, std::string{message.msg_type()}.c_str());
    for (const auto field : {tag::OrdStatus, tag::CumQty, tag::LastPx, tag::Text}) {
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
