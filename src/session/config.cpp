#include "session/api/config.hpp"

#include <span>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::session {
namespace {

using std::chrono::seconds;

bool can_be_sent(std::string_view value) noexcept {
  return !value.empty() && value.size() <= kCompIdBytesMax && !value.contains(wire::kSoh);
}
bool is_credential(std::string_view value) noexcept { return value.empty() || can_be_sent(value); }

std::string_view logon_fields_error(std::span<const LogonField> fields) noexcept {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& value = fields[i].value;
    bytes += value.size();
    if (value.empty() || value.size() > kLogonFieldBytesMax || value.contains(wire::kSoh)) {
      return "a further field of the Logon is empty, too long or holds SOH";
    }
    const wire::Tag data = wire::standard_data_tag(fields[i].tag);
    if (data == 0) continue;
    const bool is_followed = i + 1 < fields.size() && fields[i + 1].tag == data;
    if (!is_followed || wire::to_uint(value) != fields[i + 1].value.size()) {
      return "a Length field of the Logon is not followed by its data, or is not its size";
    }
  }
  if (bytes > kLogonFieldsBytesMax) return "the further fields of the Logon are too long together";
  return {};
}

}  // namespace

std::string_view validate(const SessionConfig& config) noexcept {
  const VersionTraits* version = find_version(config.id.begin_string);
  if (version == nullptr) return "BeginString is not FIX.4.0 to FIX.4.4 or FIXT.1.1";
  if (!can_be_sent(config.id.sender_comp_id)) return "SenderCompID is empty, too long or holds SOH";
  if (!can_be_sent(config.id.target_comp_id)) return "TargetCompID is empty, too long or holds SOH";
  for (const std::string* id : {&config.id.sender_sub_id, &config.id.target_sub_id}) {
    if (!id->empty() && !can_be_sent(*id)) return "a SubID is too long or holds SOH";
  }
  for (const std::string* id : {&config.id.sender_location_id, &config.id.target_location_id}) {
    if (id->empty()) continue;
    if (!version->has_location_ids) return "FIX 4.0 has no LocationIDs";
    if (!can_be_sent(*id)) return "a LocationID is too long or holds SOH";
  }
  if (version->has_default_appl_ver_id &&
      wire::application_version(config.fixt.default_appl_ver_id).empty()) {
    return "DefaultApplVerID is not between 2 and 10, nor a later one";
  }
  if (!is_credential(config.logon.username)) return "Username is too long or holds SOH";
  if (!is_credential(config.logon.password)) return "Password is too long or holds SOH";
  if (!is_credential(config.logon.new_password)) return "NewPassword is too long or holds SOH";
  if (const std::string_view error = logon_fields_error(config.logon.fields); !error.empty()) {
    return error;
  }
  if (config.logon.authentication_timeout < seconds{1})
    return "authentication_timeout is below 1 s";
  if (config.heartbeat.heart_bt_int < seconds{0} ||
      config.heartbeat.heart_bt_int > kHeartBtIntMax) {
    return "HeartBtInt is not between 0 and 3600";
  }
  if (config.heartbeat.imposes_heart_bt_int && config.role == Role::Initiator) {
    return "HeartBtIntOverride is for an acceptor: an initiator proposes its HeartBtInt anyway";
  }
  if (config.heartbeat.heart_bt_int_min < seconds{0} ||
      config.heartbeat.heart_bt_int_max > kHeartBtIntMax) {
    return "MinHeartBtInt and MaxHeartBtInt are not between 0 and 3600";
  }
  if (config.heartbeat.heart_bt_int_min > config.heartbeat.heart_bt_int_max) {
    return "MinHeartBtInt is above MaxHeartBtInt";
  }
  if (config.logon.timeout < seconds{1}) return "LogonTimeout is below 1";
  if (config.logon.logout_timeout < seconds{1}) return "LogoutTimeout is below 1";
  if (config.gap.resend_timeout < seconds{1}) return "resend_timeout is below 1 s";
  if (config.gap.resend_request_chunk > kResendRequestChunkMax) {
    return "ResendRequestChunkSize is above 1000000000";
  }
  if (config.header.max_latency < seconds{1}) return "MaxLatency is below 1";
  if (!(config.heartbeat.test_request_delay >= 0.0 &&
        config.heartbeat.test_request_delay <= 100.0)) {
    return "TestRequestDelayMultiplier is not between 0 and 100";
  }
  if (!(config.heartbeat.timeout >= config.heartbeat.test_request_delay &&
        config.heartbeat.timeout <= 100.0)) {
    return "HeartBeatTimeoutMultiplier is not between TestRequestDelayMultiplier and 100";
  }
  return {};
}

}  // namespace nexusfix::session
