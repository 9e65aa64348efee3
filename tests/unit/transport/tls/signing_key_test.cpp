#include "transport/api/signing_key.hpp"

#include <gmock/gmock.h>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string>
#include <utility>

namespace nexusfix::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The key of the example in the public description of Binance's FIX interface.
constexpr std::string_view kEd25519 =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIIJEYWtGBrhACmb9Dvy+qa8WEf0lQOl1s4CLIAB9m89u\n"
    "-----END PRIVATE KEY-----\n";

std::string rsa_key(const EVP_CIPHER* cipher = nullptr) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_RSA_gen(2048), EVP_PKEY_free};
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new(BIO_s_mem()), BIO_free};
  const unsigned char passphrase[] = "pass";
  PEM_write_bio_PrivateKey(bio.get(), key.get(), cipher, cipher == nullptr ? nullptr : passphrase,
                           cipher == nullptr ? 0 : 4, nullptr, nullptr);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string signature(SignatureAlgorithm algorithm, std::string_view key, std::string_view text,
                      BytesAsText form) {
  const auto made = SigningKey::make(algorithm, Secret{key});
  EXPECT_TRUE(made.has_value());
  const auto bytes = (*made)->sign(text);
  EXPECT_TRUE(bytes.has_value());
  return to_text(*bytes, form);
}

std::string error_of(SignatureAlgorithm algorithm, std::string_view key) {
  const auto made = SigningKey::make(algorithm, Secret{key});
  return made ? "none" : made.error();
}

TEST(SigningKey, ed25519_gives_the_signature_that_a_venue_publishes) {
  EXPECT_EQ(signature(SignatureAlgorithm::Ed25519, kEd25519,
                      "A\x01"
                      "EXAMPLE\x01"
                      "SPOT\x01"
                      "1\x01"
                      "20240627-11:17:25.223",
                      BytesAsText::Base64),
            "4MHXelVVcpkdwuLbl6n73HQUXUf1dse2PCgT1DYqW9w8AVZ1RACFGM+5UdlGPrQHrgtS3CvsRURC1oj73j8gCA"
            "==");
}

TEST(SigningKey, shared_secrets_give_the_codes_of_the_standards) {
  // RFC 4231, test case 2; FIPS 180-4, "abc".
  constexpr std::string_view kKey = "Jefe";
  constexpr std::string_view kText = "what do ya want for nothing?";
  EXPECT_EQ(signature(SignatureAlgorithm::HmacSha256, kKey, kText, BytesAsText::Hex),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(signature(SignatureAlgorithm::HmacSha512, kKey, kText, BytesAsText::Hex),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f"
            "65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737");
  EXPECT_EQ(signature(SignatureAlgorithm::HmacSha512OfSha256, kKey, kText, BytesAsText::Hex),
            "602bbaa24a2109d93d53b6a08aca4c4c930f9204b71c8123a66d74bcf9ff35dfe3d54971e5aae753c1935f"
            "18397a5b48695625c31f1927d1a5166d97530e949d");
  EXPECT_EQ(signature(SignatureAlgorithm::Sha256, kKey, "abc", BytesAsText::Hex),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SigningKey, rsa_signature_is_verified_by_the_public_key) {
  const std::string pem = rsa_key();
  const auto made = SigningKey::make(SignatureAlgorithm::RsaSha256, Secret{pem});
  ASSERT_TRUE(made.has_value());
  const auto bytes = (*made)->sign("text");
  ASSERT_TRUE(bytes.has_value());
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio{
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free};
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
      PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), EVP_PKEY_free};
  const auto is_valid = [&](std::string_view text) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free};
    EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get());
    return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(bytes->data()),
                            bytes->size(), reinterpret_cast<const unsigned char*>(text.data()),
                            text.size()) == 1;
  };
  EXPECT_TRUE(is_valid("text"));
  EXPECT_FALSE(is_valid("texts"));
}

TEST(SigningKey, wrong_key_is_refused_and_not_shown) {
  EXPECT_THAT(error_of(SignatureAlgorithm::Ed25519, ""), HasSubstr("the key is empty"));
  EXPECT_THAT(error_of(SignatureAlgorithm::Ed25519, rsa_key()),
              HasSubstr("an Ed25519 private key was expected"));
  EXPECT_THAT(error_of(SignatureAlgorithm::RsaSha256, kEd25519),
              HasSubstr("an RSA private key was expected"));
  for (const std::string& wrong :
       {std::string{"s3cret"}, rsa_key(EVP_aes_128_cbc()), std::string{kEd25519.substr(0, 60)}}) {
    const std::string error = error_of(SignatureAlgorithm::Ed25519, wrong);
    EXPECT_THAT(error, HasSubstr("private key in PEM was expected"));
    EXPECT_THAT(error, Not(HasSubstr(wrong)));
  }
}

TEST(SigningKey, bytes_as_text_are_read_back) {
  for (const BytesAsText form : {BytesAsText::Base64, BytesAsText::Base64Url, BytesAsText::Hex}) {
    for (std::size_t size = 1; size < 70; ++size) {
      std::string bytes;
      for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(i * 37 + size));
      const auto read = from_text(to_text(bytes, form), form);
      ASSERT_TRUE(read.has_value()) << size;
      EXPECT_EQ(read->view(), bytes);
    }
  }
}

TEST(SigningKey, text_that_is_no_bytes_is_refused) {
  for (const std::string_view wrong : {"", "a", "ab=", "ab!=", "====a"}) {
    EXPECT_FALSE(from_text(wrong, BytesAsText::Base64).has_value()) << wrong;
  }
  for (const std::string_view wrong : {"", "a", "0x", "zz", "abc"}) {
    EXPECT_FALSE(from_text(wrong, BytesAsText::Hex).has_value()) << wrong;
  }
}

TEST(SigningKey, base64url_is_without_padding) {
  // RFC 4648, sec. 5 and 10; the bytes fb ff are "+/8=" in base64.
  EXPECT_EQ(to_text("\xfb\xff", BytesAsText::Base64Url), "-_8");
  EXPECT_EQ(to_text("foob", BytesAsText::Base64Url), "Zm9vYg");
  for (const std::string_view wrong : {"", "a", "+/8", "-_8=", "Zm9vY", "Zm9v!A"}) {
    EXPECT_FALSE(from_text(wrong, BytesAsText::Base64Url).has_value()) << wrong;
  }
}

TEST(SigningKey, random_texts_differ) {
  const auto one = random_text();
  const auto other = random_text();
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), 44U);
  EXPECT_NE(*one, *other);
}

}  // namespace
}  // namespace nexusfix::transport
