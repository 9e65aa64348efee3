// Typed outbound messages: complete ones, and ones with prepared constant fields.
#include <functional>
#include <optional>

#include <nexusfix/wire/typed_write.hpp>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ClOrdID = wire::Field<11, std::string_view>;
using Symbol = wire::Field<55, std::string_view>;
using SenderSubID = wire::Field<50, std::string_view>;

// As generated code declares it.
struct Report {
  static constexpr std::string_view kMsgType = "8";
  static constexpr std::string_view kBeginString = "FIX.4.4";
  static constexpr std::string_view kApplicationVersion = "FIX.4.4";
  using Required = wire::detail::TagList<11, 55>;
  static std::expected<Report, wire::FieldError> from(const MessageView&) { return Report{}; }
};

// A message of FIX 5.0, for a session with another version.
struct Report50 {
  static constexpr std::string_view kMsgType = "8";
  static constexpr std::string_view kBeginString = "FIXT.1.1";
  static constexpr std::string_view kApplicationVersion = "FIX.5.0";
  using Required = wire::detail::TagList<11, 55>;
  static std::expected<Report50, wire::FieldError> from(const MessageView&) { return Report50{}; }
};

class TypedSendTest : public AcceptorTest {
 protected:
  // The first message after an order, before the venue's own report.
  std::string answer(std::function<void(Session&)> send) {
    venue.before_answer = [send = std::move(send)](Session& session, const MessageView&) {
      send(session);
    };
    open();
    RawPeer& peer = log_on("TRADER");
    peer.send(order("TRADER", 2, "A1"));
    EXPECT_TRUE(run_until([&] { return peer.messages().size() >= 2; }));
    return peer.messages().size() >= 2 ? bar(peer.messages()[1]) : "";
  }
};

TEST_F(TypedSendTest, header_fields_come_before_the_others) {
  const std::string sent = answer([](Session& session) {
    const auto result = session.send<Report>(ClOrdID{"A1"}, SenderSubID{"desk"}, Symbol{"X"});
    EXPECT_TRUE(result.has_value());
  });
  EXPECT_TRUE(contains(sent, "|34=2|49=VENUE|52=" + time_text() + "|56=TRADER|50=desk|11=A1|55=X|"))
      << sent;
}

// LastMsgSeqNumProcessed (369) is in the message before the application's fields.
TEST_F(TypedSendTest, a_header_field_of_the_engine_counts_in_the_checksum) {
  extra = "EnableLastMsgSeqNumProcessed=Y";
  const std::string sent = soh(answer([](Session& session) {
    EXPECT_TRUE(session.send<Report>(ClOrdID{"A1"}, Symbol{"X"}).has_value());
  }));
  EXPECT_TRUE(contains(bar(sent), "|369=")) << bar(sent);
  EXPECT_EQ(sent, with_checksum(sent.substr(0, sent.rfind("10="))));
}

TEST_F(TypedSendTest, message_of_another_version_has_its_appl_ver_id) {
  // FIXT 1.1, ApplVerID (1128): the version of this message if it differs from the Logon's.
  sessions =
      "[SESSION]\nBeginString=FIXT.1.1\nSenderCompID=VENUE\nTargetCompID=FIXT\n"
      "DefaultApplVerID=FIX.5.0SP2\n";
  std::optional<engine::SendFailure> failure;
  venue.before_answer = [&](Session& session, const MessageView&) {
    EXPECT_TRUE(session.send<Report50>(ClOrdID{"A1"}, Symbol{"X"}).has_value());
    const auto wrong = session.send<Report>(ClOrdID{"A1"}, Symbol{"X"});
    if (!wrong) failure = wrong.error().failure;
  };
  open();
  RawPeer& peer = connect();
  peer.send(logon("FIXT", 1, "1137=9|"));
  peer.send(order("FIXT", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() >= 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|1128=7|11=A1|55=X|10="));
  EXPECT_EQ(failure, engine::SendFailure::WrongVersion);
}

TEST_F(TypedSendTest, invalid_value_is_an_error_that_uses_no_number) {
  std::optional<engine::SendError> error;
  const std::string sent = answer([&](Session& session) {
    const auto result = session.send<Report>(Symbol{""}, ClOrdID{"A1"});
    ASSERT_FALSE(result.has_value());
    error = result.error();
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->encode.code, wire::EncodeErrorCode::EmptyValue);
  EXPECT_EQ(error->encode.tag, 55U);
  EXPECT_TRUE(contains(sent, "|34=2|"));  // the venue's own: no number was used up
}

TEST_F(TypedSendTest, group_with_a_wrong_count_is_refused_with_its_tag) {
  std::string what;
  answer([&](Session& session) {
    wire::Encoder encoder = session.begin("8");
    encoder.group(453, 2).entry().field(448, "A");
    const auto result = session.finish(encoder);
    ASSERT_FALSE(result.has_value());
    what = result.error().what();
  });
  EXPECT_TRUE(contains(what, "field 453: ")) << what;
}

}  // namespace
}  // namespace nexusfix::testing
