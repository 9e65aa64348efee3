/* NexusFIX for C, and for every language that calls C: messages, dictionaries, validation, frames,
 * sessions, the client of a gateway, logs.
 *
 * Names: nxf_. Handles are opaque; nxf_X_new() and the like make one, nxf_X_free() ends it and takes
 * NULL. Nothing else is freed by the caller.
 *
 * Errors: a function that can fail returns an nxf_status. Where it has an nxf_error argument, that
 * may be NULL; otherwise the function describes an error there, and writes nothing on success. There
 * is no global error, and no C++ exception leaves the library. A NULL argument that is not allowed is
 * NXF_INVALID_ARGUMENT. NXF_NO_MEMORY and NXF_INTERNAL are possible wherever a function allocates.
 *
 * Structs: a struct with struct_size is filled by the caller: struct_size = sizeof the struct. The
 * library reads and writes only the members within struct_size, so that programs and libraries of
 * different versions work together. Members of options that are 0 have their default.
 *
 * Views: an nxf_text points to bytes of another object and is not zero-terminated. The function that
 * returns it says how long it lives.
 *
 * Threads: one thread at a time uses a handle, unless its functions say otherwise. Different
 * handles need no lock. The library starts no thread except in nxf_engine_start(), and for the folder
 * of a journal in nxf_log_read(). It changes no locale or environment. As soon as a journal or shared
 * memory is mapped it handles SIGBUS: a file that another process cuts is an error then. A SIGBUS of
 * other memory goes to the earlier handler.
 *
 * The binary interface: each function has the symbol version NEXUSFIX_0.9. A function keeps its
 * meaning and its arguments; new ones get a new version.
 */
#ifndef NEXUSFIX_H
#define NEXUSFIX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NXF_VERSION_MAJOR 0
#define NXF_VERSION_MINOR 9
#define NXF_VERSION_PATCH 0

/* The version of the library that runs, such as "0.9.0". Lives as long as the program. Any thread. */
const char* nxf_version(void);

/* ---- Results ---------------------------------------------------------------------------------- */

typedef int32_t nxf_status;
enum {
  NXF_OK = 0,
  NXF_END = 1,               /* there is no further entry, event or record */
  NXF_NEED_MORE = 2,         /* the bytes end inside a frame */
  NXF_MISSING = 3,           /* the message has no such field, or the dictionary no such name */
  NXF_EMPTY = 4,             /* the field has no value */
  NXF_MALFORMED = 5,         /* the value is not of the type that was asked for */
  NXF_OUT_OF_RANGE = 6,      /* the value is of the type, but does not fit */
  NXF_VIOLATION = 7,         /* the message breaks a rule of the dictionary */
  NXF_GARBLED = 8,           /* the bytes are no FIX message */
  NXF_BUFFER_TOO_SMALL = 9,  /* the message does not fit into the caller's buffer */
  NXF_NOT_ENCODED = 10,      /* a field cannot be written: see nxf_error */
  NXF_NOT_SENT = 11,         /* the session refused the message: see nxf_error */
  NXF_FULL = 12,             /* too many messages wait for the engine: try again later */
  NXF_CLOSED = 13,           /* the engine or the session has ended */
  NXF_INVALID_ARGUMENT = 14, /* NULL, an invalid struct_size, or a call that this state does not allow */
  NXF_DICTIONARY = 15,       /* the dictionary cannot be used: see nxf_error */
  NXF_CONFIGURATION = 16,    /* the configuration cannot be used: see nxf_error */
  NXF_IO = 17,               /* a file cannot be read, or a port cannot be used: see nxf_error */
  NXF_NO_MEMORY = 18,
  NXF_INTERNAL = 19,         /* an error of the library itself: see nxf_error */
  NXF_TIMEOUT = 20,          /* nothing has come in time */
  NXF_REFUSED = 21           /* the gateway refused the client: see nxf_error */
};

/* The name of a status, such as "NXF_MALFORMED". "NXF_UNKNOWN" for another number. Lives as long as
 * the program. Any thread. */
const char* nxf_status_name(nxf_status status);

typedef struct nxf_text {
  const char* data;
  size_t size; /* in bytes */
} nxf_text;

/* As the size of an argument: the text ends with a zero byte. */
#define NXF_ZERO_TERMINATED ((size_t)-1)

#define NXF_TEXT_BYTES 512

typedef struct nxf_error {
  size_t struct_size;
  nxf_status status;
  uint32_t tag;              /* of the field; 0: the error has none */
  size_t offset;             /* of the byte in the message where a rule is broken */
  char text[NXF_TEXT_BYTES]; /* for people, in UTF-8, zero-terminated, cut at the end if too long */
  uint32_t code;             /* why a gateway closed the connection: nxf_close_code; 0: none */
} nxf_error;

/* ---- Dictionaries ----------------------------------------------------------------------------- */

/* Fields, values and messages of a FIX version or of a venue. Any number of threads may use one. The
 * texts that it returns end with a zero byte and live until nxf_dictionary_free(). Parsers,
 * validators and engines keep what they need of it: it may be freed before them. */
typedef struct nxf_dictionary nxf_dictionary;

