// A Logon as the client of a kit writes it, with fields that a test changes before it is signed.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/convert.hpp>

#include "config/api/settings.hpp"
#include "transport/api/signing_key.hpp"
#include "venues/kit/kit.hpp"
#include "venues/kit/kit_files.hpp"
#include "venues/kit/test_keys.hpp"
#include "venues/logon/logon_verifier.hpp"

namespace nexusfix::venues {

using Values = std::vector<std::pair<std::string, std::string>>;  // tag and value; empty: left out

class ClientLogon {
 public:
  ClientLogon(const Kit& kit, const Endpoint& endpoint)
      : settings_{config::parse_settings(kit_file(kit.name, endpoint.client), endpoint.client)
                      .value()},
        session_{settings_.sessions.front()},
        rules_{session_.logon_signature} {
    if (rules_ != nullptr) keys_ = make_test_keys(*rules_).value();
  }

  // Verifies with the keys of this client. Null: it signs nothing.
  [[nodiscard]] std::unique_ptr<LogonVerifier> verifier() const {
    if (rules_ == nullptr) return nullptr;
    const std::string_view key =
        has_public_key(*rules_) ? std::string_view{keys_.venue} : keys_.client.view();
    return LogonVerifier::make(rules_, key).value();
  }

  // changes: instead of the client's values. after: changes after the signature.
  [[nodiscard]] std::string at(WallTime time, const Values& changes = {},
                               const Values& after = {}) const {
    Values fields = unsigned_fields(time);
    apply(fields, changes);
    if (rules_ != nullptr) {
      const bool is_named = std::ranges::any_of(
          changes, [&](const auto& change) { return change.first == std::to_string(rules_->tag); });
      if (!is_named) fields.emplace_back(std::to_string(rules_->tag), signature_of(fields));
    }
    apply(fields, after);
    std::string text;
    for (const auto& [tag, value] : fields) {
      if (!value.empty()) text.append(tag).append("=").append(value).append("\x01");
    }
    return text;
  }

 private:
  [[nodiscard]] Values unsigned_fields(WallTime time) const {
    const auto millis = std::chrono::floor<std::chrono::milliseconds>(time);
    const session::SessionConfig& config = session_.session;
    Values fields{{"8", config.id.begin_string},
                  {"35", "A"},
                  {"34", "1"},
                  {"49", config.id.sender_comp_id},
                  {"52", timestamp(time)},
                  {"56", config.id.target_comp_id},
                  {"98", "0"},
                  {"108", std::to_string(config.heartbeat.heart_bt_int.count())},
                  {"141", config.reset.on_logon ? "Y" : ""},
                  {"50", config.id.sender_sub_id},
                  {"57", config.id.target_sub_id},
                  {"142", config.id.sender_location_id}};
    if (config.header.send_last_msg_seq_num_processed) fields.emplace_back("369", "0");
    if (config.id.begin_string == "FIXT.1.1") {
      fields.emplace_back("1137", config.fixt.default_appl_ver_id);
    }
    fields.emplace_back("553", config.logon.username);
    fields.emplace_back("554", config.logon.password);
    for (const auto& field : config.logon.fields) {
      fields.emplace_back(std::to_string(field.tag), field.value);
    }
    if (rules_ != nullptr && rules_->nonce_tag != 0) {
      std::string nonce;
      for (const config::LogonTextPart& part : rules_->nonce) {
        using Kind = config::LogonTextPart::Kind;
        const auto since_1970 = millis.time_since_epoch().count() + part.tag;
        nonce += part.kind == Kind::Millis   ? std::to_string(since_1970)
                 : part.kind == Kind::Random ? transport::random_text().value()
                                             : part.text;
      }
      fields.emplace_back(std::to_string(rules_->nonce_tag), nonce);
    }
    return fields;
  }

  static std::string timestamp(WallTime time) {
    std::string text(wire::kUtcTimestampBytesMax, '\0');
    text.resize(wire::from_utc_timestamp(time, wire::TimePrecision::Millis, text.data()));
    return text;
  }

  static void apply(Values& fields, const Values& changes) {
    for (const auto& [tag, value] : changes) {
      const auto found = std::ranges::find(fields, tag, &Values::value_type::first);
      if (found == fields.end()) {
        fields.emplace_back(tag, value);
      } else {
        found->second = value;
      }
    }
  }

  [[nodiscard]] std::string signature_of(const Values& fields) const {
    using Kind = config::LogonTextPart::Kind;
    std::string text;
    for (const config::LogonTextPart& part : rules_->text) {
      if (part.kind == Kind::Text) text += part.text;
      if (part.kind == Kind::Key) text += key()->secret();
      if (part.kind != Kind::Field) continue;
      const auto found =
          std::ranges::find(fields, std::to_string(part.tag), &Values::value_type::first);
      if (found != fields.end()) text += found->second;
    }
    const auto form = rules_->is_hex ? transport::BytesAsText::Hex : base64();
    return transport::to_text(key()->sign(text).value(), form);
  }

  [[nodiscard]] transport::BytesAsText base64() const {
    return rules_->key.starts_with(transport::kBase64UrlKey) ? transport::BytesAsText::Base64Url
                                                             : transport::BytesAsText::Base64;
  }

  [[nodiscard]] std::unique_ptr<transport::SigningKey> key() const {
    using From = config::LogonSignature::Algorithm;
    using To = transport::SignatureAlgorithm;
    using Form = config::LogonSignature::KeyForm;
    const auto algorithm = rules_->algorithm == From::Ed25519              ? To::Ed25519
                           : rules_->algorithm == From::RsaSha256          ? To::RsaSha256
                           : rules_->algorithm == From::HmacSha256         ? To::HmacSha256
                           : rules_->algorithm == From::HmacSha512         ? To::HmacSha512
                           : rules_->algorithm == From::HmacSha512OfSha256 ? To::HmacSha512OfSha256
                                                                           : To::Sha256;
    auto secret = rules_->key_form == Form::Base64
                      ? transport::from_text(keys_.client.view(), base64()).value()
                      : Secret{keys_.client.view()};
    return transport::SigningKey::make(algorithm, std::move(secret)).value();
  }

  config::Settings settings_;
  const config::SessionSettings& session_;
  std::shared_ptr<const config::LogonSignature> rules_;
  TestKeys keys_;
};

}  // namespace nexusfix::venues
