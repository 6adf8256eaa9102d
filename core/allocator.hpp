// What the process has of the system's memory, and giving back what it does not use.
#pragma once

#include <cstddef>

namespace workforce::core {

/// Bytes of the process in memory that are no file's: heap and stacks, in use or kept for reuse. Reads a file of /proc;
/// 0 where it can't. Thread-safe.
std::size_t own_memory();

/// Gives back to the system what the calling thread's part of the allocator keeps for reuse, with what other threads
/// freed of it. For a thread that was busy and has nothing to do: until it allocates again nobody else does this for
/// it. Takes some 100 microseconds. Does nothing with an allocator other than the program's.
void release_unused_memory();

}  // namespace workforce::core