/* A version that is part of the library: "FIX.4.0" to "FIX.4.4", "FIX.5.0", "FIX.5.0SP1",
 * "FIX.5.0SP2", "FIXT.1.1". Those from FIX.5.0 on have the header, the trailer and the session
 * messages of FIXT.1.1. Errors: NXF_DICTIONARY: there is no such version. */
nxf_status nxf_dictionary_builtin(const char* version, nxf_dictionary** dictionary,
                                  nxf_error* error);
/* A file in QuickFIX XML or FIX Orchestra. What a session needs and the file lacks is added, as the
 * standard has it. Errors: NXF_IO; NXF_DICTIONARY: the text has every fault of the file with its
 * line, as many as fit. */
nxf_status nxf_dictionary_load(const char* path, nxf_dictionary** dictionary, nxf_error* error);
/* As nxf_dictionary_load(), from memory. name: in texts of errors. */
nxf_status nxf_dictionary_parse(const char* text, size_t size, const char* name,
                                nxf_dictionary** dictionary, nxf_error* error);
void nxf_dictionary_free(nxf_dictionary* dictionary);

/* BeginString (8) of the messages: "FIX.4.4", "FIXT.1.1". */
const char* nxf_dictionary_begin_string(const nxf_dictionary* dictionary);
/* The name of a field: "Side" for 54. NULL: the dictionary lacks it. */
const char* nxf_dictionary_field_name(const nxf_dictionary* dictionary, uint32_t tag);
/* The tag of a field: 54 for "Side". 0: the dictionary lacks it. */
uint32_t nxf_dictionary_field_tag(const nxf_dictionary* dictionary, const char* name);
/* The type of a field as in QuickFIX XML: "CHAR", "PRICE". NULL: the dictionary lacks the field. */
const char* nxf_dictionary_field_type(const nxf_dictionary* dictionary, uint32_t tag);
/* The tags of all fields, one for each index from 0 on, in ascending order. 0: there are no more. */
uint32_t nxf_dictionary_field_at(const nxf_dictionary* dictionary, size_t index);

/* The name of a value of an enumeration: "BUY" for 54 and "1". NULL: there is none. */
const char* nxf_dictionary_value_name(const nxf_dictionary* dictionary, uint32_t tag,
                                      const char* value, size_t size);
/* The values of an enumeration, one for each index from 0 on. NXF_MISSING: there are no more. value
 * and name may be NULL. */
nxf_status nxf_dictionary_value_at(const nxf_dictionary* dictionary, uint32_t tag, size_t index,
                                   const char** value, const char** name);

/* The name of a message: "NewOrderSingle" for "D". NULL: the dictionary lacks it. */
const char* nxf_dictionary_message_name(const nxf_dictionary* dictionary, const char* msg_type,
                                        size_t size);
/* MsgType (35) of a message: "D" for "NewOrderSingle". NULL: the dictionary lacks it. */
const char* nxf_dictionary_message_type(const nxf_dictionary* dictionary, const char* name);
/* The MsgTypes of all messages, one for each index from 0 on. NULL: there are no more. */
const char* nxf_dictionary_message_at(const nxf_dictionary* dictionary, size_t index);

/* What a message or an entry of a group consists of. */
typedef struct nxf_member {
  size_t struct_size;
  uint32_t tag;        /* of the field; of a group, of its count field */
  int32_t is_required; /* 0 or 1 */
  int32_t is_group;    /* 0 or 1 */
} nxf_member;
/* The members of a message's body, one for each index from 0 on, in the order of the dictionary.
 * groups: the count fields of the groups that lead to the one whose entry is asked for, the
 * outermost first; depth: how many, 0 for the message. Takes a time that grows with the message:
 * it is for programs that generate code or check a configuration. NXF_MISSING: there are no more. */
nxf_status nxf_dictionary_member_at(const nxf_dictionary* dictionary, const char* msg_type,
                                    const uint32_t* groups, size_t depth, size_t index,
                                    nxf_member* member);

/* ---- Frames ----------------------------------------------------------------------------------- */

/* Looks at the front of bytes that were received. Any thread; allocates nothing.
 *
 * NXF_OK: the first *frame_size bytes are one frame, for nxf_parse(). NXF_NEED_MORE: receive until
 * there are at least *frame_size bytes, and call again. NXF_GARBLED: the first *frame_size bytes
 * belong to no frame: skip them.
 *
 * message_bytes_max: longer messages are garbled; 0: 1 MiB. error: why bytes are garbled. */
nxf_status nxf_next_frame(const char* bytes, size_t size, size_t message_bytes_max,
                          size_t* frame_size, nxf_error* error);

/* ---- Messages --------------------------------------------------------------------------------- */

/* A parser owns the index of the message that it has parsed, and uses it again for the next one. */
typedef struct nxf_parser nxf_parser;
typedef struct nxf_message nxf_message;

/* dictionary: for groups, and for data fields of a venue. NULL: the version that the message itself
 * names, by BeginString (8) and ApplVerID (1128). */
nxf_status nxf_parser_new(const nxf_dictionary* dictionary, nxf_parser** parser, nxf_error* error);
void nxf_parser_free(nxf_parser* parser);

