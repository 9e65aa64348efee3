#include "simulator/order_flow.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::simulator {
namespace {

constexpr wire::Tag kClOrdId = 11;
constexpr wire::Tag kOrderQty = 38;
constexpr wire::Tag kText = 58;

// Some orders are refused, so that business rejects are sent, too.
constexpr std::uint64_t kRefusedEvery = 61;

std::uint64_t quantity_of(std::uint64_t order) noexcept { return 1 + order * 7 % 991; }

// A text whose length differs from order to order.
std::string_view text_of(std::uint64_t order) noexcept {
  constexpr std::string_view kTextMax =
      "the quick brown fox jumps over the lazy dog, again and again and again and again, until it "
      "is tired of it";
  return kTextMax.substr(0, 1 + order * 13 % kTextMax.size());
}

// "O12" or "R12".
std::string_view write_id(char letter, std::uint64_t number, std::span<char> buffer) noexcept {
  buffer[0] = letter;
  const auto end = std::to_chars(buffer.data() + 1, buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::uint64_t number_of(std::string_view id) noexcept {
  std::uint64_t number = 0;
  if (!id.empty()) std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return number;
}

bool finish(OrderBooks& books, engine::Session& session, wire::Encoder& encoder) {
  const engine::SendResult sent = session.finish(encoder);
  if (sent) books.world().promised(session, *sent);
  return sent.has_value();
}

}  // namespace

OrderBooks::Order& OrderBooks::at(std::uint64_t order) {
  if (known_.size() <= order) known_.resize(std::max<std::size_t>(order + 1, 2 * known_.size()));
  return known_[order];
}

void OrderBooks::order_refused(std::uint64_t order) { at(order).is_refused = true; }
void OrderBooks::order_taken(std::uint64_t order, const engine::Session& session) {
  at(order).session = session.name();
}
std::string_view OrderBooks::taken_on(std::uint64_t order) const noexcept {
  return order < known_.size() ? std::string_view{known_[order].session} : std::string_view{};
}
bool OrderBooks::is_refused(std::uint64_t order) const noexcept {
  return order < known_.size() && known_[order].is_refused;
}
bool send_order(OrderBooks& books, engine::Session& session) {
  std::array<char, 24> buffer{};
  const std::uint64_t order = books.next_order();
  wire::Encoder encoder = session.begin("D");
  encoder.field(kClOrdId, write_id('O', order, buffer))
      .field(21, '1')
      .field(55, "AAPL")
      .field(54, '1')
      .field(60, session.now())
      .field(kOrderQty, quantity_of(order))
      .field(40, '1')
      .field(kText, text_of(order));
  return finish(books, session, encoder);
}

bool send_news(OrderBooks& books, engine::Session& session, std::uint64_t number) {
  std::array<char, 24> buffer{};
  wire::Encoder encoder = session.begin("B");
  encoder.field(148, write_id('N', number, buffer)).field(33, 1).field(kText, text_of(number));
  return finish(books, session, encoder);
}

void SimulatedTrader::on_message(engine::Session&, const wire::MessageView& message) {
  if (message.msg_type() != std::string_view{"8"}) return;
  const std::uint64_t order = number_of(message[kClOrdId].value_or(std::string_view{}));
  if (order == 0 || order > books_.orders()) {
    books_.world().found("message-invented", "a report for order " + std::to_string(order));
  }
}

engine::MessageReply SimulatedVenue::on_message(engine::Session& session,
                                                const wire::MessageView& message) {
  last_order_ = 0;
  if (message.msg_type() != std::string_view{"D"}) return engine::accept();
  const std::uint64_t order = number_of(message[kClOrdId].value_or(std::string_view{}));
  if (order == 0 || order > books_.orders() ||
      message.get<std::uint64_t>(kOrderQty).value_or(0) != quantity_of(order) ||
      message[kText] != text_of(order)) {
    books_.world().found("message-altered", "order " + std::to_string(order));
  }
  if (answered_.size() <= order) answered_.resize(2 * order + 1);
  if (answered_[order] && !books_.may_repeat(session.name())) {
    books_.world().found("order-repeated", "order " + std::to_string(order) +
                                               " comes again, and its report is in the journal");
  }
  books_.order_taken(order, session);
  last_order_ = order;
  if (order % kRefusedEvery == 0) {
    books_.order_refused(order);
    return engine::business_reject(0, kClOrdId, "no such thing today");
  }
  std::array<char, 24> order_id{};
  std::array<char, 24> exec_id{};
  wire::Encoder encoder = session.begin("8");
  encoder.field(37, write_id('V', order, order_id)).field(kClOrdId, message[kClOrdId].value_or(""));
  encoder.field(17, write_id('R', order, exec_id));
  if (session.application_version() == std::string_view{"FIX.4.2"}) encoder.field(20, '0');
  encoder.field(150, '0')
      .field(39, '0')
      .field(55, "AAPL")
      .field(54, '1')
      .field(kOrderQty, quantity_of(order))
      .field(151, quantity_of(order))
      .field(14, 0)
      .field(6, 0);
  if (!finish(books_, session, encoder)) return engine::business_reject(4, 0, "cannot answer");
  answered_[order] = true;
  return engine::accept();
}

void SimulatedVenue::on_recovered(const engine::RecoveredMessage& recovered) {
  if (recovered.message.msg_type() != std::string_view{"8"}) return;
  const std::uint64_t order = number_of(recovered.message[kClOrdId].value_or(std::string_view{}));
  if (order > books_.orders()) return;
  if (answered_.size() <= order) answered_.resize(2 * order + 1);
  if (answered_[order] && !books_.may_repeat(recovered.session)) {
    books_.world().found("order-repeated",
                         "the journal has two reports for order " + std::to_string(order));
  }
  answered_[order] = true;
}

void SimulatedVenue::on_undone() {
  if (last_order_ == 0) return;
  answered_[last_order_] = false;
  books_.order_refused(last_order_);
}

std::string SimulatedVenue::find_missing_answer(engine::Engine& engine) const {
  std::vector<std::string_view> whole;  // sessions that were never reset
  const store::Store& store = engine.store();
  for (std::size_t key = 0; key < store.session_count(); ++key) {
    const auto session = static_cast<store::SessionKey>(key);
    if (store.session(session).epoch == 1) whole.push_back(store.session_name(session));
  }
  for (std::uint64_t order = 1; order <= books_.orders(); ++order) {
    const bool has_report = order < answered_.size() && answered_[order];
    if (has_report || books_.is_refused(order)) continue;
    if (std::ranges::find(whole, books_.taken_on(order)) != whole.end()) {
      return "order " + std::to_string(order) + " was taken, and has no report";
    }
  }
  return {};
}

}  // namespace nexusfix::simulator
