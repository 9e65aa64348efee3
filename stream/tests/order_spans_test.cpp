// The spans of orders: which messages have one, its ids, times, links and status.
#include "stream/otlp/order_spans.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "stream/otlp/otlp_json.hpp"

namespace nexusfix::stream {
namespace {

using nlohmann::json;

struct Given {
  std::string fields;  // "35=D|11=A1|"
  std::string direction = "in";
  std::string time = "1000";
  std::string position = "1";
  std::string epoch = "1";
};

Outgoing record(const Given& given) {
  std::string bytes = "8=FIX.4.4|9=5|" + given.fields + "10=000|";
  std::ranges::replace(bytes, '|', '\x01');
  return {.id = 0,
          .key = "FIX.4.4:VENUE->TRADER",
          .headers = {{"engine", "venue"},
                      {"log", "7"},
                      {"owner", "1"},
                      {"position", given.position},
                      {"session", "FIX.4.4:VENUE->TRADER"},
                      {"epoch", given.epoch},
                      {"direction", given.direction},
                      {"seq", "5"},
                      {"time", given.time}},
          .value = bytes};
}

// Null: the message has no span.
json span_of(OrderSpans& spans, const Given& given) {
  std::string text;
  spans.append(text, record(given));
  return text.empty() ? json{} : json::parse(text);
}
json span_of(const Given& given) {
  OrderSpans spans;
  return span_of(spans, given);
}

std::map<std::string, std::string> attributes(const json& span) {
  std::map<std::string, std::string> found;
  for (const json& one : span["attributes"]) {
    const json& value = one["value"];
    found[one["key"]] = value.contains("intValue") ? value["intValue"] : value["stringValue"];
  }
  return found;
}

TEST(OrderSpans, request_is_the_root_of_the_trace_of_its_session_epoch_and_cl_ord_id) {
  const json span = span_of({.fields = "35=D|11=A1|55=MSFT|54=1|38=100|"});
  const TraceIds ids = trace_of("FIX.4.4:VENUE->TRADER", "1", "A1");
  EXPECT_EQ(span["traceId"], ids.trace);
  EXPECT_EQ(span["spanId"], ids.order);
  EXPECT_FALSE(span.contains("parentSpanId"));
  EXPECT_EQ(span["name"], "NewOrderSingle");
  EXPECT_EQ(span["kind"], 2);  // SERVER: it was received
  EXPECT_EQ(span["startTimeUnixNano"], "1000");
  EXPECT_EQ(span["endTimeUnixNano"], "1000");
  const auto found = attributes(span);
  EXPECT_EQ(found.at("fix.session"), "FIX.4.4:VENUE->TRADER");
  EXPECT_EQ(found.at("fix.cl_ord_id"), "A1");
  EXPECT_EQ(found.at("fix.symbol"), "MSFT");
  EXPECT_EQ(found.at("fix.record"), "7-1-1");
  EXPECT_EQ(found.at("fix.msg_seq_num"), "5");
  EXPECT_EQ(span_of({.fields = "35=D|11=A1|", .direction = "out"})["kind"], 3);  // CLIENT
}

TEST(OrderSpans, ids_have_the_documented_values) {
  // printf 'FIX.4.4:VENUE->TRADER\x011\x01A1' | sha256sum
  const TraceIds ids = trace_of("FIX.4.4:VENUE->TRADER", "1", "A1");
  EXPECT_EQ(ids.trace, "b48b4814225d250e47d7be89914b06d7");
  EXPECT_EQ(ids.order, "9cb2a0e6f967ad3d");
}

TEST(OrderSpans, another_epoch_or_cl_ord_id_is_another_trace) {
  const json one = span_of({.fields = "35=D|11=A1|"});
  EXPECT_NE(one["traceId"], span_of({.fields = "35=D|11=A1|", .epoch = "2"})["traceId"]);
  EXPECT_NE(one["traceId"], span_of({.fields = "35=D|11=A2|"})["traceId"]);
  // The parts cannot run into each other.
  EXPECT_NE(trace_of("S", "1", "1A").trace, trace_of("S", "11", "A").trace);
}

TEST(OrderSpans, each_fill_is_a_child_from_the_time_of_the_request_to_its_own) {
  OrderSpans spans;
  const json order = span_of(spans, {.fields = "35=D|11=A1|"});
  const json first = span_of(spans, {.fields = "35=8|11=A1|17=E1|39=1|150=F|32=40|",
                                     .direction = "out",
                                     .time = "1500",
                                     .position = "2"});
  const json second = span_of(spans, {.fields = "35=8|11=A1|17=E2|39=2|150=F|32=60|",
                                      .direction = "out",
                                      .time = "1900",
                                      .position = "3"});
  for (const json& fill : {first, second}) {
    EXPECT_EQ(fill["traceId"], order["traceId"]);
    EXPECT_EQ(fill["parentSpanId"], order["spanId"]);
    EXPECT_EQ(fill["startTimeUnixNano"], "1000");
    EXPECT_EQ(fill["kind"], 1);
    EXPECT_FALSE(fill.contains("status"));
  }
  EXPECT_EQ(first["endTimeUnixNano"], "1500");
  EXPECT_EQ(second["endTimeUnixNano"], "1900");
  EXPECT_NE(first["spanId"], second["spanId"]);
  EXPECT_EQ(attributes(second).at("fix.last_qty"), "60");
}

// The engine writes what a callback sends before the message that it received.
TEST(OrderSpans, report_whose_record_stands_before_that_of_its_request_has_its_times) {
  OrderSpans spans;
  const json report = span_of(spans, {.fields = "35=8|11=A1|39=0|", .direction = "out"});
  const json order = span_of(spans, {.fields = "35=D|11=A1|", .position = "2"});
  EXPECT_EQ(report["parentSpanId"], order["spanId"]);
  EXPECT_EQ(report["startTimeUnixNano"], order["startTimeUnixNano"]);
}

TEST(OrderSpans, replace_and_cancel_are_traces_with_a_link_to_the_order_before) {
  OrderSpans spans;
  const json order = span_of(spans, {.fields = "35=D|11=A1|"});
  const json replace = span_of(spans, {.fields = "35=G|11=A2|41=A1|", .time = "2000"});
  const json replaced =
      span_of(spans, {.fields = "35=8|11=A2|41=A1|39=5|", .direction = "out", .time = "2100"});
  const json cancel = span_of(spans, {.fields = "35=F|11=A3|41=A2|", .time = "3000"});
  EXPECT_EQ(replace["name"], "OrderCancelReplaceRequest");
  EXPECT_EQ(cancel["name"], "OrderCancelRequest");
  EXPECT_NE(replace["traceId"], order["traceId"]);
  ASSERT_EQ(replace["links"].size(), 1U);
  EXPECT_EQ(replace["links"][0]["traceId"], order["traceId"]);
  EXPECT_EQ(replace["links"][0]["spanId"], order["spanId"]);
  EXPECT_EQ(replaced["traceId"], replace["traceId"]);
  EXPECT_EQ(replaced["startTimeUnixNano"], "2000");
  EXPECT_EQ(cancel["links"][0]["traceId"], replace["traceId"]);
}

TEST(OrderSpans, each_kind_of_reject_has_the_status_error_and_its_text) {
  for (const char* const fields :
       {"35=8|11=A1|39=8|58=no \"such\" symbol|", "35=9|11=A1|41=A0|39=0|58=no \"such\" symbol|",
        "35=j|45=9|372=D|379=A1|58=no \"such\" symbol|"}) {
    const json span = span_of({.fields = fields, .direction = "out"});
    EXPECT_EQ(span["traceId"], trace_of("FIX.4.4:VENUE->TRADER", "1", "A1").trace) << fields;
    EXPECT_EQ(span["status"]["code"], 2) << fields;
    EXPECT_EQ(span["status"]["message"], "no \"such\" symbol") << fields;
  }
}

TEST(OrderSpans, order_that_is_never_answered_has_its_root_alone) {
  OrderSpans spans;
  EXPECT_FALSE(span_of(spans, {.fields = "35=D|11=A1|"}).is_null());
  EXPECT_TRUE(span_of(spans, {.fields = "35=0|"}).is_null());
}

TEST(OrderSpans, other_messages_and_those_without_cl_ord_id_have_none) {
  for (const char* const fields : {"35=A|98=0|", "35=D|55=MSFT|", "35=8|37=O1|", "35=j|372=D|",
                                   "35=j|372=R|379=A1|", "35=3|45=2|", "35=AE|11=A1|", "11=A1|"}) {
    EXPECT_TRUE(span_of({.fields = fields}).is_null()) << fields;
  }
}

TEST(OrderSpans, stream_that_begins_after_the_request_makes_the_same_spans) {
  const Given fill{
      .fields = "35=8|11=A1|39=2|", .direction = "out", .time = "1900", .position = "3"};
  OrderSpans whole;
  span_of(whole, {.fields = "35=D|11=A1|"});
  const json before = span_of(whole, fill);
  const json after = span_of(fill);
  EXPECT_EQ(after["spanId"], before["spanId"]);
  EXPECT_EQ(after["traceId"], before["traceId"]);
  EXPECT_EQ(after["parentSpanId"], before["parentSpanId"]);
  EXPECT_EQ(after["startTimeUnixNano"], "1900");  // what is known
}

TEST(OrderSpans, clock_that_was_set_back_gives_no_span_that_ends_before_its_begin) {
  OrderSpans spans;
  span_of(spans, {.fields = "35=D|11=A1|", .time = "1000"});
  const json fill = span_of(spans, {.fields = "35=8|11=A1|39=2|", .time = "900"});
  EXPECT_EQ(fill["startTimeUnixNano"], "900");
  EXPECT_EQ(fill["endTimeUnixNano"], "900");
}

TEST(OrderSpans, times_of_the_last_100_000_orders_are_known) {
  OrderSpans spans;
  for (std::size_t i = 0; i <= OrderSpans::kOrdersMax; ++i) {
    std::string text;
    spans.append(text, record({.fields = "35=D|11=A" + std::to_string(i) + '|'}));
  }
  const auto begin = [&](const char* fields) {
    return span_of(spans,
                   {.fields = fields, .direction = "out", .time = "5000"})["startTimeUnixNano"];
  };
  EXPECT_EQ(begin("35=8|11=A0|39=2|"), "5000");
  EXPECT_EQ(begin("35=8|11=A1|39=2|"), "1000");
}

TEST(OrderSpans, hostile_values_stay_values) {
  const json span = span_of({.fields = "35=D|11=\"}],\xff\x1b\\|55=\"|"});
  EXPECT_EQ(attributes(span).at("fix.symbol"), "\"");
  EXPECT_EQ(attributes(span).at("fix.cl_ord_id").substr(0, 4), "\"}],");
}

TEST(PartialSuccess, says_how_much_was_rejected_and_why) {
  const auto found =
      read_partial_success(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}})");
  EXPECT_EQ(found.rejected, 3U);
  EXPECT_EQ(found.message, "too old");
  EXPECT_EQ(read_partial_success(R"({"partialSuccess":{"rejectedDataPoints":7}})").rejected, 7U);
  EXPECT_EQ(read_partial_success(R"({"partialSuccess":{"errorMessage":"slow"}})").message, "slow");
}

TEST(PartialSuccess, anything_else_is_full_success) {
  for (const char* const body :
       {"", "{}", "[]", "null", "<html>", R"({"partialSuccess":null})", R"({"partialSuccess":{}})",
        R"({"partialSuccess":{"rejectedSpans":)", R"({"partialSuccess":{"rejectedSpans":"-1"}})",
        R"({"partialSuccess":{"rejectedSpans":[1]}})"}) {
    EXPECT_EQ(read_partial_success(body).rejected, 0U) << body;
  }
  EXPECT_EQ(read_partial_success(std::string(100'000, '[')).rejected, 0U);
}

TEST(SignalPath, is_below_the_path_of_the_collector) {
  EXPECT_EQ(signal_path("/", "traces"), "/v1/traces");
  EXPECT_EQ(signal_path("/otlp", "logs"), "/otlp/v1/logs");
  EXPECT_EQ(signal_path("/otlp/", "metrics"), "/otlp/v1/metrics");
  EXPECT_FALSE(signal_path("/?key=1", "traces"));
}

}  // namespace
}  // namespace nexusfix::stream
