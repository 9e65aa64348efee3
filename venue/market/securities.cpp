#include "venue/market/securities.hpp"

#include <fmt/format.h>
#include <vector>

#include <nexusfix/fix44/tags.hpp>

#include "venue/sending.hpp"

namespace nexusfix::venue {
namespace {

using engine::MessageReply;
using engine::Session;
namespace tag = fix44::tag;

constexpr wire::Tag kMinPriceIncrement = 969;  // from FIX 5.0SP1 on

bool has_min_price_increment(const Session& session) {
  return session.application_version() == "FIX.5.0SP2";
}

void write_kind(wire::Encoder& message, const Instrument& instrument) {
  if (!instrument.type.empty()) {
    message.field(tag::SecurityType, std::string_view{instrument.type});
  }
}

}  // namespace

MessageReply Securities::list(Session& session, const wire::MessageView& message) {
  constexpr std::string_view kOneSymbol = "0";  // SecurityListRequestType
  constexpr std::string_view kAll = "4";
  constexpr unsigned kValid = 0;  // SecurityRequestResult
  constexpr unsigned kInvalid = 1;
  constexpr unsigned kNotFound = 2;
  const std::string_view type = message[tag::SecurityListRequestType].value_or("");
  std::vector<const Instrument*> found;
  for (const Instrument& one : exchange_.rules().instruments) {
    if (type == kAll || (type == kOneSymbol && one.symbol == message[tag::Symbol])) {
      found.push_back(&one);
    }
  }
  const bool is_valid = type == kAll || type == kOneSymbol;
  wire::Encoder answer = session.begin("y");
  answer.field(tag::SecurityReqID, message[tag::SecurityReqID].value_or(""))
      .field(tag::SecurityResponseID, std::string_view{fmt::format("L{}", ++last_response_)})
      .field(tag::SecurityRequestResult, !is_valid       ? kInvalid
                                         : found.empty() ? kNotFound
                                                         : kValid);
  if (!found.empty()) {
    answer.field(tag::TotNoRelatedSym, found.size())
        .group(tag::NoRelatedSym, found, [&](wire::Encoder& out, const Instrument* one) {
          out.field(tag::Symbol, std::string_view{one->symbol});
          write_kind(out, *one);
          if (one->tick != 0 && has_min_price_increment(session)) {
            out.field(kMinPriceIncrement, to_decimal(one->tick));
          }
          if (!one->currency.empty()) out.field(tag::Currency, std::string_view{one->currency});
          if (one->lot != 0) out.field(tag::RoundLot, to_decimal(one->lot));
        });
  }
  finish(session, answer);
  return engine::accept();
}

void Securities::send_definition(Session& session, const Definition& definition) {
  constexpr unsigned kAcceptAsIs = 1;  // SecurityResponseType
  constexpr unsigned kListed = 4;
  constexpr unsigned kReject = 5;
  wire::Encoder answer = session.begin("d");
  const unsigned response = definition.instrument == nullptr ? kReject
                            : definition.is_listed           ? kListed
                                                             : kAcceptAsIs;
  answer.field(tag::SecurityReqID, definition.request_id)
      .field(tag::SecurityResponseID, std::string_view{fmt::format("D{}", ++last_response_)})
      .field(tag::SecurityResponseType, response);
  if (session.application_version() == "FIX.4.2") {
    answer.field(tag::TotNoRelatedSym, exchange_.rules().instruments.size());  // TotalNumSecurities
  }
  if (!definition.symbol.empty()) answer.field(tag::Symbol, definition.symbol);
  if (definition.instrument == nullptr) {
    answer.field(tag::Text, "the venue has no such instrument");
  } else {
    write_kind(answer, *definition.instrument);
    const std::string& currency = definition.instrument->currency;
    if (!currency.empty()) answer.field(tag::Currency, std::string_view{currency});
  }
  finish(session, answer);
}

MessageReply Securities::define(Session& session, const wire::MessageView& message) {
  constexpr std::string_view kListAll = "3";  // SecurityRequestType
  const std::string_view id = message[tag::SecurityReqID].value_or("");
  const std::vector<Instrument>& all = exchange_.rules().instruments;
  if (message[tag::SecurityRequestType] == kListAll && !all.empty()) {
    for (const Instrument& one : all) send_definition(session, {id, &one, one.symbol, true});
    return engine::accept();
  }
  const std::string_view symbol = message[tag::Symbol].value_or("");
  send_definition(session, {id, exchange_.rules().instrument(symbol), symbol, false});
  return engine::accept();
}

}  // namespace nexusfix::venue
