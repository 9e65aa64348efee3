/* Sessions by the C interface: a venue and a trader in one process, each with an engine. */
#include "nexusfix.h"

#include <stdlib.h>

#include "check.h"

typedef struct seen {
  int logons;
  int logouts;
  int messages;
  int admins;
  int events;
  int posted;
  uint64_t token;
  nxf_status posted_status;
  uint64_t posted_seq_num;
  char last[64];
  nxf_session* session;
} seen;

static void keep(char* to, nxf_text from) {
  const size_t size = from.size < 63 ? from.size : 63;
  memcpy(to, from.data, size);
  to[size] = '\0';
}

static void on_logon(void* user, nxf_session* session) {
  seen* all = user;
  ++all->logons;
  all->session = session;
}

static void on_logout(void* user, nxf_session* session) {
  seen* all = user;
  (void)session;
  ++all->logouts;
}

static void on_admin(void* user, nxf_session* session, const nxf_message* message) {
  seen* all = user;
  (void)session;
  (void)message;
  ++all->admins;
}

static void on_event(void* user, uint32_t number, int32_t severity, nxf_text name, nxf_text text) {
  seen* all = user;
  (void)severity;
  (void)name;
  CHECK(number >= 1000 && text.size > 0);
  ++all->events;
}

static void on_posted(void* user, nxf_session* session, uint64_t token, nxf_status status,
                      uint64_t msg_seq_num, nxf_text why) {
  seen* all = user;
  (void)session;
  (void)why;
  ++all->posted;
  all->token = token;
  all->posted_status = status;
  all->posted_seq_num = msg_seq_num;
}

/* The venue fills an order, and rejects one of the symbol NONE. */
static void venue_message(void* user, nxf_session* session, const nxf_message* order,
                          nxf_reply* reply) {
  seen* all = user;
  nxf_encoder* report = NULL;
  nxf_text text;
  nxf_decimal price;
  ++all->messages;
  CHECK(nxf_message_text(order, 55, &text) == NXF_OK);
  keep(all->last, text);
  if (is_text(text, "NONE")) {
    nxf_reply_business_reject(reply, 2, 55, "no such symbol");
    return;
  }
  CHECK(nxf_message_decimal(order, 44, &price) == NXF_OK);
  CHECK(nxf_session_begin(session, "8", &report) == NXF_OK);
  nxf_encoder_text(report, 37, "O1", 2);
  nxf_encoder_text(report, 17, "E1", 2);
  nxf_encoder_char(report, 150, 'F');
  nxf_encoder_char(report, 39, '2');
  nxf_encoder_text(report, 55, text.data, text.size);
  nxf_encoder_char(report, 54, '1');
  nxf_encoder_decimal(report, 31, price);
  nxf_encoder_int(report, 32, 100);
  nxf_encoder_int(report, 151, 0);
  nxf_encoder_int(report, 14, 100);
  nxf_encoder_decimal(report, 6, price);
  CHECK(nxf_encoder_finish(report, &text, NULL) == NXF_INVALID_ARGUMENT);
  CHECK(nxf_session_send(session, NULL, NULL) == NXF_OK);
}

static void trader_message(void* user, nxf_session* session, const nxf_message* message,
                           nxf_reply* reply) {
  seen* all = user;
  (void)session;
  (void)reply;
  ++all->messages;
  keep(all->last, nxf_message_type(message));
}

static nxf_application application_of(seen* all) {
  nxf_application made;
  memset(&made, 0, sizeof made);
  made.struct_size = sizeof made;
  made.user_data = all;
  made.on_logon = on_logon;
  made.on_logout = on_logout;
  made.on_admin = on_admin;
  made.on_event = on_event;
  made.on_posted = on_posted;
  return made;
}

typedef struct pair {
  nxf_engine* venue;
  nxf_engine* trader;
  seen at_venue;
  seen at_trader;
} pair;

