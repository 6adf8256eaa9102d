// Preloaded ahead of libfaketime: what C11 counts its waits from stays the true time. libfaketime sets timespec_get but
// not cnd_timedwait, whose end is told in it, so that librdkafka would wait for as long as the clock is ahead.
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

extern "C" int timespec_get(timespec* result, int base) noexcept {
    return base == TIME_UTC && syscall(SYS_clock_gettime, CLOCK_REALTIME, result) == 0 ? base : 0;
}
