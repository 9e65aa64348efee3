/* Messages by the C interface: encode, parse, read, validate, split. */
#include "nexusfix.h"

#include <stdlib.h>

#include "check.h"

static const int64_t kNoon = INT64_C(1705320000123000000); /* 2024-01-15 12:00:00.123 */

static nxf_header order_header(void) {
  nxf_header header;
  memset(&header, 0, sizeof header);
  header.struct_size = sizeof header;
  header.begin_string = "FIX.4.4";
  header.msg_type = "D";
  header.sender_comp_id = "TRADER";
  header.target_comp_id = "VENUE";
  header.msg_seq_num = 7;
  header.sending_time = kNoon;
  header.precision = NXF_MILLIS;
  return header;
}

/* An order with two parties, the first of which has two sub-IDs. */
static nxf_text encode_order(char* buffer, size_t size) {
  nxf_encoder* encoder = NULL;
  const nxf_header header = order_header();
  nxf_text message = {NULL, 0};
  const nxf_decimal price = {15025, -2};
  CHECK(nxf_encoder_new(&encoder) == NXF_OK);
  CHECK(nxf_encoder_begin(encoder, buffer, size, &header) == NXF_OK);
  nxf_encoder_text(encoder, 11, "A1", NXF_ZERO_TERMINATED);
  nxf_encoder_group(encoder, 453, 2);
  nxf_encoder_entry(encoder);
  nxf_encoder_text(encoder, 448, "FIRM", 4);
  nxf_encoder_char(encoder, 447, 'D');
  nxf_encoder_int(encoder, 452, 1);
  nxf_encoder_group(encoder, 802, 2);
  nxf_encoder_entry(encoder);
  nxf_encoder_text(encoder, 523, "DESK", 4);
  nxf_encoder_int(encoder, 803, 4);
  nxf_encoder_entry(encoder);
  nxf_encoder_text(encoder, 523, "ANNA", 4);
  nxf_encoder_int(encoder, 803, 2);
  nxf_encoder_group_end(encoder);
  nxf_encoder_entry(encoder);
  nxf_encoder_text(encoder, 448, "CLIENT", 6);
  nxf_encoder_char(encoder, 447, 'D');
  nxf_encoder_int(encoder, 452, 3);
  nxf_encoder_group_end(encoder);
  nxf_encoder_text(encoder, 55, "AAPL", NXF_ZERO_TERMINATED);
  nxf_encoder_char(encoder, 54, '1');
  nxf_encoder_time(encoder, 60, kNoon, NXF_NANOS);
  nxf_encoder_int(encoder, 38, 100);
  nxf_encoder_char(encoder, 40, '2');
  nxf_encoder_decimal(encoder, 44, price);
  nxf_encoder_bool(encoder, 377, 1);
  CHECK(nxf_encoder_finish(encoder, &message, NULL) == NXF_OK);
  nxf_encoder_free(encoder);
  return message;
}

static void an_encoded_order_is_read_as_it_was_written(void) {
  char buffer[1024];
  const nxf_text bytes = encode_order(buffer, sizeof buffer);
  nxf_parser* parser = NULL;
  const nxf_message* message = NULL;
  nxf_text text;
  int64_t number;
  nxf_decimal price;
  char side;
  int32_t solicited;
  CHECK(nxf_parser_new(NULL, &parser, NULL) == NXF_OK);
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  CHECK(is_text(nxf_message_type(message), "D"));
  CHECK(nxf_message_bytes(message).size == bytes.size);
  CHECK(nxf_message_text(message, 55, &text) == NXF_OK && is_text(text, "AAPL"));
  CHECK(nxf_message_int(message, 34, &number) == NXF_OK && number == 7);
  CHECK(nxf_message_decimal(message, 44, &price) == NXF_OK);
  CHECK(price.mantissa == 15025 && price.exponent == -2);
  CHECK(nxf_message_time(message, 52, &number) == NXF_OK && number == kNoon);
  CHECK(nxf_message_char(message, 54, &side) == NXF_OK && side == '1');
  CHECK(nxf_message_bool(message, 377, &solicited) == NXF_OK && solicited == 1);
  nxf_parser_free(parser);
}

