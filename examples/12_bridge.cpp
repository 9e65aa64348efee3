// A bridge between a FIX 4.2 and a FIX 5.0SP2 session. It translates orders, cancels, replacements
// and their answers to the version of the other side. ClOrdID and OrigClOrdID do not change, so the
// chain of an order is the same on both sides. parts/12_translate.hpp lists the differences.
//
// On the FIXT session, DefaultApplVerID (1137) of the Logon sets the version. A message of another
// version (ApplVerID, 1128) matches no handler, and the answer is a BusinessMessageReject. A value
// that the other version does not have makes send() fail, and the bridge rejects the message. It
// also rejects an order with a field that it does not carry. In an answer it leaves such a field
// out, because the answer must reach the owner of the order.
//
// Usage: example_12_bridge 12_bridge.cfg
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix42/execution_report.hpp>
#include <nexusfix/fix42/new_order_single.hpp>
#include <nexusfix/fix42/order_cancel_reject.hpp>
#include <nexusfix/fix42/order_cancel_replace_request.hpp>
#include <nexusfix/fix42/order_cancel_request.hpp>
#include <nexusfix/fix50sp2/execution_report.hpp>
#include <nexusfix/fix50sp2/new_order_single.hpp>
#include <nexusfix/fix50sp2/order_cancel_reject.hpp>
#include <nexusfix/fix50sp2/order_cancel_replace_request.hpp>
#include <nexusfix/fix50sp2/order_cancel_request.hpp>

#include "parts/12_translate.hpp"

namespace fix42 = nexusfix::fix42;
namespace fix50 = nexusfix::fix50sp2;
using nexusfix::MessageReply;
using nexusfix::Session;
using namespace translate;
using namespace nexusfix::literals;

namespace {

class Bridge {
 public:
  // Returns false if the configuration does not have exactly one session of each version.
  bool attach(nexusfix::Engine& engine) {
    for (Session& session : engine.sessions()) {
      (session.application_version() == "FIX.4.2" ? old_ : new_) = &session;
    }
    return engine.session_count() == 2 && old_ != nullptr && new_ != nullptr &&
           new_->application_version() == "FIX.5.0SP2";
  }

  MessageReply on_message(Session&, const fix42::NewOrderSingle& order) {
    if (const auto refusal = refuse(*new_, order)) return *refusal;
    return check(new_->send<fix50::NewOrderSingle>(
        order.cl_ord_id(), order.account(), as<fix50::HandlInst>(order.handl_inst()),
        order.symbol(), as<fix50::Side>(order.side()), order.transact_time(), order.order_qty(),
        as<fix50::OrdType>(order.ord_type()), order.price(), order.stop_px(),
        as<fix50::TimeInForce>(order.time_in_force()), order.text()));
  }
  MessageReply on_message(Session&, const fix50::NewOrderSingle& order) {
    if (const auto refusal = refuse(*old_, order)) return *refusal;
    const auto symbol = order.symbol();
    if (!symbol) return refuse_without(symbol.error());
    return check(old_->send<fix42::NewOrderSingle>(
        order.cl_ord_id(), order.account(), old_handl_inst(order.handl_inst()), *symbol,
        as<fix42::Side>(order.side()), order.transact_time(), order.order_qty(),
        as<fix42::OrdType>(order.ord_type()), order.price(), order.stop_px(),
        as<fix42::TimeInForce>(order.time_in_force()), order.text()));
  }

