// A kit: what the project knows of a venue. Its venue.cfg describes the endpoints, in the format of
// a configuration: docs/guide/venue-kits.md has the keys.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/decimal.hpp>

#include "config/api/settings.hpp"
#include "venues/logon/logon_gate.hpp"
#include "venues/logon/rule.hpp"

namespace nexusfix::venues {

// A rule for messages of one type.
struct MessageRule {
  std::string msg_type{};
  Rule rule;
};

// A message that the venue sends: to answer one of a type, or after a Logon.
struct CannedMessage {
  std::string msg_type{};  // of the message that it answers; empty: after a Logon
  std::string text{};      // "35=y|320={320}|146=1|55=BTCUSDT"
};

// An order of the venue itself, with which clients can trade.
struct HouseOrder {
  std::string symbol{};
  char side = '1';
  Decimal price{};
  Decimal quantity{};
};

// A field that ExecutionReports do not have; with a value: if it is that.
struct ReportOmission {
  unsigned tag = 0;
  std::string value{};  // empty: any
};

// A field of ExecutionReports that is made of another one, if that is there.
struct ReportMove {
  unsigned to = 0;
  unsigned from = 0;
  std::string value{};  // "{now}", or "@32": that of field 32; empty: that of from
};

// How the venue publishes its book.
struct FeedForm {
  std::string snapshot_fields{};  // more fields of MarketDataSnapshotFullRefresh
  std::string first_entry{};      // more fields of its first entry
  bool full_refresh = false;      // a change is another snapshot, not an incremental refresh
  bool by_order = false;          // an entry is an order, not a price level
};

// The message in whose XmlData (213) others travel, in an XML element.
struct Envelope {
  std::string msg_type{};  // "n"
  std::string element{};   // "RTRF"
};

// A place to which clients connect: order entry, market data, drop copy.
struct Endpoint {
  std::string name{};    // "order-entry"
  std::string client{};  // the file of the client's configuration: "client.cfg"
  LogonRules logon{};
  std::shared_ptr<const config::LogonSignature> signature{};  // of the client; null: none
  std::optional<Rule> cancels_on_disconnect{};     // a condition of the Logon, whose text is unused
  std::string logon_answer{};                      // fields of the venue's Logon: "25037={random}"
  std::set<std::string, std::less<>> msg_types{};  // that clients may send
  Refusal other_msg_types{};                       // the answer to all others
  std::vector<MessageRule> rules{};
  std::vector<CannedMessage> canned{};
  std::optional<Envelope> envelope{};  // of the canned messages after a Logon; null: none
  bool is_copy = false;                // a drop copy: it gets the reports of all sessions
  std::string report_fields{};         // more fields of ExecutionReports
  std::vector<ReportOmission> report_without{};
  std::vector<ReportMove> report_moves{};  // in this order
  std::string cancel_ack{};     // "35=XCA|11={11}": before the report of a cancel; empty: none
  std::string cancel_reject{};  // instead of OrderCancelReject; empty: that one
  FeedForm feed{};
  std::chrono::milliseconds tick{};  // between changes of the house's first order; 0: none
};

struct Kit {
  std::string name{};           // "binance"
  std::string title{};          // "Binance Spot"
  std::string document{};       // the public document, and when it was read
  config::Settings settings{};  // of the simulated venue: an acceptor for each endpoint
  std::vector<Endpoint> endpoints{};
  std::vector<HouseOrder> house{};
  unsigned symbol_tag = 55;  // the field that names an instrument: Symbol, or SecurityID (48)

  // Null: there is none of this name.
  [[nodiscard]] const Endpoint* endpoint(std::string_view name) const noexcept;
};

// Reads a kit of the program. The error: there is none of this name, with the nearest one; or a
// line of venue.cfg or of a client's configuration is wrong.
[[nodiscard]] std::expected<Kit, std::string> read_kit(std::string_view name);

// Reads the text of a venue.cfg. client_text: returns that of a client's configuration.
[[nodiscard]] std::expected<Kit, std::string> parse_kit(
    std::string_view name, std::string_view text,
    FunctionRef<std::string_view(std::string_view file)> client_text);

}  // namespace nexusfix::venues