static void fields_are_walked_in_the_order_of_the_message(void) {
  char buffer[1024];
  const nxf_text bytes = encode_order(buffer, sizeof buffer);
  nxf_parser* parser = NULL;
  const nxf_message* message = NULL;
  uint32_t tag = 0;
  nxf_text value;
  size_t count;
  CHECK(nxf_parser_new(NULL, &parser, NULL) == NXF_OK);
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  count = nxf_message_field_count(message);
  CHECK(nxf_message_field(message, 0, &tag, &value) == NXF_OK);
  CHECK(tag == 8 && is_text(value, "FIX.4.4"));
  CHECK(nxf_message_field(message, count - 1, &tag, &value) == NXF_OK);
  CHECK(tag == 10 && value.size == 3);
  CHECK(nxf_message_field(message, count, &tag, &value) == NXF_MISSING);
  nxf_parser_free(parser);
}

static void groups_within_groups_have_their_own_entries(void) {
  char buffer[1024];
  const nxf_text bytes = encode_order(buffer, sizeof buffer);
  nxf_parser* parser = NULL;
  const nxf_message* message = NULL;
  nxf_entry party;
  nxf_entry sub;
  nxf_text text;
  char ids[64] = "";
  CHECK(nxf_parser_new(NULL, &parser, NULL) == NXF_OK);
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  party.struct_size = sizeof party;
  sub.struct_size = sizeof sub;
  CHECK(nxf_message_group(message, 453, &party) == NXF_OK);
  while (nxf_entry_next(&party) == NXF_OK) {
    CHECK(nxf_entry_text(&party, 448, &text) == NXF_OK);
    strncat(ids, text.data, text.size);
    strcat(ids, "(");
    if (nxf_entry_group(&party, 802, &sub) == NXF_OK) {
      while (nxf_entry_next(&sub) == NXF_OK) {
        CHECK(nxf_entry_text(&sub, 523, &text) == NXF_OK);
        strncat(ids, text.data, text.size);
        strcat(ids, ";");
        CHECK(nxf_entry_field_count(&sub) == 2);
      }
    }
    strcat(ids, ")");
  }
  CHECK(strcmp(ids, "FIRM(DESK;ANNA;)CLIENT()") == 0);
  CHECK(nxf_message_group(message, 555, &party) == NXF_MISSING);
  CHECK(nxf_message_group(message, 55, &party) == NXF_MISSING);
  nxf_parser_free(parser);
}

static void a_message_is_validated_against_its_dictionary(void) {
  char buffer[1024];
  char changed[1024];
  nxf_text bytes = encode_order(buffer, sizeof buffer);
  nxf_dictionary* dictionary = NULL;
  nxf_validator* validator = NULL;
  nxf_parser* parser = NULL;
  const nxf_message* message = NULL;
  nxf_violation violation;
  nxf_encoder* encoder = NULL;
  const nxf_header header = order_header();
  CHECK(nxf_dictionary_builtin("FIX.4.4", &dictionary, NULL) == NXF_OK);
  CHECK(nxf_validator_new(dictionary, NULL, &validator, NULL) == NXF_OK);
  CHECK(nxf_parser_new(dictionary, &parser, NULL) == NXF_OK);
  nxf_dictionary_free(dictionary); /* both keep what they need */
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  violation.struct_size = sizeof violation;
  CHECK(nxf_validate(validator, message, &violation) == NXF_OK);
  CHECK(nxf_encoder_new(&encoder) == NXF_OK);
  CHECK(nxf_encoder_begin(encoder, changed, sizeof changed, &header) == NXF_OK);
  nxf_encoder_text(encoder, 11, "A1", 2);
  nxf_encoder_text(encoder, 54, "BUY", 3);
  CHECK(nxf_encoder_finish(encoder, &bytes, NULL) == NXF_OK);
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  CHECK(nxf_validate(validator, message, NULL) == NXF_VIOLATION);
  CHECK(nxf_validate(validator, message, &violation) == NXF_VIOLATION);
  CHECK(violation.tag == 40 && violation.reason == 1);
  CHECK(strcmp(violation.rule, "RequiredTagMissing") == 0);
  CHECK(strstr(violation.text, "OrdType (40)") != NULL);
  nxf_encoder_free(encoder);
  nxf_parser_free(parser);
  nxf_validator_free(validator);
}

