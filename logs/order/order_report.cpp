#include "logs/order/order_report.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "base/api/utc_text.hpp"
#include "nexusfix/text/text.hpp"

namespace nexusfix::logs {
namespace {

using command::Json;

// The names of the usual versions: the values of orders have the same ones.
class Names {
 public:
  explicit Names(const dictionary::NameTable* own) : own_{own} {}

  [[nodiscard]] std::string value(wire::Tag tag, std::string_view value) const {
    return find(value,
                [&](const dictionary::NameTable& table) { return table.value_name(tag, value); });
  }
  [[nodiscard]] std::string message(std::string_view msg_type) const {
    return find(msg_type,
                [&](const dictionary::NameTable& table) { return table.message_name(msg_type); });
  }

 private:
  template <class Look>
  std::string find(std::string_view raw, Look look) const {
    if (own_ != nullptr) {
      if (const auto name = look(*own_)) return std::string{*name};
    }
    using dictionary::Version;
    for (const auto version :
         {Version::Fix44, Version::Fix50Sp2, Version::Fix42, Version::Fixt11}) {
      if (const auto name = look(dictionary::builtin_names(version))) return std::string{*name};
    }
    return std::string{raw};
  }

  const dictionary::NameTable* own_;
};

std::string field_time_text(const std::optional<WallTime>& time) {
  std::string text;
  if (time) append_utc(text, *time, UtcForm::Fix, 6);
  return text;
}

struct Shown {
  wire::Tag tag;
  std::string_view label;  // empty: the value alone
};

// What a line about a message shows, in this order.
std::string details(const OrderEvent& event, const Names& names) {
  static constexpr std::array kShown{
      Shown{150, ""},          Shown{39, "is"},      Shown{54, ""},        Shown{38, ""},
      Shown{55, ""},           Shown{40, ""},        Shown{44, "at"},      Shown{32, "last"},
      Shown{31, "at"},         Shown{14, "done"},    Shown{151, "left"},   Shown{11, "ClOrdID"},
      Shown{41, "instead of"}, Shown{37, "OrderID"}, Shown{17, "ExecID"},  Shown{19, "about"},
      Shown{103, "reason"},    Shown{102, "reason"}, Shown{373, "reason"}, Shown{380, "reason"},
      Shown{58, "text"}};
  MessageFields fields;
  fields.read(event.bytes);
  const bool is_report = event.msg_type == "8";
  const auto last = fields.value(32);
  const bool has_fill = !last.empty() && last != "0";
  std::string text;
  for (const Shown& shown : kShown) {
    const std::string_view value = fields.value(shown.tag);
    if (value.empty()) continue;
    // A report repeats the order, which the line of the order shows.
    const bool repeats =
        shown.tag == 54 || shown.tag == 55 || shown.tag == 40 || shown.tag == 38 || shown.tag == 44;
    if (is_report && repeats) continue;
    if ((shown.tag == 32 || shown.tag == 31) && !has_fill) continue;
    if (!text.empty()) text += ' ';
    if (!shown.label.empty()) text.append(shown.label) += ' ';
    text += shown.tag == 58 ? '"' + std::string{value} + '"' : names.value(shown.tag, value);
  }
  return text;
}

std::string since_text(const std::optional<WallTime>& time, const std::optional<WallTime>& first) {
  if (!time || !first) return {};
  if (*time < *first) return "-" + command::duration_text(*first - *time);
  return "+" + command::duration_text(*time - *first);
}

void append_state(std::string& to, const OrderLife& life, const Names& names) {
  const auto number = [](const std::optional<Decimal>& value) {
    return value ? decimal_text(*value) : std::string{"unknown"};
  };
  const auto average = life.avg_px();
  to += fmt::format("State now: {}  OrderQty {}  CumQty {}  LeavesQty {}  AvgPx {}\n",
                    names.value(39, life.ord_status()), number(life.order_qty()),
                    decimal_text(life.cum_qty()), number(life.leaves_qty()),
                    average ? fmt::format("{:.10g}", *average) : "0");
  for (const OpenRequest& request : life.open_requests()) {
    to += fmt::format("Without an answer: {} {}\n", names.message(request.msg_type),
                      printable(request.cl_ord_id));
  }
  const ReportedState& reported = life.reported();
  if (reported.ord_status.empty()) {
    to += "No report about it is in the log.\n";
  } else if (life.disagreements().empty()) {
    to += "The last report says the same.\n";
  } else {
    to += "The last report disagrees:\n";
    for (const std::string& line : life.disagreements()) to += "  ! " + printable(line) + "\n";
  }
  if (life.begins_before()) {
    to +=
        "The log has no NewOrderSingle of it: what was executed before is that of the first "
        "report.\n";
  }
}

}  // namespace

std::string story_text(const OrderStory& story, const dictionary::NameTable* own) {
  const Names names{own};
  const OrderLife& life = story.life;
  const auto first = story.events.front().time;
  std::string text = fmt::format(
      "Order between {}: {} {} {}{}\n", printable(story.session), names.value(54, life.side()),
      life.order_qty() ? decimal_text(*life.order_qty()) : "?", printable(life.symbol()),
      life.price().empty() ? "" : " at " + printable(life.price()));
  for (const OrderEvent& event : story.events) {
    text +=
        fmt::format("  {:24}  {:>9}  {} -> {}  {}{}: {}\n", field_time_text(event.time),
                    since_text(event.time, first), printable(event.sender), printable(event.target),
                    names.message(event.msg_type), event.is_counted ? "" : " (again, not counted)",
                    printable(details(event, names)));
    if (event.other_time) {
      text += fmt::format("  {:24}  {:>9}  in the other log\n", field_time_text(event.other_time),
                          since_text(event.other_time, event.time));
    }
    for (const std::string& line : event.disagreements) {
      text += fmt::format("  {:37}! {}\n", "", printable(line));
    }
  }
  append_state(text, life, names);
  return text;
}

Json story_json(const OrderStory& story, const dictionary::NameTable* own) {
  const Names names{own};
  const OrderLife& life = story.life;
  const auto number = [](const std::optional<Decimal>& value) {
    return value ? Json{decimal_text(*value)} : Json{};
  };
  const auto event_json = [&](const OrderEvent& event) {
    Json json = Json::object({{"time", field_time_text(event.time)},
                              {"other_time", field_time_text(event.other_time)},
                              {"file", event.file},
                              {"offset", event.offset},
                              {"sender", event.sender},
                              {"target", event.target},
                              {"type", names.message(event.msg_type)},
                              {"details", details(event, names)},
                              {"message", event.bytes},
                              {"counted", event.is_counted}});
    json.set("disagreements", Json::array(event.disagreements));
    return json;
  };
  const auto request_json = [&](const OpenRequest& request) {
    return Json::object(
        {{"type", names.message(request.msg_type)}, {"cl_ord_id", request.cl_ord_id}});
  };
  const auto average = life.avg_px();
  const ReportedState& reported = life.reported();
  return Json::object(
      {{"session", story.session},
       {"symbol", life.symbol()},
       {"side", names.value(54, life.side())},
       {"price", life.price()},
       {"events", Json::array(story.events, event_json)},
       {"state", Json::object({{"ord_status", life.ord_status()},
                               {"ord_status_name", names.value(39, life.ord_status())},
                               {"order_qty", number(life.order_qty())},
                               {"cum_qty", decimal_text(life.cum_qty())},
                               {"leaves_qty", number(life.leaves_qty())},
                               {"avg_px", average ? Json{*average} : Json{}}})},
       {"reported", Json::object({{"ord_status", reported.ord_status},
                                  {"order_qty", reported.order_qty},
                                  {"cum_qty", reported.cum_qty},
                                  {"leaves_qty", reported.leaves_qty},
                                  {"avg_px", reported.avg_px}})},
       {"disagreements", Json::array(life.disagreements())},
       {"open_requests", Json::array(life.open_requests(), request_json)},
       {"begins_before_the_log", life.begins_before()}});
}

}  // namespace nexusfix::logs