/* Verifies BodyLength, CheckSum and the form of every field of one frame, and indexes them. *message
 * is valid until the next call, until nxf_parser_free(), or until the bytes change; the caller does
 * not free it. Its texts are parts of bytes. NXF_GARBLED: error has the offset and the rule; *message
 * is NULL. Allocates only for a message that has more fields than any before it. */
nxf_status nxf_parse(nxf_parser* parser, const char* bytes, size_t size,
                     const nxf_message** message, nxf_error* error);

/* A copy that lives until nxf_message_free(), with its bytes. Any number of threads may read it. */
nxf_status nxf_message_copy(const nxf_message* message, nxf_message** copy);
/* Only for copies; NULL is allowed. */
void nxf_message_free(nxf_message* copy);

/* The whole message, from BeginString to the end of CheckSum. Lives as long as the message. */
nxf_text nxf_message_bytes(const nxf_message* message);
/* MsgType (35). Lives as long as the message. */
nxf_text nxf_message_type(const nxf_message* message);

/* An exact decimal number: mantissa * 10^exponent. 150.25 is 15025 and -2. */
typedef struct nxf_decimal {
  int64_t mantissa;
  int32_t exponent; /* of a value that was read: -18 to 0 */
} nxf_decimal;

/* The first field with this tag, in the header, the body, a group or the trailer. For a field of a
 * group use nxf_message_group(). Errors: NXF_MISSING, NXF_EMPTY, NXF_MALFORMED, NXF_OUT_OF_RANGE;
 * then *value is unchanged. Texts live as long as the message. No function here allocates; any
 * number of threads may read. */
nxf_status nxf_message_text(const nxf_message* message, uint32_t tag, nxf_text* value);
nxf_status nxf_message_int(const nxf_message* message, uint32_t tag, int64_t* value);
nxf_status nxf_message_decimal(const nxf_message* message, uint32_t tag, nxf_decimal* value);
/* UTCTimestamp, as nanoseconds since 1970-01-01 UTC. Further digits are cut off. */
nxf_status nxf_message_time(const nxf_message* message, uint32_t tag, int64_t* nanoseconds);
nxf_status nxf_message_char(const nxf_message* message, uint32_t tag, char* value);
/* Y is 1, N is 0. */
nxf_status nxf_message_bool(const nxf_message* message, uint32_t tag, int32_t* value);

/* All fields, in their order in the message. NXF_MISSING: index is not below the count. */
size_t nxf_message_field_count(const nxf_message* message);
nxf_status nxf_message_field(const nxf_message* message, size_t index, uint32_t* tag,
                             nxf_text* value);

/* Values that came from elsewhere: a field of nxf_message_field(), a column of a log. Errors as
 * above, without NXF_MISSING. Any thread. */
nxf_status nxf_text_int(nxf_text text, int64_t* value);
nxf_status nxf_text_decimal(nxf_text text, nxf_decimal* value);
nxf_status nxf_text_time(nxf_text text, int64_t* nanoseconds);

#define NXF_GROUP_DEPTH 7

/* One entry of a repeating group, or the place before the first one. Its members are for the library.
 * It is valid as long as its message, may be copied, and needs no end. */
typedef struct nxf_entry {
  size_t struct_size;
  const nxf_message* message;
  uint32_t first;
  uint32_t count;
  uint32_t limit;
  uint32_t depth;
  uint32_t path[NXF_GROUP_DEPTH];
} nxf_entry;

/* The place before the first entry of the group with this count field, such as 453. entry: the caller
 * has set struct_size. Then nxf_entry_next() goes to the first entry, and from entry to entry, until
 * it returns NXF_END. They are the entries that are in the message, whatever the count field says;
 * nxf_validate() compares the two. NXF_MISSING: the message has no such count field, or the
 * dictionary has no such group in it.
 *
 *   nxf_entry party;
 *   party.struct_size = sizeof party;
 *   if (nxf_message_group(message, 453, &party) == NXF_OK)
 *     while (nxf_entry_next(&party) == NXF_OK) nxf_entry_text(&party, 448, &id);
 */
nxf_status nxf_message_group(const nxf_message* message, uint32_t count_tag, nxf_entry* entry);
nxf_status nxf_entry_next(nxf_entry* entry);
/* A group within an entry. Groups may be NXF_GROUP_DEPTH deep; NXF_OUT_OF_RANGE: deeper. */
nxf_status nxf_entry_group(const nxf_entry* around, uint32_t count_tag, nxf_entry* entry);

/* The first field of the entry with this tag. As nxf_message_text() and the others. */
nxf_status nxf_entry_text(const nxf_entry* entry, uint32_t tag, nxf_text* value);
nxf_status nxf_entry_int(const nxf_entry* entry, uint32_t tag, int64_t* value);
nxf_status nxf_entry_decimal(const nxf_entry* entry, uint32_t tag, nxf_decimal* value);
nxf_status nxf_entry_time(const nxf_entry* entry, uint32_t tag, int64_t* nanoseconds);
nxf_status nxf_entry_char(const nxf_entry* entry, uint32_t tag, char* value);
nxf_status nxf_entry_bool(const nxf_entry* entry, uint32_t tag, int32_t* value);
size_t nxf_entry_field_count(const nxf_entry* entry);
nxf_status nxf_entry_field(const nxf_entry* entry, size_t index, uint32_t* tag, nxf_text* value);

