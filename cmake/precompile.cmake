# workforce_precompile(<target> <header>): <target> reads that header once, as precompiled. The first target that names a
# header builds it; the others, which have the same options (but for what guides fuzz targets), take it from there. The preset
# `dev` has none: a build of it finds a source that does not include what it uses.
option(WORKFORCE_PRECOMPILED "Precompile the headers of packages, and of events" ON)

function(workforce_precompile target header)
  if(NOT WORKFORCE_PRECOMPILED)
    return()
  endif()
  get_property(owner GLOBAL PROPERTY "workforce_precompiled_${header}")
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE "${CMAKE_SOURCE_DIR}/${header}")
    set_property(GLOBAL PROPERTY "workforce_precompiled_${header}" ${target})
  endif()
  # Its time of making would keep ccache from knowing it again.
  target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()
