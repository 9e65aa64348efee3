/* Counts the messages of a log by MsgType, and says how fast it was read:
 *   read_log FILE */
#include <nexusfix.h>
#include <stdio.h>
#include <time.h>

enum { BATCH = 4096, TYPES = 128 };

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char** arguments) {
  static nxf_log_message messages[BATCH];
  unsigned long long of_type[TYPES] = {0}, all = 0;
  nxf_error error = {.struct_size = sizeof error};
  nxf_log_faults faults = {.struct_size = sizeof faults};
  nxf_status status;
  nxf_log* log;
  size_t got;
  const double begin = seconds();
  double bytes = 0;
  if (count != 2) return fprintf(stderr, "usage: read_log FILE\n"), 2;
  if (nxf_log_open(arguments[1], NULL, &log, &error) != NXF_OK) {
    return fprintf(stderr, "%s\n", error.text), 1;
  }
  while ((status = nxf_log_read(log, messages, sizeof *messages, BATCH, &got, &error)) == NXF_OK) {
    all += got;
    bytes = (double)(messages[got - 1].offset + messages[got - 1].bytes.size);
    for (size_t i = 0; i < got; ++i) {
      const nxf_text type = messages[i].msg_type;
      if (type.size == 1 && type.data[0] > 0) ++of_type[(unsigned char)type.data[0]];
    }
  }
  if (status != NXF_END) fprintf(stderr, "after byte %zu: %s\n", error.offset, error.text);
  nxf_log_skipped(log, &faults);
  nxf_log_free(log);
  for (int type = 0; type < TYPES; ++type) {
    if (of_type[type] != 0) printf("%c %llu\n", type, of_type[type]);
  }
  printf("%llu messages, %llu places that are no message, %.2f GB/s\n", all,
         (unsigned long long)faults.skipped, bytes * 1e-9 / (seconds() - begin));
  return status == NXF_END ? 0 : 1;
}
