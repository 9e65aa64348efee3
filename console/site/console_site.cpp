#include "console/site/console_site.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "config/api/explain_settings.hpp"
#include "console/json/json.hpp"
#include "console/json/message_json.hpp"
#include "console/json/settings_json.hpp"
#include "console/json/state_json.hpp"
#include "console/page/page_files.hpp"
#include "console/site/console_acts.hpp"

namespace nexusfix::web {
namespace {

Response wrong(unsigned status, std::string_view why) {
  return json_response(status, to_text({{"error", why}}));
}

std::uint64_t as_number(std::string_view text) noexcept {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A page of stored messages may take a minute.
constexpr std::chrono::minutes kReadWaitMax{2};
// An act that comes later might not be meant any more.
constexpr std::chrono::seconds kActWaitMax{10};
constexpr std::chrono::seconds kGuessDelay{2};

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
      access_{options_.is_encrypted, options_.has_certificates},
      names_{std::make_shared<const SessionNames>(std::move(options_.names))},
      reader_{clock, kReadWaitMax},
      acts_{clock, kActWaitMax} {}

ConsoleSite::~ConsoleSite() = default;

void ConsoleSite::listen_on(std::string_view host, std::uint16_t port,
                            const std::vector<std::string>& names) {
  access_.listen_on(host, port, names);
}

std::expected<void, std::string> ConsoleSite::begin(engine::Operations& engine) {
  engine_ = &engine;
  states_.serve(engine);
  if (!options_.has_certificates) {
    auto tokens = load_tokens(disk_, options_.token_file);
    if (!tokens) return std::unexpected{"the token of the web console: " + tokens.error()};
    access_.set_tokens(std::move(*tokens));
  }
  reader_.start();
  acts_.start();
  return {};
}

void ConsoleSite::end() {
  reader_.stop();
  acts_.stop();
}

void ConsoleSite::answer(Request request, Reply reply) {
  if (!access_.is_our_host(request)) {
    return reply.send(wrong(421, "Host is no name of this console: see ConsoleNames"));
  }
  if (const PageFile* const file = page_file(request.path)) {
    if (request.method == "POST") return reply.send(wrong(405, "GET was expected"));
    return reply.send({.content_type = file->content_type, .body = std::string{file->content}});
  }
  if (!request.path.starts_with("/api/")) return reply.send(wrong(404, "there is no such page"));
  if (!access_.is_same_site(request)) {
    return reply.send(wrong(403, "a page of another site has sent the request"));
  }
  if (request.path == "/api/sign-in") return reply.send(sign_in(request));
  const SignIn* const found = access_.find(request, clock_.now().mono);
  report_refusals();
  if (found == nullptr) {
    const bool has_token = !request.field("authorization").empty();
    return reply.send(has_token ? wrong_token(request) : wrong(401, "sign in first"));
  }
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
  auto attempt =
      access_.sign_in(token->get_ref<const std::string&>(), request.peer, clock_.now().mono);
  report_refusals();
  if (!attempt) return wrong_token(request);
  engine_->report(EventId::ConsoleSignedIn,
                  "web console: " + attempt->identity + " has signed in from " + request.peer);
  Response response = json_response(200, "{}");
  response.fields.emplace_back("Set-Cookie", std::move(attempt->cookie));
  return response;
}

// A guess is answered late, which bounds the number of guesses.
Response ConsoleSite::wrong_token(const Request& request) const {
  if (!access_.guesses(request.peer, clock_.now().mono)) return wrong(401, "the token is wrong");
  Response late = wrong(429, "the token is wrong, and so were more than five before it");
  late.delay = kGuessDelay;
  return late;
}

void ConsoleSite::report_refusals() {
  for (const std::string& address : access_.consume_refused()) {
    engine_->report(EventId::ConsoleRefused, "web console: a wrong token from " + address);
  }
}

void ConsoleSite::answer_operator(const Request& request, const SignIn& sign_in, Reply reply) {
  if (request.method == "POST") {
    if (request.path == "/api/act") return act(request, sign_in, std::move(reply));
    if (request.path != "/api/sign-out") return reply.send(wrong(404, "there is no such request"));
    Response response = json_response(200, "{}");
    response.fields.emplace_back("Set-Cookie", access_.sign_out(request));
    return reply.send(std::move(response));
  }
  const std::string session{request.argument("session")};
  if (request.path == "/api/overview") return reply.send(overview(sign_in));
  if (request.path == "/api/live") return reply.send(live(request));
  if (request.path == "/api/figures") {
    return reply.send(json_response(200, figures_json(engine_->statistics(), session)));
  }
  if (request.path == "/api/messages") {
    return reader_.add(std::move(reply), [this, request] { return messages(request); });
  }
  if (request.path == "/api/configuration") {
    return reader_.add(std::move(reply), [this, session] { return configuration(session); });
  }
  if (request.path == "/api/schedule") {
    return reader_.add(std::move(reply), [this] { return schedule(); });
  }
  reply.send(wrong(404, "there is no such request"));
}

Response ConsoleSite::overview(const SignIn& sign_in) const {
  return json_response(200, to_text({{"identity", sign_in.identity},
                                     {"csrf", sign_in.csrf},
                                     {"has_cookie", !sign_in.key.empty()},
                                     {"allows_acts", options_.allows_acts},
                                     {"has_journal", !engine_->journal_folders().empty()},
                                     {"has_configuration", !options_.configuration_file.empty()}}));
}

// A reload may have named other dictionaries, or read changed ones.
bool ConsoleSite::was_reloaded() noexcept {
  const std::uint64_t reloads = events_.reloads();
  return named_reload_.exchange(reloads) != reloads;
}

// The thread of reader_. A file that cannot be read leaves the names as they are: the engine has
// reported it.
void ConsoleSite::read_names() {
  const auto settings = config::load_settings(disk_, options_.configuration_file);
  if (!settings) return;
  auto fresh = std::make_shared<const SessionNames>(disk_, *settings);
  const std::lock_guard lock{names_mutex_};
  names_ = std::move(fresh);
}

std::shared_ptr<const SessionNames> ConsoleSite::names() {
  const std::lock_guard lock{names_mutex_};
  return names_;
}

// The first chunk comes with the head, so that the page need not wait for a tick.
Response ConsoleSite::live(const Request& request) {
  std::unique_ptr<engine::MessageSubscription> subscription;
  std::string refusal;
  if (const std::string session{request.argument("session")}; !session.empty()) {
    auto followed = engine_->follow(session);
    if (followed) {
      subscription = std::move(*followed);
    } else {
      refusal = "event: refused\ndata: " + to_text({{"error", followed.error()}}) + "\n\n";
    }
  }
  auto stream = std::make_unique<LiveStream>(states_, events_, as_number(request.argument("after")),
                                             std::move(subscription), [this] {
                                               if (was_reloaded()) {
                                                 reader_.add([this] { read_names(); });
                                               }
                                               return names();
                                             });
  Response response{.content_type = "text/event-stream",
                    .body = refusal + *stream->next(clock_.now().mono)};
  response.stream = std::move(stream);
  return response;
}

void ConsoleSite::act(const Request& request, const SignIn& sign_in, Reply reply) {
  if (!options_.allows_acts) {
    return reply.send(wrong(403, "this console only shows: ConsoleActs=Y allows acts"));
  }
  if (!request.field("content-type").starts_with("application/json")) {
    return reply.send(wrong(400, "Content-Type: application/json was expected"));
  }
  auto read = read_act(request.body);
  if (!read) {
    const std::expected<void, std::string> refused = std::unexpected{std::move(read.error())};
    return reply.send(json_response(400, engine::operator_answer(refused)));
  }
  const std::string identity = "web console, " + sign_in.identity + " from " + request.peer;
  acts_.add(std::move(reply), [this, identity, act = std::move(*read)] {
    auto* const numbers = std::get_if<engine::LiveNumbers>(&act);
    const auto done = numbers != nullptr
                          ? engine_->set_numbers(*numbers, identity)
                          : engine_->command(std::get<engine::OperatorCommand>(act), identity);
    return json_response(done ? 200 : 409, engine::operator_answer(done));
  });
}

Response ConsoleSite::messages(const Request& request) {
  const std::string session{request.argument("session")};
  const engine::EngineStatistics figures = engine_->statistics();
  const auto found = std::ranges::find(figures.sessions, session, &engine::SessionStatistics::name);
  if (found == figures.sessions.end()) return wrong(404, "the engine has no session " + session);
  const auto folders = engine_->journal_folders();
  if (found->loop >= folders.size()) return wrong(404, "the engine has no journal on the disk");
  const auto page = pages_.read({.folder = folders[found->loop],
                                 .session = session,
                                 .before = as_number(request.argument("before")),
                                 .text = std::string{request.argument("text")},
                                 .has_received = request.argument("direction") == "both"});
  if (!page) return wrong(503, page.error());
  Json messages = Json::array();
  if (was_reloaded()) read_names();
  const auto names = this->names();
  for (const StoredMessage& one : page->messages) {
    Json message = message_json(one.bytes, names->of(session));
    message["direction"] = one.is_received ? "in" : "out";
    messages.push_back(std::move(message));
  }
  return json_response(200, to_text({{"messages", std::move(messages)}, {"before", page->before}}));
}

Response ConsoleSite::configuration(const std::string& session) {
  if (options_.configuration_file.empty()) {
    return wrong(404, "the program has built its configuration without a file");
  }
  const auto explained = config::explain_settings(disk_, options_.configuration_file);
  if (!explained) return wrong(503, explained.error().front().what());
  const Json found = configuration_json(*explained, session);
  return found.is_null() ? wrong(404, "the file has no session " + session)
                         : json_response(200, to_text(found));
}

Response ConsoleSite::schedule() {
  if (options_.configuration_file.empty()) {
    return wrong(404, "the program has built its configuration without a file");
  }
  const auto settings = config::load_settings(disk_, options_.configuration_file);
  if (!settings) return wrong(503, settings.error().front().what());
  return json_response(200, to_text(schedule_json(*settings, clock_.now().wall)));
}

}  // namespace nexusfix::web
