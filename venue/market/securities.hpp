// The instruments of the rules, for those who ask: SecurityListRequest (x), and
// SecurityDefinitionRequest (c).
#pragma once

#include <string_view>

#include "venue/exchange.hpp"

namespace nexusfix::venue {

class Securities {
 public:
  // The exchange must outlive it.
  explicit Securities(Exchange& exchange) noexcept : exchange_{exchange} {}

  // SecurityListRequest: one SecurityList (y).
  [[nodiscard]] engine::MessageReply list(engine::Session& session,
                                          const wire::MessageView& message);
  // SecurityDefinitionRequest: a SecurityDefinition (d) for the symbol, or for each instrument.
  [[nodiscard]] engine::MessageReply define(engine::Session& session,
                                            const wire::MessageView& message);

 private:
  struct Definition {
    std::string_view request_id;
    const Instrument* instrument = nullptr;  // null: there is none
    std::string_view symbol;
    bool is_listed = false;  // one of all
  };
  void send_definition(engine::Session& session, const Definition& definition);

  Exchange& exchange_;
  unsigned last_response_ = 0;
};

}  // namespace nexusfix::venue
