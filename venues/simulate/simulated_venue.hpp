// The application of a simulated venue: it checks Logons and messages by the rules of a kit,
// matches orders, and publishes its market.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/engine.hpp>

#include "venues/kit/kit.hpp"
#include "venues/logon/logon_gate.hpp"
#include "venues/simulate/market.hpp"
#include "venues/simulate/market_feed.hpp"
#include "venues/simulate/refusal_network.hpp"

namespace nexusfix::venues {

// The thread of the engine's one event loop.
class SimulatedVenue {
 public:
  using Gates = std::map<std::string, std::unique_ptr<LogonGate>, std::less<>>;  // by endpoint
  // Gets a line for each Logon: accepted, or why it was refused.
  using Say = std::function<void(const std::string& line)>;

  // kit must outlive it. gates: one for each endpoint.
  SimulatedVenue(const Kit& kit, Gates gates, Say say);

  // Logons that are refused by a message leave by this network, which must outlive the venue's
  // engine. Without it they are refused by a Logout.
  void refuse_by(RefusalNetwork& network) noexcept { network_ = &network; }

  // Callbacks of the engine.
  std::optional<engine::LogonAnswer> on_logon_request(engine::Session& session,
                                                      const engine::LogonRequest& request);
  void write_logon(engine::Session& session, wire::Encoder& logon, const wire::MessageHeader&);
  void on_logon(engine::Session& session);
  void on_logout(engine::Session& session);
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message);

 private:
  // What the venue knows of a session.
  struct Client {
    const Endpoint* endpoint = nullptr;
    venue::Owner owner = 0;
    bool cancels_on_disconnect = false;
  };

  [[nodiscard]] Client& client_of(engine::Session& session);
  [[nodiscard]] engine::MessageReply refuse(engine::Session& session,
                                            const wire::MessageView& message,
                                            const Refusal& refusal, unsigned reason);
  [[nodiscard]] engine::MessageReply handle(engine::Session& session, const Client& client,
                                            const wire::MessageView& message);
  void refuse_order(engine::Session& session, const wire::MessageView& message,
                    const std::string& why);
  // Empty: done. Otherwise why it is refused.
  [[nodiscard]] std::string cancel(engine::Session& session, const Client& client,
                                   const wire::MessageView& request);
  void mass_cancel(engine::Session& session, const Client& client,
                   const wire::MessageView& request);
  void send_canned(engine::Session& session, const std::string& text,
                   const wire::MessageView* request,
                   const std::optional<Envelope>& envelope = std::nullopt);
  void send_report(engine::Session& session, const Endpoint& endpoint, Fields report);
  // Sends a report to the owner of the order and to all drop copies.
  void report(venue::Owner owner, std::string_view symbol, const Fields& fields);
  // Market data of what has changed. Only now: within a request, a replaced order is for a moment
  // in no book.
  void publish();
  void tick(engine::Session& session);
  [[nodiscard]] TemplateValues values(engine::Session& session, const wire::MessageView* message);

  const Kit& kit_;
  Gates gates_;
  Say say_;
  Market market_;
  MarketFeed feed_;
  std::vector<engine::Session*> owners_;        // by owner; null: the house
  std::vector<engine::Session*> logged_on_;     // in the order of their Logons
  std::set<std::string, std::less<>> touched_;  // symbols of reports since publish()
  std::uint64_t count_ = 0;
  RefusalNetwork* network_ = nullptr;
};

}  // namespace nexusfix::venues
