/* The C interface of a contestant: another FIX library, in a shared library of its own, which gets a
 * column in the rows of parse, parse-and-read-4, group, encode and frame. The file exports
 * nexusfix_contestant(). The rows check every answer before they measure. The loops are on the
 * contestant's side, next to the measured code: contestant_job.hpp makes them. */
#ifndef NEXUSFIX_BENCH_CONTESTANT_H
#define NEXUSFIX_BENCH_CONTESTANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this file. The benchmark refuses a library with another one. */
#define NEXUSFIX_CONTESTANT_INTERFACE 3

/* Bytes without a terminating zero. Valid as long as the job that was made from them. */
struct nexusfix_text {
  const char* bytes;
  size_t size;
};

/* The values of a NewOrderSingle (35=D) of FIX.4.4 with HandlInst (21) 1, OrdType (40) 2 and
 * TimeInForce (59) 0. Times are milliseconds since 1970, to be written with three digits; prices
 * are cents. SenderCompID (49) is SENDER, TargetCompID (56) is TARGET. */
struct nexusfix_order {
  uint64_t msg_seq_num;     /* 34 */
  int64_t sending_time;     /* 52 */
  struct nexusfix_text cl_ord_id; /* 11 */
  struct nexusfix_text symbol;    /* 55 */
  int64_t transact_time;    /* 60 */
  int64_t order_qty;        /* 38 */
  int64_t price;            /* 44 */
  char side;                /* 54 */
};

/* The values of an ExecutionReport (35=8) of FIX.4.4 with ExecType (150) F, OrdStatus (39) 2 and
 * Side (54) 1. */
struct nexusfix_execution {
  uint64_t msg_seq_num;    /* 34 */
  int64_t sending_time;    /* 52 */
  struct nexusfix_text order_id; /* 37 */
  struct nexusfix_text exec_id;  /* 17 */
  struct nexusfix_text symbol;   /* 55 */
  int64_t order_qty;       /* 38 */
  int64_t price;           /* 44 */
  int64_t last_qty;        /* 32 */
  int64_t last_px;         /* 31 */
  int64_t leaves_qty;      /* 151 */
  int64_t cum_qty;         /* 14 */
  int64_t avg_px;          /* 6 */
  int64_t transact_time;   /* 60 */
};

/* One job with its inputs, whose number is a power of two. One thread calls it. */
struct nexusfix_job {
  void* self; /* null: the library cannot do the job */
  /* Does the job once for an input and returns its answer. */
  uint64_t (*answer)(void* self, size_t input);
  /* Encoding jobs: writes the message of an input, valid until the next call. Otherwise null. */
  struct nexusfix_text (*message)(void* self, size_t input);
  /* Does the job this number of times, with the inputs in turn. */
  void (*run)(void* self, size_t calls);
  /* The same; ticks[i] is the time of call i: RDTSC between two LFENCEs on x86-64. */
  void (*time_each)(void* self, uint32_t* ticks, size_t calls);
  void (*destroy)(void* self);
};

/* A function that is null is a job that the library cannot do. */
struct nexusfix_contestant_functions {
  uint32_t interface_version; /* NEXUSFIX_CONTESTANT_INTERFACE */
  const char* name;           /* of the column, such as "hffix" */
  /* From the bytes of one message to its fields. The answer is their number, BeginString,
   * BodyLength and CheckSum included; 1 if the library does not count them; 0 if it refuses the
   * message. */
  struct nexusfix_job (*parse)(const struct nexusfix_text* messages, size_t count);
  /* The same, then bytes of OrderID (37) + LastQty (32) + LastPx (31) in units of 10^-5 + the
   * millisecond of TransactTime (60). */
  struct nexusfix_job (*parse_and_read)(const struct nexusfix_text* messages, size_t count);
  /* One input: a stream of messages without a gap. The answer is the sum of their sizes. */
  struct nexusfix_job (*frame)(struct nexusfix_text stream);
  /* The answer is the size of the message. */
  struct nexusfix_job (*encode_order)(const struct nexusfix_order* orders, size_t count);
  struct nexusfix_job (*encode_execution)(const struct nexusfix_execution* executions,
                                          size_t count);
  /* Every entry of MarketDataSnapshots (35=W), which may be parsed before: the sum of the character
   * of MDEntryType (269), MDEntryPx (270) in cents, and MDEntrySize (271), of 1 to 5,000 entries
   * (268). Each entry has the three fields in this order. */
  struct nexusfix_job (*read_group)(const struct nexusfix_text* messages, size_t count);
};

/* The only export. Valid until the program ends. */
const struct nexusfix_contestant_functions* nexusfix_contestant(void);

#ifdef __cplusplus
}
#endif

#endif