/* ---- Logs ------------------------------------------------------------------------------------- */

/* The messages of a log, in batches: of a text with messages in its lines, the raw bytes of sessions,
 * a hex dump, a capture of packets, or the folder of a journal; also packed by gzip, zstd or xz. */
typedef struct nxf_log nxf_log;

typedef struct nxf_log_options {
  size_t struct_size;
  const char* kind;      /* text, hex, gzip, zstd, xz, pcap or journal; NULL: by its first bytes */
  const char* delimiter; /* between fields: "|", "SOH", "\x01"; NULL: each message shows it */
  int64_t zone_seconds;  /* local time minus UTC, for times in the log that name no zone */
  size_t batch_bytes;    /* a batch ends with the message that reaches this size; 0: 4 MiB */
} nxf_log_options;

typedef int32_t nxf_direction;
enum {
  NXF_DIRECTION_UNKNOWN = 0,
  NXF_IN = 1, /* by a word before the message, such as IN, received, or <- */
  NXF_OUT = 2 /* OUT, sent, -> */
};

#define NXF_NO_TIME INT64_MIN

/* One message. Texts are empty if the message lacks the field. */
typedef struct nxf_log_message {
  nxf_text bytes;    /* for nxf_parse(): with SOH after each field, whatever separates them in the log */
  nxf_text prefix;   /* what is before it in its line */
  nxf_text msg_type; /* MsgType (35) */
  nxf_text sender;   /* SenderCompID (49) */
  nxf_text target;   /* TargetCompID (56) */
  uint64_t msg_seq_num;    /* MsgSeqNum (34); 0: it has none */
  uint64_t offset;         /* of its first byte in the unpacked log */
  int64_t time;            /* nanoseconds since 1970-01-01 UTC: of its line, else SendingTime (52); or
                            * NXF_NO_TIME */
  nxf_direction direction;
} nxf_log_message;

/* path: a file, the folder of a journal, or "-" for standard input. options: NULL: the defaults.
 * Errors: NXF_IO: it cannot be opened; NXF_INVALID_ARGUMENT: kind or delimiter. */
nxf_status nxf_log_open(const char* path, const nxf_log_options* options, nxf_log** log,
                        nxf_error* error);
void nxf_log_free(nxf_log* log);

/* The next messages, at most max of them, in the order of the log. message_size: sizeof
 * (nxf_log_message), the distance of two messages in the caller's array. Their texts live until the
 * next call, or nxf_log_free(). NXF_OK: *count is 1 to max. NXF_END: 0, and there are no more. NXF_IO:
 * 0; the log cannot be read further, as a cut or damaged archive: all messages before that were
 * returned, error->offset is after the last one, and later calls return the error again. A place that
 * is no message is passed over and counted. Memory: one batch, and at most one message of 1 MiB. */
nxf_status nxf_log_read(nxf_log* log, nxf_log_message* messages, size_t message_size, size_t max,
                        size_t* count, nxf_error* error);

/* What was found so far that is no whole message. */
typedef struct nxf_log_faults {
  size_t struct_size;
  uint64_t skipped;        /* places with 8=FIX that begin no message */
  uint64_t first_skipped;  /* offset of the first one */
  uint64_t too_long;       /* messages that were cut after 1 MiB */
  uint64_t first_too_long; /* offset of the first one */
  uint64_t cut;            /* messages that do not end where BodyLength says; nxf_parse() refuses them */
} nxf_log_faults;
/* faults: the caller has set struct_size. */
nxf_status nxf_log_skipped(const nxf_log* log, nxf_log_faults* faults);

/* ---- Validation ------------------------------------------------------------------------------- */

typedef struct nxf_validator nxf_validator;

/* Rules to leave out or to add: bits of nxf_validator_options. Their meaning is that of the keys of a
 * session's configuration. */
enum {
  NXF_ALLOW_FIELDS_OUT_OF_ORDER = 1 << 0,   /* ValidateFieldsOutOfOrder=N */
  NXF_ALLOW_EMPTY_VALUES = 1 << 1,          /* ValidateFieldsHaveValues=N */
  NXF_ALLOW_USER_DEFINED_FIELDS = 1 << 2,   /* ValidateUserDefinedFields=N */
  NXF_ALLOW_UNKNOWN_FIELDS = 1 << 3,        /* AllowUnknownMsgFields=Y */
  NXF_ALLOW_UNKNOWN_VALUES = 1 << 4,        /* AllowUnknownEnumValues=Y */
  NXF_CHECK_ORDER_IN_GROUPS = 1 << 5,       /* ValidateUnorderedGroupFields=Y */
  NXF_FIRST_FIELD_BEGINS_GROUP_ENTRY = 1 << 6 /* FirstFieldInGroupIsDelimiter=Y */
};

typedef struct nxf_validator_options {
  size_t struct_size;
  uint32_t rules; /* the bits above; an unknown bit is NXF_INVALID_ARGUMENT */
} nxf_validator_options;

