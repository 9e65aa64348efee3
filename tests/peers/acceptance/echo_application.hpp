// The small application of the acceptance scripts: echoes orders.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/catalog.hpp>
#include <nexusfix/engine.hpp>

namespace nexusfix::acceptance {

// One thread. Echoes NewOrderSingle, SecurityDefinition and Email; other message types are
// unsupported. An order with PossResend whose ClOrdID was received on its session since the last
// Logon is ignored.
class EchoApplication {
 public:
  void on_logout(Session& session);
  [[nodiscard]] MessageReply on_message(Session& session, const MessageView& message);

 private:
  // Fields [begin, end) of a message that stay together: one field, a Length field and its data
  // field, or a repeating group.
  struct Unit {
    wire::Tag tag = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  [[nodiscard]] MessageReply echo(Session& session, const MessageView& message);
  void collect_units(const MessageView& message, const dictionary::GroupShapes& shapes);
  [[nodiscard]] const dictionary::GroupShapes& shapes_of(std::string_view version);

  std::map<std::string_view, std::set<std::string, std::less<>>> cl_ord_ids_;  // by session
  std::map<std::string, dictionary::GroupShapes, std::less<>> shapes_;         // by version
  std::vector<Unit> units_;
};

}  // namespace nexusfix::acceptance
