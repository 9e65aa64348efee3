#include "logs/order/order_chain.hpp"

#include <algorithm>
#include <array>

namespace nexusfix::logs {
namespace {

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

std::string_view day_of(const MessageFields& fields) { return fields.value(52).substr(0, 8); }

}  // namespace

void OrderChains::begin_pass() {
  for (auto& [session, known] : sessions_) {
    std::erase_if(known, [](const auto& entry) { return !entry.second.is_known; });
    for (auto& [key, identifier] : known) identifier.order = nullptr;
  }
  new_orders_.clear();
  numbers_.clear();
  orders_.clear();
  links_ = 0;
  has_grown_ = false;
}

void OrderChains::find_keys(const MessageFields& fields) {
  has_wanted_ = false;
  for (const MessageField& field : fields.all()) {
    const char kind = kind_of(field.tag);
    if (kind == '\0' || std::ranges::count(kNone, field.value) > 0) continue;
    keys_.push_back({field.tag, kind + std::string{field.value}});
    has_wanted_ = has_wanted_ || wants_every_ || field.value == wanted_;
  }
}

const LinkedOrder* OrderChains::take(const MessageFields& fields) {
  LinkedOrder* const order = find_order(fields);
  if (numbers_.empty() && order == nullptr) return nullptr;
  // A number is that of the last message with it: numbers are used again after a reset.
  std::string number = own_number(fields);
  if (order != nullptr && !keys_.empty()) {
    numbers_.insert_or_assign(std::move(number), order);
  } else {
    numbers_.erase(number);
  }
  return order;
}

LinkedOrder* OrderChains::find_order(const MessageFields& fields) {
  keys_.clear();
  const std::string_view msg_type = fields.value(35);
  if (msg_type.size() != 1 || !kMsgTypes.contains(msg_type.front())) return nullptr;
  if (msg_type == "3" || msg_type == "j") return find_rejected(fields);
  find_keys(fields);
  if (keys_.empty()) return nullptr;
  // A resend is about the order of the original, whatever came in between.
  if (fields.value(43) == "Y") {
    const auto original = numbers_.find(own_number(fields));
    if (original != numbers_.end()) return original->second;
  }
  const std::string name = session_of(fields.value(49), fields.value(56));
  auto found = sessions_.find(name);
  if (found == sessions_.end()) {
    if (!has_wanted_) return nullptr;
    found = sessions_.try_emplace(name).first;
  }
  auto& [session, known] = *found;
  if (msg_type == "D") return begun_by(fields, session, known);
  LinkedOrder* const order = linked_by(fields, session, known);
  if (order == nullptr) return nullptr;
  link(*order, known);
  // The earlier order may go on: "duplicate ClOrdID".
  if (order->previous != nullptr && msg_type == "8" && fields.value(39) == "8") {
    const auto id = known.find("C" + std::string{fields.value(11)});
    if (id != known.end()) id->second.order = order->previous;
  }
  return order;
}

// A BusinessMessageReject may have the ClOrdID (379), and a Reject has only the MsgSeqNum.
LinkedOrder* OrderChains::find_rejected(const MessageFields& fields) {
  const auto session = sessions_.find(session_of(fields.value(49), fields.value(56)));
  if (session == sessions_.end()) return nullptr;
  if (fields.value(35) == "j") {
    const auto id = session->second.find("C" + std::string{fields.value(379)});
    if (id != session->second.end() && id->second.order != nullptr) return id->second.order;
  }
  const auto number =
      numbers_.find(number_of(fields.value(56), fields.value(49), fields.value(45)));
  return number == numbers_.end() ? nullptr : number->second;
}

LinkedOrder* OrderChains::begun_by(const MessageFields& fields, std::string_view session,
                                   Identifiers& known) {
  const auto id = known.find("C" + std::string{fields.value(11)});
  if (id == known.end() && !has_wanted_) return nullptr;
  std::string message = own_number(fields) + '\x01' + std::string{fields.value(52)};
  const auto same = new_orders_.find(message);
  if (same != new_orders_.end()) return same->second;
  LinkedOrder* const previous = id == known.end() ? nullptr : id->second.order;
  const bool is_again = fields.value(43) == "Y" || fields.value(97) == "Y";
  // By the clocks of two logs, a report may come before its order.
  const auto has_only_reports = [&] {
    return !previous->has_new_order && previous->day == day_of(fields);
  };
  const bool is_previous = previous != nullptr && (is_again || has_only_reports());
  LinkedOrder* const order = is_previous ? previous : begin(fields, session);
  if (order == nullptr) return nullptr;
  if (!is_previous) order->previous = previous;
  order->has_new_order = true;
  new_orders_.emplace(std::move(message), order);
  link(*order, known);
  return order;
}

// The first identifier that has an order counts. An ExecID alone is used again by other orders.
LinkedOrder* OrderChains::linked_by(const MessageFields& fields, std::string_view session,
                                    const Identifiers& known) {
  static constexpr std::array<wire::Tag, 5> kReport{11, 41, 37, 19, 17};
  static constexpr std::array<wire::Tag, 5> kRequest{41, 37, 11, 19, 17};  // has a new ClOrdID
  const std::string_view msg_type = fields.value(35);
  bool is_known = has_wanted_;
  for (const wire::Tag tag : msg_type == "F" || msg_type == "G" ? kRequest : kReport) {
    for (const Key& key : keys_) {
      if (key.tag != tag || (tag == 17 && keys_.size() > 1)) continue;
      const auto found = known.find(key.text);
      if (found == known.end()) continue;
      if (found->second.order != nullptr) return found->second.order;
      is_known = true;
    }
  }
  return is_known ? begin(fields, session) : nullptr;
}

LinkedOrder* OrderChains::begin(const MessageFields& fields, std::string_view session) {
  if (orders_.size() >= limits_.identifiers) {
    is_full_ = true;
    return nullptr;
  }
  return &orders_.emplace_back(LinkedOrder{
      .session = session, .number = orders_.size(), .day = std::string{day_of(fields)}});
}

void OrderChains::link(LinkedOrder& order, Identifiers& known) {
  order.is_wanted = order.is_wanted || has_wanted_;
  for (const Key& key : keys_) {
    if (known.size() >= limits_.identifiers || links_ >= limits_.links) {
      is_full_ = true;
      return;
    }
    OrderIdentifier& identifier = known[key.text];
    if (identifier.order == &order) continue;
    identifier.order = &order;
    order.not_known.push_back(&identifier);
    ++links_;
  }
  if (!order.is_wanted) return;
  for (OrderIdentifier* const identifier : order.not_known) {
    has_grown_ = has_grown_ || !identifier->is_known;
    identifier->is_known = true;
  }
  links_ -= order.not_known.size();
  order.not_known.clear();
}

}  // namespace nexusfix::logs
