// The C11 threads that librdkafka runs on, by way of POSIX threads: the thread sanitizer knows those alone, and a
// thread that it does not know crashes in the first function of ours that it calls.
#include <pthread.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <memory>

// As the C library has it, on which these rely.
static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
static_assert(sizeof(once_flag) == sizeof(pthread_once_t) && sizeof(thrd_t) == sizeof(pthread_t));

namespace {

struct Start {
    thrd_start_t function;
    void* argument;
};

void* run(void* raw) {
    std::unique_ptr<Start> const owned(static_cast<Start*>(raw));
    Start const start = *owned;
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.function(start.argument)));
}

int outcome(int error) {
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : error == EBUSY ? thrd_busy : thrd_error;
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
    auto start = std::make_unique<Start>(function, argument);
    int const error = pthread_create(thread, nullptr, &run, start.get());
    if (error == 0) static_cast<void>(start.release());  // run() has it
    return outcome(error);
}

int thrd_join(thrd_t thread, int* result) {
    void* value = nullptr;
    int const error = pthread_join(thread, &value);
    if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(value));
    return outcome(error);
}

int mtx_init(mtx_t* mutex, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    bool const recursive = (type & mtx_recursive) != 0;
    pthread_mutexattr_settype(&attributes, recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
    int const error = pthread_mutex_init(posix(mutex), &attributes);
    pthread_mutexattr_destroy(&attributes);
    return outcome(error);
}
int mtx_lock(mtx_t* mutex) { return outcome(pthread_mutex_lock(posix(mutex))); }
int mtx_trylock(mtx_t* mutex) { return outcome(pthread_mutex_trylock(posix(mutex))); }
int mtx_unlock(mtx_t* mutex) { return outcome(pthread_mutex_unlock(posix(mutex))); }
void mtx_destroy(mtx_t* mutex) { pthread_mutex_destroy(posix(mutex)); }

int cnd_init(cnd_t* condition) { return outcome(pthread_cond_init(posix(condition), nullptr)); }
int cnd_signal(cnd_t* condition) { return outcome(pthread_cond_signal(posix(condition))); }
int cnd_broadcast(cnd_t* condition) { return outcome(pthread_cond_broadcast(posix(condition))); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) { return outcome(pthread_cond_wait(posix(condition), posix(mutex))); }
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, timespec const* until) {
    return outcome(pthread_cond_timedwait(posix(condition), posix(mutex), until));
}
void cnd_destroy(cnd_t* condition) { pthread_cond_destroy(posix(condition)); }

void call_once(once_flag* flag, void (*function)()) { pthread_once(reinterpret_cast<pthread_once_t*>(flag), function); }

}  // extern "C"
