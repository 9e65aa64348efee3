// What the C interface answers to wrong arguments, wrong bytes and callers of other versions.
#include <array>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "nexusfix.h"

namespace {

using Parser = std::unique_ptr<nxf_parser, decltype(&nxf_parser_free)>;
using Encoder = std::unique_ptr<nxf_encoder, decltype(&nxf_encoder_free)>;
using Dictionary = std::unique_ptr<nxf_dictionary, decltype(&nxf_dictionary_free)>;
using Validator = std::unique_ptr<nxf_validator, decltype(&nxf_validator_free)>;

Parser make_parser() {
  nxf_parser* made = nullptr;
  EXPECT_EQ(nxf_parser_new(nullptr, &made, nullptr), NXF_OK);
  return {made, &nxf_parser_free};
}
Encoder make_encoder() {
  nxf_encoder* made = nullptr;
  EXPECT_EQ(nxf_encoder_new(&made), NXF_OK);
  return {made, &nxf_encoder_free};
}
Dictionary make_fix44() {
  nxf_dictionary* made = nullptr;
  EXPECT_EQ(nxf_dictionary_builtin("FIX.4.4", &made, nullptr), NXF_OK);
  return {made, &nxf_dictionary_free};
}
Validator make_validator() {
  nxf_validator* made = nullptr;
  EXPECT_EQ(nxf_validator_new(make_fix44().get(), nullptr, &made, nullptr), NXF_OK);
  return {made, &nxf_validator_free};
}

nxf_error empty_error() {
  nxf_error error{};
  error.struct_size = sizeof error;
  return error;
}

nxf_header header_of(const char* msg_type) {
  nxf_header header{};
  header.struct_size = sizeof header;
  header.begin_string = "FIX.4.4";
  header.msg_type = msg_type;
  header.sender_comp_id = "TRADER";
  header.target_comp_id = "VENUE";
  header.msg_seq_num = 1;
  header.precision = NXF_MILLIS;
  return header;
}

// A message with these fields, which end with '|'.
std::string message_of(std::string fields) {
  std::string body = "35=D|34=1|49=T|56=V|52=20240115-10:30:00|" + std::move(fields);
  std::string text = "8=FIX.4.4|9=" + std::to_string(body.size()) + "|" + body;
  for (char& c : text) {
    if (c == '|') c = '\x01';
  }
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::array<char, 8> trailer{};
  std::snprintf(trailer.data(), trailer.size(), "10=%03u\x01", sum % 256U);
  return text + trailer.data();
}

TEST(c_errors, a_status_has_the_name_of_its_constant) {
  EXPECT_STREQ(nxf_status_name(NXF_OK), "NXF_OK");
  EXPECT_STREQ(nxf_status_name(NXF_BUFFER_TOO_SMALL), "NXF_BUFFER_TOO_SMALL");
  EXPECT_STREQ(nxf_status_name(NXF_INTERNAL), "NXF_INTERNAL");
  EXPECT_STREQ(nxf_status_name(-1), "NXF_UNKNOWN");
  EXPECT_STREQ(nxf_status_name(NXF_REFUSED), "NXF_REFUSED");
  EXPECT_STREQ(nxf_status_name(NXF_REFUSED + 1), "NXF_UNKNOWN");
}

TEST(c_errors, null_arguments_are_refused_and_free_takes_null) {
  auto error = empty_error();
  EXPECT_EQ(nxf_dictionary_builtin(nullptr, nullptr, &error), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(error.status, NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_parse(nullptr, "", 0, nullptr, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_message_text(nullptr, 55, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_message_field_count(nullptr), 0U);
  EXPECT_EQ(nxf_entry_next(nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_validate(nullptr, nullptr, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_dictionary_field_name(nullptr, 54), nullptr);
  nxf_encoder_int(nullptr, 38, 1);
  nxf_dictionary_free(nullptr);
  nxf_parser_free(nullptr);
  nxf_message_free(nullptr);
  nxf_validator_free(nullptr);
  nxf_encoder_free(nullptr);
}

TEST(c_errors, a_garbled_frame_has_its_rule_and_its_offset) {
  const Parser parser = make_parser();
  std::string bytes = message_of("11=A1|");
  bytes[bytes.size() - 2] = bytes[bytes.size() - 2] == '9' ? '8' : '9';
  const nxf_message* message = nullptr;
  auto error = empty_error();
  EXPECT_EQ(nxf_parse(parser.get(), bytes.data(), bytes.size(), &message, &error), NXF_GARBLED);
  EXPECT_EQ(message, nullptr);
  EXPECT_EQ(error.status, NXF_GARBLED);
  EXPECT_EQ(error.offset, bytes.size() - 4);
  EXPECT_NE(std::string_view{error.text}.find("CheckSum"), std::string_view::npos) << error.text;
}

TEST(c_errors, a_value_of_another_type_is_malformed_and_leaves_the_result) {
  const Parser parser = make_parser();
  const std::string bytes = message_of("11=A1|38=99999999999999999999|44=x|");
  const nxf_message* message = nullptr;
  ASSERT_EQ(nxf_parse(parser.get(), bytes.data(), bytes.size(), &message, nullptr), NXF_OK);
  std::int64_t number = 42;
  nxf_decimal decimal{42, 0};
  EXPECT_EQ(nxf_message_int(message, 11, &number), NXF_MALFORMED);
  EXPECT_EQ(nxf_message_int(message, 38, &number), NXF_OUT_OF_RANGE);
  EXPECT_EQ(nxf_message_int(message, 9999, &number), NXF_MISSING);
  EXPECT_EQ(nxf_message_decimal(message, 44, &decimal), NXF_MALFORMED);
  EXPECT_EQ(number, 42);
  EXPECT_EQ(decimal.mantissa, 42);
}

TEST(c_errors, a_caller_with_a_shorter_error_gets_what_fits) {
  struct Short {
    nxf_error error;
  };
  Short caller{};
  std::memset(&caller, 'x', sizeof caller);
  const std::size_t size = offsetof(nxf_error, text) + 8;
  caller.error.struct_size = size;
  nxf_dictionary* dictionary = nullptr;
  EXPECT_EQ(nxf_dictionary_builtin("FIX.9.9", &dictionary, &caller.error), NXF_DICTIONARY);
  EXPECT_EQ(dictionary, nullptr);
  EXPECT_EQ(caller.error.struct_size, size);
  EXPECT_EQ(caller.error.status, NXF_DICTIONARY);
  EXPECT_STREQ(caller.error.text, "there i");
  EXPECT_EQ(caller.error.text[8], 'x');  // after the end of the caller's struct
}

TEST(c_errors, a_caller_of_a_later_version_is_served) {
  struct Later {
    nxf_validator_options options;
    std::uint64_t unknown;
  };
  Later caller{};
  caller.options.struct_size = sizeof caller;
  caller.unknown = 1;
  nxf_validator* validator = nullptr;
  EXPECT_EQ(nxf_validator_new(make_fix44().get(), &caller.options, &validator, nullptr), NXF_OK);
  nxf_validator_free(validator);
}

TEST(c_errors, options_without_a_size_or_with_unknown_bits_are_refused) {
  nxf_validator_options options{};
  nxf_validator* validator = nullptr;
  auto error = empty_error();
  EXPECT_EQ(nxf_validator_new(make_fix44().get(), &options, &validator, &error),
            NXF_INVALID_ARGUMENT);
  EXPECT_NE(std::string_view{error.text}.find("struct_size"), std::string_view::npos);
  options.struct_size = sizeof options;
  options.rules = 1U << 20U;
  EXPECT_EQ(nxf_validator_new(make_fix44().get(), &options, &validator, &error),
            NXF_INVALID_ARGUMENT);
  EXPECT_EQ(validator, nullptr);
}

TEST(c_errors, a_rule_that_is_left_out_is_not_checked) {
  nxf_validator_options options{.struct_size = sizeof options, .rules = NXF_ALLOW_UNKNOWN_VALUES};
  nxf_validator* lenient = nullptr;
  ASSERT_EQ(nxf_validator_new(make_fix44().get(), &options, &lenient, nullptr), NXF_OK);
  const Validator strict = make_validator();
  const Parser parser = make_parser();
  const std::string bytes = message_of("11=A1|55=X|54=z|60=20240115-10:30:00|38=1|40=1|");
  const nxf_message* message = nullptr;
  ASSERT_EQ(nxf_parse(parser.get(), bytes.data(), bytes.size(), &message, nullptr), NXF_OK);
  EXPECT_EQ(nxf_validate(lenient, message, nullptr), NXF_OK);
  nxf_violation violation{};
  violation.struct_size = sizeof violation;
  EXPECT_EQ(nxf_validate(strict.get(), message, &violation), NXF_VIOLATION);
  EXPECT_STREQ(violation.rule, "ValueNotInEnumeration");
  EXPECT_EQ(bytes.substr(violation.offset, 1), "z");
  nxf_validator_free(lenient);
}

TEST(c_errors, the_text_of_a_violation_has_no_password) {
  const Validator validator = make_validator();
  const Parser parser = make_parser();
  const std::string bytes =
      message_of("11=A1|55=X|54=1|60=20240115-10:30:00|38=1|40=1|554=geheim|");
  const nxf_message* message = nullptr;
  ASSERT_EQ(nxf_parse(parser.get(), bytes.data(), bytes.size(), &message, nullptr), NXF_OK);
  nxf_violation violation{};
  violation.struct_size = sizeof violation;
  EXPECT_EQ(nxf_validate(validator.get(), message, &violation), NXF_VIOLATION);
  EXPECT_EQ(violation.tag, 554U);
  EXPECT_EQ(std::string_view{violation.text}.find("geheim"), std::string_view::npos);
}

TEST(c_errors, a_dictionary_file_names_its_fault) {
  const std::string text = "<fix major='4' minor='4'>\n<fields/>\n</fix>";
  nxf_dictionary* dictionary = nullptr;
  auto error = empty_error();
  EXPECT_EQ(nxf_dictionary_parse(text.data(), text.size(), "venue.xml", &dictionary, &error),
            NXF_DICTIONARY);
  EXPECT_TRUE(std::string_view{error.text}.starts_with("venue.xml")) << error.text;
  EXPECT_EQ(nxf_dictionary_load("/no/such/file.xml", &dictionary, &error), NXF_IO);
  EXPECT_NE(std::string_view{error.text}.find("/no/such/file.xml"), std::string_view::npos);
}

class Encoding : public testing::Test {
 protected:
  Encoding() { begin("D"); }
  void begin(const char* msg_type) {
    const nxf_header header = header_of(msg_type);
    ASSERT_EQ(nxf_encoder_begin(encoder_.get(), buffer_.data(), buffer_.size(), &header), NXF_OK);
  }
  nxf_status finish() { return nxf_encoder_finish(encoder_.get(), &message_, &error_); }

  Encoder encoder_ = make_encoder();
  std::array<char, 256> buffer_{};
  nxf_text message_{};
  nxf_error error_ = empty_error();
};

TEST_F(Encoding, the_first_error_is_returned_with_its_tag) {
  nxf_encoder_text(encoder_.get(), 58, "a\x01z", 3);
  nxf_encoder_text(encoder_.get(), 55, "", 0);
  EXPECT_EQ(finish(), NXF_NOT_ENCODED);
  EXPECT_EQ(error_.tag, 58U);
  EXPECT_EQ(message_.size, 0U);
}

TEST_F(Encoding, a_message_above_the_buffer_is_refused) {
  const std::string text(300, 'x');
  nxf_encoder_text(encoder_.get(), 58, text.data(), text.size());
  EXPECT_EQ(finish(), NXF_BUFFER_TOO_SMALL);
}

TEST_F(Encoding, a_number_is_written_with_its_exponent_or_refused) {
  nxf_encoder_decimal(encoder_.get(), 44, {15, 2});
  nxf_encoder_decimal(encoder_.get(), 99, {-1, -3});
  ASSERT_EQ(finish(), NXF_OK);
  const std::string_view text{message_.data, message_.size};
  EXPECT_NE(text.find("\x01"
                      "44=1500\x01"
                      "99=-0.001\x01"),
            std::string_view::npos)
      << text;
  begin("D");
  nxf_encoder_decimal(encoder_.get(), 44, {INT64_MAX, 1});
  EXPECT_EQ(finish(), NXF_NOT_ENCODED);
  EXPECT_EQ(error_.tag, 44U);
}

TEST_F(Encoding, a_group_with_fewer_entries_than_announced_is_refused) {
  nxf_encoder_group(encoder_.get(), 453, 2);
  nxf_encoder_entry(encoder_.get());
  nxf_encoder_text(encoder_.get(), 448, "A", 1);
  nxf_encoder_group_end(encoder_.get());
  EXPECT_EQ(finish(), NXF_NOT_ENCODED);
  EXPECT_EQ(error_.tag, 453U);
}

TEST_F(Encoding, calls_in_a_wrong_order_are_refused) {
  nxf_encoder_group_end(encoder_.get());
  EXPECT_EQ(finish(), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(finish(), NXF_INVALID_ARGUMENT);  // no message has begun
  begin("D");
  nxf_encoder_group(encoder_.get(), 453, 1);
  nxf_encoder_entry(encoder_.get());
  nxf_encoder_text(encoder_.get(), 448, "A", 1);
  EXPECT_EQ(finish(), NXF_INVALID_ARGUMENT);
  begin("D");
  for (int depth = 0; depth <= NXF_GROUP_DEPTH; ++depth) {
    nxf_encoder_group(encoder_.get(), 453, 1);
    nxf_encoder_entry(encoder_.get());
    nxf_encoder_text(encoder_.get(), 448, "A", 1);
  }
  EXPECT_EQ(finish(), NXF_INVALID_ARGUMENT);
  nxf_header header = header_of("D");
  header.precision = 5;
  EXPECT_EQ(nxf_encoder_begin(encoder_.get(), buffer_.data(), buffer_.size(), &header),
            NXF_INVALID_ARGUMENT);
}

TEST_F(Encoding, an_entry_is_invalid_when_its_message_has_gone) {
  const Parser parser = make_parser();
  const std::string with_group = message_of("453=1|448=A|447=D|452=1|");
  const std::string without = message_of("11=A|");
  const nxf_message* message = nullptr;
  ASSERT_EQ(nxf_parse(parser.get(), with_group.data(), with_group.size(), &message, nullptr),
            NXF_OK);
  nxf_entry entry{};
  entry.struct_size = sizeof entry;
  ASSERT_EQ(nxf_message_group(message, 453, &entry), NXF_OK);
  ASSERT_EQ(nxf_entry_next(&entry), NXF_OK);
  ASSERT_EQ(nxf_parse(parser.get(), without.data(), without.size(), &message, nullptr), NXF_OK);
  nxf_text text{};
  EXPECT_EQ(nxf_entry_text(&entry, 448, &text), NXF_INVALID_ARGUMENT);
}

std::string with_right_envelope(const std::string& bytes) {
  const auto begin = bytes.find(
      "\x01"
      "35=");
  const auto end = bytes.rfind(
      "\x01"
      "10=");
  if (begin == bytes.npos || end == bytes.npos || end <= begin) return bytes;
  const std::string body = bytes.substr(begin + 1, end - begin);
  std::string text =
      "8=FIX.4.4\x01"
      "9=" +
      std::to_string(body.size()) + "\x01" + body;
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  std::array<char, 8> trailer{};
  std::snprintf(trailer.data(), trailer.size(), "10=%03u\x01", sum % 256U);
  return text + trailer.data();
}

// Most results are messages with a fault; the others are garbled.
std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t end) { return random() % end; };
  for (std::size_t changes = below(4); changes > 0; --changes) {
    const std::size_t at = below(bytes.size());
    switch (below(3)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes.erase(at, 1 + below(8));
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(12)));
    }
    if (bytes.empty()) bytes = "8";
  }
  return below(4) == 0 ? bytes : with_right_envelope(bytes);
}

void read_everything(const nxf_message* message) {
  for (std::size_t index = 0; index < nxf_message_field_count(message); ++index) {
    std::uint32_t tag = 0;
    nxf_text value{};
    ASSERT_EQ(nxf_message_field(message, index, &tag, &value), NXF_OK);
    std::int64_t number = 0;
    nxf_decimal decimal{};
    static_cast<void>(nxf_text_int(value, &number));
    static_cast<void>(nxf_text_decimal(value, &decimal));
    static_cast<void>(nxf_text_time(value, &number));
  }
  nxf_entry party{};
  nxf_entry sub{};
  party.struct_size = sizeof party;
  sub.struct_size = sizeof sub;
  if (nxf_message_group(message, 453, &party) != NXF_OK) return;
  while (nxf_entry_next(&party) == NXF_OK) {
    if (nxf_entry_group(&party, 802, &sub) != NXF_OK) continue;
    while (nxf_entry_next(&sub) == NXF_OK) ASSERT_GT(nxf_entry_field_count(&sub), 0U);
  }
}

TEST(c_errors, damaged_messages_are_read_and_validated_without_harm) {
  const Parser parser = make_parser();
  const Validator validator = make_validator();
  const std::string whole = message_of(
      "11=A1|453=2|448=A|447=D|452=1|802=1|523=S|803=4|448=B|447=D|452=3|55=X|54=1|"
      "60=20240115-10:30:00|38=100|40=2|44=1.50|95=3|96=a=b|");
  std::mt19937 random{20240115};  // NOLINT(cert-msc51-cpp): a seed that repeats
  int messages = 0;
  for (int round = 0; round < 4'000; ++round) {
    const std::string bytes = damaged(whole, random);
    // Exactly these bytes are on the heap, so that AddressSanitizer sees a read beyond them.
    const auto exact = std::make_unique<char[]>(bytes.size());
    std::memcpy(exact.get(), bytes.data(), bytes.size());
    std::size_t frame = 0;
    auto error = empty_error();
    static_cast<void>(nxf_next_frame(exact.get(), bytes.size(), 0, &frame, &error));
    const nxf_message* message = nullptr;
    const nxf_status parsed = nxf_parse(parser.get(), exact.get(), bytes.size(), &message, &error);
    ASSERT_TRUE(parsed == NXF_OK || parsed == NXF_GARBLED) << round;
    if (parsed != NXF_OK) continue;
    ++messages;
    nxf_violation violation{};
    violation.struct_size = sizeof violation;
    static_cast<void>(nxf_validate(validator.get(), message, &violation));
    read_everything(message);
  }
  EXPECT_GT(messages, 1'000);
}

nxf_client_options client_options() {
  nxf_client_options options{};
  options.struct_size = sizeof options;
  options.socket_path = "/no/such.sock";
  options.name = "desk";
  options.token = "0123456789abcdef";
  return options;
}

nxf_status attach(const nxf_client_options& options, nxf_error& error) {
  nxf_client* client = nullptr;
  const nxf_status status = nxf_client_attach(&options, &client, &error);
  EXPECT_EQ(client, nullptr);
  nxf_client_free(client);
  return status;
}

TEST(c_errors, a_client_without_a_gateway_is_an_error_with_the_path) {
  nxf_error error = empty_error();
  EXPECT_EQ(attach(client_options(), error), NXF_IO);
  EXPECT_NE(std::string_view{error.text}.find("/no/such.sock"), std::string_view::npos);
  EXPECT_EQ(error.code, 0U);
}

TEST(c_errors, wrong_options_of_a_client_are_refused) {
  const auto refused = [](auto change) {
    nxf_client_options options = client_options();
    change(options);
    nxf_error error = empty_error();
    return attach(options, error) == NXF_INVALID_ARGUMENT && error.text[0] != '\0';
  };
  static constexpr nxf_cursor kUnnamed{};
  EXPECT_TRUE(refused([](auto& one) { one.struct_size = 8; }));
  EXPECT_TRUE(refused([](auto& one) { one.socket_path = nullptr; }));
  EXPECT_TRUE(refused([](auto& one) { one.name = nullptr; }));
  EXPECT_TRUE(refused([](auto& one) { one.token = "a\ncursor=0 0 X"; }));
  EXPECT_TRUE(refused([](auto& one) { one.door = 2; }));
  EXPECT_TRUE(refused([](auto& one) { one.timeout_ns = -1; }));
  EXPECT_TRUE(refused([](auto& one) { one.cursor_count = 1; }));
  EXPECT_TRUE(refused([](auto& one) {
    one.cursors = &kUnnamed;
    one.cursor_count = 1;
  }));
}

TEST(c_errors, functions_of_a_client_take_no_null) {
  nxf_client_event event{};
  EXPECT_EQ(nxf_client_attach(nullptr, nullptr, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_client_receive(nullptr, 0, &event, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_client_send(nullptr, 0, 1, "35=D", 4, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_client_session_at(nullptr, 0, nullptr), NXF_INVALID_ARGUMENT);
  EXPECT_EQ(nxf_client_descriptor(nullptr), -1);
  EXPECT_EQ(nxf_client_last_number(nullptr), 0U);
}

TEST(c_errors, a_caller_of_the_first_version_gets_a_text_that_ends) {
  nxf_error error{};
  error.struct_size = offsetof(nxf_error, code);
  error.code = 77;
  EXPECT_EQ(attach(client_options(), error), NXF_IO);
  EXPECT_EQ(error.code, 77U);
  EXPECT_NE(std::memchr(error.text, '\0', sizeof error.text), nullptr);
}

}  // namespace