static void open_pair(pair* both) {
  char text[512];
  nxf_application application;
  nxf_error error;
  memset(both, 0, sizeof *both);
  error.struct_size = sizeof error;
  error.text[0] = '\0';
  application = application_of(&both->at_venue);
  application.on_message = venue_message;
  snprintf(text, sizeof text,
           "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\nSocketAcceptPort=0\n"
           "Store=memory\nNonStopSession=Y\n[SESSION]\nBeginString=FIX.4.4\n"
           "SenderCompID=VENUE\nTargetCompID=TRADER\n");
  CHECK(nxf_engine_open_text(text, NXF_ZERO_TERMINATED, "venue.cfg", &application, &both->venue,
                             &error) == NXF_OK);
  if (both->venue == NULL) printf("%s\n", error.text);
  application = application_of(&both->at_trader);
  application.on_message = trader_message;
  snprintf(text, sizeof text,
           "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
           "SocketConnectPort=%d\nHeartBtInt=30\nReconnectInterval=1\nStore=memory\n"
           "NonStopSession=Y\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\n"
           "TargetCompID=VENUE\n",
           (int)nxf_engine_port(both->venue));
  CHECK(nxf_engine_open_text(text, NXF_ZERO_TERMINATED, "trader.cfg", &application, &both->trader,
                             &error) == NXF_OK);
  if (both->trader == NULL) printf("%s\n", error.text);
}

static void poll_until(pair* both, const int* count, int wanted) {
  long turns = 0;
  while (*count < wanted && ++turns < 60000) {
    nxf_engine_poll(both->venue, 500000);
    nxf_engine_poll(both->trader, 500000);
  }
  CHECK(*count >= wanted);
}

static void free_pair(pair* both) {
  nxf_engine_free(both->trader);
  nxf_engine_free(both->venue);
}

static void write_order(nxf_encoder* encoder, const char* symbol) {
  const nxf_decimal price = {15025, -2};
  nxf_encoder_text(encoder, 11, "A1", 2);
  nxf_encoder_text(encoder, 55, symbol, NXF_ZERO_TERMINATED);
  nxf_encoder_char(encoder, 54, '1');
  nxf_encoder_time(encoder, 60, INT64_C(1705320000000000000), NXF_MILLIS);
  nxf_encoder_int(encoder, 38, 100);
  nxf_encoder_char(encoder, 40, '2');
  nxf_encoder_decimal(encoder, 44, price);
}

static void an_order_of_a_session_is_answered_by_a_report(void) {
  pair both;
  nxf_encoder* order = NULL;
  uint64_t number = 0;
  open_pair(&both);
  poll_until(&both, &both.at_trader.logons, 1);
  CHECK(nxf_session_is_logged_on(both.at_trader.session) == 1);
  CHECK(strcmp(nxf_session_name(both.at_trader.session), "FIX.4.4:TRADER->VENUE") == 0);
  CHECK(nxf_engine_session(both.trader, "FIX.4.4:TRADER->VENUE") == both.at_trader.session);
  CHECK(nxf_engine_session_at(both.trader, 0) == both.at_trader.session);
  CHECK(nxf_engine_session_at(both.trader, 1) == NULL);
  CHECK(nxf_session_begin(both.at_trader.session, "D", &order) == NXF_OK);
  write_order(order, "AAPL");
  CHECK(nxf_session_send(both.at_trader.session, &number, NULL) == NXF_OK && number == 2);
  poll_until(&both, &both.at_trader.messages, 1);
  CHECK(strcmp(both.at_venue.last, "AAPL") == 0);
  CHECK(strcmp(both.at_trader.last, "8") == 0);
  CHECK(both.at_venue.admins > 0 && both.at_venue.events > 0);
  CHECK(nxf_session_log_out(both.at_trader.session, "the day ends") == NXF_OK);
  poll_until(&both, &both.at_trader.logouts, 1);
  CHECK(nxf_session_is_logged_on(both.at_trader.session) == 0);
  free_pair(&both);
}

