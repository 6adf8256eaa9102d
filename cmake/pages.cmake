# What pages for people are made of, embedded: templates, style sheet and script of api/pages/, and the viewer of OpenAPI
# documents. The viewer comes from npm as api/pages/viewer/package-lock.json pins it; it is fetched once, into var/node-viewer.
set(viewer "${CMAKE_SOURCE_DIR}/var/node-viewer")
set(viewer_lock "${CMAKE_SOURCE_DIR}/api/pages/viewer/package-lock.json")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${viewer_lock}")
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${viewer_lock}" "${viewer}/installed.json"
                RESULT_VARIABLE viewer_differs OUTPUT_QUIET ERROR_QUIET)
if(viewer_differs)
  message(STATUS "Fetching the viewer of /docs")
  execute_process(COMMAND "${CMAKE_SOURCE_DIR}/scripts/node" --packages "${CMAKE_SOURCE_DIR}/api/pages/viewer" -e ""
                  COMMAND_ERROR_IS_FATAL ANY)
endif()

file(GLOB page_files CONFIGURE_DEPENDS api/pages/*.mustache api/pages/*.css api/pages/*.js)
embed_text(api/pages workforce::api::templates api/pages/templates.hpp ${page_files})
set(viewer "${viewer}/node_modules/swagger-ui-dist")
embed_files(workforce::api::viewer api/pages/viewer.hpp "${viewer}/swagger-ui.css" "${viewer}/swagger-ui-bundle.js")

# The forms of operations/pages/ and their style sheet, and the pages of operations/dashboard/.
file(GLOB form_files CONFIGURE_DEPENDS operations/pages/*.html operations/pages/*.css operations/dashboard/*.html)
embed_text(operations workforce::operations::templates operations/templates.hpp ${form_files})
