// An order router between clients and a venue. It forwards orders to the venue with ClOrdIDs of its
// own, and forwards reports to the client with the ClOrdIDs of the client. If the venue is not
// logged on, the router rejects orders at once; if a client is not logged on, the store keeps its
// reports for it.
//
// A callback is a transaction over all sessions that it touches: the receipt of a client's order
// and the message to the venue are one record. No crash loses an order or routes it twice.
//
// Usage: example_11_router 11_router.cfg
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/business_message_reject.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>
#include <nexusfix/fix44/order_cancel_reject.hpp>
#include <nexusfix/fix44/order_cancel_replace_request.hpp>
#include <nexusfix/fix44/order_cancel_request.hpp>
#include <nexusfix/fix44/tags.hpp>
#include <nexusfix/wire/header_template.hpp>
#include <nexusfix/wire/typed_read.hpp>

namespace fix44 = nexusfix::fix44;
namespace tag = nexusfix::fix44::tag;
namespace wire = nexusfix::wire;
using nexusfix::MessageReply;
using nexusfix::MessageView;
using nexusfix::Session;
using namespace nexusfix::literals;

namespace {

// The order A1 of ALICE is "ALICE/A1" at the venue. The ClOrdID names the client, so the router can
// forward each report, also after a restart.
constexpr char kMark = '/';
constexpr std::string_view kVenue = "VENUE";

// BusinessRejectReason (380).
constexpr unsigned kUnknownId = 1;
constexpr unsigned kNotAvailable = 4;

class Router {
 public:
  // Returns false if there is no VENUE, or if a CompID contains kMark.
  bool attach(nexusfix::Engine& engine) {
    for (Session& session : engine.sessions()) {
      const std::string& who = session.id().target_comp_id;
      if (who.find(kMark) != std::string::npos) return false;
      if (who == kVenue) {
        venue_ = &session;
      } else {
        clients_.emplace(who, &session);
      }
    }
    return venue_ != nullptr;
  }

  MessageReply on_message(Session& client, const fix44::NewOrderSingle& order) {
    if (venue_->is_logged_on()) return to_venue(client, order);
    const MessageView& received = order.view();
    const std::string exec_id = "ROUTER-" + std::string{received[tag::SendingTime].value_or("")} +
                                '-' + std::string{received[tag::MsgSeqNum].value_or("")};
    return check(client.send<fix44::ExecutionReport>(
        fix44::OrderID{"NONE"}, order.cl_ord_id(), fix44::ExecID{exec_id},
        fix44::ExecType::Rejected, fix44::OrdStatus::Rejected, fix44::OrdRejReason::ExchangeClosed,
        order.symbol(), order.side(), order.order_qty(), fix44::LeavesQty{0_d}, fix44::CumQty{0_d},
        fix44::AvgPx{0_d}, fix44::Text{"the venue is not logged on"}));
  }
  MessageReply on_message(Session& client, const fix44::OrderCancelRequest& request) {
    return to_venue(client, request);
  }
  MessageReply on_message(Session& client, const fix44::OrderCancelReplaceRequest& request) {
    return to_venue(client, request);
  }

  MessageReply on_message(Session& session, const fix44::ExecutionReport& report) {
    return to_client(session, report.view());
  }
  MessageReply on_message(Session& session, const fix44::OrderCancelReject& reject) {
    return to_client(session, reject.view());
  }
  // The venue refused a message without processing its order.
  void on_message(Session& session, const fix44::BusinessMessageReject& reject) {
    reject_to_sender(session, reject.view());
  }
  void on_admin(Session& session, const MessageView& message) {
    if (message.msg_type() == "3") reject_to_sender(session, message);
  }

  // The engine calls this before it opens a port. The router needs the messages to the venue.
  void on_recovered(const nexusfix::RecoveredMessage& stored) {
    if (stored.message[tag::TargetCompID] != kVenue) return;
    sent_[stored.msg_seq_num] = stored.message[tag::ClOrdID].value_or("");
  }

 private:
  using Clients = std::map<std::string, Session*, std::less<>>;  // by CompID

  static constexpr bool is_name(wire::Tag field) {
    return field == tag::ClOrdID || field == tag::OrigClOrdID;
  }

