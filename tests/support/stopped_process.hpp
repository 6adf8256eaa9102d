// A process that stands still for a while.
#pragma once

#include <sys/types.h>
#include <csignal>
#include <stdexcept>

namespace workforce::tests {

/// Stops a process of this machine, and lets it go on at the end of its life.
class StoppedProcess {
   public:
    /// Throws std::runtime_error when there is none that this one may stop.
    explicit StoppedProcess(pid_t process) : process_(process) {
        if (::kill(process_, SIGSTOP) != 0) throw std::runtime_error("no such process here");
    }
    StoppedProcess(StoppedProcess const&) = delete;
    StoppedProcess& operator=(StoppedProcess const&) = delete;
    ~StoppedProcess() { ::kill(process_, SIGCONT); }

   private:
    pid_t const process_;
};

}  // namespace workforce::tests
