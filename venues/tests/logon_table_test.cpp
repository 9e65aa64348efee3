// What each kit's venue accepts and refuses: the Logon of its client, and the same Logon with one
// change.
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "venues/tests/client_logon.hpp"

namespace nexusfix::venues {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Refused {
  std::string_view kit;
  std::string_view endpoint;
  std::string_view what;
  Values changes;         // before the signature
  Values after;           // after it
  milliseconds age;       // of SendingTime, and of the nonce
  std::string_view text;  // of the refusal
  std::string_view detail = "";
};

const std::vector<Refused>& refused() {
  static const std::vector<Refused> kTable{
#include "venues/tests/refused_logons.inl"
  };
  return kTable;
}

WallTime noon() {
  using namespace std::chrono;
  return WallTime{sys_days{2026y / November / 29} + 12h};
}

TEST(LogonTable, every_kit_accepts_the_logon_of_its_client_at_each_endpoint) {
  for (const std::string_view name : kit_names()) {
    const auto kit = read_kit(name);
    ASSERT_TRUE(kit) << kit.error();
    for (const Endpoint& endpoint : kit->endpoints) {
      SCOPED_TRACE(kit->name + "/" + endpoint.name);
      const ClientLogon client{*kit, endpoint};
      LogonGate gate{endpoint.logon, client.verifier()};
      std::string detail;
      const auto refusal = gate.refusal_of(client.at(noon()), noon(), detail);
      EXPECT_FALSE(refusal) << refusal->text << ": " << detail;
    }
  }
}

TEST(LogonTable, every_wrong_logon_is_refused_with_its_reason) {
  for (const Refused& one : refused()) {
    SCOPED_TRACE(std::string{one.kit} + "/" + std::string{one.endpoint} + ": " +
                 std::string{one.what});
    const auto kit = read_kit(one.kit);
    ASSERT_TRUE(kit) << kit.error();
    const Endpoint* const endpoint = kit->endpoint(one.endpoint);
    ASSERT_NE(endpoint, nullptr);
    const ClientLogon client{*kit, *endpoint};
    LogonGate gate{endpoint->logon, client.verifier()};
    std::string detail;
    const auto refusal =
        gate.refusal_of(client.at(noon() - one.age, one.changes, one.after), noon(), detail);
    ASSERT_TRUE(refusal) << "it was accepted";
    EXPECT_EQ(refusal->text, one.text) << detail;
    EXPECT_NE(detail.find(one.detail), std::string::npos) << detail;
  }
}

TEST(LogonTable, every_signed_endpoint_has_a_wrong_signature_in_the_table) {
  for (const std::string_view name : kit_names()) {
    const auto kit = read_kit(name);
    ASSERT_TRUE(kit) << kit.error();
    for (const Endpoint& endpoint : kit->endpoints) {
      if (!endpoint.logon.signature) continue;
      const bool is_there = std::ranges::any_of(refused(), [&](const Refused& one) {
        return one.kit == name && one.endpoint == endpoint.name &&
               one.text == endpoint.logon.signature->text;
      });
      EXPECT_TRUE(is_there) << name << "/" << endpoint.name;
    }
  }
}

TEST(LogonTable, every_nonce_is_used_once) {
  for (const std::string_view name : kit_names()) {
    const auto kit = read_kit(name);
    ASSERT_TRUE(kit) << kit.error();
    for (const Endpoint& endpoint : kit->endpoints) {
      if (!endpoint.logon.nonce) continue;
      SCOPED_TRACE(kit->name + "/" + endpoint.name);
      const ClientLogon client{*kit, endpoint};
      LogonGate gate{endpoint.logon, client.verifier()};
      std::string detail;
      const std::string logon = client.at(noon());
      EXPECT_FALSE(gate.refusal_of(logon, noon(), detail)) << detail;
      const auto refusal = gate.refusal_of(logon, noon() + seconds{1}, detail);
      ASSERT_TRUE(refusal);
      EXPECT_EQ(refusal->text, endpoint.logon.nonce->refusal.text);
      EXPECT_NE(detail.find("not higher"), std::string::npos) << detail;
      EXPECT_FALSE(gate.refusal_of(client.at(noon() + seconds{1}), noon() + seconds{1}, detail));
    }
  }
}

}  // namespace
}  // namespace nexusfix::venues
