/* Logs on, sends an order, prints the report and logs out:
 *   nexusfix serve venue.cfg &
 *   order trader.cfg */
#include <nexusfix.h>
#include <stdio.h>
#include <time.h>

static void on_logon(void* user_data, nxf_session* session) {
  nxf_encoder* order;
  nxf_error error = {.struct_size = sizeof error};
  struct timespec now;
  char id[32];
  (void)user_data;
  timespec_get(&now, TIME_UTC);
  if (nxf_session_begin(session, "D", &order) != NXF_OK) return;
  snprintf(id, sizeof id, "C%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
  nxf_encoder_text(order, 11, id, NXF_ZERO_TERMINATED);
  nxf_encoder_text(order, 55, "AAPL", NXF_ZERO_TERMINATED);
  nxf_encoder_char(order, 54, '1');
  nxf_encoder_time(order, 60, now.tv_sec * INT64_C(1000000000) + now.tv_nsec, NXF_MILLIS);
  nxf_encoder_int(order, 38, 100);
  nxf_encoder_char(order, 40, '2');
  nxf_encoder_decimal(order, 44, (nxf_decimal){15025, -2});
  if (nxf_session_send(session, NULL, &error) != NXF_OK) printf("not sent: %s\n", error.text);
}

static void on_message(void* user_data, nxf_session* session, const nxf_message* report,
                       nxf_reply* reply) {
  nxf_text order = {0}, status = {0};
  (void)reply;
  nxf_message_text(report, 37, &order);
  nxf_message_text(report, 39, &status);
  printf("OrderID %.*s, OrdStatus %.*s\n", (int)order.size, order.data, (int)status.size,
         status.data);
  nxf_session_log_out(session, NULL);
  *(int*)user_data = 1;
}

static void on_logout(void* user_data, nxf_session* session) {
  (void)session;
  *(int*)user_data += 1;
}

int main(int count, char** arguments) {
  int done = 0;
  nxf_engine* engine;
  nxf_error error = {.struct_size = sizeof error};
  const nxf_application application = {.struct_size = sizeof application,
                                       .user_data = &done,
                                       .on_logon = on_logon,
                                       .on_logout = on_logout,
                                       .on_message = on_message};
  if (count != 2) return fprintf(stderr, "usage: order FILE.cfg\n"), 2;
  if (nxf_engine_open(arguments[1], &application, &engine, &error) != NXF_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  while (done < 2 && nxf_engine_poll(engine, 100000000) == NXF_OK) continue;
  nxf_engine_free(engine);
  return done == 2 ? 0 : 1;
}