/* options: NULL: all rules. Errors: NXF_DICTIONARY. */
nxf_status nxf_validator_new(const nxf_dictionary* dictionary, const nxf_validator_options* options,
                             nxf_validator** validator, nxf_error* error);
void nxf_validator_free(nxf_validator* validator);

typedef struct nxf_violation {
  size_t struct_size;
  uint32_t tag;              /* RefTagID (371); 0: there is none */
  int32_t reason;            /* SessionRejectReason (373) */
  size_t offset;             /* of the value in the message */
  uint32_t group;            /* the count field of the group around the field; 0: none */
  const char* rule;          /* such as "RequiredTagMissing"; lives as long as the program */
  char text[NXF_TEXT_BYTES]; /* one sentence for people; without the value of a password */
} nxf_violation;

/* NXF_OK: the message follows the dictionary. NXF_VIOLATION: *violation has the first rule that it
 * breaks. violation may be NULL; without it, nothing is allocated. */
nxf_status nxf_validate(nxf_validator* validator, const nxf_message* message,
                        nxf_violation* violation);

/* ---- Encoding --------------------------------------------------------------------------------- */

/* Writes messages into buffers of the caller, field by field, in the order of the calls. It writes
 * BeginString, BodyLength, MsgType, the standard header and CheckSum itself, and allocates nothing
 * after nxf_encoder_new(). The first error is kept, later fields are ignored, and
 * nxf_encoder_finish() returns it: no incomplete message is ever returned. */
typedef struct nxf_encoder nxf_encoder;

nxf_status nxf_encoder_new(nxf_encoder** encoder);
void nxf_encoder_free(nxf_encoder* encoder);

/* Digits of a second in timestamps. */
typedef int32_t nxf_precision;
enum { NXF_SECONDS = 0, NXF_MILLIS = 3, NXF_MICROS = 6, NXF_NANOS = 9 };

typedef struct nxf_header {
  size_t struct_size;
  const char* begin_string;      /* BeginString (8): "FIX.4.4"; at most 16 bytes */
  const char* msg_type;          /* MsgType (35): "D" */
  const char* sender_comp_id;    /* SenderCompID (49) */
  const char* target_comp_id;    /* TargetCompID (56) */
  uint64_t msg_seq_num;          /* MsgSeqNum (34) */
  int64_t sending_time;          /* SendingTime (52), in nanoseconds since 1970-01-01 UTC */
  nxf_precision precision;       /* of SendingTime */
  int32_t poss_dup;              /* not 0: PossDupFlag (43): Y */
  int32_t poss_resend;           /* not 0: PossResend (97): Y */
  const char* orig_sending_time; /* OrigSendingTime (122), as text; NULL: none */
} nxf_header;

/* Begins a message and discards an unfinished one. buffer must live until nxf_encoder_finish(). */
nxf_status nxf_encoder_begin(nxf_encoder* encoder, char* buffer, size_t size,
                             const nxf_header* header);
/* One field each. size: NXF_ZERO_TERMINATED is possible. */
void nxf_encoder_text(nxf_encoder* encoder, uint32_t tag, const char* value, size_t size);
void nxf_encoder_int(nxf_encoder* encoder, uint32_t tag, int64_t value);
/* exponent: -18 to 18. 15025 and -2 is written as 150.25, with all of its digits. */
void nxf_encoder_decimal(nxf_encoder* encoder, uint32_t tag, nxf_decimal value);
void nxf_encoder_time(nxf_encoder* encoder, uint32_t tag, int64_t nanoseconds,
                      nxf_precision precision);
void nxf_encoder_char(nxf_encoder* encoder, uint32_t tag, char value);
void nxf_encoder_bool(nxf_encoder* encoder, uint32_t tag, int32_t value);
/* A Length field and its data field, whose value may have any bytes. */
void nxf_encoder_data(nxf_encoder* encoder, uint32_t length_tag, uint32_t data_tag,
                      const char* value, size_t size);
/* A group of count entries: nxf_encoder_entry() before the fields of each entry, and
 * nxf_encoder_group_end() after the last one. Groups may be nested, NXF_GROUP_DEPTH deep. */
void nxf_encoder_group(nxf_encoder* encoder, uint32_t count_tag, size_t count);
void nxf_encoder_entry(nxf_encoder* encoder);
void nxf_encoder_group_end(nxf_encoder* encoder);
/* The complete message, which lies somewhere within the buffer, and lives as long as it. Errors:
 * NXF_BUFFER_TOO_SMALL; NXF_NOT_ENCODED: error has the tag of the first field that cannot be
 * written; NXF_INVALID_ARGUMENT: no message has begun, or a group is open or was never begun. */
nxf_status nxf_encoder_finish(nxf_encoder* encoder, nxf_text* message, nxf_error* error);

/* ---- Sessions --------------------------------------------------------------------------------- */

/* The sessions of one configuration, as initiator or acceptor, with their journal. One event loop:
 * EventLoops above 1 is refused. Its thread is the one that calls nxf_engine_run() or
 * nxf_engine_poll(), or that nxf_engine_start() starts; callbacks run there. */
