/* Checks of tests in C: a failed one is printed, and the program ends with 1. */
#ifndef NEXUSFIX_C_CHECK_H
#define NEXUSFIX_C_CHECK_H

#include <stdio.h>
#include <string.h>

#include "nexusfix.h"

static int failures;

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);   \
      ++failures;                                                      \
    }                                                                  \
  } while (0)

static inline int is_text(nxf_text text, const char* expected) {
  return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

#define RUN(test)              \
  do {                         \
    const int before = failures; \
    test();                    \
    printf("%s %s\n", failures == before ? "ok    " : "FAILED", #test); \
  } while (0)

#endif
