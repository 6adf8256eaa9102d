# Packages, each as a target that our libraries link; headers of others are system headers (no warnings of theirs).
find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(TOMLPP REQUIRED IMPORTED_TARGET tomlplusplus)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(ARGON2 REQUIRED IMPORTED_TARGET libargon2)
pkg_check_modules(RDKAFKA REQUIRED IMPORTED_TARGET rdkafka)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
find_package(date REQUIRED)
find_package(mimalloc REQUIRED)

# Asio and Beast are compiled once, into this library; everything that includes them agrees through its definitions.
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/asio_impl.cpp" CONTENT "#include <boost/asio/impl/src.hpp>\n#include <boost/asio/ssl/impl/src.hpp>\n")
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/generated/beast_impl.cpp" CONTENT "#include <boost/beast/src.hpp>\n")
add_library(workforce_asio STATIC "${CMAKE_BINARY_DIR}/generated/asio_impl.cpp"
                                  "${CMAKE_BINARY_DIR}/generated/beast_impl.cpp")
target_compile_definitions(workforce_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
                                                 BOOST_ASIO_NO_DEPRECATED)
target_link_libraries(workforce_asio PUBLIC Boost::headers OpenSSL::SSL OpenSSL::Crypto Threads::Threads)

# RapidJSON 1.1.0 assigns to a const member in an operator that nobody calls; clang refuses it (Tencent/rapidjson#2347).
# Where it looks at 16 bytes at once it takes 0x1A to 0x1F for printable: it writes them as they are, which is no JSON, and
# reads them (Tencent/rapidjson#907). Of a number with an exponent near -2^31 the sum of all exponents overflows, and it reads
# outside of its table of powers. The build uses a copy of the packaged headers without these faults, made again when this
# file changes.
find_path(RAPIDJSON_DIR rapidjson/document.h REQUIRED)
set(RAPIDJSON_COPY "${CMAKE_BINARY_DIR}/generated/rapidjson")
if("${CMAKE_CURRENT_LIST_FILE}" IS_NEWER_THAN "${RAPIDJSON_COPY}/patched")
  file(REMOVE_RECURSE "${RAPIDJSON_COPY}")
  file(COPY "${RAPIDJSON_DIR}/rapidjson" DESTINATION "${RAPIDJSON_COPY}")
  function(patch_rapidjson header from to)
    set(path "${RAPIDJSON_COPY}/rapidjson/${header}")
    file(READ "${path}" before)
    string(REPLACE "${from}" "${to}" after "${before}")
    if(after STREQUAL before)
      message(FATAL_ERROR "rapidjson/${header} of the package has no \"${from}\" to mend; is it newer than 1.1.0?")
    endif()
    file(WRITE "${path}" "${after}")
  endfunction()
  patch_rapidjson(document.h "GenericStringRef& operator=(const GenericStringRef& rhs) { s = rhs.s; length = rhs.length; }" "")
  string(REPEAT "0x19, " 15 fifteen)
  string(REPLACE "0x19" "0x1F" patched "${fifteen}")
  patch_rapidjson(reader.h "${fifteen}0x19" "${patched}0x1F")
  patch_rapidjson(reader.h "exp >= 214748364)" "exp >= 21474836)")
  patch_rapidjson(writer.h "${fifteen}0x19" "${patched}0x1F")
  file(TOUCH "${RAPIDJSON_COPY}/patched")
endif()
add_library(workforce_rapidjson INTERFACE)
target_include_directories(workforce_rapidjson SYSTEM INTERFACE "${RAPIDJSON_COPY}")
target_compile_definitions(workforce_rapidjson INTERFACE RAPIDJSON_HAS_STDSTRING=1)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_definitions(workforce_rapidjson INTERFACE RAPIDJSON_SSE2)
endif()

# What gives the memory of the program and of benchmarks. Sanitizers bring an allocator of their own.
add_library(workforce_memory INTERFACE)
if(NOT WORKFORCE_SANITIZE)
  target_link_libraries(workforce_memory INTERFACE mimalloc)
endif()

add_library(workforce_dependencies INTERFACE)
target_link_libraries(
  workforce_dependencies
  INTERFACE workforce_asio
            workforce_rapidjson
            fmt::fmt
            CLI11::CLI11
            prometheus-cpp::core
            PkgConfig::PQXX
            PkgConfig::PQ
            PkgConfig::TOMLPP
            PkgConfig::UTF8PROC
            PkgConfig::ARGON2
            PkgConfig::RDKAFKA
            PkgConfig::ZSTD
            PkgConfig::CURL
            date::date-tz)
