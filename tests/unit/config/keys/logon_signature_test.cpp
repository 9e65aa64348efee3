#include "unit/config/settings_fixture.hpp"

namespace nexusfix::config {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Algorithm = LogonSignature::Algorithm;
using KeyForm = LogonSignature::KeyForm;
using Kind = LogonTextPart::Kind;

constexpr std::string_view kSigned =
    "LogonSignature=96=base64(ed25519({35}|{49}|x))\nLogonKey=file:a.pem\n";

LogonSignature signature_of(std::string_view lines) {
  const SessionSettings session = session_with(lines);
  EXPECT_NE(session.logon_signature, nullptr);
  return session.logon_signature == nullptr ? LogonSignature{} : *session.logon_signature;
}

TEST(LogonSignatureKeys, formula_is_read) {
  const LogonSignature made = signature_of(kSigned);
  EXPECT_EQ(made.tag, 96U);
  EXPECT_FALSE(made.is_hex);
  EXPECT_EQ(made.algorithm, Algorithm::Ed25519);
  EXPECT_EQ(made.key, "file:a.pem");
  EXPECT_EQ(made.key_form, KeyForm::Plain);
  EXPECT_EQ(made.nonce_tag, 0U);
  ASSERT_THAT(made.text, SizeIs(4));
  EXPECT_EQ(made.text[0].kind, Kind::Field);
  EXPECT_EQ(made.text[0].tag, 35U);
  EXPECT_EQ(made.text[1].text, "\x01");
  EXPECT_EQ(made.text[3].text, "\x01x");
  EXPECT_EQ(session_with("").logon_signature, nullptr);
}

TEST(LogonSignatureKeys, describe_the_logons_of_several_venues) {
  const LogonSignature kraken = signature_of(
      "LogonSignature=554=base64(hmac-sha512(sha256(35=A|34={34}|553={553}|{5025})))\n"
      "LogonKey=base64:env:SECRET\nLogonNonce=5025={time-ms}\nUsername=key\n");
  EXPECT_EQ(kraken.tag, 554U);
  EXPECT_EQ(kraken.algorithm, Algorithm::HmacSha512OfSha256);
  EXPECT_EQ(kraken.key_form, KeyForm::Base64);
  EXPECT_EQ(kraken.text.back().tag, 5025U);
  EXPECT_EQ(kraken.nonce_tag, 5025U);
  ASSERT_THAT(kraken.nonce, SizeIs(1));
  EXPECT_EQ(kraken.nonce[0].kind, Kind::Millis);
  const LogonSignature deribit = signature_of(
      "LogonSignature=554=hex(sha256({96}{key}))\nLogonKey=hex:command:pass show x\n"
      "LogonNonce=96={time-ms}.{random}\n");
  EXPECT_EQ(deribit.key_form, KeyForm::Hex);
  EXPECT_EQ(deribit.key, "command:pass show x");
  EXPECT_TRUE(deribit.is_hex);
  ASSERT_THAT(deribit.nonce, SizeIs(3));
  EXPECT_EQ(deribit.text[1].kind, Kind::Key);
  const LogonSignature bybit = signature_of(
      "LogonSignature=96=base64(rsa-sha256(GET/realtime{30023}))\nLogonKey=env:SECRET\n"
      "LogonNonce=30023={time-ms+5000}\n");
  ASSERT_THAT(bybit.nonce, SizeIs(1));
  EXPECT_EQ(bybit.nonce[0].kind, Kind::Millis);
  EXPECT_EQ(bybit.nonce[0].tag, 5'000U);
  const LogonSignature cme = signature_of(
      "LogonSignature=1402=base64url(hmac-sha256({34}\\n{49}\\n|))\nLogonKey=base64url:file:k\n");
  EXPECT_EQ(cme.key, "base64url:file:k");
  ASSERT_THAT(cme.text, SizeIs(4));
  EXPECT_EQ(cme.text[1].text, "\n");
  EXPECT_EQ(cme.text[3].text, "\n\x01");
}

TEST(LogonSignatureKeys, wrong_value_is_an_error_that_says_what_was_expected) {
  for (const std::string_view wrong :
       {"ed25519({35})", "96=ed25519({35})", "96=base64({35})", "96=base64(md5({35}))",
        "96=base64(ed25519({35))", "96=base64(ed25519())", "96=base64(ed25519({35})",
        "96=base64(ed25519({x}))", "96=base64(ed25519({0}))", "96=base64(ed25519({time-ms}))",
        "34=base64(ed25519({35}))", "96=base64(hmac-sha512(sha256({35}))",
        "96=base64u(ed25519({35}))"}) {
    EXPECT_THAT(errors_of("LogonSignature=" + std::string{wrong}),
                ElementsAre(HasSubstr("a field and a formula such as")))
        << wrong;
  }
  for (const std::string_view wrong : {"a.pem", "file:", "env:", "https://x", "base64:x"}) {
    EXPECT_THAT(errors_of("LogonKey=" + std::string{wrong}),
                Contains(HasSubstr("file:PATH, env:NAME or command:LINE")));
  }
  for (const std::string_view wrong :
       {"{time-ms}", "5025=", "34={time-ms}", "5025={35}", "5025={x", "5025={time-ms+0}",
        "5025={time-ms+}", "5025={time-ms+3600001}", "5025={random+1}"}) {
    EXPECT_THAT(errors_of("LogonNonce=" + std::string{wrong}),
                Contains(HasSubstr("a field with {time-ms} or {random}")))
        << wrong;
  }
}

TEST(LogonSignatureKeys, keys_that_do_not_fit_each_other_are_errors) {
  EXPECT_THAT(errors_of("LogonKey=env:X"),
              ElementsAre("t.cfg:11: LogonKey: there is no LogonSignature"));
  EXPECT_THAT(errors_of("LogonSignature=96=base64(ed25519({35}))"),
              ElementsAre(HasSubstr("LogonKey is missing")));
  const auto with = [](std::string_view lines) { return errors_of(joined(kSigned, lines)); };
  EXPECT_THAT(with("LogonNonce=96={random}"), ElementsAre(HasSubstr("has the same field")));
  EXPECT_THAT(with("LogonNonce=554={random}\nPassword=x"),
              ElementsAre(HasSubstr("field 554 has another value")));
  EXPECT_THAT(with("LogonTag=96=x"), ElementsAre(HasSubstr("field 96 has another value")));
  EXPECT_THAT(errors_of("LogonSignature=96=hex(rsa-sha256({34}))\nLogonKey=hex:env:X"),
              ElementsAre(HasSubstr("a private key is in PEM")));
  EXPECT_THAT(errors_of("LogonSignature=96=hex(sha256({34}))\nLogonKey=env:X"),
              ElementsAre(HasSubstr("sha256 needs {key}")));
  EXPECT_THAT(errors_of("LogonSignature=96=hex(hmac-sha256({key}))\nLogonKey=env:X"),
              ElementsAre(HasSubstr("{key} is only for sha256")));
  for (const std::string_view one : {"96=base64url(hmac-sha256({34}))\nLogonKey=base64:env:X",
                                     "96=base64(hmac-sha256({34}))\nLogonKey=base64url:env:X"}) {
    EXPECT_THAT(errors_of("LogonSignature=" + std::string{one}),
                ElementsAre(HasSubstr("base64url is the form of both")));
  }
  EXPECT_THAT(errors(joined(kAcceptor, kSigned)), ElementsAre(HasSubstr("a key of initiators")));
  EXPECT_THAT(warnings_of(kSigned), IsEmpty());
}

}  // namespace
}  // namespace nexusfix::config