  template <class Request>
  MessageReply to_venue(Session& client, const Request& request) {
    if (&client == venue_) return nexusfix::unsupported_message_type();
    if (!venue_->is_logged_on()) {
      // No OrderCancelReject: it needs the order's OrdStatus, which only the venue knows.
      return nexusfix::business_reject(kNotAvailable, 0, "the venue is not logged on",
                                       request.cl_ord_id().value);
    }
    const std::string whose = client.id().target_comp_id + kMark;
    const auto sent = forward(request.view(), *venue_,
                              [&](std::string_view name) { return whose + std::string{name}; });
    if (sent) sent_[sent->msg_seq_num] = whose + std::string{request.cl_ord_id().value};
    return check(sent);
  }

  MessageReply to_client(Session& session, const MessageView& message) {
    if (&session != venue_) return nexusfix::unsupported_message_type();
    const std::string_view name = message[tag::ClOrdID].value_or("");
    const auto client = client_of(name);
    if (client == clients_.end()) {
      return nexusfix::business_reject(kUnknownId, tag::ClOrdID, "no client has this order", name);
    }
    const std::string whose = client->first + kMark;
    // If the client is not logged on, the store keeps the report until its next Logon.
    return check(forward(message, *client->second, [&](std::string_view other) {
      return std::string{other.starts_with(whose) ? other.substr(whose.size()) : other};
    }));
  }

  // A Reject or a BusinessMessageReject has the MsgSeqNum of the refused message, but not always
  // its ClOrdID.
  void reject_to_sender(Session& session, const MessageView& reject) {
    const auto number = reject.get<std::uint64_t>(tag::RefSeqNum).value_or(0);
    const auto sent = &session == venue_ ? sent_.find(number) : sent_.end();
    const auto client = sent == sent_.end() ? clients_.end() : client_of(sent->second);
    if (client == clients_.end()) {
      std::fprintf(stderr, "%s has refused message %llu\n", std::string{session.name()}.c_str(),
                   static_cast<unsigned long long>(number));
      return;
    }
    const std::string_view name = std::string_view{sent->second}.substr(client->first.size() + 1);
    using Reason = fix44::BusinessRejectReason;
    const auto rejected = client->second->send<fix44::BusinessMessageReject>(
        fix44::RefMsgType{reject[tag::RefMsgType].value_or("D")}, fix44::BusinessRejectRefID{name},
        wire::read_field<Reason>(reject).value_or(Reason::Other),
        fix44::Text{reject[tag::Text].value_or("refused by the venue")});
    if (!rejected) std::fprintf(stderr, "%s\n", rejected.error().what().c_str());
  }

  [[nodiscard]] Clients::const_iterator client_of(std::string_view name) const {
    return clients_.find(name.substr(0, name.find(kMark)));
  }

  // Forwards the body, with groups and unknown fields. Only the ClOrdIDs change.
  template <class Rename>
  static nexusfix::SendResult forward(const MessageView& message, Session& to, Rename&& rename) {
    wire::Encoder encoder = to.begin(message.msg_type());
    for (const auto field : message) {
      if (wire::is_header_tag(field.tag) || wire::is_written_by_encoder(field.tag)) continue;
      if (is_name(field.tag)) {
        encoder.field(field.tag, std::string_view{rename(field.value)});
      } else {
        encoder.field(field.tag, field.value);
      }
    }
    return to.finish(encoder);
  }

  static MessageReply check(const nexusfix::SendResult& sent) {
    if (sent) return nexusfix::accept();
    return nexusfix::business_reject(kNotAvailable, 0, sent.error().what());
  }

  Session* venue_ = nullptr;
  Clients clients_;
  std::map<std::uint64_t, std::string> sent_;  // to the venue: MsgSeqNum to ClOrdID
};

}  // namespace

int main(int argc, char** argv) {
  const char* const path = argc > 1 ? argv[1] : "11_router.cfg";
  Router router;
  auto engine = nexusfix::Engine::open(path, router);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  if (!router.attach(*engine)) {
    std::fprintf(stderr, "%s: a session with TargetCompID=VENUE is needed, and no name with %c\n",
                 path, kMark);
    return 1;
  }
  const nexusfix::StopSignals signals{*engine};
  return engine->run();
}
