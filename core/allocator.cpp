// Calls into mimalloc, where the program is linked with it.
#include "core/allocator.hpp"

#include <mimalloc.h>
#include <unistd.h>

#include <fstream>

// Tests and sanitizers run with other allocators.
#pragma weak mi_collect
#pragma weak mi_option_get
#pragma weak mi_option_set

namespace workforce::core {

std::size_t own_memory() {
    std::size_t size = 0;
    std::size_t resident = 0;
    std::size_t of_files = 0;
    std::ifstream file("/proc/self/statm");
    if (!(file >> size >> resident >> of_files)) return 0;
    return (resident - of_files) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void release_unused_memory() {
    if (mi_collect == nullptr || mi_option_get == nullptr || mi_option_set == nullptr) return;
    // What is freed from here on would wait for the thread's next allocation.
    static auto const delay = mi_option_get(mi_option_decommit_delay);
    mi_option_set(mi_option_decommit_delay, 0);
    mi_collect(true);
    mi_option_set(mi_option_decommit_delay, delay);
}

}  // namespace workforce::core
