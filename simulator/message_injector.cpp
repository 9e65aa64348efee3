#include "simulator/message_injector.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <span>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/utc_text.hpp"
#include "simulator/check/wire_message.hpp"

namespace nexusfix::simulator {
namespace {

using std::chrono::milliseconds;

using wire::kSoh;
// An injected ResendRequest asks for at most this many: its end matters, not its length.
constexpr std::uint64_t kAskedMax = 100;

// The value of the field that begins with tag, "35="; empty: the field is absent. No value of the
// order flow contains SOH.
std::string_view value_of(std::string_view message, std::string_view tag) noexcept {
  for (std::size_t at = message.find(tag); at != std::string_view::npos;
       at = message.find(tag, at + 1)) {
    if (at > 0 && message[at - 1] != kSoh) continue;
    const std::string_view rest = message.substr(at + tag.size());
    return rest.substr(0, rest.find(kSoh));
  }
  return {};
}

std::uint64_t number_of(std::string_view message, std::string_view tag) noexcept {
  const std::string_view text = value_of(message, tag);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool is_flag_set(std::string_view message, std::string_view tag) noexcept {
  return value_of(message, tag) == "Y";
}

// fields: from MsgType to the last one before CheckSum, with '|' for SOH.
std::string made_message(std::string_view begin_string, std::string fields) {
  std::ranges::replace(fields, '|', kSoh);
  std::string message = "8=" + std::string{begin_string} + kSoh +
                        "9=" + std::to_string(fields.size()) + kSoh + fields;
  const unsigned sum = std::accumulate(
      message.begin(), message.end(), 0U,
      [](unsigned so_far, char byte) { return so_far + static_cast<unsigned char>(byte); });
  std::array<char, 8> trailer{};
  std::snprintf(trailer.data(), trailer.size(), "10=%03u", sum % 256);
  return message + trailer.data() + kSoh;
}

}  // namespace

// Mostly while messages are held, queued or resent.
void MessageInjector::reset_one(SeededRandom& chance) {
  const std::uint64_t kind = chance.below(4);
  const milliseconds delay{chance.below(4) == 0 ? 0 : chance.below(3'000)};
  if (kind == 0) {
    next_reset_ = delay;
    return;
  }
  const auto found = any_line(chance, [](const Line& line) { return may_reset(line); });
  if (found == lines_.end()) return;
  auto& [connection, line] = *found;
  line.reset_at = now_;
  if (kind > 1) {
    for (const Side side : {Side{0}, Side{1}}) ask(connection, line, side, drawn(chance));
    line.reset_at = now_ + delay;
  }
  reset_if_due(*internet_, line, connection);
}

void MessageInjector::ask_again(SeededRandom& chance) {
  const auto side = static_cast<Side>(chance.below(2));
  const Drawn wanted = drawn(chance);
  if (chance.below(2) == 0) {
    next_requests_ = wanted;
    return;
  }
  const auto found = any_line(chance, [](const Line& line) { return is_trading(line); });
  if (found == lines_.end()) return;
  count(counts_, Fault::AskAgain);
  ask(found->first, found->second, side, wanted);
}

MessageInjector::Drawn MessageInjector::drawn(SeededRandom& chance) {
  const std::uint64_t begin = chance.next();
  return {.begin = begin, .end = chance.next()};
}

template <class Fits>
MessageInjector::Lines::iterator MessageInjector::any_line(SeededRandom& chance, Fits fits) {
  const auto fit = static_cast<std::size_t>(
      std::ranges::count_if(lines_, [&](const auto& one) { return fits(one.second); }));
  if (fit == 0) return lines_.end();
  auto left = static_cast<std::size_t>(chance.below(fit));
  return std::ranges::find_if(lines_,
                              [&](const auto& one) { return fits(one.second) && left-- == 0; });
}

// Inside a message of that side nothing can be injected.
void MessageInjector::ask(std::uint64_t connection, Line& line, Side side, const Drawn& wanted) {
  if (!line.halves[side].partial.empty()) return;
  internet_->forward(connection, side, requests_of(line, side, wanted, /*is_first=*/true),
                     /*is_exempt=*/true);
}

void MessageInjector::mend() {
  next_reset_.reset();
  next_requests_.reset();
  for (auto& [connection, line] : lines_) line.reset_at.reset();
}

bool MessageInjector::is_trading(const Line& line) {
  const bool is_logged_on = !line.halves[0].logon.empty() && !line.halves[1].logon.empty();
  return is_logged_on && !line.is_resetting && !line.is_ending;
}

// FIX 4.0 has no ResetSeqNumFlag.
bool MessageInjector::may_reset(const Line& line) {
  return is_trading(line) && value_of(line.halves[0].logon, "8=") != "FIX.4.0";
}

// Forwards whole messages, and injected messages between them.
void MessageInjector::sent(SimulatedInternet& internet, std::uint64_t connection, Side side,
                           std::string_view bytes) {
  internet_ = &internet;
  Line& line = lines_[connection];
  Half& half = line.halves[side];
  const std::size_t carried = half.partial.size();
  half.partial += bytes;
  const std::string text = std::exchange(half.partial, {});
  std::string out;
  bool is_exempt = false;  // from being altered: both sides rely on it
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view rest = std::string_view{text}.substr(at);
    const std::optional<std::size_t> size = wire_message_size(rest);
    if (!size || *size == 0) break;  // The checker reports bytes that are no FIX.
    std::string injected;
    if (note(line, side, rest.substr(0, *size))) {
      const std::size_t known = std::max(at, carried);
      out.append(text, known, at + *size - known);
      injected = further_requests(line, side);
      is_exempt |= line.is_resetting && side == 0;
    }
    at += *size;
    if (side == 1 && line.reset_at && *line.reset_at <= now_) {
      injected += begin_reset(line, connection);
    }
    is_exempt |= !injected.empty();
    out += injected;
  }
  half.partial = text.substr(at);
  if (!half.is_discarded) out.append(text, std::max(at, carried));
  internet.forward(connection, side, out, is_exempt);
  reset_if_due(internet, line, connection);
}

bool MessageInjector::note(Line& line, Side side, std::string_view message) {
  Half& half = line.halves[side];
  const std::string_view type = value_of(message, "35=");
  const std::uint64_t number = number_of(message, "34=");
  const bool poss_dup = is_flag_set(message, "43=");
  if (!poss_dup) half.last_number = number;
  record_answer(line.halves[1 - side], message, number);
  if (type == "5") line.is_ending = true;
  if (type == "A" && !poss_dup) {
    half.logon = message;
    half.logon_number = number;
    if (is_flag_set(message, "141=")) {
      for (Half& one : line.halves) one.open_requests.clear();
      // The venue's answer to the initiator's Logon, which the initiator has already.
      if (side == 1 && std::exchange(half.is_discarded, false)) {
        line.is_resetting = false;
        return false;
      }
    }
  }
  if (half.is_discarded) return false;
  if (type == "2" && !poss_dup) record_resend_request(line, side, message);
  return true;
}

void MessageInjector::record_resend_request(Line& line, Side side, std::string_view message) {
  const std::uint64_t begin = number_of(message, "7=");
  const std::uint64_t last = line.halves[1 - side].last_number;
  std::uint64_t end = number_of(message, "16=");
  if (end == 0 || end > last) end = last;
  if (begin == 0 || begin > end) return;
  line.halves[side].open_requests.push_back({.begin = begin, .end = end, .next = begin});
  reset_soon(line);
}

void MessageInjector::reset_soon(Line& line) {
  if (!next_reset_ || line.reset_at || !may_reset(line)) return;
  line.reset_at = now_ + *std::exchange(next_reset_, std::nullopt);
}

// half: of the side that sent the request.
void MessageInjector::record_answer(Half& half, std::string_view message, std::uint64_t number) {
  if (half.open_requests.empty() || !is_flag_set(message, "43=")) return;
  const std::uint64_t end =
      value_of(message, "35=") == "4" ? number_of(message, "36=") : number + 1;
  std::erase_if(half.open_requests, [&](OpenRequest& one) {
    if (number <= one.next && one.next < end) one.next = end;
    return one.next > one.end;
  });
}

std::string MessageInjector::further_requests(Line& line, Side side) {
  const std::vector<OpenRequest>& open_requests = line.halves[side].open_requests;
  const bool is_open = !open_requests.empty() && !open_requests.back().is_injected;
  if (!next_requests_ || !is_open || !is_trading(line)) return {};
  count(counts_, Fault::AskAgain);
  return requests_of(line, side, *std::exchange(next_requests_, std::nullopt), false);
}

// Their numbers were used already, so that they take none of the side's: a ResendRequest is
// answered whatever its number is. is_first: no resend is in progress, so the first request must
// start one.
std::string MessageInjector::requests_of(Line& line, Side side, const Drawn& wanted,
                                         bool is_first) {
  Half& half = line.halves[side];
  const std::uint64_t last = line.halves[1 - side].last_number;
  if (last < 3) return {};
  reset_soon(line);
  const std::uint64_t first = last - 1 - wanted.begin % std::min(last - 1, kAskedMax);
  const std::uint64_t less = first + wanted.end % (last - first);
  std::string text;
  const std::array ends{less, last, less};
  for (const std::uint64_t end : std::span{ends}.subspan(is_first ? 0 : 1)) {
    half.open_requests.push_back({.begin = first, .end = end, .next = first, .is_injected = true});
    const std::string time = sending_time();
    text += made_message(value_of(half.logon, "8="),
                         "35=2|49=" + std::string{value_of(half.logon, "49=")} +
                             "|56=" + std::string{value_of(half.logon, "56=")} +
                             "|34=" + std::to_string(half.logon_number) + "|43=Y|52=" + time +
                             "|122=" + time + "|7=" + std::to_string(first) +
                             "|16=" + std::to_string(end) + "|");
  }
  return text;
}

// The initiator takes it for the venue's request, resets its sequence numbers and answers. The
// answer is a request to the venue, which resets its own, and answers as well. What the venue sends
// before that has numbers that the initiator has reset.
std::string MessageInjector::begin_reset(Line& line, std::uint64_t connection) {
  line.reset_at.reset();
  if (!may_reset(line)) return {};
  line.is_resetting = true;
  line.halves[1].is_discarded = true;
  const bool is_in_resend = std::ranges::any_of(
      line.halves, [](const Half& half) { return !half.open_requests.empty(); });
  if (is_in_resend) ++resets_in_resend_;
  count(counts_, Fault::ResetWithin);
  checker_.allow_reset_of(connection);
  const std::string_view logon = line.halves[1].logon;
  const std::string_view version = value_of(logon, "1137=");
  return made_message(value_of(logon, "8="),
                      "35=A|49=" + std::string{value_of(logon, "49=")} + "|56=" +
                          std::string{value_of(logon, "56=")} + "|34=1|52=" + sending_time() +
                          "|98=0|108=" + std::string{value_of(logon, "108=")} + "|141=Y|" +
                          (version.empty() ? std::string{} : "1137=" + std::string{version} + "|"));
}

void MessageInjector::reset_if_due(SimulatedInternet& internet, Line& line,
                                   std::uint64_t connection) {
  if (!line.reset_at || *line.reset_at > now_ || !line.halves[1].partial.empty()) return;
  internet.forward(connection, 1, begin_reset(line, connection), /*is_exempt=*/true);
}

std::string MessageInjector::sending_time() const {
  return utc_text(std::chrono::floor<std::chrono::seconds>(begin_ + now_), UtcForm::Fix);
}

std::string MessageInjector::unanswered() const {
  for (const auto& [connection, line] : lines_) {
    for (const Half& half : line.halves) {
      for (const OpenRequest& one : half.open_requests) {
        if (!one.is_injected || line.is_ending) continue;
        return "connection " + std::to_string(connection) + ": a ResendRequest for " +
               std::to_string(one.begin) + " to " + std::to_string(one.end) +
               " was answered only up to " + std::to_string(one.next - 1);
      }
    }
  }
  return {};
}

}  // namespace nexusfix::simulator
