#include "venues/logon/logon_gate.hpp"

#include <charconv>
#include <fmt/format.h>

#include <nexusfix/wire/convert.hpp>

namespace nexusfix::venues {
namespace {

using std::chrono::milliseconds;

// The number at the begin of a text, to its end or a point; nothing: there is none.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || (stop != end && *stop != '.')) return std::nullopt;
  return number;
}

milliseconds since_1970(WallTime time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch());
}

Refusal with_tag(Refusal refusal, unsigned tag) {
  refusal.tag = tag;
  return refusal;
}

constexpr unsigned kSendingTime = 52;

}  // namespace

std::optional<Refusal> LogonGate::refusal_of(std::string_view logon, WallTime now,
                                             std::string& detail) {
  const Fields fields = tester::fields_of(logon);
  for (const Rule& rule : rules_.fields) {
    if (rule.is_kept(fields)) continue;
    detail = "the rule is " + rule.shown();
    return rule.refusal();
  }
  if (auto refusal = check_clock(fields, now, detail)) return refusal;
  if (auto refusal = check_nonce(fields, now, detail)) return refusal;
  if (auto refusal = check_expiry(fields, now, detail)) return refusal;
  if (rules_.signature) {
    if (const auto verified = verifier_->verify(fields); !verified) {
      detail = verified.error();
      return with_tag(*rules_.signature, static_cast<unsigned>(verifier_->rules().tag));
    }
  }
  // Only now: a Logon that is not the client's must not use up the client's nonces.
  if (rules_.nonce) {
    const auto number = leading_number(*tester::value_of(fields, rules_.nonce->tag));
    last_nonces_[std::string{tester::value_of(fields, "553").value_or("")}] = *number;
  }
  return std::nullopt;
}

std::optional<Refusal> LogonGate::check_clock(const Fields& logon, WallTime now,
                                              std::string& detail) const {
  if (!rules_.clock) return std::nullopt;
  const ClockRule& rule = *rules_.clock;
  milliseconds window = rule.window;
  if (!rule.window_tag.empty()) {
    if (const auto given = tester::value_of(logon, rule.window_tag)) {
      const auto number = leading_number(*given);
      if (!number || milliseconds{*number} > rule.window_max) {
        detail = fmt::format("field {} is above {}", rule.window_tag, rule.window_max.count());
        return with_tag(rule.refusal, static_cast<unsigned>(*leading_number(rule.window_tag)));
      }
      window = milliseconds{*number};
    }
  }
  const auto text = tester::value_of(logon, "52").value_or("");
  const auto sent = wire::to_utc_timestamp(text);
  if (!sent) {
    detail = "SendingTime (52) is no time";
    return with_tag(rule.refusal, kSendingTime);
  }
  const auto age = since_1970(now) - since_1970(*sent);
  if (age <= window && -age <= rule.ahead) return std::nullopt;
  detail =
      fmt::format("SendingTime (52) is {} ms {}", age < milliseconds{} ? -age.count() : age.count(),
                  age < milliseconds{} ? "ahead" : "old");
  return with_tag(rule.refusal, kSendingTime);
}

std::optional<Refusal> LogonGate::check_nonce(const Fields& logon, WallTime now,
                                              std::string& detail) const {
  if (!rules_.nonce) return std::nullopt;
  const NonceRule& rule = *rules_.nonce;
  const auto refuse = [&](std::string why) {
    detail = std::move(why);
    return with_tag(rule.refusal, static_cast<unsigned>(*leading_number(rule.tag)));
  };
  const auto number = leading_number(tester::value_of(logon, rule.tag).value_or(""));
  if (!number) return refuse("field " + rule.tag + " does not begin with milliseconds");
  const auto age = since_1970(now) - milliseconds{*number};
  if (age > rule.window || -age > rule.window) {
    return refuse(fmt::format("the nonce, field {}, differs by {} ms from the venue's clock",
                              rule.tag, age.count()));
  }
  const auto last = last_nonces_.find(tester::value_of(logon, "553").value_or(""));
  if (last != last_nonces_.end() && *number <= last->second) {
    return refuse("the nonce, field " + rule.tag + ", is not higher than that of the last Logon");
  }
  return std::nullopt;
}

std::optional<Refusal> LogonGate::check_expiry(const Fields& logon, WallTime now,
                                               std::string& detail) const {
  if (!rules_.expiry) return std::nullopt;
  const ExpiryRule& rule = *rules_.expiry;
  const auto number = leading_number(tester::value_of(logon, rule.tag).value_or(""));
  const auto late = since_1970(now).count() - static_cast<std::int64_t>(number.value_or(0));
  if (number && late <= 0) return std::nullopt;
  detail = number ? fmt::format("field {}: the Logon expired {} ms ago", rule.tag, late)
                  : fmt::format("field {} does not begin with milliseconds", rule.tag);
  return with_tag(rule.refusal, static_cast<unsigned>(*leading_number(rule.tag)));
}

}  // namespace nexusfix::venues
