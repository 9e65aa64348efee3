// The application of the initiator under test: takes ExecutionReports, and remembers what it was
// told.
#pragma once

#include <deque>
#include <string>

#include <nexusfix/engine.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::scenarios {

class Trader {
 public:
  void on_logon(Session&) { told.emplace_back("logged on"); }
  void on_logout(Session&) { told.emplace_back("logged out"); }
  [[nodiscard]] Verdict on_message(Session&, const MessageView& message) {
    if (message.msg_type() != std::string_view{"8"}) return engine::unsupported_message_type();
    told.push_back(testing::bar(message.bytes()));
    return engine::accept();
  }

  // What a script has still to expect: "logged on", "logged out", or a message.
  std::deque<std::string> told;
};

}  // namespace nexusfix::scenarios