typedef struct nxf_engine nxf_engine;
/* Lives until nxf_engine_free(), also if the session is removed from the configuration. */
typedef struct nxf_session nxf_session;
/* The answer to a message; it accepts at first. Lives until the callback returns. */
typedef struct nxf_reply nxf_reply;

/* The callbacks of a program; NULL: not called. Each runs on the thread of the engine, must not block,
 * and must not throw or jump out. user_data is passed on. Messages and texts live until the callback
 * returns: nxf_message_copy() keeps one. */
typedef struct nxf_application {
  size_t struct_size;
  void* user_data;
  void (*on_logon)(void* user_data, nxf_session* session);
  void (*on_logout)(void* user_data, nxf_session* session);
  /* The connection has ended. is_orderly: both sides have sent Logout. */
  void (*on_disconnect)(void* user_data, nxf_session* session, int32_t is_orderly, nxf_text why);
  /* An application message of the counterparty. Without it, each is rejected as unsupported. */
  void (*on_message)(void* user_data, nxf_session* session, const nxf_message* message,
                     nxf_reply* reply);
  /* A message of the session layer, such as a Reject (3). */
  void (*on_admin)(void* user_data, nxf_session* session, const nxf_message* message);
  /* A message that has waited for OutboundMessages, and that is not sent. */
  void (*on_not_sent)(void* user_data, nxf_session* session, nxf_text bytes, nxf_text why);
  /* The end of nxf_session_post(): NXF_OK and MsgSeqNum; or NXF_NOT_SENT, NXF_NOT_ENCODED or
   * NXF_CLOSED, and why. Once for each token. */
  void (*on_posted)(void* user_data, nxf_session* session, uint64_t token, nxf_status status,
                    uint64_t msg_seq_num, nxf_text why);
  /* What operators read: number is that of NXF-1042, severity 0 (information), 1 (a warning) or 2
   * (an error), name that of the session or empty. Without it, events go to standard error. */
  void (*on_event)(void* user_data, uint32_t number, int32_t severity, nxf_text name,
                   nxf_text text);
  /* Of messages in callbacks; NULL: the version of each message. The engine keeps what it needs. */
  const nxf_dictionary* dictionary;
} nxf_application;

/* Reads a configuration file, opens the store and the ports. The struct is copied; user_data must
 * outlive the engine. Blocks while it reads files. Errors: NXF_CONFIGURATION: the text has every
 * error with its line, as many as fit, or the file or port that cannot be used. */
nxf_status nxf_engine_open(const char* path, const nxf_application* application,
                           nxf_engine** engine, nxf_error* error);
/* From a text in memory. name: in texts of errors. */
nxf_status nxf_engine_open_text(const char* text, size_t size, const char* name,
                                const nxf_application* application, nxf_engine** engine,
                                nxf_error* error);
/* Ends the engine; call nxf_engine_stop() and wait for its end before, or connections end without a
 * Logout. Not on the thread of the engine. Results of nxf_session_post() may still come. */
void nxf_engine_free(nxf_engine* engine);

/* Serves on the calling thread until nxf_engine_stop(). NXF_IO: the store has failed. */
nxf_status nxf_engine_run(nxf_engine* engine);
/* One turn, on a thread of the caller: waits at most so long for an event, and handles all that are
 * ready. 0: does not wait. NXF_END: no work is left, as when nxf_engine_run() would return. */
nxf_status nxf_engine_poll(nxf_engine* engine, int64_t timeout_ns);
/* Serves on a thread of the engine, and returns at once. Once, and then nxf_engine_join(). */
nxf_status nxf_engine_start(nxf_engine* engine);
/* Waits for the end of the thread of nxf_engine_start(). As nxf_engine_run(). Any other thread. */
nxf_status nxf_engine_join(nxf_engine* engine);
/* Logs out every session; then the engine ends. Any thread, and signal handlers. */
void nxf_engine_stop(nxf_engine* engine);
/* The port of the first acceptor, also for SocketAcceptPort=0. 0: there is none. Before the engine
 * runs, or on its thread. */
uint16_t nxf_engine_port(const nxf_engine* engine);

/* The sessions, one for each index from 0 on; NULL: there are no more. Any thread. */
nxf_session* nxf_engine_session_at(nxf_engine* engine, size_t index);
/* By its name, such as "FIX.4.4:TRADER->VENUE". NULL: there is none. Any thread. */
nxf_session* nxf_engine_session(nxf_engine* engine, const char* name);
/* Lives as long as the session. Any thread. */
const char* nxf_session_name(const nxf_session* session);
/* 0 or 1; a moment later it may be otherwise. Any thread. */
int32_t nxf_session_is_logged_on(const nxf_session* session);

/* Begins a message on the thread of the engine, in a callback or between two nxf_engine_poll(). The
 * encoder belongs to the session: write the fields of the body in their order, and then call
 * nxf_session_send() in the same callback. NXF_CLOSED: the session was removed. */
nxf_status nxf_session_begin(nxf_session* session, const char* msg_type, nxf_encoder** encoder);
/* Numbers, journals and sends the message. msg_seq_num may be NULL. Errors: NXF_NOT_ENCODED and
 * NXF_BUFFER_TOO_SMALL, as nxf_encoder_finish(); NXF_NOT_SENT: the text says why. */
