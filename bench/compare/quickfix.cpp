// QuickFIX with the same checks as ours: BodyLength and CheckSum, no dictionary. A message object
// is reused, although QuickFIX's own session would construct a new one: that is faster.
#include "bench/compare/quickfix.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <quickfix/DataDictionary.h>
#include <quickfix/FieldConvertors.h>
#include <quickfix/FileLog.h>
#include <quickfix/FileStore.h>
#include <quickfix/Message.h>
#include <quickfix/Parser.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/MessageCracker.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

#include "bench/compare/quickfix_engine.hpp"

namespace nexusfix {
namespace bench {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr double kCents = 100;
constexpr double kUnits = 100000;  // of prices in answers

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

FIX::UtcTimeStamp time_stamp(std::int64_t ms) {
  return FIX::UtcTimeStamp(static_cast<std::time_t>(ms / kMsPerSecond),
                           static_cast<int>(ms % kMsPerSecond));
}

std::uint64_t field_count(const FIX::Message& message) {
  return message.getHeader().totalFields() + message.totalFields() +
         message.getTrailer().totalFields();
}

struct Parse {
  std::vector<std::string> messages;
  FIX::Message message;

  std::uint64_t operator()(std::size_t input) {
    message.setString(messages[input], true);
    return field_count(message);
  }
};

struct ParseAndRead {
  std::vector<std::string> messages;
  FIX::Message message;

  std::uint64_t operator()(std::size_t input) {
    message.setString(messages[input], true);
    FIX::OrderID order_id;
    FIX::LastQty last_qty;
    FIX::LastPx last_px;
    FIX::TransactTime transact_time;
    message.getField(order_id);
    message.getField(last_qty);
    message.getField(last_px);
    message.getField(transact_time);
    return order_id.getString().size() + static_cast<std::uint64_t>(last_qty.getValue()) +
           static_cast<std::uint64_t>(last_px.getValue() * kUnits + 0.5) +
           static_cast<std::uint64_t>(transact_time.getValue().getMillisecond());
  }
};

// Passes one message at a time to its parser. That is faster than all at once, because the parser
// moves the rest to the front after each message.
struct Frame {
  std::vector<std::string> messages;
  FIX::Parser parser;
  std::string message;

  explicit Frame(const Stream& stream) {
    for (std::size_t i = 0; i < stream.begins.size(); ++i) {
      messages.push_back(stream.bytes.substr(stream.begins[i], stream.sizes[i]));
    }
  }
  std::uint64_t operator()(std::size_t) {
    std::uint64_t total = 0;
    for (const std::string& text : messages) {
      parser.addToStream(text);
      if (!parser.readFixMessage(message)) return 0;
      keep(message.size());
      total += message.size();
    }
    return total;
  }
};

struct Lookup {
  std::vector<FIX::Message> messages;

  explicit Lookup(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) messages.push_back(FIX::Message(text, true));
  }
  std::uint64_t operator()(std::size_t input) {
    FIX::Message& message = messages[input];
    std::uint64_t bytes = 0;
    for (const int tag : kLookupTags) {
      if (message.isSetField(tag)) bytes += message.getField(tag).size();
    }
    return bytes;
  }
};

// A message has groups only if it was parsed with a dictionary. getGroup() would copy each entry; a
// reference is the library's fastest access.
struct ReadGroup {
  static constexpr int kEntriesTag = 268;
  std::vector<FIX::Message> messages;

  explicit ReadGroup(const std::vector<std::string>& texts) {
    constexpr int kDelimiter = 269;
    FIX::DataDictionary entry;
    for (const int tag : {269, 270, 271}) entry.addField(tag);
    FIX::DataDictionary dictionary;
    dictionary.addGroup("W", kEntriesTag, kDelimiter, entry);
    for (const std::string& text : texts) messages.push_back(FIX::Message(text, dictionary, true));
  }
  std::uint64_t operator()(std::size_t input) const {
    const FIX::Message& message = messages[input];
    std::uint64_t sum = 0;
    const int count = static_cast<int>(message.groupCount(kEntriesTag));
    for (int i = 1; i <= count; ++i) {
      const FIX::FieldMap& entry = message.getGroupRef(i, kEntriesTag);
      FIX::MDEntryType type;
      FIX::MDEntryPx price;
      FIX::MDEntrySize size;
      entry.getField(type);
      entry.getField(price);
      entry.getField(size);
      sum += static_cast<std::uint64_t>(type.getValue());
      sum += static_cast<std::uint64_t>(price.getValue() * kCents + 0.5);
      sum += static_cast<std::uint64_t>(size.getValue());
    }
    return sum;
  }
};

// As with a MessageCracker: cracking finds the type, getField() makes the values.
struct TypedRead {
  class Reader : public FIX44::MessageCracker {
   public:
    std::uint64_t answer = 0;

