#include "stream/otlp/order_spans.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <openssl/evp.h>

#include "base/api/printable_text.hpp"
#include "nexusfix/text/text.hpp"
#include "stream/otlp/otlp_json.hpp"
#include "stream/sinks/json_line.hpp"

namespace nexusfix::stream {
namespace {

constexpr std::size_t kTraceDigits = 32;
constexpr std::size_t kSpanDigits = 16;
constexpr wire::Tag kClOrdID = 11;
constexpr wire::Tag kMsgType = 35;
constexpr wire::Tag kOrdStatus = 39;
constexpr wire::Tag kOrigClOrdID = 41;
constexpr wire::Tag kText = 58;
constexpr wire::Tag kRefMsgType = 372;
constexpr wire::Tag kBusinessRejectRefID = 379;
constexpr int kInternal = 1;  // SpanKind
constexpr int kServer = 2;
constexpr int kClient = 3;
constexpr int kError = 2;  // StatusCode

enum class Role : std::uint8_t { Request, Report, Reject };
struct Kind {
  std::string_view type;  // MsgType
  std::string_view name;
  Role role;
};
constexpr std::array kKinds{
    Kind{"D", "NewOrderSingle", Role::Request},
    Kind{"F", "OrderCancelRequest", Role::Request},
    Kind{"G", "OrderCancelReplaceRequest", Role::Request},
    Kind{"8", "ExecutionReport", Role::Report},
    Kind{"9", "OrderCancelReject", Role::Reject},
    Kind{"j", "BusinessMessageReject", Role::Reject},
};
// Null: no message of an order.
const Kind* kind_of(std::string_view type) {
  const auto found = std::ranges::find(kKinds, type, &Kind::type);
  return found == kKinds.end() ? nullptr : &*found;
}

struct Attribute {
  wire::Tag tag;
  std::string_view name;
};
constexpr std::array kAttributes{
    Attribute{37, "fix.order_id"},
    Attribute{kOrigClOrdID, "fix.orig_cl_ord_id"},
    Attribute{17, "fix.exec_id"},
    Attribute{150, "fix.exec_type"},
    Attribute{kOrdStatus, "fix.ord_status"},
    Attribute{55, "fix.symbol"},
    Attribute{54, "fix.side"},
    Attribute{38, "fix.order_qty"},
    Attribute{32, "fix.last_qty"},
};

// In hexadecimal.
std::string sha256(std::string_view text) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
             EVP_sha256(), nullptr);
  digest.resize(size);
  return command::hex_text(digest);
}

std::string_view header(const Outgoing& record, std::string_view name) {
  const auto found = std::ranges::find(record.headers, name, &Header::name);
  return found == record.headers.end() ? std::string_view{"0"} : found->value;
}

// Empty: the message is none of an order.
std::string_view cl_ord_id_of(const Kind& kind, const logs::MessageFields& fields) {
  if (kind.type != "j") return fields.value(kClOrdID);
  const Kind* const request = kind_of(fields.value(kRefMsgType));
  const bool is_of_order = request != nullptr && request->role == Role::Request;
  return is_of_order ? fields.value(kBusinessRejectRefID) : std::string_view{};
}

}  // namespace

TraceIds trace_of(std::string_view session, std::string_view epoch, std::string_view cl_ord_id) {
  const std::string digits = sha256(fmt::format("{}\x01{}\x01{}", session, epoch, cl_ord_id));
  return {.trace = digits.substr(0, kTraceDigits),
          .order = digits.substr(kTraceDigits, kSpanDigits)};
}

std::string_view OrderSpans::begin_of(const std::string& trace, std::string_view time) const {
  const auto found = begins_.find(trace);
  // A span ends after its begin, also when a clock was set back between two messages.
  return found == begins_.end() || logs::number_of(found->second) > logs::number_of(time)
             ? time
             : found->second;
}

void OrderSpans::keep(const std::string& trace, std::string_view time) {
  if (!begins_.emplace(trace, time).second) return;  // a message that was sent again
  oldest_.push_back(trace);
  if (oldest_.size() <= kOrdersMax) return;
  begins_.erase(oldest_.front());
  oldest_.pop_front();
}

void OrderSpans::append(std::string& to, const Outgoing& record) {
  fields_.read(record.value);
  const Kind* const kind = kind_of(fields_.value(kMsgType));
  if (kind == nullptr) return;
  const std::string_view cl_ord_id = cl_ord_id_of(*kind, fields_);
  if (cl_ord_id.empty()) return;
  const bool is_request = kind->role == Role::Request;
  const std::string_view epoch = header(record, "epoch");
  const std::string_view time = header(record, "time");
  const TraceIds ids = trace_of(record.key, epoch, cl_ord_id);
  if (is_request) keep(ids.trace, time);
  const int of_request = header(record, "direction") == "in" ? kServer : kClient;
  const auto out = std::back_inserter(to);
  if (is_request) {
    fmt::format_to(out, R"({{"traceId":"{}","spanId":"{}",)", ids.trace, ids.order);
  } else {
    fmt::format_to(out, R"({{"traceId":"{}","spanId":"{}","parentSpanId":"{}",)", ids.trace,
                   sha256(ids.trace + id_of(record)).substr(0, kSpanDigits), ids.order);
  }
  fmt::format_to(
      out,
      R"("name":"{}","kind":{},"startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[)",
      kind->name, is_request ? of_request : kInternal, begin_of(ids.trace, time), time);
  append_attribute(to, "fix.record", id_of(record));
  append_attribute(to, "fix.engine", header(record, "engine"));
  append_attribute(to, "fix.session", record.key);
  append_attribute(to, "fix.epoch", logs::number_of(epoch));
  append_attribute(to, "fix.msg_seq_num", logs::number_of(header(record, "seq")));
  append_attribute(to, "fix.cl_ord_id", cl_ord_id);
  for (const Attribute& one : kAttributes) {
    if (const auto value = fields_.value(one.tag); !value.empty()) {
      append_attribute(to, one.name, value);
    }
  }
  to += ']';
  if (const auto original = fields_.value(kOrigClOrdID); !original.empty()) {
    const TraceIds before = trace_of(record.key, epoch, original);
    fmt::format_to(out, R"(,"links":[{{"traceId":"{}","spanId":"{}"}}])", before.trace,
                   before.order);
  }
  if (kind->role == Role::Reject || fields_.value(kOrdStatus) == "8") {
    fmt::format_to(out, R"(,"status":{{"code":{},"message":)", kError);
    append_json_text(to, fields_.value(kText));
    to += '}';
  }
  to += '}';
}

}  // namespace nexusfix::stream
