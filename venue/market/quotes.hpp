// Quotes: those of sessions (S, i) become orders of the book, which Z or a newer quote cancels; a
// QuoteRequest (R) gets a quote of the venue itself, by the rules.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "venue/exchange.hpp"
#include "venue/orders/order_entry.hpp"

namespace nexusfix::venue {

// The orders of a quote have the ClOrdIDs Q:QUOTEID:B and Q:QUOTEID:S. So after a restart they are
// known by the book alone.
class Quotes {
 public:
  // Both must outlive it.
  Quotes(Exchange& exchange, const OrderEntry& entry) noexcept
      : exchange_{exchange}, entry_{entry} {}

  [[nodiscard]] engine::MessageReply quote(engine::Session& session,
                                           const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply mass_quote(engine::Session& session,
                                                const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply cancel(engine::Session& session,
                                            const wire::MessageView& message);
  [[nodiscard]] engine::MessageReply request(engine::Session& session,
                                             const wire::MessageView& message);
  // Rejects one of the four, by a rule.
  void reject(engine::Session& session, const wire::MessageView& message, unsigned reason,
              std::string_view text);

 private:
  struct Entry {
    std::string id{};
    std::string_view symbol{};
    std::string_view prices[2]{};  // bid, offer; empty: no such side
    std::string_view sizes[2]{};
  };
  struct Status {
    unsigned quote_status = 0;  // QuoteStatus (297)
    std::string_view symbol{};  // empty: not sent
    unsigned reason = 0;        // QuoteRejectReason (300), if there is a text
    std::string_view text{};    // empty: not sent
  };
  // Why it is rejected; empty: its orders are in the book.
  [[nodiscard]] std::string place(Owner owner, const Entry& entry);
  void cancel_orders(Owner owner, std::string_view symbol, std::string_view text);
  void send_status(engine::Session& session, const wire::MessageView& message,
                   const Status& status);
  void send_quote(engine::Session& session, std::string_view request_id, std::string_view symbol,
                  Units price);
  void reject_request(engine::Session& session, std::string_view request_id,
                      std::string_view symbol, unsigned reason, std::string_view text);

  Exchange& exchange_;
  const OrderEntry& entry_;
  std::uint64_t last_quote_ = 0;
};

}  // namespace nexusfix::venue