    void onMessage(const FIX44::ExecutionReport& report, const FIX::SessionID&) override {
      FIX::OrderID order_id;
      FIX::ExecID exec_id;
      FIX::Symbol symbol;
      FIX::ExecType exec_type;
      FIX::OrdStatus ord_status;
      FIX::Side side;
      FIX::LeavesQty leaves_qty;
      FIX::CumQty cum_qty;
      FIX::LastQty last_qty;
      FIX::AvgPx avg_px;
      FIX::LastPx last_px;
      FIX::TransactTime transact_time;
      report.get(order_id);
      report.get(exec_id);
      report.get(symbol);
      report.get(exec_type);
      report.get(ord_status);
      report.get(side);
      report.get(leaves_qty);
      report.get(cum_qty);
      report.get(last_qty);
      report.get(avg_px);
      report.get(last_px);
      report.get(transact_time);
      answer = order_id.getString().size() + exec_id.getString().size() +
               symbol.getString().size() + static_cast<std::uint64_t>(exec_type.getValue()) +
               static_cast<std::uint64_t>(ord_status.getValue()) +
               static_cast<std::uint64_t>(side.getValue()) +
               static_cast<std::uint64_t>(leaves_qty.getValue()) +
               static_cast<std::uint64_t>(cum_qty.getValue()) +
               static_cast<std::uint64_t>(last_qty.getValue()) +
               static_cast<std::uint64_t>(avg_px.getValue() * kUnits + 0.5) +
               static_cast<std::uint64_t>(last_px.getValue() * kUnits + 0.5) +
               static_cast<std::uint64_t>(transact_time.getValue().getMillisecond());
    }
  };

  std::vector<FIX::Message> messages;
  FIX::SessionID session;
  Reader reader;

  explicit TypedRead(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) messages.push_back(FIX::Message(text, true));
  }
  std::uint64_t operator()(std::size_t input) {
    reader.crack(messages[input], session);
    return reader.answer;
  }
};

struct Integer {
  std::vector<std::string> texts;
  std::uint64_t operator()(std::size_t input) const {
    return static_cast<std::uint64_t>(FIX::IntConvertor::convert(texts[input]));
  }
};

struct Price {
  std::vector<std::string> texts;
  std::uint64_t operator()(std::size_t input) const {
    return bits_of(FIX::DoubleConvertor::convert(texts[input]));
  }
};

struct Timestamp {
  std::vector<std::string> texts;
  std::uint64_t operator()(std::size_t input) const {
    const FIX::UtcTimeStamp time = FIX::UtcTimeStampConvertor::convert(texts[input]);
    return static_cast<std::uint64_t>(time.getTimeT() * kMsPerSecond + time.getMillisecond());
  }
};

struct IntegerText {
  std::vector<std::int64_t> values;
  std::string encode(std::size_t input) const {
    return FIX::IntConvertor::convert(static_cast<int>(values[input]));
  }
  std::uint64_t operator()(std::size_t input) const { return encode(input).size(); }
};

struct PriceText {
  std::vector<PriceValue> values;
  std::string encode(std::size_t input) const {
    return FIX::DoubleConvertor::convert(values[input].value);
  }
  std::uint64_t operator()(std::size_t input) const { return encode(input).size(); }
};

struct TimestampText {
  std::vector<FIX::UtcTimeStamp> values;

  explicit TimestampText(const std::vector<std::int64_t>& milliseconds) {
    for (const std::int64_t ms : milliseconds) values.push_back(time_stamp(ms));
  }
  std::string encode(std::size_t input) const {
    constexpr int kMillisecondDigits = 3;
    return FIX::UtcTimeStampConvertor::convert(values[input], kMillisecondDigits);
  }
  std::uint64_t operator()(std::size_t input) const { return encode(input).size(); }
};

