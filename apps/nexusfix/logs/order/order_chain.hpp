// The identifiers of an order: ClOrdID, OrigClOrdID, OrderID, ExecID and ExecRefID, linked by the
// messages that have several of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "nexusfix/logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// The orders that have an identifier, one for each session: a ClOrdID is unique only there. A
// session is a pair of CompIDs, in any direction.
class OrderChains {
 public:
  explicit OrderChains(std::string id) : wanted_{std::move(id)} {}

  // Whether a message belongs to an order with the identifier, as far as it is known: the name of
  // the session, or nothing. Learns the other identifiers in the message. An earlier message may
  // turn out to belong, too: read all messages again until has_grown() stays false.
  [[nodiscard]] const std::string* take(const MessageFields& fields);
  // Since the last call. Ends a pass over the messages.
  [[nodiscard]] bool has_grown() {
    numbers_.clear();
    return std::exchange(has_grown_, false);
  }
  [[nodiscard]] bool is_full() const noexcept { return is_full_; }

 private:
  using Identifiers = std::unordered_set<std::string>;  // a letter for the kind, and the value

  [[nodiscard]] const std::string* find_session(const MessageFields& fields);
  void find_keys(const MessageFields& fields, std::string_view msg_type);
  void learn(Identifiers& known);

  std::string wanted_;
  std::map<std::string, Identifiers, std::less<>> sessions_;
  // Of the messages that belong to an order and are the last ones with their numbers so far.
  std::unordered_set<std::string> numbers_;
  std::vector<std::string> keys_;  // of the present message
  std::vector<std::string> refs_;  // keys that it refers to, and that do not belong to it
  bool has_wanted_ = false;        // one of them is the identifier
  bool has_grown_ = false;
  bool is_full_ = false;
};

}  // namespace nexusfix::logs
