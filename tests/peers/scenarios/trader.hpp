// The application of the initiator under test: accepts ExecutionReports, and records its callbacks.
#pragma once

#include <deque>
#include <string>

#include <nexusfix/engine.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::scenarios {

class Trader {
 public:
  void on_logon(Session&) { callbacks.emplace_back("logged on"); }
  void on_logout(Session&) { callbacks.emplace_back("logged out"); }
  [[nodiscard]] MessageReply on_message(Session&, const MessageView& message) {
    if (message.msg_type() != std::string_view{"8"}) return engine::unsupported_message_type();
    callbacks.push_back(testing::bar(message.bytes()));
    return engine::accept();
  }

  // The callbacks that the script has not expected yet: "logged on", "logged out", or a message.
  std::deque<std::string> callbacks;
};

}  // namespace nexusfix::scenarios