void set_header(FIX::Message& message, std::uint64_t msg_seq_num, std::int64_t sending_time_ms) {
  FIX::Header& header = message.getHeader();
  header.setField(FIX::SenderCompID(kSender));
  header.setField(FIX::TargetCompID(kTarget));
  header.setField(FIX::MsgSeqNum(static_cast<int>(msg_seq_num)));
  header.setField(FIX::SendingTime(time_stamp(sending_time_ms), 3));
}

void set_changing_fields(FIX::Message& message, const Order& o) {
  message.setField(FIX::ClOrdID(o.cl_ord_id));
  message.setField(FIX::TransactTime(time_stamp(o.transact_time_ms), 3));
  message.setField(FIX::OrderQty(static_cast<double>(o.order_qty)));
  message.setField(FIX::Price(static_cast<double>(o.price_cents) / kCents));
}

void set_kept_fields(FIX::Message& message, const Order& o) {
  message.setField(FIX::HandlInst('1'));
  message.setField(FIX::Symbol(o.symbol));
  message.setField(FIX::Side(o.side));
  message.setField(FIX::OrdType('2'));
  message.setField(FIX::TimeInForce('0'));
}

struct EncodeOrder {
  std::vector<Order> orders;
  std::string text;

  const std::string& encode(std::size_t input) {
    const Order& o = orders[input];
    FIX44::NewOrderSingle message;
    set_header(message, o.msg_seq_num, o.sending_time_ms);
    set_kept_fields(message, o);
    set_changing_fields(message, o);
    return message.toString(text);
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct AmendOrder {
  std::vector<Order> orders;
  std::string text;
  FIX44::NewOrderSingle message;

  explicit AmendOrder(const std::vector<Order>& values) : orders(values) {
    set_kept_fields(message, orders.front());
  }
  const std::string& encode(std::size_t input) {
    const Order& o = orders[input];
    set_header(message, o.msg_seq_num, o.sending_time_ms);
    set_changing_fields(message, o);
    return message.toString(text);
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

struct EncodeExecution {
  std::vector<Execution> executions;
  std::string text;

  const std::string& encode(std::size_t input) {
    const Execution& e = executions[input];
    FIX44::ExecutionReport message;
    set_header(message, e.msg_seq_num, e.sending_time_ms);
    message.setField(FIX::OrderID(e.order_id));
    message.setField(FIX::ExecID(e.exec_id));
    message.setField(FIX::ExecType('F'));
    message.setField(FIX::OrdStatus('2'));
    message.setField(FIX::Symbol(e.symbol));
    message.setField(FIX::Side('1'));
    message.setField(FIX::OrderQty(static_cast<double>(e.order_qty)));
    message.setField(FIX::Price(static_cast<double>(e.price_cents) / kCents));
    message.setField(FIX::LastQty(static_cast<double>(e.last_qty)));
    message.setField(FIX::LastPx(static_cast<double>(e.last_px_cents) / kCents));
    message.setField(FIX::LeavesQty(static_cast<double>(e.leaves_qty)));
    message.setField(FIX::CumQty(static_cast<double>(e.cum_qty)));
    message.setField(FIX::AvgPx(static_cast<double>(e.avg_px_cents) / kCents));
    message.setField(FIX::TransactTime(time_stamp(e.transact_time_ms), 3));
    return message.toString(text);
  }
  std::uint64_t operator()(std::size_t input) { return encode(input).size(); }
};

// As its socket connection does: passes 4,096 bytes at a time to the parser, then reads every
// complete message.
struct StreamParse {
  const std::string* bytes;
  FIX::Message message;

  std::uint64_t operator()(std::size_t) {
    constexpr std::size_t kReceiveBytes = 4096;
    std::uint64_t fields = 0;
    FIX::Parser parser;
    std::string text;
    for (std::size_t at = 0; at < bytes->size(); at += kReceiveBytes) {
      parser.addToStream(bytes->data() + at, std::min(kReceiveBytes, bytes->size() - at));
      while (parser.readFixMessage(text)) {
        message.setString(text, true);
        fields += field_count(message);
      }
    }
    return fields;
  }
};

struct LoadDictionary {
  const DictionaryJob* job;

  std::uint64_t operator()(std::size_t) const {
    std::istringstream stream(job->xml);
    const FIX::DataDictionary dictionary(stream);
    std::uint64_t known = 0;
    for (const int tag : job->tags) known += dictionary.isField(tag) ? 1 : 0;
    for (const std::string& type : job->msg_types) known += dictionary.isMsgType(type) ? 1 : 0;
    return known;
  }
};

// The parser learns the messages' groups from the dictionary, too.
struct Validate {
  std::shared_ptr<FIX::DataDictionary> dictionary;
  std::vector<FIX::Message> messages;

  explicit Validate(const ValidateJob& job) {
    std::istringstream stream(job.xml);
    dictionary = std::make_shared<FIX::DataDictionary>(stream);
    for (const std::string& text : job.messages.texts) {
      messages.push_back(FIX::Message(text, *dictionary, true));
    }
  }
  std::uint64_t operator()(std::size_t input) const {
    try {
      dictionary->validate(messages[input]);
      return 1;
    } catch (const FIX::Exception&) {
      return 0;
    }
  }
};

// The stores of QuickFIX 1.16 begin with a time.
template <class Store, class... Arguments>
std::enable_if_t<std::is_constructible<Store, Arguments...>::value, std::unique_ptr<Store>>
store_of(const Arguments&... arguments) {
  return std::make_unique<Store>(arguments...);
}
template <class Store, class... Arguments>
std::enable_if_t<std::is_constructible<Store, FIX::UtcTimeStamp, Arguments...>::value,
                 std::unique_ptr<Store>>
store_of(const Arguments&... arguments) {
  return std::make_unique<Store>(FIX::UtcTimeStamp(), arguments...);
}

// A store of QuickFIX, used as its session does for each sent message. A file store has a folder of
// its own, which the destructor removes.
template <class Store>
struct MadeStore {
  std::unique_ptr<Store> store = store_of<Store>();
};

template <>
struct MadeStore<FIX::FileStore> {
  struct Folder {
    std::string path = "/tmp/nexusfix-bench-quickfix-XXXXXX";
    Folder() {
      const char* const given = std::getenv("TMPDIR");
      if (given != nullptr) path = std::string(given) + "/nexusfix-bench-quickfix-XXXXXX";
      if (::mkdtemp(&path[0]) == nullptr) throw std::runtime_error("mkdtemp failed");
    }
    ~Folder() {
      for (const char* name : {"body", "header", "seqnums", "session"}) {
        std::remove((path + "/FIX.4.4-SENDER-TARGET." + name).c_str());
      }
      ::rmdir(path.c_str());
    }
  };
  Folder folder;
  std::unique_ptr<FIX::FileStore> store =
      store_of<FIX::FileStore>(folder.path, FIX::SessionID("FIX.4.4", "SENDER", "TARGET"));
};

template <class Store>
struct Append {
  std::vector<std::string> texts;
  std::shared_ptr<MadeStore<Store>> made = std::make_shared<MadeStore<Store>>();

  explicit Append(std::vector<std::string> messages) : texts(std::move(messages)) {}
  std::uint64_t operator()(std::size_t input) {
    FIX::MessageStore& store = *made->store;
    const bool kept = store.set(store.getNextSenderMsgSeqNum(), texts[input]);
    store.incrNextSenderMsgSeqNum();
    return kept ? 1 : 0;
  }
};

// Its message log, which is emptied at intervals.
struct Log {
  struct Made {
    MadeStore<FIX::FileStore>::Folder folder;
    FIX::FileLog log{folder.path, FIX::SessionID("FIX.4.4", "SENDER", "TARGET")};
    ~Made() {
      for (const char* name : {"messages", "event"}) {
        std::remove((folder.path + "/FIX.4.4-SENDER-TARGET." + name + ".current.log").c_str());
      }
    }
  };
  std::vector<std::string> texts;
  std::shared_ptr<Made> made = std::make_shared<Made>();

  explicit Log(std::vector<std::string> messages) : texts(std::move(messages)) {}
  std::uint64_t operator()(std::size_t input) {
    FIX::Log& log = made->log;
    log.onOutgoing(texts[input]);
    return 1;
  }
  void prepare() {}
  void settle() { made->log.clear(); }
  CallLimits limits() const {
    CallLimits limits;
    limits.least = limits.most = 1024;
    return limits;
  }
};

struct RandomRead {
  RandomReadJob job;
  std::shared_ptr<MadeStore<FIX::FileStore>> made = std::make_shared<MadeStore<FIX::FileStore>>();
  std::vector<std::string> found;

  explicit RandomRead(const RandomReadJob& wanted) : job(wanted) {
    for (std::uint64_t i = 1; i <= job.messages; ++i) {
      made->store->set(static_cast<int>(i), job.texts[i % job.texts.size()]);
    }
  }
  std::uint64_t operator()(std::size_t input) {
    const std::uint64_t number = job.numbers[input];
    found.clear();
    made->store->get(static_cast<int>(number), static_cast<int>(number), found);
    return found.size() == 1 && found.front() == job.texts[number % job.texts.size()] ? 1 : 0;
  }
};

class QuickFix final : public Subject {
 public:
  std::string name() const override { return "QuickFIX"; }
  ContestantPtr parse(const Messages& messages) override {
    return make_contestant(Parse{messages.texts, {}}, messages.field_counts);
  }
  ContestantPtr parse_and_read(const ReadJob& job) override {
    return make_contestant(ParseAndRead{job.messages.texts, {}}, job.answers);
  }
  ContestantPtr frame(const Stream& stream) override {
    return make_contestant(Frame{stream}, Answers{stream.bytes.size()});
  }
  ContestantPtr append(const Messages& messages, bool in_files) override {
    const Answers answers(messages.texts.size(), 1);
    if (in_files) return make_contestant(Append<FIX::FileStore>{messages.texts}, answers);
    return make_contestant(Append<FIX::MemoryStore>{messages.texts}, answers);
  }
  ContestantPtr log(const Messages& messages) override {
    return make_prepared_contestant(Log{messages.texts}, messages.texts.size(),
                                    [](Log&) { return std::string(); });
  }
  ContestantPtr random_read(const RandomReadJob& job) override {
    return make_contestant(RandomRead{job}, Answers(job.numbers.size(), 1));
  }
  ContestantPtr typed_read(const ReadJob& job) override {
    return make_contestant(TypedRead{job.messages.texts}, job.answers);
  }
  ContestantPtr read_group(const ReadJob& job) override {
    return make_contestant(ReadGroup{job.messages.texts}, job.answers);
  }
  ContestantPtr lookup(const LookupJob& job) override {
    return make_contestant(Lookup{job.messages.texts}, job.answers);
  }
  ContestantPtr integer(const IntegerJob& job) override {
    return make_contestant(Integer{job.values.texts}, job.answers);
  }
  ContestantPtr price(const PriceJob& job) override {
    Answers bits;
    for (const double value : job.doubles) bits.push_back(bits_of(value));
    return make_contestant(Price{job.values.texts}, bits);
  }
  ContestantPtr timestamp(const TimestampJob& job) override {
    return make_contestant(Timestamp{job.values.texts}, job.milliseconds);
  }
  ContestantPtr integer_text(const EncodeJob<std::int64_t>& job) override {
    return make_encoding_contestant(IntegerText{job.values}, job);
  }
  ContestantPtr price_text(const EncodeJob<PriceValue>& job) override {
    return make_encoding_contestant(PriceText{job.values}, job);
  }
  ContestantPtr timestamp_text(const EncodeJob<std::int64_t>& job) override {
    return make_encoding_contestant(TimestampText{job.values}, job);
  }
  ContestantPtr encode_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(EncodeOrder{job.values, {}}, job);
  }
  ContestantPtr encode_execution(const EncodeJob<Execution>& job) override {
    return make_encoding_contestant(EncodeExecution{job.values, {}}, job);
  }
  ContestantPtr build_order(const EncodeJob<Order>& job) override { return encode_order(job); }
  ContestantPtr amend_order(const EncodeJob<Order>& job) override {
    return make_encoding_contestant(AmendOrder(job.values), job);
  }
  ContestantPtr stream_parse(const Stream& stream) override {
    return make_contestant(StreamParse{&stream.bytes, {}}, Answers{stream.field_count});
  }
  ContestantPtr load_dictionary(const DictionaryJob& job) override {
    return make_contestant(LoadDictionary{&job}, job.answers);
  }
  ContestantPtr validate(const ValidateJob& job) override {
    return make_contestant(Validate(job), job.answers);
  }
  ContestantPtr round_trip(const TradeJob& job) override { return make_quickfix_round_trip(job); }
  ContestantPtr trade_burst(const TradeJob& job, std::uint64_t orders) override {
    return make_quickfix_burst(job, orders);
  }
};

}  // namespace

std::unique_ptr<Subject> make_quickfix_subject() { return std::unique_ptr<Subject>(new QuickFix); }

}  // namespace bench
}  // namespace nexusfix
