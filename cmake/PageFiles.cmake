# sotto_page_files(TARGET FOLDER): the files of a folder as text inside the program, so that a page
# needs nothing but the program. This file is also the script that writes them.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "// Written by cmake/PageFiles.cmake from the files of a page.\n#include \"view/page_files.h\"\n\n")
  string(APPEND text "namespace sotto::view {\n\nstd::string_view page_text(std::string_view name) {\n")
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    file(READ ${file} content)
    string(APPEND text "  if (name == \"${name}\") {\n    return R\"page(${content})page\";\n  }\n")
  endforeach()
  string(APPEND text "  return {};\n}\n\n}  // namespace sotto::view\n")
  file(WRITE ${OUT} "${text}")
  return()
endif()

function(sotto_page_files TARGET FOLDER)
  file(GLOB files CONFIGURE_DEPENDS ${FOLDER}/*)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/page_files_text.cpp)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -P ${PROJECT_SOURCE_DIR}/cmake/PageFiles.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/PageFiles.cmake VERBATIM)
  target_sources(${TARGET} PRIVATE ${out})
  set_source_files_properties(${out} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
