/* Attaches to a gateway, sends an order on its first session, and prints the report:
 *   gateway_order SOCKET NAME TOKEN [memory] */
#include <nexusfix.h>
#include <stdio.h>
#include <time.h>

static nxf_text encoded_order(char* buffer, size_t size) {
  const nxf_header header = {.struct_size = sizeof header,
                             .begin_string = "FIX.4.4",
                             .msg_type = "D",
                             .sender_comp_id = "-",
                             .target_comp_id = "-"};
  nxf_encoder* order;
  nxf_text bytes = {0};
  struct timespec now;
  char id[32];
  timespec_get(&now, TIME_UTC);
  if (nxf_encoder_new(&order) != NXF_OK) return bytes;
  nxf_encoder_begin(order, buffer, size, &header);
  snprintf(id, sizeof id, "C%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
  nxf_encoder_text(order, 11, id, NXF_ZERO_TERMINATED);
  nxf_encoder_text(order, 55, "AAPL", NXF_ZERO_TERMINATED);
  nxf_encoder_char(order, 54, '1');
  nxf_encoder_time(order, 60, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, NXF_MILLIS);
  nxf_encoder_int(order, 38, 100);
  nxf_encoder_char(order, 40, '2');
  nxf_encoder_decimal(order, 44, (nxf_decimal){15025, -2});
  nxf_encoder_finish(order, &bytes, NULL);
  nxf_encoder_free(order);
  return bytes;
}

int main(int count, char** arguments) {
  nxf_client* client;
  nxf_parser* parser;
  const nxf_message* report;
  char buffer[512];
  nxf_error error = {.struct_size = sizeof error};
  nxf_client_session session = {.struct_size = sizeof session};
  nxf_client_event event = {.struct_size = sizeof event};
  nxf_client_options options = {.struct_size = sizeof options};
  nxf_text order = {0}, status = {0};
  nxf_status result;
  if (count < 4) return fprintf(stderr, "usage: gateway_order SOCKET NAME TOKEN [memory]\n"), 2;
  options.socket_path = arguments[1];
  options.name = arguments[2];
  options.token = arguments[3];
  options.door = count > 4 ? NXF_SHARED_MEMORY : NXF_SOCKET;
  if (nxf_client_attach(&options, &client, &error) != NXF_OK ||
      nxf_parser_new(NULL, &parser, &error) != NXF_OK) {
    return fprintf(stderr, "%s\n", error.text), 1;
  }
  while (nxf_client_session_at(client, 0, &session) == NXF_OK && !session.is_logged_on &&
         nxf_client_receive(client, -1, &event, &error) == NXF_OK)
    continue;
  order = encoded_order(buffer, sizeof buffer);
  result = nxf_client_send(client, 0, nxf_client_last_number(client) + 1, order.data, order.size,
                           &error);
  while (result == NXF_OK && (result = nxf_client_receive(client, -1, &event, &error)) == NXF_OK) {
    if (event.kind == NXF_EVENT_REFUSED) {
      fprintf(stderr, "refused: %.*s\n", (int)event.body.size, event.body.data);
      break;
    }
    if (event.kind != NXF_EVENT_MESSAGE) continue;
    result = nxf_parse(parser, event.body.data, event.body.size, &report, &error);
    if (result != NXF_OK) break;
    nxf_message_text(report, 37, &order);
    nxf_message_text(report, 39, &status);
    printf("OrderID %.*s, OrdStatus %.*s\n", (int)order.size, order.data, (int)status.size,
           status.data);
    break;
  }
  if (result != NXF_OK) fprintf(stderr, "%s\n", error.text);
  nxf_parser_free(parser);
  nxf_client_free(client);
  return status.size == 0 ? 1 : 0;
}
