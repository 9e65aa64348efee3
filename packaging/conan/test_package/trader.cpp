// A trader that opens its engine, and does not trade.
#include <cstdio>
#include <utility>

#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/settings.hpp>

namespace {

struct Trader {
  void on_message(nexusfix::Session& session, const nexusfix::fix44::ExecutionReport&) {
    session.log_out("done");
  }
};

}  // namespace

int main() {
  auto settings = nexusfix::parse_settings(
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
      "HeartBtInt=30\nNonStopSession=Y\nStore=memory\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
      "trader.cfg");
  if (!settings) return 1;
  Trader trader;
  const auto engine = nexusfix::Engine::open(std::move(*settings), trader);
  std::puts(engine ? "opened" : engine.error().what().c_str());
  return engine ? 0 : 1;
}
