// A library that can do the jobs of the rows: NexusFIX, and each of its peers. C++14, because the
// file that measures QuickFIX includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/messages/contestant.hpp"

namespace nexusfix {
namespace bench {

// Different messages of one type and structure; their number is a power of two.
struct Messages {
  std::vector<std::string> texts;
  Answers field_counts;
  double mean_bytes = 0;
};

// A sequence of messages, as from a socket.
struct Stream {
  std::string bytes;
  std::vector<std::size_t> begins;  // of each message
  Answers sizes;                    // of each message
  std::size_t field_count = 0;      // of all messages together
};

// The job of the row parse-and-read-4. The answer is one number from the values that an application
// reads of an ExecutionReport: bytes of OrderID (37) + LastQty (32) + LastPx (31) in units of 10^-5
// + the millisecond of TransactTime (60).
struct ReadJob {
  Messages messages;
  Answers answers;
};

// Eight fields of a parsed message: six that it has and two that it does not have. The answer is
// the total number of bytes of the found values.
struct LookupJob {
  Messages messages;
  Answers answers;
};
constexpr int kAnswerScale = 5;  // of a price in an answer
constexpr std::size_t kLookups = 8;
constexpr int kLookupTags[kLookups] = {37, 150, 11, 55, 54, 44, 58, 6};

// Values as text, each in a message of its own, where our function reads it. The peers' functions
// get the text without its message.
struct ValueTexts {
  int tag = 0;
  std::vector<std::string> texts;
  std::vector<std::string> messages;  // each has its text in the field with the tag
};

struct IntegerJob {
  ValueTexts values;
  Answers answers;
};

struct PriceJob {
  ValueTexts values;
  Answers mantissas;  // the answers of exact decimals
  Answers units;      // of 10^-8: the answers of fixed prices
  std::vector<double> doubles;
};

struct TimestampJob {
  ValueTexts values;
  Answers milliseconds;  // since 1970
};

// A price to write: mantissa / 10^scale, and the nearest double.
struct PriceValue {
  std::int64_t mantissa = 0;
  int scale = 0;
  double value = 0;
};

// A data dictionary in the QuickFIX XML form. The answer is the number of known tags and MsgTypes,
// one of each for each message.
struct DictionaryJob {
  std::string xml;
  std::vector<int> tags;
  std::vector<std::string> msg_types;
  Answers answers;
};

// Messages that are valid by a data dictionary in the QuickFIX XML form. They are parsed before the
// measurement. The answer for each is 1.
struct ValidateJob {
  Messages messages;
  std::string xml;
  Answers answers;
};

// The message with number n is texts[n % their number]. The answer is 1 if it was found.
struct RandomReadJob {
  std::vector<std::string> texts;
  std::uint64_t messages = 0;
  std::vector<std::uint64_t> numbers;  // to read; their count is a power of two
};

struct ChecksumJob {
  std::vector<std::string> texts;
  Answers sums;  // modulo 256
};

// The values of a message to write, as an application has them. Prices have two decimals, times are
// milliseconds since 1970.
struct Order {
  std::uint64_t msg_seq_num = 0;
  std::int64_t sending_time_ms = 0;
  std::string cl_ord_id;
  std::string symbol;
  char side = '1';
  std::int64_t transact_time_ms = 0;
  std::int64_t order_qty = 0;
  std::int64_t price_cents = 0;
};
struct Execution {
  std::uint64_t msg_seq_num = 0;
  std::int64_t sending_time_ms = 0;
  std::string order_id;
  std::string exec_id;
  std::string symbol;
  std::int64_t order_qty = 0;
  std::int64_t price_cents = 0;
  std::int64_t last_qty = 0;
  std::int64_t last_px_cents = 0;
  std::int64_t leaves_qty = 0;
  std::int64_t cum_qty = 0;
  std::int64_t avg_px_cents = 0;
  std::int64_t transact_time_ms = 0;
};
constexpr const char* kSender = "SENDER";
constexpr const char* kTarget = "TARGET";

template <class Values>
struct EncodeJob {
  std::vector<Values> values;
  // Returns the error in the message that was made of values[input]; empty: none.
  std::function<std::string(const std::string& message, std::size_t input)> verify;
};

// Encode: a movable type with encode(input), whose result converts to std::string, and operator(),
// which returns its size.
template <class Encode, class Values>
ContestantPtr make_encoding_contestant(Encode encode, const EncodeJob<Values>& job) {
  const std::size_t inputs = job.values.size();
  const auto verify = job.verify;
  return make_checked_contestant(std::move(encode), inputs, [inputs, verify](Encode& subject) {
    std::string wrong;
    for (std::size_t i = 0; i < inputs && wrong.empty(); ++i) {
      wrong = verify(std::string(subject.encode(i)), i);
    }
    return wrong;
  });
}

// A limit order as a desk sends it: HandlInst (21) 1, OrdType (40) 2, TimeInForce (59) 0. An order
// has no Account (1), Parties (453) or Text (58) if they are empty here.
struct DeskOrder {
  std::string cl_ord_id;
  std::string account;
  std::vector<std::string> parties;  // PartyID (448), each with PartyIDSource D and PartyRole 12
  std::string symbol;
  char side = '1';
  std::int64_t order_qty = 0;
  PriceValue price;
  std::string text;
};

// A trader and a venue of a library, over loopback TCP, with its store in files. The trader sends
// the orders in turn, and the venue answers each with a report.
enum class WaitMode : std::uint8_t { Spin, Block };
// The orders of the flow, or orders whose values have the same lengths.
enum class Traffic : std::uint8_t { Flow, OneShape };
struct TradeJob {
  WaitMode mode = WaitMode::Spin;
  Traffic traffic = Traffic::Flow;
  // Starts a thread on the cores that are not measured.
  std::function<std::thread(std::function<void()>)> start_elsewhere;
  std::vector<DeskOrder> orders;
};
constexpr std::uint64_t kUnansweredMax = 256;  // orders of a burst

// A subject returns no contestant for a job that it does not support, or does in another way.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual std::string name() const = 0;
  // Whether it is a library that the options name: --contestant.
  virtual bool is_external() const { return false; }
  virtual ContestantPtr parse(const Messages&) { return nullptr; }
  virtual ContestantPtr parse_and_read(const ReadJob&) { return nullptr; }
  // Every entry of a parsed market data snapshot, three fields of each: the sum of MDEntryType's
  // character (269), MDEntryPx in cents (270) and MDEntrySize (271).
  // Twelve fields of a parsed ExecutionReport, each as its type: see typed_read_job().
  virtual ContestantPtr typed_read(const ReadJob&) { return nullptr; }
  virtual ContestantPtr read_group(const ReadJob&) { return nullptr; }
  virtual ContestantPtr frame(const Stream&) { return nullptr; }
  virtual ContestantPtr lookup(const LookupJob&) { return nullptr; }
  // Stores a message and the next number of a session: in memory, or in files that survive the end
  // of the process. The answer is 1.
  virtual ContestantPtr append(const Messages&, bool) { return nullptr; }
  // Logs a sent message to a session's message log in a file. The answer is 1.
  virtual ContestantPtr log(const Messages&) { return nullptr; }
  // Reads a message by a random number from files with the messages from number 1 on; see
  // RandomReadJob.
  virtual ContestantPtr random_read(const RandomReadJob&) { return nullptr; }
  virtual ContestantPtr checksum(const ChecksumJob&) { return nullptr; }
  virtual ContestantPtr integer(const IntegerJob&) { return nullptr; }
  virtual ContestantPtr price(const PriceJob&) { return nullptr; }
  virtual ContestantPtr fixed_price(const PriceJob& job) { return price(job); }
  virtual ContestantPtr timestamp(const TimestampJob&) { return nullptr; }
  virtual ContestantPtr integer_text(const EncodeJob<std::int64_t>&) { return nullptr; }
  virtual ContestantPtr price_text(const EncodeJob<PriceValue>&) { return nullptr; }
  // Milliseconds since 1970, with all three digits.
  virtual ContestantPtr timestamp_text(const EncodeJob<std::int64_t>&) { return nullptr; }
  virtual ContestantPtr encode_order(const EncodeJob<Order>&) { return nullptr; }
  virtual ContestantPtr encode_execution(const EncodeJob<Execution>&) { return nullptr; }
  // An order as an object: made for each message, or one that is kept, with another ClOrdID,
  // TransactTime, OrderQty and Price for each message.
  virtual ContestantPtr build_order(const EncodeJob<Order>&) { return nullptr; }
  virtual ContestantPtr amend_order(const EncodeJob<Order>&) { return nullptr; }
  virtual ContestantPtr stream_parse(const Stream&) { return nullptr; }
  virtual ContestantPtr load_dictionary(const DictionaryJob&) { return nullptr; }
  virtual ContestantPtr validate(const ValidateJob&) { return nullptr; }
  // An engine alone: from an order's bytes to its report's, over a network in memory.
  virtual ContestantPtr inside() { return nullptr; }
  // One order at a time until its report has arrived; and many orders in a call, with at most
  // kUnansweredMax unanswered.
  virtual ContestantPtr round_trip(const TradeJob&) { return nullptr; }
  virtual ContestantPtr trade_burst(const TradeJob&, std::uint64_t) { return nullptr; }
};

}  // namespace bench
}  // namespace nexusfix