  MessageReply on_message(Session&, const fix42::OrderCancelRequest& request) {
    if (const auto refusal = refuse(*new_, request)) return *refusal;
    return check(new_->send<fix50::OrderCancelRequest>(
        request.orig_cl_ord_id(), request.order_id(), request.cl_ord_id(), request.symbol(),
        as<fix50::Side>(request.side()), request.transact_time(), request.order_qty(),
        request.text()));
  }
  MessageReply on_message(Session&, const fix50::OrderCancelRequest& request) {
    if (const auto refusal = refuse(*old_, request)) return *refusal;
    const auto symbol = request.symbol();
    if (!symbol) return refuse_without(symbol.error());
    const auto orig_cl_ord_id = request.orig_cl_ord_id();
    if (!orig_cl_ord_id) return refuse_without(orig_cl_ord_id.error());
    return check(old_->send<fix42::OrderCancelRequest>(
        *orig_cl_ord_id, request.order_id(), request.cl_ord_id(), *symbol,
        as<fix42::Side>(request.side()), request.transact_time(), request.order_qty(),
        request.text()));
  }

  MessageReply on_message(Session&, const fix42::OrderCancelReplaceRequest& request) {
    if (const auto refusal = refuse(*new_, request)) return *refusal;
    return check(new_->send<fix50::OrderCancelReplaceRequest>(
        request.order_id(), request.orig_cl_ord_id(), request.cl_ord_id(), request.account(),
        as<fix50::HandlInst>(request.handl_inst()), request.symbol(),
        as<fix50::Side>(request.side()), request.transact_time(), request.order_qty(),
        as<fix50::OrdType>(request.ord_type()), request.price(), request.stop_px(),
        as<fix50::TimeInForce>(request.time_in_force()), request.text()));
  }
  MessageReply on_message(Session&, const fix50::OrderCancelReplaceRequest& request) {
    if (const auto refusal = refuse(*old_, request)) return *refusal;
    const auto symbol = request.symbol();
    if (!symbol) return refuse_without(symbol.error());
    const auto orig_cl_ord_id = request.orig_cl_ord_id();
    if (!orig_cl_ord_id) return refuse_without(orig_cl_ord_id.error());
    return check(old_->send<fix42::OrderCancelReplaceRequest>(
        request.order_id(), *orig_cl_ord_id, request.cl_ord_id(), request.account(),
        old_handl_inst(request.handl_inst()), *symbol, as<fix42::Side>(request.side()),
        request.transact_time(), request.order_qty(), as<fix42::OrdType>(request.ord_type()),
        request.price(), request.stop_px(), as<fix42::TimeInForce>(request.time_in_force()),
        request.text()));
  }

  // Answers are sent even if the other side is not logged on: the store keeps them for a resend.
  MessageReply on_message(Session&, const fix42::ExecutionReport& report) {
    return check(new_->send<fix50::ExecutionReport>(
        report.order_id(), report.cl_ord_id(), report.orig_cl_ord_id(), report.exec_id(),
        report.exec_ref_id(), new_exec_type(report), new_ord_status(report),
        as<fix50::OrdRejReason>(report.ord_rej_reason()), report.account(), report.symbol(),
        as<fix50::Side>(report.side()), report.order_qty(), as<fix50::OrdType>(report.ord_type()),
        report.price(), as<fix50::TimeInForce>(report.time_in_force()), report.last_shares(),
        report.last_px(), report.leaves_qty(), report.cum_qty(), report.avg_px(),
        report.transact_time(), report.text()));
  }
  MessageReply on_message(Session&, const fix50::ExecutionReport& report) {
    const auto symbol = report.symbol();
    if (!symbol) return refuse_without(symbol.error());
    constexpr std::int64_t kReasons = 9;
    const bool is_replaced = report.exec_type() == fix50::ExecType::Replaced;
    return check(old_->send<fix42::ExecutionReport>(
        report.order_id(), report.cl_ord_id(), report.orig_cl_ord_id(), report.exec_id(),
        old_exec_trans_type(report.exec_type()), report.exec_ref_id(), old_exec_type(report),
        is_replaced ? fix42::OrdStatus::Replaced : as<fix42::OrdStatus>(report.ord_status()),
        old_reason(report.ord_rej_reason(), kReasons, fix42::OrdRejReason::BrokerOption),
        report.account(), *symbol, as<fix42::Side>(report.side()), report.order_qty(),
        as<fix42::OrdType>(report.ord_type()), report.price(),
        as<fix42::TimeInForce>(report.time_in_force()), report.last_qty(), report.last_px(),
        report.leaves_qty(), report.cum_qty(), report.avg_px_or(fix42::AvgPx{0_d}),
        report.transact_time(), report.text()));
  }

