# embed_text(<target> <namespace> <header> <file>...): writes a header in which each file is an inline constexpr
# string_view, named after the file's path below the folder ("activity/recent.sql" → activity_recent), and kFiles lists them all,
# ordered by that path. Edits re-run CMake.
function(embed_text target namespace header)
  set(out "${CMAKE_BINARY_DIR}/generated/${header}")
  set(text "// Generated from the files that it names; edit those.\n#pragma once\n#include <array>\n#include <string_view>\n")
  string(APPEND text "namespace ${namespace} {\n")
  set(rows "")
  list(SORT ARGN)
  list(LENGTH ARGN count)
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    file(RELATIVE_PATH path "${CMAKE_CURRENT_SOURCE_DIR}/${target}" "${file}")
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
  set(old "")
  if(EXISTS "${out}")
    file(READ "${out}" old)
  endif()
  if(NOT text STREQUAL old)  # an unchanged header keeps its time, so nothing is compiled again
    file(WRITE "${out}" "${text}")
  endif()
endfunction()
