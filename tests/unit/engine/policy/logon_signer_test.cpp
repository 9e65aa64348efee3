// Initiators whose Logons are signed, as venues of digital assets require.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "unit/engine/support/initiator_wire_fixture.hpp"

namespace nexusfix::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The key and the signature of the example in the public description of Binance's FIX interface.
constexpr std::string_view kBinanceKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIIJEYWtGBrhACmb9Dvy+qa8WEf0lQOl1s4CLIAB9m89u\n"
    "-----END PRIVATE KEY-----\n";
constexpr std::string_view kBinanceSignature =
    "|95=88|96=4MHXelVVcpkdwuLbl6n73HQUXUf1dse2PCgT1DYqW9w8AVZ1RACFGM+5UdlGPrQHrgtS3CvsRURC1oj73j8"
    "gCA==|";

class LogonSignerTest : public InitiatorWireTest {
 protected:
  std::string put_key(std::string_view text) {
    const std::string path = folder.path() + "/key";
    std::ofstream{path} << text;
    std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return path;
  }
  void set_time(std::chrono::sys_time<std::chrono::milliseconds> time) {
    clock.set_wall_forward(WallTime{time} - clock.now().wall);
  }
  // The session of a venue, with these keys.
  [[nodiscard]] EngineUnderTest venue_session(const std::string& target, const std::string& keys) {
    EngineUnderTest opening = under_test(
        "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nUseDataDictionary=N\n"
        "SocketConnectHost=10.0.0.1\nSocketConnectPort=" +
            std::to_string(kPort) + "\nReconnectInterval=1\nFileStorePath=" + folder.path() +
            "/store\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=EXAMPLE\nTargetCompID=" + target +
            "\n" + keys,
        "venue.cfg");
    opening.settings.durability = store::Durability::None;
    opening.settings.sessions.front().reconnect.jitter = 0;
    opening.options.network = &trader_network;
    return opening;
  }
  // Its first Logon.
  std::string logon_of(EngineUnderTest opening) {
    listening_ = venue_network.listen({"10.0.0.1", kPort}).has_value();
    opening.open(initiator, trader);
    return next_logon();
  }
  std::string next_logon() {
    received.clear();
    for (int i = 0; i < 10 && received.empty(); ++i) turn_both();
    return received.empty() ? log.all() : received.front();
  }
  bool listening_ = false;
};

TEST_F(LogonSignerTest, ed25519_signs_the_fields_of_a_venue_s_published_example) {
  using namespace std::chrono;
  set_time(sys_days{2024y / June / 27} + 11h + 17min + 25s + 223ms);
  const std::string logon = logon_of(
      venue_session("SPOT",
                    "LogonSignature=96=base64(ed25519({35}|{49}|{56}|{34}|{52}))\nUsername=key\n"
                    "LogonTag=25035=2\nLogonKey=file:" +
                        put_key(kBinanceKey) + "\n"));
  EXPECT_THAT(logon, HasSubstr("|52=20240627-11:17:25.223|"));
  EXPECT_THAT(logon, HasSubstr("|553=key|25035=2" + std::string{kBinanceSignature}));
}

TEST_F(LogonSignerTest, lines_are_signed_with_a_key_and_a_signature_in_base64url) {
  // The form of CME's secure logon: base64url(HMAC-SHA256(key, lines)), computed with Python.
  using namespace std::chrono;
  set_time(sys_days{2017y / June / 23} + 14h + 48min + 42s + 855ms);
  ::setenv("NEXUSFIX_TEST_SECRET", "2HlZ7exg8jTKltXnURjKvm3GS5iF5n4ClzHiEm_ocv4", 1);
  const std::string logon = logon_of(venue_session(
      "CME",
      "LogonSignature=1402=base64url(hmac-sha256({34}\\n{49}\\n{50}\\n{52}\\n{57}\\n{108}"
      "\\n{142}\\n{369}\\n{1603}))\nLogonKey=base64url:env:NEXUSFIX_TEST_SECRET\n"
      "SenderSubID=MSG\nSenderLocationID=US,NY\nTargetSubID=92\n"
      "EnableLastMsgSeqNumProcessed=Y\nLogonTag=1603=BRIO\n"));
  EXPECT_THAT(logon,
              HasSubstr("|1603=BRIO|1401=43|1402=nZtmLRXHwnS6nUiJ8t9y80s8phOLTOxmZvH3giEnjRE|"));
}

