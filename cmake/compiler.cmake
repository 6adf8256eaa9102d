# Compiler check and the options that every target of ours shares.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  message(FATAL_ERROR "g++ ${CMAKE_CXX_COMPILER_VERSION} miscompiles ordinary coroutine code; build with clang++-19 "
                      "(cmake --preset release)")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(WORKFORCE_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
option(WORKFORCE_FUZZ "Build the fuzz targets, and what guides them into the folders that parse" OFF)
option(WORKFORCE_TESTS "Build the tests and benchmarks" ON)

add_library(workforce_options INTERFACE)
target_compile_options(workforce_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                                   -Wunreachable-code -Werror)
if(WORKFORCE_SANITIZE)
  # Applied to everything, third-party sources that we compile included, so that all agree on the shadow memory.
  add_compile_options(-fsanitize=${WORKFORCE_SANITIZE} -fno-omit-frame-pointer)
  if(WORKFORCE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined "-fsanitize-ignorelist=${CMAKE_SOURCE_DIR}/cmake/sanitizers.ignore")
    # Checks at each use of a pointer are a third of the code. Not seen without them: references to nothing of which nobody
    # reads, moves that want an alignment and do not trap, and casts down to what an object is not.
    add_compile_options(-fno-sanitize=null,alignment,vptr)
  endif()
  add_link_options(-fsanitize=${WORKFORCE_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld-19)
endif()
