#include "mutated_acceptor.hpp"

#include <cstdio>
#include <string>
#include <string_view>

#include <nexusfix/engine.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::test {
namespace {

constexpr std::string_view kConfiguration =
    "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptAddress=127.0.0.1\nSocketAcceptPort=0\n"
    "Store=memory\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ENGINE\nTargetCompID=TESTER\n";

struct Acceptor {
  unsigned orders = 0;

  MessageReply on_message(Session& session, const MessageView& message) {
    if (message.msg_type() != "D") return accept();
    const std::string id = std::to_string(++orders);
    wire::Encoder encoder = session.begin("8");
    encoder.field(37, id);
    encoder.field(11, message[11].value_or(std::string_view{}));
    encoder.field(17, id);
    encoder.field(150, std::string_view{"0"});
    encoder.field(39, std::string_view{"0"});
    encoder.field(55, message[55].value_or(std::string_view{}));
    encoder.field(54, message[54].value_or(std::string_view{}));
    encoder.field(151, message[38].value_or(std::string_view{}));
    encoder.field(14, std::string_view{"0"});
    encoder.field(6, std::string_view{"0"});
    return session.finish(encoder) ? accept() : business_reject(0, 0, "no report can be sent");
  }
};

}  // namespace

int run_mutated_acceptor() {
  auto settings = config::parse_settings(std::string{kConfiguration}, "mutated");
  if (!settings) {
    for (const auto& error : settings.error()) std::fprintf(stderr, "%s\n", error.what().c_str());
    return 1;
  }
  Acceptor application;
  auto engine = Engine::open(std::move(*settings), application);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  std::printf("listening on port %u\n", unsigned{engine->accept_port()});
  std::fflush(stdout);
  return engine->run();
}

}  // namespace nexusfix::test
