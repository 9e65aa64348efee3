#include "venue/command/rules_watch.hpp"

#include <cerrno>
#include <cstdio>
#include <fmt/format.h>

#include "venue/rules/parse_rules.hpp"

namespace nexusfix::command {
namespace {

constexpr std::uint64_t kRulesBytesMax = 1U << 20U;

std::string fault_of_file(const DiskError& error) {
  return error.error_number == EFBIG ? fmt::format("{}: rules have up to 1 MiB", error.what())
                                     : error.what();
}

}  // namespace

std::expected<std::shared_ptr<const venue::Rules>, std::string> parse_rules_of(
    const std::string& text, const std::string& path) {
  auto rules = venue::parse_rules(text);
  if (!rules) return std::unexpected{venue::to_string(rules.error(), path)};
  return std::make_shared<const venue::Rules>(std::move(*rules));
}

std::expected<void, std::string> RulesWatch::load() {
  auto text = read_file(disk_, path_, kRulesBytesMax);
  if (!text) return std::unexpected{fault_of_file(text.error())};
  auto rules = parse_rules_of(*text, path_);
  if (!rules) return std::unexpected{std::move(rules.error())};
  known_ = seen_ = std::move(*text);
  loaded_ = *rules;
  venue_.set_rules(std::move(*rules));
  return {};
}

void RulesWatch::warn_of_names(const venue::Rules& rules) const {
  for (const std::string& name : rules.sessions()) {
    if (venue_.has_session(name)) continue;
    fmt::print(stderr,
               "nexusfix serve: warning: {} names the session '{}', and no session has this "
               "CompID: its lines have no effect\n",
               path_, name);
  }
}

void RulesWatch::follow(engine::Engine& engine) {
  warn_of_names(*loaded_);
  for (engine::Session& session : engine.sessions()) tick(session);
}

// A session that is removed takes its timer with it: each session has one.
void RulesWatch::tick(engine::Session& session) {
  session.call_after(kInterval, [this](engine::Session& same) {
    tick(same);
    if (same.now() - looked_at_ < kInterval) return;
    looked_at_ = same.now();
    look();
  });
}

void RulesWatch::look() {
  auto text = read_file(disk_, path_, kRulesBytesMax);
  if (!text) {
    const std::string fault = fault_of_file(text.error());
    if (seen_ != fault) {
      fmt::print(stderr, "nexusfix serve: {}: the rules stay as they were\n", fault);
    }
    seen_ = fault;
    return;
  }
  // An editor may be writing it.
  const bool is_whole = *text == seen_;
  seen_ = *text;
  if (!is_whole || *text == known_) return;
  known_ = std::move(*text);
  auto rules = parse_rules_of(known_, path_);
  if (!rules) {
    fmt::print(stderr, "{}\nnexusfix serve: the rules stay as they were\n", rules.error());
    return;
  }
  const std::size_t count = (*rules)->rules.size();
  warn_of_names(**rules);
  venue_.set_rules(std::move(*rules));
  fmt::print("the rules of {} are in force: {} with 'if'\n", path_, count);
  std::fflush(stdout);
}

}  // namespace nexusfix::command
