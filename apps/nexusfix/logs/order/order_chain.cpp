#include "nexusfix/logs/order/order_chain.hpp"

#include <algorithm>
#include <array>

namespace nexusfix::logs {
namespace {

constexpr std::size_t kIdentifiersMax = 200'000;
// NewOrderSingle, its cancel and replace, their answers, OrderStatusRequest, DontKnowTrade, Reject
// and BusinessMessageReject. A message about several orders would link them all.
constexpr std::string_view kMsgTypes = "DFG89HQ3j";
// What venues write if there is no identifier.
constexpr std::array<std::string_view, 6> kNone{"", "0", "NONE", "None", "none", "UNKNOWN"};

char kind_of(wire::Tag tag) {
  switch (tag) {
    case 11:  // ClOrdID
    case 41:  // OrigClOrdID
      return 'C';
    case 37:  // OrderID
      return 'O';
    case 17:  // ExecID
    case 19:  // ExecRefID
      return 'E';
    default:
      return '\0';
  }
}

std::string session_of(std::string_view sender, std::string_view target) {
  if (target < sender) std::swap(sender, target);
  return std::string{sender} + " and " + std::string{target};
}

}  // namespace

void OrderChains::find_keys(const MessageFields& fields, std::string_view msg_type) {
  keys_.clear();
  refs_.clear();
  has_wanted_ = false;
  const std::string_view sender = fields.value(49);
  if (msg_type == "3") {
    // A Reject names its message by MsgSeqNum.
    refs_.push_back("S" + std::string{fields.value(56)} + '\x01' + std::string{fields.value(45)});
    return;
  }
  if (msg_type == "j") {
    const std::string_view id = fields.value(379);
    if (std::ranges::count(kNone, id) == 0) refs_.push_back("C" + std::string{id});
    refs_.push_back("S" + std::string{fields.value(56)} + '\x01' + std::string{fields.value(45)});
    return;
  }
  for (const MessageField& field : fields.all()) {
    const char kind = kind_of(field.tag);
    if (kind == '\0' || std::ranges::count(kNone, field.value) > 0) continue;
    keys_.push_back(kind + std::string{field.value});
    has_wanted_ = has_wanted_ || field.value == wanted_;
  }
  if (!keys_.empty()) {
    keys_.push_back("S" + std::string{sender} + '\x01' + std::string{fields.value(34)});
  }
}

void OrderChains::learn(Identifiers& known) {
  for (const std::string& key : keys_) {
    if (known.size() >= kIdentifiersMax) {
      is_full_ = true;
      return;
    }
    if (known.insert(key).second) has_grown_ = true;
  }
}

const std::string* OrderChains::take(const MessageFields& fields) {
  const std::string_view msg_type = fields.value(35);
  if (msg_type.size() != 1 || !kMsgTypes.contains(msg_type.front())) return nullptr;
  find_keys(fields, msg_type);
  if (keys_.empty() && refs_.empty()) return nullptr;
  const std::string session = session_of(fields.value(49), fields.value(56));
  auto found = sessions_.find(session);
  if (found == sessions_.end()) {
    if (!has_wanted_) return nullptr;
    found = sessions_.try_emplace(session).first;
  }
  const auto is_known = [&](const std::string& key) { return found->second.contains(key); };
  // The MsgSeqNum alone does not link messages: numbers are used again after a reset.
  const auto is_known_id = [&](const std::string& key) { return key[0] != 'S' && is_known(key); };
  const bool belongs = has_wanted_ || std::ranges::any_of(keys_, is_known_id) ||
                       std::ranges::any_of(refs_, is_known);
  if (!belongs) return nullptr;
  learn(found->second);
  return &found->first;
}

}  // namespace nexusfix::logs
