// A trader with a session of its own, and what it says of a key whose part it was linked without.
#include <cstdio>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/settings.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::Session;
using namespace nexusfix::literals;

namespace {

struct Trader {
  void on_logon(Session& session) {
    static_cast<void>(session.send<fix44::NewOrderSingle>(
        fix44::ClOrdID{"A1"}, fix44::Symbol{"AAPL"}, fix44::Side::Buy,
        fix44::TransactTime{session.now()}, fix44::OrderQty{100_d}, fix44::OrdType::Limit,
        fix44::Price{150.25_d}));
  }
  void on_message(Session& session, const fix44::ExecutionReport&) { session.log_out("done"); }
};

// Short lines.
std::string in_lines(std::string text) {
  for (const std::string_view end : {": ", ". ", ", and "}) {
    for (std::size_t at = 0; (at = text.find(end, at)) != std::string::npos; ++at) {
      text.replace(at + 1, 1, "\n  ");
    }
  }
  return text;
}

// "opened", or why not.
std::string open(const std::string& more_keys) {
  const std::string text =
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
      "HeartBtInt=30\nNonStopSession=Y\nStore=memory\n" +
      more_keys + "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n";
  auto settings = nexusfix::parse_settings(text, "trader.cfg");
  if (!settings) return settings.error().front().what();
  Trader trader;
  const auto opened = nexusfix::Engine::open(std::move(*settings), trader);
  return opened ? "opened" : in_lines(opened.error().what());
}

}  // namespace

int main(int argc, char** argv) {
  Trader trader;
  if (argc > 1) return nexusfix::run(argv[1], trader);
  std::printf("no part: %s\n", open("").c_str());
  std::printf("%s\n", open("ProxyType=http\nProxyHost=a\nProxyPort=1\n").c_str());
  std::printf("%s\n", open("Store=postgresql\nFileStorePath=store\n").c_str());
  return 0;
}
