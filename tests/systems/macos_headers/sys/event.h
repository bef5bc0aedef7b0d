#pragma once
#include <stdint.h>
#include <time.h>
struct kevent {
  uintptr_t ident;
  int16_t filter;
  uint16_t flags;
  uint32_t fflags;
  intptr_t data;
  void* udata;
};
#define EV_SET(event, a, b, c, d, e, f) \
  (*(event) = {static_cast<uintptr_t>(a), (b), (c), (d), (e), (f)})
constexpr int16_t EVFILT_PROC = -5;
constexpr uint16_t EV_ADD = 0x1, EV_ONESHOT = 0x10;
constexpr uint32_t NOTE_EXIT = 0x80000000;
extern "C" {
int kqueue(void);
int kevent(int queue, const struct kevent* changes, int change_count, struct kevent* events,
           int event_count, const struct timespec* timeout);
}
