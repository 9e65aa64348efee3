#include "web/console/console_site.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "web/page/page_files.hpp"

namespace nexusfix::web {
namespace {

using Json = nlohmann::ordered_json;

// Bytes of counterparties may be no UTF-8.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Response wrong(unsigned status, std::string_view why) {
  return json_response(status, text_of({{"error", why}}));
}

const PageFile* page_file(std::string_view path) noexcept {
  for (const PageFile& file : page_files()) {
    if (file.path == path) return &file;
  }
  return nullptr;
}

}  // namespace

ConsoleSite::ConsoleSite(ConsoleOptions options, EventRing& events, Clock& clock)
    : options_{std::move(options)},
      events_{events},
      clock_{clock},
      access_{options_.is_encrypted, options_.has_certificates} {}

ConsoleSite::~ConsoleSite() = default;

void ConsoleSite::listen_on(std::string_view host, std::uint16_t port,
                            const std::vector<std::string>& names) {
  access_.listen_on(host, port, names);
}

std::expected<void, std::string> ConsoleSite::begin(engine::Operations& engine) {
  engine_ = &engine;
  if (!options_.has_certificates) {
    auto tokens = load_tokens(disk_, options_.token_file);
    if (!tokens) return std::unexpected{"ConsoleTokenFile: " + tokens.error()};
    access_.set_tokens(std::move(*tokens));
  }
  worker_.start();
  return {};
}

void ConsoleSite::answer(Request request, Reply reply) {
  if (!access_.is_our_host(request)) {
    return reply.send(wrong(421, "Host is no name of this console: see ConsoleNames"));
  }
  if (const PageFile* const file = page_file(request.path)) {
    if (request.method == "POST") return reply.send(wrong(405, "GET was expected"));
    return reply.send(
        {.content_type = file->content_type, .body = std::string{file->content}});
  }
  if (!request.path.starts_with("/api/")) return reply.send(wrong(404, "there is no such page"));
  if (!access_.is_same_site(request)) {
    return reply.send(wrong(403, "a page of another site has sent the request"));
  }
  if (request.path == "/api/sign-in") return reply.send(sign_in(request));
  const SignIn* const found = access_.find(request, clock_.now().mono);
  report_refusals();
  if (found == nullptr) return reply.send(wrong(401, "sign in first"));
  if (request.method == "POST" && !Access::repeats_secret(request, *found)) {
    return reply.send(wrong(403, "X-CSRF-Token is missing or wrong"));
  }
  answer_operator(request, *found, std::move(reply));
}

Response ConsoleSite::sign_in(const Request& request) {
  if (request.method != "POST") return wrong(405, "POST was expected");
  const Json body = Json::parse(request.body, nullptr, false);
  const auto token = body.is_object() ? body.find("token") : body.end();
  if (token == body.end() || !token->is_string()) return wrong(400, "a token was expected");
  const std::string_view address = transport::peer_address_of(request.peer);
  auto attempt =
      access_.sign_in(token->get_ref<const std::string&>(), address, clock_.now().mono);
  report_refusals();
  switch (attempt.result) {
    case Access::Result::LockedOut: {
      Response response = wrong(429, "too many wrong tokens: wait a minute");
      response.fields.emplace_back("Retry-After", "60");
      return response;
    }
    case Access::Result::WrongToken:
      return wrong(401, "the token is wrong");
    case Access::Result::SignedIn:
      break;
  }
  engine_->report(EventId::ConsoleSignedIn, "web console: " + attempt.identity +
                                                " has signed in from " + request.peer);
  Response response = json_response(200, "{}");
  response.fields.emplace_back("Set-Cookie", std::move(attempt.cookie));
  return response;
}

void ConsoleSite::report_refusals() {
  for (const std::string& address : access_.take_refused()) {
    engine_->report(EventId::ConsoleRefused, "web console: a wrong token from " + address);
  }
}

void ConsoleSite::answer_operator(const Request& request, const SignIn& sign_in, Reply reply) {
  if (request.path == "/api/overview") return reply.send(overview(sign_in));
  if (request.path == "/api/sign-out" && request.method == "POST") {
    Response response = json_response(200, "{}");
    response.fields.emplace_back("Set-Cookie", access_.sign_out(request));
    return reply.send(std::move(response));
  }
  reply.send(wrong(404, "there is no such request"));
}

Response ConsoleSite::overview(const SignIn& sign_in) const {
  return json_response(200, text_of({{"identity", sign_in.identity},
                                     {"csrf", sign_in.csrf},
                                     {"allows_acts", options_.allows_acts},
                                     {"has_journal", !options_.store_folder.empty()},
                                     {"has_configuration", !options_.configuration_file.empty()}}));
}

}  // namespace nexusfix::web