  MessageReply on_message(Session&, const fix42::OrderCancelReject& reject) {
    return check(new_->send<fix50::OrderCancelReject>(
        reject.order_id(), reject.cl_ord_id(), reject.orig_cl_ord_id(),
        as<fix50::OrdStatus>(reject.ord_status()),
        as<fix50::CxlRejResponseTo>(reject.cxl_rej_response_to()),
        as<fix50::CxlRejReason>(reject.cxl_rej_reason()), reject.text()));
  }
  MessageReply on_message(Session&, const fix50::OrderCancelReject& reject) {
    const auto orig_cl_ord_id = reject.orig_cl_ord_id();
    if (!orig_cl_ord_id) return refuse_without(orig_cl_ord_id.error());
    constexpr std::int64_t kReasons = 4;
    return check(old_->send<fix42::OrderCancelReject>(
        reject.order_id(), reject.cl_ord_id(), *orig_cl_ord_id,
        as<fix42::OrdStatus>(reject.ord_status()),
        as<fix42::CxlRejResponseTo>(reject.cxl_rej_response_to()),
        old_reason(reject.cxl_rej_reason(), kReasons, fix42::CxlRejReason::BrokerOption),
        reject.text()));
  }

 private:
  // BusinessRejectReason (380).
  static constexpr unsigned kOther = 0;
  static constexpr unsigned kApplicationNotAvailable = 4;
  static constexpr unsigned kFieldMissing = 5;

  // Refuses a request that would not reach the other side, or would reach it with another meaning.
  template <class Message>
  static std::optional<MessageReply> refuse(const Session& to, const Message& message) {
    const std::string_view id = message.cl_ord_id().value;
    if (!to.is_logged_on()) {
      return nexusfix::business_reject(kApplicationNotAvailable, 0,
                                       "the other side is not logged on", id);
    }
    for (const auto field : message.view()) {
      if (!is_carried(field.tag)) {
        return nexusfix::business_reject(
            kOther, field.tag, "the bridge does not carry tag " + std::to_string(field.tag), id);
      }
    }
    return std::nullopt;
  }

  // Refuses a message without a field that is optional in FIX 5.0SP2 and required in FIX 4.2.
  static MessageReply refuse_without(const nexusfix::wire::FieldError& error) {
    if (error.code != nexusfix::wire::FieldErrorCode::Missing) return nexusfix::reject_for(error);
    return nexusfix::business_reject(kFieldMissing, error.tag,
                                     "FIX 4.2 needs tag " + std::to_string(error.tag));
  }

  static MessageReply check(const nexusfix::SendResult& sent) {
    if (sent) return nexusfix::accept();
    return nexusfix::business_reject(kOther, sent.error().encode.tag,
                                     "not in the other version: " + sent.error().what());
  }

  Session* old_ = nullptr;  // FIX 4.2
  Session* new_ = nullptr;  // FIX 5.0SP2
};

}  // namespace

int main(int argc, char** argv) {
  Bridge bridge;
  auto engine = nexusfix::Engine::open(argc > 1 ? argv[1] : "12_bridge.cfg", bridge);
  if (!engine) {
    std::fprintf(stderr, "%s\n", engine.error().what().c_str());
    return 1;
  }
  if (!bridge.attach(*engine)) {
    std::fprintf(stderr, "one session of FIX.4.2 and one of FIX.5.0SP2 are needed\n");
    return 1;
  }
  const nexusfix::StopSignals signals{*engine};
  return engine->run();
}
