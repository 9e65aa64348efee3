#include "order_traffic.hpp"

#include <charconv>
#include <string>

namespace nexusfix::simulator::cluster {
namespace {

constexpr wire::Tag kClOrdId = 11;
constexpr wire::Tag kExecId = 17;
constexpr wire::Tag kPossDupFlag = 43;
constexpr wire::Tag kExecType = 150;
constexpr char kNew = '0';
constexpr char kRejected = '8';

std::uint64_t number_in(std::optional<std::string_view> id) noexcept {
  std::uint64_t number = 0;
  if (id) std::from_chars(id->data(), id->data() + id->size(), number);
  return number;
}

}  // namespace

engine::MessageReply ClusterApplication::on_message(engine::Session& session,
                                                    const wire::MessageView& message) {
  if (message.msg_type() != std::string_view{"D"}) return engine::accept();
  // It may be filled in what was lost.
  const bool is_refused = refuses_repeated_ && message[kPossDupFlag] == std::string_view{"Y"};
  wire::Encoder encoder = session.begin("8");
  encoder.field(37, "V")
      .field(kClOrdId, message[kClOrdId].value_or(""))
      .field(kExecId, checker_.next_execution())
      .field(kExecType, is_refused ? kRejected : kNew)
      .field(39, is_refused ? kRejected : kNew)
      .field(55, "AAPL")
      .field(54, '1')
      .field(151, is_refused ? 0 : 100)
      .field(14, 0)
      .field(6, 0);
  if (!session.finish(encoder)) return engine::business_reject(4, 0, "cannot answer");
  return engine::accept();
}

void ClusterApplication::on_recovered(const engine::RecoveredMessage& message) {
  recovered_.insert({session_of(message.session), message.msg_seq_num});
}

engine::MessageReply PeerApplication::on_message(engine::Session& session,
                                                 const wire::MessageView& message) {
  const std::size_t index = session_of(session.id().sender_comp_id);
  checker_.delivered(index, message.bytes());
  if (message.msg_type() == std::string_view{"8"}) {
    const std::uint64_t order = number_in(message[kClOrdId]);
    if (message[kExecType] == std::string_view{"8"}) {
      checker_.refusal_received(index, order);
    } else {
      checker_.report_received(index, order, number_in(message[kExecId]));
    }
  }
  return engine::accept();
}

void send_order(HistoryChecker& checker, engine::Session& session, std::size_t index) {
  wire::Encoder encoder = session.begin("D");
  encoder.field(kClOrdId, checker.orders() + 1)
      .field(21, '1')
      .field(55, "AAPL")
      .field(54, '1')
      .field(60, session.now())
      .field(38, 100)
      .field(40, '1');
  if (session.finish(encoder)) static_cast<void>(checker.order_sent(index));
}

void send_news(engine::Session& session, std::uint64_t number) {
  wire::Encoder encoder = session.begin("B");
  encoder.field(148, number).field(33, 1).field(58, "markets are calm");
  static_cast<void>(session.finish(encoder));
}

}  // namespace nexusfix::simulator::cluster