static void a_copy_outlives_its_parser_and_its_bytes(void) {
  char* buffer = malloc(1024);
  const nxf_text bytes = encode_order(buffer, 1024);
  nxf_parser* parser = NULL;
  const nxf_message* message = NULL;
  nxf_message* copy = NULL;
  nxf_text text;
  nxf_entry party;
  CHECK(nxf_parser_new(NULL, &parser, NULL) == NXF_OK);
  CHECK(nxf_parse(parser, bytes.data, bytes.size, &message, NULL) == NXF_OK);
  CHECK(nxf_message_copy(message, &copy) == NXF_OK);
  nxf_parser_free(parser);
  free(buffer);
  CHECK(nxf_message_text(copy, 55, &text) == NXF_OK && is_text(text, "AAPL"));
  party.struct_size = sizeof party;
  CHECK(nxf_message_group(copy, 453, &party) == NXF_OK);
  CHECK(nxf_entry_next(&party) == NXF_OK);
  nxf_message_free(copy);
}

static void a_stream_is_split_into_frames(void) {
  char stream[4096];
  char buffer[1024];
  const nxf_text bytes = encode_order(buffer, sizeof buffer);
  size_t end = 0;
  size_t at = 0;
  size_t frame = 0;
  int frames = 0;
  int garbled = 0;
  nxf_status status;
  nxf_error error;
  error.struct_size = sizeof error;
  memcpy(stream, "noise", 5);
  end = 5;
  memcpy(stream + end, bytes.data, bytes.size);
  end += bytes.size;
  memcpy(stream + end, bytes.data, bytes.size);
  end += bytes.size;
  memcpy(stream + end, bytes.data, 20);
  end += 20;
  for (;;) {
    status = nxf_next_frame(stream + at, end - at, 0, &frame, &error);
    if (status == NXF_NEED_MORE) break;
    if (status == NXF_OK) {
      CHECK(frame == bytes.size);
      ++frames;
    } else {
      CHECK(status == NXF_GARBLED && error.status == NXF_GARBLED && error.text[0] != '\0');
      ++garbled;
    }
    at += frame;
  }
  CHECK(frames == 2 && garbled == 1 && end - at == 20);
}

static void a_dictionary_names_fields_values_and_messages(void) {
  nxf_dictionary* dictionary = NULL;
  const char* value = NULL;
  const char* name = NULL;
  const uint32_t path[2] = {453, 802};
  nxf_member member;
  size_t fields = 0;
  size_t messages = 0;
  member.struct_size = sizeof member;
  CHECK(nxf_dictionary_builtin("FIX.5.0SP2", &dictionary, NULL) == NXF_OK);
  CHECK(strcmp(nxf_dictionary_begin_string(dictionary), "FIXT.1.1") == 0);
  CHECK(strcmp(nxf_dictionary_field_name(dictionary, 54), "Side") == 0);
  CHECK(nxf_dictionary_field_tag(dictionary, "Side") == 54);
  CHECK(nxf_dictionary_field_tag(dictionary, "Syde") == 0);
  CHECK(strcmp(nxf_dictionary_field_type(dictionary, 44), "PRICE") == 0);
  CHECK(strcmp(nxf_dictionary_value_name(dictionary, 54, "1", 1), "BUY") == 0);
  CHECK(nxf_dictionary_value_at(dictionary, 54, 1, &value, &name) == NXF_OK);
  CHECK(strcmp(value, "2") == 0 && strcmp(name, "SELL") == 0);
  CHECK(nxf_dictionary_value_at(dictionary, 55, 0, &value, &name) == NXF_MISSING);
  CHECK(strcmp(nxf_dictionary_message_name(dictionary, "D", 1), "NewOrderSingle") == 0);
  CHECK(strcmp(nxf_dictionary_message_type(dictionary, "Logon"), "A") == 0);
  CHECK(nxf_dictionary_member_at(dictionary, "D", NULL, 0, 0, &member) == NXF_OK);
  CHECK(member.tag == 11 && member.is_required == 1 && member.is_group == 0);
  CHECK(nxf_dictionary_member_at(dictionary, "D", path, 2, 0, &member) == NXF_OK);
  CHECK(member.tag == 523);
  while (nxf_dictionary_field_at(dictionary, fields) != 0) ++fields;
  while (nxf_dictionary_message_at(dictionary, messages) != NULL) ++messages;
  CHECK(fields > 1000 && messages > 90);
  nxf_dictionary_free(dictionary);
}

int main(void) {
  RUN(an_encoded_order_is_read_as_it_was_written);
  RUN(fields_are_walked_in_the_order_of_the_message);
  RUN(groups_within_groups_have_their_own_entries);
  RUN(a_message_is_validated_against_its_dictionary);
  RUN(a_copy_outlives_its_parser_and_its_bytes);
  RUN(a_stream_is_split_into_frames);
  RUN(a_dictionary_names_fields_values_and_messages);
  return failures == 0 ? 0 : 1;
}
