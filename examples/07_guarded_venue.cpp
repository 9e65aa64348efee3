// A venue with most of the callbacks: it cancels the orders of a disconnected trader and
// orders that are old, does not resend outdated reports, limits a resend, and sees the bytes of
// every sent message.
//
// Usage: example_07_guarded_venue venue.cfg
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <nexusfix/fix44/new_order_single.hpp>

namespace fix44 = nexusfix::fix44;
using nexusfix::MessageReply;
using nexusfix::SendDecision;
using nexusfix::Session;
using namespace nexusfix::literals;
using namespace std::chrono_literals;

namespace {

// [guard]
struct Order {
  std::string symbol;
  nexusfix::TimerHandle expiry;
};
using Book = std::map<std::string, Order>;  // the open orders of one trader, by ClOrdID

struct Venue {
  MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
    const std::string id{order.cl_ord_id().value};
    Book& open = book_of(session);
    if (open.contains(id)) {
      return nexusfix::business_reject(0, 11, "ClOrdID " + id + " is in the book", id);
    }
    if (!report(session, id, order.symbol().value, fix44::OrdStatus::New)) return no_report();
    const auto expiry = session.call_after(10min, [this, id](Session& s) { expire(s, id); });
    open.emplace(id, Order{std::string{order.symbol().value}, expiry});
    return nexusfix::accept();
  }

  // Cancels every order of the disconnected trader. The store keeps the reports, and the trader
  // gets them by a resend after its next Logon.
  void on_disconnect(Session& session, const nexusfix::Disconnection& gone) {
    Book& open = book_of(session);
    std::printf("%.*s: %zu orders cancelled\n", static_cast<int>(gone.text.size()),
                gone.text.data(), open.size());
    for (const auto& [id, order] : open) {
      session.cancel(order.expiry);
      static_cast<void>(report(session, id, order.symbol, fix44::OrdStatus::Canceled));
    }
    open.clear();
  }

  // An acknowledgement (OrdStatus New) that has to be resent is outdated: a GapFill takes its
  // place.
  SendDecision on_sending(Session&, nexusfix::OutgoingMessage& message) {
    const bool is_stale = message.is_resend() && message.view()[39] == "0";
    if (!is_stale) message.edit().set(fix44::SenderSubID{"BOOK"});
    return is_stale ? SendDecision::Withhold : SendDecision::Send;
  }

  void on_sent(Session&, const nexusfix::SentMessage& sent) {
    drop_copy_bytes_ += sent.bytes.size();
  }

  // No trader needs more than the last thousand reports.
  nexusfix::ResendAnswer on_resend_request(Session&, const nexusfix::ResendRequest& request) {
    constexpr std::uint64_t kMessagesMax = 1'000;
    if (request.end_seq_no < kMessagesMax) return {};
    return nexusfix::ResendAnswer::from(request.end_seq_no - kMessagesMax + 1);
  }
  // [end]

 private:
  static Book& book_of(Session& session) {
    Book* const book = session.data<Book>();
    return book != nullptr ? *book : session.attach<Book>();
  }
  void expire(Session& session, const std::string& id) {
    const auto order = book_of(session).extract(id);
    if (!order) return;
    static_cast<void>(report(session, id, order.mapped().symbol, fix44::OrdStatus::Canceled));
  }
  bool report(Session& session, const std::string& id, std::string_view symbol,
              fix44::OrdStatus status) {
    const bool is_new = status == fix44::OrdStatus::New;
    return session
        .send<fix44::ExecutionReport>(fix44::OrderID{id}, fix44::ExecID{std::to_string(++reports_)},
                                      is_new ? fix44::ExecType::New : fix44::ExecType::Canceled,
                                      status, fix44::ClOrdID{id}, fix44::Symbol{symbol},
                                      fix44::Side::Buy, fix44::LeavesQty{0_d}, fix44::CumQty{0_d},
                                      fix44::AvgPx{0_d})
        .has_value();
  }
  static MessageReply no_report() {
    return nexusfix::business_reject(4, 0, "the report cannot be sent");
  }

  unsigned reports_ = 0;
  std::size_t drop_copy_bytes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Venue venue;
  return nexusfix::run(argc > 1 ? argv[1] : "venue.cfg", venue);
}
