#include "tester/run/configured_session.hpp"

#include <mutex>
#include <string_view>
#include <utility>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

#include "config/api/logon_signer.hpp"
#include "config/api/settings.hpp"
#include "nexusfix/files/settings_loader.hpp"

namespace nexusfix::tester {
namespace {

using config::SessionSettings;
using config::Settings;
using Error = std::unexpected<std::string>;

std::string field_text(wire::Tag tag, std::string_view value) {
  return (std::to_string(tag) + "=").append(value);
}

// Fields of a session's configuration, and its signature.
class SessionFields final : public OwnFields {
 public:
  SessionFields(const SessionSettings& settings, std::shared_ptr<config::LogonSigner> signer)
      : masked_{settings.log.masked},
        counts_{settings.session.header.send_last_msg_seq_num_processed},
        signer_{std::move(signer)} {
    const session::SessionId& id = settings.session.id;
    add(header_, 50, id.sender_sub_id);
    add(header_, 142, id.sender_location_id);
    add(header_, 57, id.target_sub_id);
    add(header_, 143, id.target_location_id);
    const session::LogonConfig& logon = settings.session.logon;
    add(logon_, 553, logon.username);
    add(logon_, 554, logon.password);
    if (signer_ != nullptr) masked_.push_back({.tag = signer_->rules().tag});
    // A data field has its length before it already.
    for (const session::LogonField& field : logon.fields) {
      Fields& fields = wire::is_header_tag(field.tag) ? logon_header_ : logon_;
      fields.push_back(field_text(field.tag, field.value));
    }
  }

  Fields header(std::string_view msg_type, std::uint64_t last_in) const override {
    Fields fields = header_;
    if (counts_) fields.push_back("369=" + std::to_string(last_in));
    if (msg_type == "A") fields.insert(fields.end(), logon_header_.begin(), logon_header_.end());
    return fields;
  }

  std::expected<void, std::string> complete_logon(Fields& logon, const Fields& line, WallTime now,
                                                  Signing signing) override {
    for (const std::string& field : logon_) {
      if (!decides(line, tag_of(field))) logon.push_back(field);
    }
    if (signer_ == nullptr || signing == Signing::Off) return {};
    const std::lock_guard lock{mutex_};
    const config::LogonSignature& rules = signer_->rules();
    if (rules.nonce_tag != 0 && !decides(line, std::to_string(rules.nonce_tag))) {
      const auto nonce = signer_->nonce(now);
      if (!nonce) return Error{nonce.error()};
      append(logon, rules.nonce_tag, *nonce);
    }
    if (decides(line, std::to_string(rules.tag))) return {};
    std::string text;
    for (const std::string& field : logon) text += (text.empty() ? "" : "\x01") + field;
    const auto signature = signer_->signature(text);
    if (!signature) return Error{signature.error()};
    append(logon, rules.tag, *signature);
    return {};
  }

  std::span<const observe::MaskedField> masked() const override { return masked_; }

 private:
  static std::string_view tag_of(std::string_view field) {
    return field.substr(0, field.find('='));
  }

  static void add(Fields& fields, wire::Tag tag, std::string_view value) {
    if (!value.empty()) fields.push_back(field_text(tag, value));
  }

  // A data field has its length before it.
  static void append(Fields& fields, wire::Tag tag, std::string_view value) {
    static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
    const auto length = kPairs.length_tag_for(tag);
    if (length) fields.push_back(field_text(*length, std::to_string(value.size())));
    fields.push_back(field_text(tag, value));
  }

  Fields header_;
  Fields logon_header_;
  Fields logon_;
  std::vector<observe::MaskedField> masked_;
  bool counts_;
  std::mutex mutex_;  // of the signer, whose nonces rise
  std::shared_ptr<config::LogonSigner> signer_;
};

std::expected<ConfiguredSession, std::string> made(const Settings& settings,
                                                   const SessionSettings& session, Disk& disk) {
  std::shared_ptr<config::LogonSigner> signer;
  if (const auto& rules = session.logon_signature; rules != nullptr) {
    auto key = config::LogonSigner::make(rules, disk);
    if (!key) {
      const config::SettingsError error{settings.file, rules->key_line, "LogonKey: " + key.error()};
      return Error{error.what()};
    }
    signer = std::move(*key);
  }
  const session::SessionId& id = session.session.id;
  ConfiguredSession one{.sender_comp_id = id.sender_comp_id,
                        .target_comp_id = id.target_comp_id,
                        .acceptor = session.connect.front(),
                        .own = std::make_shared<SessionFields>(session, std::move(signer))};
  const std::string_view appl_ver_id = session.session.fixt.default_appl_ver_id;
  for (std::size_t i = 0; i < kVersions.size(); ++i) {
    const bool is_application = kVersions[i].appl_ver_id == appl_ver_id;
    // The newest one for FIX Latest.
    if (kVersions[i].begin_string == id.begin_string) one.version = i;
    if (is_application && kVersions[i].begin_string == id.begin_string) break;
  }
  if (session.tls != nullptr) one.tls = session.tls->settings;
  return one;
}

// The wanted session. Null: there is none, or more than one.
const SessionSettings* find(const Settings& settings, std::string_view sender,
                            std::string_view target) {
  const SessionSettings* found = nullptr;
  for (const SessionSettings& session : settings.sessions) {
    const session::SessionId& id = session.session.id;
    if (session.accept || (!sender.empty() && id.sender_comp_id != sender) ||
        (!target.empty() && id.target_comp_id != target)) {
      continue;
    }
    if (found != nullptr) return nullptr;
    found = &session;
  }
  return found;
}

std::string no_such(const Settings& settings, std::string_view sender) {
  std::string text = settings.file + ": ";
  text += sender.empty()
              ? "not exactly one session is an initiator for this test"
              : "not exactly one session is an initiator with --sender " + std::string{sender};
  text += "; sessions:";
  for (const SessionSettings& session : settings.sessions) {
    text += " " + session.session.id.to_string() + (session.accept ? " (an acceptor)" : "");
  }
  return text + ". --sender and --target choose one";
}

}  // namespace

std::expected<std::vector<ConfiguredSession>, std::string> configured_sessions(
    const std::string& file, const WantedSessions& wanted, Disk& disk) {
  const auto settings = command::read_settings(disk, file);
  if (!settings) return Error{settings.error()};
  std::vector<std::string> senders = wanted.senders;
  if (senders.empty()) senders.emplace_back();
  std::vector<ConfiguredSession> sessions;
  for (const std::string& sender : senders) {
    const SessionSettings* const session = find(*settings, sender, wanted.target);
    if (session == nullptr) return Error{no_such(*settings, sender)};
    auto one = made(*settings, *session, disk);
    if (!one) return Error{one.error()};
    const bool differs =
        !sessions.empty() && (one->version != sessions.front().version ||
                              one->target_comp_id != sessions.front().target_comp_id);
    if (differs) return Error{file + ": --sender names sessions of different versions or targets"};
    sessions.push_back(std::move(*one));
  }
  return sessions;
}

}  // namespace nexusfix::tester
