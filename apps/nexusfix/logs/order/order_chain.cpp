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

std::string number_of(std::string_view sender, std::string_view target, std::string_view number) {
  return std::string{sender} + '\x01' + std::string{target} + '\x01' + std::string{number};
}

std::string own_number(const MessageFields& fields) {
  return number_of(fields.value(49), fields.value(56), fields.value(34));
}

}  // namespace

void OrderChains::find_keys(const MessageFields& fields, std::string_view msg_type) {
  keys_.clear();
  refs_.clear();
  has_wanted_ = false;
  if (msg_type == "3") return;
  if (msg_type == "j") {
    const std::string_view id = fields.value(379);
    if (std::ranges::count(kNone, id) == 0) refs_.push_back("C" + std::string{id});
    return;
  }
  for (const MessageField& field : fields.all()) {
    const char kind = kind_of(field.tag);
    if (kind == '\0' || std::ranges::count(kNone, field.value) > 0) continue;
    keys_.push_back(kind + std::string{field.value});
    has_wanted_ = has_wanted_ || field.value == wanted_;
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
  const std::string* const session = find_session(fields);
  if (numbers_.empty() && session == nullptr) return nullptr;
  // A number is that of the last message with it: numbers are used again after a reset.
  std::string number = own_number(fields);
  if (session != nullptr && !keys_.empty()) {
    numbers_.insert(std::move(number));
  } else {
    numbers_.erase(number);
  }
  return session;
}

const std::string* OrderChains::find_session(const MessageFields& fields) {
  keys_.clear();
  const std::string_view msg_type = fields.value(35);
  if (msg_type.size() != 1 || !kMsgTypes.contains(msg_type.front())) return nullptr;
  find_keys(fields, msg_type);
  // A Reject names its message by MsgSeqNum.
  const bool is_reject = msg_type == "3" || msg_type == "j";
  if (keys_.empty() && !is_reject) return nullptr;
  const std::string session = session_of(fields.value(49), fields.value(56));
  auto found = sessions_.find(session);
  if (found == sessions_.end()) {
    if (!has_wanted_) return nullptr;
    found = sessions_.try_emplace(session).first;
  }
  const auto is_known = [&](const std::string& key) { return found->second.contains(key); };
  const bool belongs =
      has_wanted_ || std::ranges::any_of(keys_, is_known) || std::ranges::any_of(refs_, is_known) ||
      (is_reject &&
       numbers_.contains(number_of(fields.value(56), fields.value(49), fields.value(45))));
  if (!belongs) return nullptr;
  learn(found->second);
  return &found->first;
}

}  // namespace nexusfix::logs
