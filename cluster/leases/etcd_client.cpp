#include "cluster/leases/etcd_client.hpp"

#include <algorithm>
#include <boost/beast/core/detail/base64.hpp>
#include <charconv>
#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/leases/etcd_http.hpp"

namespace nexusfix::cluster {
namespace {

namespace beast = boost::beast;
using nlohmann::json;

std::string encoded(std::string_view bytes) {
  std::string text(beast::detail::base64::encoded_size(bytes.size()), '\0');
  text.resize(beast::detail::base64::encode(text.data(), bytes.data(), bytes.size()));
  return text;
}

std::string decoded(std::string_view text) {
  std::string bytes(beast::detail::base64::decoded_size(text.size()), '\0');
  bytes.resize(beast::detail::base64::decode(bytes.data(), text.data(), text.size()).first);
  return bytes;
}

// The end of the range of all keys with this prefix, which is not empty and ends with no 0xff.
std::string end_of_prefix(std::string prefix) {
  ++prefix.back();
  return prefix;
}

// The gateway writes 64-bit numbers as texts, and leaves out zeros.
template <class Number>
Number number_of(const json& object, const char* name) {
  Number number = 0;
  if (const auto found = object.find(name); found != object.end()) {
    if (found->is_string()) {
      const auto& text = found->get_ref<const std::string&>();
      std::from_chars(text.data(), text.data() + text.size(), number);
    } else if (found->is_number_integer()) {
      number = found->get<Number>();
    }
  }
  return number;
}

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const json& member_of(const json& object, const char* name) {
  static const json kNone = json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : kNone;
}

std::uint64_t revision_of(const json& answer) {
  return number_of<std::uint64_t>(member_of(answer, "header"), "revision");
}

void add_keys(const json& answer, EtcdRange& range) {
  const auto rows = answer.find("kvs");
  if (rows == answer.end() || !rows->is_array()) return;
  for (const json& row : *rows) {
    if (!row.is_object()) continue;
    range.keys.push_back({.key = decoded(text_of(row, "key")),
                          .value = decoded(text_of(row, "value")),
                          .created = number_of<std::uint64_t>(row, "create_revision"),
                          .lease = number_of<LeaseId>(row, "lease")});
  }
}

json range_request(const std::string& prefix) {
  return {{"key", encoded(prefix)}, {"range_end", encoded(end_of_prefix(prefix))}};
}

EtcdResult<json> parsed(EtcdResult<std::string> answer) {
  if (!answer) return std::unexpected{std::move(answer.error())};
  json value = json::parse(*answer, nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) {
    return std::unexpected{EtcdError{"the answer is no JSON of etcd: " + http::one_line(*answer)}};
  }
  return value;
}

}  // namespace

std::optional<std::chrono::seconds> clock_difference(const std::string& date, WallTime asked,
                                                     WallTime answered) {
  std::tm parts{};
  const char* const end = ::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  using std::chrono::seconds;
  const std::chrono::sys_seconds theirs{seconds{::timegm(&parts)}};
  // Their clock was within this second, at a moment between the question and the answer.
  if (const seconds later = std::chrono::floor<seconds>(asked) - theirs; later > seconds{0}) {
    return later - seconds{1};
  }
  return std::min(std::chrono::ceil<seconds>(answered) - theirs, seconds{0});
}

EtcdClient::EtcdClient(const config::ClusterSettings& settings)
    : endpoints_{settings.etcd},
      user_{settings.etcd_user},
      password_{settings.etcd_password},
      http_{std::make_unique<EtcdHttp>(settings)} {}
EtcdClient::~EtcdClient() = default;

std::string EtcdClient::members() const {
  std::string text;
  for (const config::EtcdEndpoint& one : endpoints_) {
    if (!text.empty()) text += ',';
    text += one.host + ':' + std::to_string(one.port);
  }
  return text;
}

EtcdResult<std::string> EtcdClient::post(std::string_view path, const std::string& body) {
  if (user_.empty()) {
    auto answer = post_with_token(path, body);
    if (answer) return answer;
    std::string& error = answer.error().text;
    if (error.contains("user name is empty") || error.contains("permission denied")) {
      error += ": etcd has users, and ClusterEtcdUser is missing";
    }
    return answer;
  }
  // A token ends after minutes, with its member, and when a user or a role changes.
  constexpr int kAttempts = 2;
  for (int attempt = 1;; ++attempt) {
    if (token_.empty()) {
      if (auto done = sign_in(); !done) return std::unexpected{std::move(done.error())};
    }
    auto answer = post_with_token(path, body);
    if (answer || !answer.error().is_token_over || attempt == kAttempts) return answer;
    token_.clear();
  }
}

EtcdResult<void> EtcdClient::sign_in() {
  const json request{{"name", user_}, {"password", password_}};
  const auto answer = parsed(
      post_with_token("/v3/auth/authenticate",
                      request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
  if (!answer) {
    EtcdError error = answer.error();
    if (error.is_answered) {
      error.text += ": etcd does not accept ClusterEtcdUser=" + user_ + " with its password";
    }
    return std::unexpected{std::move(error)};
  }
  token_ = text_of(*answer, "token");
  if (token_.empty()) return std::unexpected{EtcdError{"etcd has given no token to " + user_}};
  return {};
}

// Asks the members in turn until one answers.
EtcdResult<std::string> EtcdClient::post_with_token(std::string_view path,
                                                    const std::string& body) {
  EtcdError error;
  for (std::size_t attempt = 0; attempt < endpoints_.size(); ++attempt) {
    const config::EtcdEndpoint& endpoint = endpoints_[last_];
    const WallTime asked = clock_.now().wall;
    auto answer = http_->post(endpoint, {.path = path, .token = token_, .body = body});
    if (answer) {
      const auto difference = cluster::clock_difference(answer->date, asked, clock_.now().wall);
      difference_ = {endpoint.host + ':' + std::to_string(endpoint.port),
                     difference.value_or(std::chrono::seconds{0})};
    }
    constexpr unsigned kOk = 200;
    constexpr unsigned kUnauthorized = 401;
    constexpr unsigned kRequestTimeout = 408;
    constexpr unsigned kTooManyRequests = 429;
    constexpr unsigned kServerErrors = 500;
    if (answer && answer->status == kOk) return std::move(answer->body);
    if (!error.text.empty()) error.text += "; ";
    error.text += "etcd " + endpoint.host + ':' + std::to_string(endpoint.port) + ": ";
    if (!answer) {
      error.text += answer.error();
    } else {
      const json said = json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
      const std::string text = said.is_object() ? text_of(said, "error") : answer->body;
      error.text += "status " + std::to_string(answer->status) + ": " + http::one_line(text);
      if (text.contains("CommonName of client")) {
        error.text +=
            ": etcd with users wants a certificate without CN in ClusterEtcdCertificateFile";
      }
      // A member without a leader, or with too much to do, answers so: another one may not.
      const bool may_pass = answer->status >= kServerErrors || answer->status == kRequestTimeout ||
                            answer->status == kTooManyRequests;
      if (!may_pass) {
        error.is_answered = true;
        error.is_token_over =
            answer->status == kUnauthorized || text.contains("revision of auth store is old");
        return std::unexpected{std::move(error)};
      }
    }
    http_->close();
    last_ = (last_ + 1) % endpoints_.size();
  }
  return std::unexpected{std::move(error)};
}

EtcdResult<LeaseId> EtcdClient::grant(std::chrono::seconds time_to_live) {
  const json request{{"TTL", std::to_string(time_to_live.count())}};
  const auto answer = parsed(post("/v3/lease/grant", request.dump()));
  if (!answer) return std::unexpected{answer.error()};
  const auto lease = number_of<LeaseId>(*answer, "ID");
  if (lease == 0) return std::unexpected{EtcdError{"etcd has granted no lease"}};
  return lease;
}

EtcdResult<bool> EtcdClient::renew(LeaseId lease) {
  const json request{{"ID", std::to_string(lease)}};
  const auto answer = parsed(post("/v3/lease/keepalive", request.dump()));
  if (!answer) return std::unexpected{answer.error()};
  return number_of<std::int64_t>(member_of(*answer, "result"), "TTL") > 0;
}

EtcdResult<void> EtcdClient::revoke(LeaseId lease) {
  const json request{{"ID", std::to_string(lease)}};
  const auto answer = post("/v3/lease/revoke", request.dump());
  if (!answer) return std::unexpected{answer.error()};
  return {};
}

EtcdResult<std::chrono::seconds> EtcdClient::time_left(LeaseId lease) {
  const json request{{"ID", std::to_string(lease)}};
  const auto answer = parsed(post("/v3/lease/timetolive", request.dump()));
  if (!answer) return std::unexpected{answer.error()};
  return std::chrono::seconds{std::max<std::int64_t>(0, number_of<std::int64_t>(*answer, "TTL"))};
}

EtcdResult<EtcdRange> EtcdClient::read(std::string_view prefix) {
  return read(std::vector<std::string>{std::string{prefix}});
}

EtcdResult<EtcdRange> EtcdClient::read(const std::vector<std::string>& prefixes) {
  json reads = json::array();
  for (const std::string& prefix : prefixes) {
    reads.push_back({{"request_range", range_request(prefix)}});
  }
  const json request{{"success", std::move(reads)}};
  const auto answer = parsed(post("/v3/kv/txn", request.dump()));
  if (!answer) return std::unexpected{answer.error()};
  EtcdRange range{.revision = revision_of(*answer), .keys = {}};
  if (range.revision == 0) return std::unexpected{EtcdError{"the answer of etcd has no revision"}};
  if (const auto parts = answer->find("responses"); parts != answer->end() && parts->is_array()) {
    for (const json& part : *parts) {
      if (part.is_object()) add_keys(member_of(part, "response_range"), range);
    }
  }
  return range;
}

EtcdResult<EtcdChanged> EtcdClient::change(const EtcdChange& wanted) {
  json conditions = json::array();
  for (const EtcdChange::Condition& one : wanted.conditions) {
    conditions.push_back({{"key", encoded(one.key)},
                          {"target", "CREATE"},
                          {"result", "EQUAL"},
                          {"create_revision", std::to_string(one.created)}});
  }
  json changes = json::array();
  for (const EtcdChange::Put& one : wanted.puts) {
    changes.push_back({{"request_put",
                        {{"key", encoded(one.key)},
                         {"value", encoded(one.value)},
                         {"lease", std::to_string(one.lease)}}}});
  }
  for (const std::string& key : wanted.deletions) {
    changes.push_back({{"request_delete_range", {{"key", encoded(key)}}}});
  }
  const json request{{"compare", std::move(conditions)}, {"success", std::move(changes)}};
  const auto answer = parsed(post("/v3/kv/txn", request.dump()));
  if (!answer) return std::unexpected{answer.error()};
  const auto done = answer->find("succeeded");
  return EtcdChanged{.is_done = done != answer->end() && done->is_boolean() && done->get<bool>(),
                     .revision = revision_of(*answer)};
}

}  // namespace nexusfix::cluster
