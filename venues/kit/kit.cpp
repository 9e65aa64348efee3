#include "venues/kit/kit.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/wire/convert.hpp>

#include "tester/script/script.hpp"
#include "venues/kit/kit_files.hpp"

namespace nexusfix::venues {
namespace {

using std::chrono::milliseconds;
using Keys = std::map<std::string, std::string, std::less<>>;

// Thrown within this file: the key, and what was expected.
struct WrongKey {
  std::string text;
};

template <class T>
T value_or_throw(std::expected<T, std::string> read, std::string_view key) {
  if (!read) throw WrongKey{fmt::format("{}: {}", key, read.error())};
  return std::move(*read);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) parts.emplace_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// Reads the keys of an endpoint. A key that is read is removed: what remains is unknown.
class EndpointReader {
 public:
  explicit EndpointReader(const Keys& keys) : keys_{keys} {}

  Endpoint read() {
    Endpoint endpoint;
    endpoint.name = take("venueendpoint").value_or("");
    if (endpoint.name.empty()) throw WrongKey{"VenueEndpoint is missing"};
    endpoint.client = take("venueclient").value_or("client.cfg");
    read_logon(endpoint);
    read_messages(endpoint);
    endpoint.is_copy = take("venuecopy") == "Y";
    endpoint.cancel_ack = take("venuecancelack").value_or("");
    endpoint.cancel_reject = take("venuecancelreject").value_or("");
    endpoint.report_fields = take("venuereport").value_or("");
    endpoint.feed.snapshot_fields = take("venuesnapshot").value_or("");
    endpoint.feed.first_entry = take("venuefirstentry").value_or("");
    endpoint.feed.full_refresh = take("venuefullrefresh") == "Y";
    endpoint.feed.by_order = take("venuebyorder") == "Y";
    for (const std::string& one : split(take("venuereportwithout").value_or(""), ',')) {
      const std::size_t value = std::min(one.find('='), one.size());
      endpoint.report_without.push_back(
          {.tag = static_cast<unsigned>(number(one.substr(0, value), "VenueReportWithout")),
           .value = value == one.size() ? "" : one.substr(value + 1)});
    }
    for (const std::string& move : split(take("venuereportmoves").value_or(""), ',')) {
      const std::size_t from = move.find('<');
      if (from == std::string::npos) throw WrongKey{"VenueReportMoves: TAG<TAG was expected"};
      const std::size_t value = std::min(move.find('='), from);
      endpoint.report_moves.push_back(
          {.to = static_cast<unsigned>(number(move.substr(0, value), "VenueReportMoves")),
           .from = static_cast<unsigned>(number(move.substr(from + 1), "VenueReportMoves")),
           .value = value == from ? "" : move.substr(value + 1, from - value - 1)});
    }
    endpoint.tick = take_time("venuetick").value_or(milliseconds{0});
    return endpoint;
  }

  std::vector<HouseOrder> read_house() {
    std::vector<HouseOrder> orders;
    for (const std::string& line : take_numbered("venuebook")) {
      const auto parts = split(line, ' ');
      constexpr std::size_t kParts = 4;
      if (parts.size() != kParts || (parts[1] != "buy" && parts[1] != "sell")) {
        throw WrongKey{"VenueBook: SYMBOL buy|sell PRICE QUANTITY was expected"};
      }
      orders.push_back({.symbol = parts[0],
                        .side = parts[1] == "buy" ? '1' : '2',
                        .price = decimal(parts[2]),
                        .quantity = decimal(parts[3])});
    }
    return orders;
  }

  std::optional<unsigned> read_symbol_tag() {
    const auto tag = take("venuesymbolfield");
    if (!tag) return std::nullopt;
    return static_cast<unsigned>(number(*tag, "VenueSymbolField"));
  }

  std::optional<std::string> take(std::string_view key) {
    const auto found = keys_.find(key);
    if (found == keys_.end()) return std::nullopt;
    std::string value = std::move(found->second);
    keys_.erase(found);
    return value;
  }

  void finish() const {
    if (!keys_.empty()) throw WrongKey{keys_.begin()->first + ": there is no such key"};
  }

 private:
  void read_logon(Endpoint& endpoint) {
    for (const std::string& line : take_numbered("venuelogon")) {
      endpoint.logon.fields.push_back(value_or_throw(Rule::parse(line), "VenueLogon"));
    }
    endpoint.logon.signature = take_refusal("venuesignature");
    if (const auto window = take_time("venueclock")) {
      ClockRule rule;
      rule.window = *window;
      rule.window_tag = take("venueclockfield").value_or("");
      rule.window_max = take_time("venueclockmax").value_or(*window);
      rule.ahead = take_time("venueclockahead").value_or(rule.ahead);
      rule.refusal = take_refusal("venueclockrefusal").value_or(Refusal{});
      endpoint.logon.clock = std::move(rule);
    }
    if (auto tag = take("venuenonce")) {
      NonceRule rule;
      rule.tag = std::move(*tag);
      rule.window = take_time("venuenoncewindow").value_or(milliseconds{5'000});
      rule.refusal = take_refusal("venuenoncerefusal").value_or(Refusal{});
      endpoint.logon.nonce = std::move(rule);
    }
    if (auto tag = take("venueexpiry")) {
      ExpiryRule rule;
      rule.tag = std::to_string(number(*tag, "VenueExpiry"));
      rule.refusal = take_refusal("venueexpiryrefusal").value_or(Refusal{});
      endpoint.logon.expiry = std::move(rule);
    }
    endpoint.logon_answer = take("venuelogonanswer").value_or("");
    if (const auto condition = take("venuecancelondisconnect")) {
      endpoint.cancels_on_disconnect =
          value_or_throw(Rule::parse(*condition + " -> logout"), "VenueCancelOnDisconnect");
    }
  }

  void read_messages(Endpoint& endpoint) {
    for (std::string& type : split(take("venuemessages").value_or(""), ',')) {
      endpoint.msg_types.insert(std::move(type));
    }
    endpoint.other_msg_types =
        take_refusal("venueothermessages")
            .value_or(Refusal{.way = Way::BusinessReject, .text = "Unsupported message type"});
    for (const std::string& line : take_numbered("venuerule")) {
      auto [type, rule] = typed(line, "VenueRule");
      endpoint.rules.push_back({std::move(type), value_or_throw(Rule::parse(rule), "VenueRule")});
    }
    for (const std::string& line : take_numbered("venuereply")) {
      auto [type, message] = typed(line, "VenueReply");
      endpoint.canned.push_back({std::move(type), std::move(message)});
    }
    for (std::string& line : take_numbered("venueonlogon")) {
      endpoint.canned.push_back({{}, std::move(line)});
    }
    if (const auto envelope = take("venueenvelope")) {
      auto parts = split(*envelope, ' ');
      if (parts.size() != 2) throw WrongKey{"VenueEnvelope: MSGTYPE ELEMENT was expected"};
      endpoint.envelope = {.msg_type = std::move(parts[0]), .element = std::move(parts[1])};
    }
  }

  // "D: rest"
  static std::pair<std::string, std::string> typed(const std::string& line, std::string_view key) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) {
      throw WrongKey{fmt::format("{}: MSGTYPE: ... was expected", key)};
    }
    return {line.substr(0, colon), line.substr(colon + 2)};
  }