static void a_message_is_rejected_by_the_reply(void) {
  pair both;
  nxf_encoder* order = NULL;
  open_pair(&both);
  poll_until(&both, &both.at_trader.logons, 1);
  CHECK(nxf_session_begin(both.at_trader.session, "D", &order) == NXF_OK);
  write_order(order, "NONE");
  CHECK(nxf_session_send(both.at_trader.session, NULL, NULL) == NXF_OK);
  poll_until(&both, &both.at_trader.messages, 1);
  CHECK(strcmp(both.at_trader.last, "j") == 0);
  free_pair(&both);
}

static void a_message_is_posted_by_another_thread_and_its_end_is_told(void) {
  pair both;
  char buffer[512];
  nxf_encoder* order = NULL;
  nxf_header header;
  nxf_text bytes;
  nxf_error error;
  uint64_t token = 0;
  nxf_session* session;
  open_pair(&both);
  session = nxf_engine_session_at(both.trader, 0);
  poll_until(&both, &both.at_trader.logons, 1);
  CHECK(nxf_engine_start(both.venue) == NXF_OK);
  CHECK(nxf_encoder_new(&order) == NXF_OK);
  memset(&header, 0, sizeof header);
  header.struct_size = sizeof header;
  header.begin_string = "FIX.4.4";
  header.msg_type = "D";
  header.sender_comp_id = "x"; /* the session writes its own */
  header.target_comp_id = "y";
  CHECK(nxf_encoder_begin(order, buffer, sizeof buffer, &header) == NXF_OK);
  write_order(order, "MSFT");
  CHECK(nxf_encoder_finish(order, &bytes, NULL) == NXF_OK);
  CHECK(nxf_session_post(session, bytes.data, bytes.size, &token, NULL) == NXF_OK && token != 0);
  error.struct_size = sizeof error;
  CHECK(nxf_session_post(session, "8=FIX", 5, NULL, &error) == NXF_GARBLED);
  while (both.at_trader.messages == 0) nxf_engine_poll(both.trader, 1000000);
  CHECK(both.at_trader.posted == 1 && both.at_trader.token == token);
  CHECK(both.at_trader.posted_status == NXF_OK && both.at_trader.posted_seq_num == 2);
  CHECK(strcmp(both.at_trader.last, "8") == 0);
  nxf_engine_stop(both.venue);
  while (both.at_trader.logouts == 0) nxf_engine_poll(both.trader, 1000000);
  CHECK(nxf_engine_join(both.venue) == NXF_OK);
  nxf_encoder_free(order);
  free_pair(&both);
}

static void a_wrong_configuration_is_refused_with_its_lines(void) {
  nxf_engine* engine = NULL;
  nxf_error error;
  seen all;
  const nxf_application application = application_of(&all);
  nxf_application empty;
  const char* text = "[SESSION]\nBeginString=FIX.9.9\nSenderCompID=A\n";
  error.struct_size = sizeof error;
  memset(&empty, 0, sizeof empty);
  CHECK(nxf_engine_open_text(text, NXF_ZERO_TERMINATED, "desk.cfg", &application, &engine,
                             &error) == NXF_CONFIGURATION);
  CHECK(engine == NULL && strstr(error.text, "desk.cfg:2") != NULL);
  CHECK(nxf_engine_open("/no/such.cfg", &application, &engine, &error) == NXF_CONFIGURATION);
  CHECK(strstr(error.text, "/no/such.cfg") != NULL);
  CHECK(nxf_engine_open("/no/such.cfg", &empty, &engine, &error) == NXF_INVALID_ARGUMENT);
  CHECK(nxf_session_send(NULL, NULL, &error) == NXF_INVALID_ARGUMENT);
}

int main(void) {
  RUN(an_order_of_a_session_is_answered_by_a_report);
  RUN(a_message_is_rejected_by_the_reply);
  RUN(a_message_is_posted_by_another_thread_and_its_end_is_told);
  RUN(a_wrong_configuration_is_refused_with_its_lines);
  return failures == 0 ? 0 : 1;
}