TEST_F(LogonSignerTest, nonce_is_written_before_the_signature_and_signed) {
  // The form of Kraken: base64(HMAC-SHA512(secret, SHA256(text + nonce))), computed with Python.
  using namespace std::chrono;
  set_time(sys_time<milliseconds>{milliseconds{1'688'736'075'072}});
  ::setenv("NEXUSFIX_TEST_SECRET", "a3Jha2VuIHNlY3JldA==", 1);
  const std::string logon =
      logon_of(venue_session("KRAKEN-TRD",
                             "LogonSignature=554=base64(hmac-sha512(sha256(35=A|34={34}|49="
                             "MYCOMPID|56={56}|553={553}|{5025})"
                             "))\nLogonKey=base64:env:NEXUSFIX_TEST_SECRET\nLogonNonce=5025={time-"
                             "ms}\nUsername=APIKEY\n"));
  EXPECT_THAT(logon,
              HasSubstr("|5025=1688736075072|554="
                        "NgqahVnoExFW355NS4J57fPp4taP7DaUjkYeZAEK6v607ZzTIeY23IVY+nTBpTwlAK6b5"
                        "TJvse06z8nmMLTVGA==|"));
}

TEST_F(LogonSignerTest, nonce_rises_although_the_clock_is_set_back) {
  // The form of Deribit. The key is the output of a command.
  EngineUnderTest opening =
      venue_session("DERIBIT",
                    "LogonSignature=554=base64(sha256({96}{key}))\nLogonKey=command:echo s3cret\n"
                    "LogonNonce=96={time-ms}.{random}\n");
  const std::string first = logon_of(std::move(opening));
  const auto nonce_of = [](const std::string& logon) {
    const std::size_t at = logon.find("|96=");
    EXPECT_NE(at, std::string::npos) << logon;
    return std::stoull(logon.substr(at + 4));
  };
  const unsigned long long before = nonce_of(first);
  venue_network.close(socket);
  socket = 0;
  turn_both();
  clock.set_wall_back(std::chrono::hours{1});
  clock.advance(std::chrono::seconds{2});
  EXPECT_GT(nonce_of(next_logon()), before);
  EXPECT_THAT(log.all(), Not(HasSubstr("s3cret")));
}

TEST_F(LogonSignerTest, nonce_can_be_the_time_at_which_the_logon_expires) {
  using namespace std::chrono;
  set_time(sys_time<milliseconds>{milliseconds{1'704'096'000'000}});
  const std::string logon =
      logon_of(venue_session("V",
                             "LogonSignature=554=hex(sha256(GET/realtime{30023}{key}))\n"
                             "LogonKey=command:echo s3cret\nLogonNonce=30023={time-ms+5000}\n"));
  // printf %s GET/realtime1704096005000s3cret | sha256sum
  EXPECT_THAT(logon,
              HasSubstr("|30023=1704096005000|554="
                        "532d9078433bf36aeff07023625dbfd2ec9b63dd08fcb8f88392d6c5c09d4fd1|"));
}

TEST_F(LogonSignerTest, logon_without_a_field_that_is_signed_is_not_sent) {
  const std::string text = logon_of(
      venue_session("SPOT", "LogonSignature=96=base64(ed25519({35}|{553}))\nLogonKey=file:" +
                                put_key(kBinanceKey) + "\n"));
  EXPECT_THAT(text, HasSubstr("our Logon cannot be signed: LogonSignature has field 553, which "
                              "our Logon does not have before its signature"));
}

TEST_F(LogonSignerTest, key_that_cannot_be_used_refuses_the_start) {
  const auto error_of = [&](const std::string& key) {
    EngineUnderTest opening =
        venue_session("SPOT", "LogonSignature=96=base64(ed25519({35}))\nLogonKey=" + key + "\n");
    return opening.refusal(trader);
  };
  const std::string path = put_key("s3cret");
  EXPECT_THAT(error_of("file:" + path), HasSubstr("LogonKey: an Ed25519 private key in PEM"));
  EXPECT_THAT(error_of("file:" + path), Not(HasSubstr("s3cret")));
  std::filesystem::permissions(path, std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  EXPECT_THAT(error_of("file:" + path), HasSubstr("readable by other users: chmod 600"));
  EXPECT_THAT(error_of("file:" + path + "x"), HasSubstr("No such file"));
  EXPECT_THAT(error_of("env:NEXUSFIX_TEST_ABSENT"),
              HasSubstr("the environment has no variable NEXUSFIX_TEST_ABSENT"));
  EXPECT_THAT(error_of("command:false"), HasSubstr("the command failed"));
}

TEST_F(LogonSignerTest, refusal_shows_that_the_clocks_differ) {
  open_and_connect();
  clock.advance(std::chrono::seconds{12});
  const std::string late = time_text();
  clock.set_wall_back(std::chrono::seconds{12});
  const std::string message = fix("FIX.4.4", "35=5|49=VENUE|56=TRADER|34=1|52=" + late +
                                                 "|58=timestamp outside of recvWindow|");
  ASSERT_EQ(venue_network.send(socket, message).bytes, message.size());
  turn_some();
  EXPECT_TRUE(
      log.has("our clock differs from the counterparty's SendingTime: it is 12000 ms before "
              "it"))
      << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