nxf_status nxf_session_send(nxf_session* session, uint64_t* msg_seq_num, nxf_error* error);
/* Sends from any thread: copies a message that nxf_encoder has made, passes it to the thread of the
 * engine, and returns at once. The session writes its own header: of that of the message only
 * MsgType and fields such as SenderSubID are used. *token is for on_posted() and may be NULL. Errors:
 * NXF_GARBLED: bytes are no message; NXF_FULL: 1,024 messages wait; NXF_CLOSED. */
nxf_status nxf_session_post(nxf_session* session, const char* bytes, size_t size, uint64_t* token,
                            nxf_error* error);
/* Sends a Logout with this Text (58), which may be NULL; an initiator does not log on again by itself.
 * Soon, on the thread of the engine. Any thread. Errors: NXF_FULL, NXF_CLOSED. */
nxf_status nxf_session_log_out(nxf_session* session, const char* text);
/* Initiator: connects and logs on again after a Logout. Threads and errors as above. */
nxf_status nxf_session_log_on(nxf_session* session);

/* Answers the message with a BusinessMessageReject (j): BusinessRejectReason (380), RefTagID (371) or
 * 0, Text (58) or NULL. In on_message() only. */
void nxf_reply_business_reject(nxf_reply* reply, uint32_t reason, uint32_t ref_tag,
                               const char* text);
/* Answers with a Reject (3): SessionRejectReason (373). */
void nxf_reply_session_reject(nxf_reply* reply, uint32_t reason, uint32_t ref_tag,
                              const char* text);

/* ---- A gateway's client ----------------------------------------------------------------------- */

/* A program that attaches to `nexusfix gateway`, which has the sessions: the program may end and come
 * back while they stay logged on. docs/guide/gateway.md and docs/reference/gateway-protocol.md
 * describe the rules. A client is attached from nxf_client_attach() on, until a function returns
 * NXF_CLOSED. Then free it, and attach again with the cursors that the program has kept: no message
 * is lost, and none comes twice. */
typedef struct nxf_client nxf_client;

/* How frames go between client and gateway. */
typedef int32_t nxf_door;
enum {
  NXF_SOCKET = 0,       /* by the Unix socket */
  NXF_SHARED_MEMORY = 1 /* by a file that both map: no system call for a frame */
};

/* The last message of a session that the program has handled. Keep it in the program's own store,
 * together with the effect of the message. */
typedef struct nxf_cursor {
  const char* session;  /* its name, such as "FIX.4.4:TRADER->VENUE" */
  int32_t is_sent;      /* 1: of the messages that the session has sent, for observers */
  uint64_t epoch;       /* of the event; 0 with MsgSeqNum 0: all that the gateway's journal has */
  uint64_t msg_seq_num; /* MsgSeqNum (34) */
} nxf_cursor;

typedef struct nxf_client_options {
  size_t struct_size;
  const char* socket_path; /* SocketPath of the gateway's file of clients */
  const char* name;        /* of the client in that file */
  const char* token;
  nxf_door door;
  const nxf_cursor* cursors; /* a session without one: only messages that arrive from now on */
  size_t cursor_count;
  int64_t timeout_ns; /* for connecting, and for the answer; 0: 10 s */
  int64_t spin_ns;    /* nxf_client_receive() polls so long before it sleeps: lower latency for a core */
  int32_t in_order;   /* 1: after a refused message no higher number is accepted before the refused one
                       * is used again. For a program that sends before the last answer has come */
} nxf_client_options;

/* Why a gateway closed a connection: docs/reference/gateway-protocol.md, "Closed". */
typedef uint32_t nxf_close_code;
enum {
  NXF_CLOSE_VERSION = 1,
  NXF_CLOSE_DENIED = 2, /* unknown name or token */
  NXF_CLOSE_ALREADY_ATTACHED = 3,
  NXF_CLOSE_BAD_FRAME = 4,
  NXF_CLOSE_TOO_SLOW = 5,
  NXF_CLOSE_NO_HELLO = 6,
  NXF_CLOSE_STOPPING = 7,
  NXF_CLOSE_CURSOR_INVALID = 8, /* above the last message of the session */
  NXF_CLOSE_MESSAGES_GONE = 9,  /* the journal has deleted the messages after a cursor */
  NXF_CLOSE_CLIENT_ENDS = 10,
  NXF_CLOSE_NO_SHARED_MEMORY = 11
};

/* Connects and says who the client is. The options may change after the call. Blocks: each of the two
 * steps for at most the timeout. Errors: NXF_IO: no gateway is there, or its shared memory cannot be
 * used; NXF_TIMEOUT; NXF_REFUSED: error->code says why, and NXF_CLOSE_DENIED, _CURSOR_INVALID and
 * _MESSAGES_GONE stay as they are until a person acts. */
nxf_status nxf_client_attach(const nxf_client_options* options, nxf_client** client,
                             nxf_error* error);
/* Ends the connection. Messages without an NXF_EVENT_ACCEPTED may or may not have been sent: a later
 * nxf_client_attach() knows. */
void nxf_client_free(nxf_client* client);

/* The highest number that the gateway had accepted from this client when it attached: send again
 * exactly the messages that have a higher one. */
