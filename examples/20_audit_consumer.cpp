// Reads the topic of `nexusfix stream`, and drops what was sent twice.
//
//   example_20_audit_consumer BROKERS TOPIC [IDLE_SECONDS [hex]]
//
// Prints a line for each record: new or repeated, its headers, a tab and its value (in hexadecimal
// digits, if wanted). It ends when nothing has come for IDLE_SECONDS (without it: never).
//
// The rule: the records of one session and one journal (headers session and log) are in one
// partition, in the order of the log. Their place is (owner, position). A record whose place is not
// after the last one of its session and journal was sent before: the stream was killed before it
// could write its cursor. A place with a higher owner and a lower position is new: after a loss of
// power an engine writes to positions again that the disk had lost. A real consumer keeps `last`
// with what it stores, in one transaction, as it does with its offsets.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <librdkafka/rdkafka.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace {

using Place = std::pair<std::uint64_t, std::uint64_t>;  // owner, position

std::string header(const rd_kafka_message_t& record, const char* name) {
  rd_kafka_headers_t* headers = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  if (rd_kafka_message_headers(&record, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  if (rd_kafka_header_get_last(headers, name, &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return {};
  }
  return {static_cast<const char*>(value), size};
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

rd_kafka_t* connect(const char* brokers, const char* topic) {
  char error[512] = {};
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  const char* const settings[][2] = {{"bootstrap.servers", brokers},
                                     {"group.id", "nexusfix-audit-example"},
                                     {"auto.offset.reset", "earliest"},
                                     {"enable.auto.commit", "false"}};
  for (const auto& one : settings) {
    rd_kafka_conf_set(conf, one[0], one[1], error, sizeof error);
  }
  rd_kafka_t* const kafka = rd_kafka_new(RD_KAFKA_CONSUMER, conf, error, sizeof error);
  if (kafka == nullptr) {
    std::fprintf(stderr, "%s\n", error);
    std::exit(1);
  }
  rd_kafka_poll_set_consumer(kafka);
  // All partitions, from the begin, as soon as the topic exists.
  const rd_kafka_metadata_t* known = nullptr;
  rd_kafka_topic_t* const handle = rd_kafka_topic_new(kafka, topic, nullptr);
  for (;;) {
    const rd_kafka_resp_err_t asked = rd_kafka_metadata(kafka, 0, handle, &known, 30'000);
    if (asked != RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::fprintf(stderr, "%s: %s\n", brokers, rd_kafka_err2str(asked));
      std::exit(1);
    }
    if (known->topics[0].partition_cnt > 0) break;
    rd_kafka_metadata_destroy(known);
    rd_kafka_poll(kafka, 500);
  }
  const rd_kafka_metadata_topic_t& found = known->topics[0];
  rd_kafka_topic_partition_list_t* const all = rd_kafka_topic_partition_list_new(1);
  for (int i = 0; i < found.partition_cnt; ++i) {
    rd_kafka_topic_partition_list_add(all, topic, found.partitions[i].id)->offset =
        RD_KAFKA_OFFSET_BEGINNING;
  }
  rd_kafka_assign(kafka, all);
  rd_kafka_topic_partition_list_destroy(all);
  rd_kafka_metadata_destroy(known);
  rd_kafka_topic_destroy(handle);
  return kafka;
}

void print_value(const rd_kafka_message_t& record, bool in_hex) {
  const auto* const bytes = static_cast<const unsigned char*>(record.payload);
  if (!in_hex) std::fwrite(bytes, 1, record.len, stdout);
  for (std::size_t i = 0; in_hex && i < record.len; ++i) std::printf("%02x", bytes[i]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) {
    std::fputs("usage: example_20_audit_consumer BROKERS TOPIC [IDLE_SECONDS [hex]]\n", stderr);
    return 2;
  }
  const int idle_ms = count > 3 ? std::atoi(arguments[3]) * 1000 : -1;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  rd_kafka_t* const kafka = connect(arguments[1], arguments[2]);
  std::map<std::string, Place> last;  // by journal and session
  for (;;) {
    rd_kafka_message_t* const record = rd_kafka_consumer_poll(kafka, idle_ms);
    if (record == nullptr) break;
    if (record->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      const std::string session = header(*record, "session");
      const Place place{number(header(*record, "owner")), number(header(*record, "position"))};
      Place& seen = last[header(*record, "log") + ' ' + session];
      const bool is_repeated = place <= seen;
      // A record of Arrow has several messages: drop its rows up to `seen`, by byte_offset.
      const std::string end = header(*record, "last");
      if (!is_repeated) seen = {place.first, end.empty() ? place.second : number(end)};
      std::printf("%s %s owner=%s position=%s epoch=%s %s %s\t", is_repeated ? "repeated" : "new",
                  session.c_str(), header(*record, "owner").c_str(),
                  header(*record, "position").c_str(), header(*record, "epoch").c_str(),
                  header(*record, "direction").c_str(), header(*record, "seq").c_str());
      print_value(*record, count > 4);
      std::putchar('\n');
    }
    rd_kafka_message_destroy(record);
  }
  rd_kafka_consumer_close(kafka);
  rd_kafka_destroy(kafka);
  return 0;
}
