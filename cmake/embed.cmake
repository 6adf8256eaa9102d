# Writes a generated header. One that is unchanged keeps its time, so nothing is compiled again.
function(write_header header text)
  set(out "${CMAKE_BINARY_DIR}/generated/${header}")
  set(old "")
  if(EXISTS "${out}")
    file(READ "${out}" old)
  endif()
  if(NOT text STREQUAL old)
    file(WRITE "${out}" "${text}")
  endif()
endfunction()

# embed_text(<folder> <namespace> <header> <file>...): writes a header in which each file is an inline constexpr
# string_view, named after the file's path below the folder ("activity/recent.sql" → activity_recent), and kFiles lists them all,
# ordered by that path. Edits re-run CMake.
function(embed_text folder namespace header)
  set(text "// Generated from the files that it names; edit those.\n#pragma once\n#include <array>\n#include <string_view>\n")
  string(APPEND text "namespace ${namespace} {\n")
  set(rows "")
  cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  list(SORT ARGN)
  list(LENGTH ARGN count)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(RELATIVE_PATH path "${folder}" "${file}")
    string(REGEX REPLACE "\\.[a-z]+$" "" name "${path}")
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${name}")
    file(READ "${file}" body)
    string(APPEND text "/// ${name}\ninline constexpr std::string_view ${name} = R\"embedded(${body})embedded\";\n")
    string(APPEND rows "    {\"${path}\", ${name}},\n")
  endforeach()
  string(APPEND text "/// An embedded file: its path below the folder, and its text.\n"
                     "struct File {\n    std::string_view name;\n    std::string_view text;\n};\n"
                     "/// All of them, ordered by path.\n"
                     "inline constexpr std::array<File, ${count}> kFiles{{\n${rows}}};\n}\n")
  write_header("${header}" "${text}")
endfunction()

# embed_files(<namespace> <header> <file>...): writes a header in which each file, of any size, is a function that gives its bytes as a
# string_view, named after it without its last extension ("swagger-ui.css" → swagger_ui()). What is in a file is part of the header, by
# its digest: caches of compilers do not look at what #embed reads.
function(embed_files namespace header)
  set(text "// Generated from the files that it names; edit those.\n#pragma once\n#include <string_view>\n")
  string(APPEND text "#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Wc23-extensions\"\n")
  string(APPEND text "namespace ${namespace} {\n")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    cmake_path(GET file STEM LAST_ONLY name)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" name "${name}")
    file(SHA256 "${file}" digest)
    cmake_path(GET header PARENT_PATH folder)
    file(RELATIVE_PATH path "${CMAKE_BINARY_DIR}/generated/${folder}" "${file}")
    string(APPEND text "/// ${digest}\ninline std::string_view ${name}() {\n    static constexpr unsigned char kBytes[] = {\n"
                       "#embed \"${path}\"\n    };\n    return {reinterpret_cast<char const*>(kBytes), sizeof kBytes};\n}\n")
  endforeach()
  string(APPEND text "}\n#pragma clang diagnostic pop\n")
  write_header("${header}" "${text}")
endfunction()