uint64_t nxf_client_last_number(const nxf_client* client);
/* 1: the client gets a copy of all messages, and may send none. */
int32_t nxf_client_is_observer(const nxf_client* client);

typedef struct nxf_client_session {
  size_t struct_size;
  const char* name;     /* lives as long as the client */
  int32_t is_logged_on; /* by the last event of it */
  uint64_t epoch;       /* when the client attached; 1 and more: each reset begins a new one */
  uint64_t received;    /* the last MsgSeqNum of the counterparty in this epoch, at that time; 0: none */
  uint64_t sent;        /* the last MsgSeqNum of this side */
} nxf_client_session;
/* The sessions that the client may see, one for each index from 0 on. session: the caller has set
 * struct_size. NXF_MISSING: there are no more. */
nxf_status nxf_client_session_at(const nxf_client* client, uint32_t index,
                                 nxf_client_session* session);

/* Sends an application message to the counterparty of a session. bytes: what nxf_encoder has made, or
 * fields that begin with 35= and have SOH after each. The engine writes its own header and trailer.
 * number: of the program's choice, higher than that of every message that was accepted before, over
 * all sessions; gaps are allowed. The bytes are copied. Does not block. The answer is an event:
 * NXF_EVENT_ACCEPTED, when the message is in the journal, or NXF_EVENT_REFUSED. Errors: NXF_FULL: the
 * gateway does not read at the moment: receive, and send again; NXF_BUFFER_TOO_SMALL: longer than
 * 1 MiB; NXF_CLOSED. */
nxf_status nxf_client_send(nxf_client* client, uint32_t session, uint64_t number, const char* bytes,
                           size_t size, nxf_error* error);

typedef int32_t nxf_event_kind;
enum {
  NXF_EVENT_ACCEPTED = 4, /* number; epoch and msg_seq_num of the message that was sent */
  NXF_EVENT_REFUSED = 5,  /* number, code, and why in body: nothing was sent */
  NXF_EVENT_MESSAGE = 6,  /* body is a FIX message, for nxf_parse(); epoch and msg_seq_num: its cursor */
  NXF_EVENT_SESSION = 7,  /* code 1: the session is logged on; 0: it is not, body says why */
  NXF_EVENT_CAUGHT_UP = 8, /* all messages after the cursors have come */
  NXF_EVENT_CLOSED = 9    /* the gateway ends the connection: code is an nxf_close_code */
};
/* Bits of nxf_client_event.flags. */
enum {
  NXF_ACCEPTED_BEFORE = 1 << 0, /* accepted: the number was used before, and this message is ignored */
  NXF_ACCEPTED_STORED = 1 << 1, /* accepted: sent after the next Logon */
  NXF_FROM_JOURNAL = 1 << 0,    /* a message: it arrived before the client attached */
  NXF_SENT_BY_SESSION = 1 << 1  /* a message: this side sent it; for observers */
};
/* Codes of NXF_EVENT_REFUSED. */
enum {
  NXF_REFUSED_MESSAGE = 1,        /* it is no FIX message, or has a value that cannot be sent */
  NXF_REFUSED_NOT_ALLOWED = 2,    /* an observer, another session, or another client owns it */
  NXF_REFUSED_SESSION = 3,        /* the session is not logged on, and does not keep the message */
  NXF_REFUSED_RATE = 4,           /* OutboundMessages: msg_seq_num has the milliseconds to wait */
  NXF_REFUSED_UNAVAILABLE = 5,    /* the engine stops, or the disk is full */
  NXF_REFUSED_AFTER_REFUSED = 6,  /* in_order: a lower number was refused, and not used again yet */
  NXF_REFUSED_NOT_SENT = 7        /* it was accepted as stored, and a reset came before it was sent */
};

typedef struct nxf_client_event {
  size_t struct_size;
  nxf_event_kind kind;
  uint32_t session; /* its index */
  uint32_t code;
  uint32_t flags;
  uint64_t epoch;
  uint64_t msg_seq_num;
  uint64_t number; /* of nxf_client_send() */
  nxf_text body;   /* lives until the next function with this client, in shared memory if it is used */
} nxf_client_event;

/* Waits for the next event. event: the caller has set struct_size. timeout_ns: 0: does not wait;
 * negative: without a limit. Errors: NXF_TIMEOUT; NXF_CLOSED: the connection has ended, and all that
 * came before its end was returned; error says why. A gateway that was killed is seen within 50 ms, or
 * with timeout_ns below 1 ms within a thousand calls. */
nxf_status nxf_client_receive(nxf_client* client, int64_t timeout_ns, nxf_client_event* event,
                              nxf_error* error);

/* For a program with an event loop of its own, such as poll() or epoll: the descriptor belongs to the
 * client. Before each wait call nxf_client_has_event(). 1: do not wait, nxf_client_receive() has
 * something. 0: wait until the descriptor is readable; if nxf_client_has_unsent() is 1, or until it is
 * writable. */
int nxf_client_descriptor(const nxf_client* client);
int32_t nxf_client_has_event(nxf_client* client);
int32_t nxf_client_has_unsent(const nxf_client* client);

#ifdef __cplusplus
}
#endif

#endif