  // The values of key1, key2 and so on. key1.1, key1.2 and so on continue that of key1.
  std::vector<std::string> take_numbered(std::string_view key) {
    std::vector<std::string> values;
    while (auto value = take(fmt::format("{}{}", key, values.size() + 1))) {
      take_parts(*value, fmt::format("{}{}", key, values.size() + 1));
      values.push_back(std::move(*value));
    }
    return values;
  }
  // key.1, key.2 and so on continue the value of a key.
  void take_parts(std::string& value, std::string_view key) {
    for (unsigned more = 1;; ++more) {
      const auto part = take(fmt::format("{}.{}", key, more));
      if (!part) return;
      value += *part;
    }
  }

  std::optional<Refusal> take_refusal(std::string_view key) {
    auto text = take(key);
    if (!text) return std::nullopt;
    take_parts(*text, key);
    return value_or_throw(parse_refusal(*text), key);
  }

  std::optional<milliseconds> take_time(std::string_view key) {
    const auto text = take(key);
    if (!text) return std::nullopt;
    return milliseconds{number(*text, key)};
  }

  static std::uint64_t number(std::string_view text, std::string_view key) {
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) {
      throw WrongKey{fmt::format("{}={}: a whole number was expected", key, text)};
    }
    return value;
  }

  static Decimal decimal(std::string_view text) {
    const auto value = wire::to_decimal(text);
    if (!value) throw WrongKey{fmt::format("VenueBook: {} is no number", text)};
    return *value;
  }

  Keys keys_;
};

std::expected<config::Settings, std::string> parse(std::string_view text, std::string_view file) {
  auto settings = config::parse_settings(text, file);
  if (!settings) return std::unexpected{settings.error().front().what()};
  return std::move(*settings);
}

}  // namespace

const Endpoint* Kit::endpoint(std::string_view wanted) const noexcept {
  const auto found = std::ranges::find(endpoints, wanted, &Endpoint::name);
  return found == endpoints.end() ? nullptr : &*found;
}

std::expected<Kit, std::string> parse_kit(
    std::string_view name, std::string_view text,
    FunctionRef<std::string_view(std::string_view file)> client_text) {
  const std::string file = fmt::format("{}/venue.cfg", name);
  auto settings = parse(text, file);
  if (!settings) return std::unexpected{settings.error()};
  Kit kit;
  kit.name = name;
  kit.settings = std::move(*settings);
  for (const config::SessionSettings& session : kit.settings.sessions) {
    try {
      EndpointReader reader{session.application};
      kit.title = reader.take("venuetitle").value_or(kit.title);
      kit.document = reader.take("venuedocument").value_or(kit.document);
      kit.symbol_tag = reader.read_symbol_tag().value_or(kit.symbol_tag);
      auto house = reader.read_house();
      if (kit.house.empty()) kit.house = std::move(house);
      Endpoint endpoint = reader.read();
      reader.finish();
      const auto client =
          parse(client_text(endpoint.client), fmt::format("{}/{}", name, endpoint.client));
      if (!client) return std::unexpected{client.error()};
      endpoint.signature = client->sessions.front().logon_signature;
      if (endpoint.logon.signature && endpoint.signature == nullptr) {
        throw WrongKey{"VenueSignature: " + endpoint.client + " has no LogonSignature"};
      }
      kit.endpoints.push_back(std::move(endpoint));
    } catch (const WrongKey& wrong) {
      return std::unexpected{fmt::format("{}:{}: {}", file, session.line, wrong.text)};
    }
  }
  return kit;
}

std::expected<Kit, std::string> read_kit(std::string_view name) {
  const auto names = kit_names();
  if (std::ranges::find(names, name) == names.end()) {
    std::string text = fmt::format("there is no kit \"{}\"", name);
    const std::string nearest = tester::did_you_mean(name, names);
    text += (nearest.empty() ? "." : nearest) + " Kits:";
    for (const std::string_view one : names) (text += ' ') += one;
    return std::unexpected{text};
  }
  return parse_kit(name, kit_file(name, "venue.cfg"),
                   [&](std::string_view file) { return kit_file(name, file); });
}

}  // namespace nexusfix::venues
