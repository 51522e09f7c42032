# room(NAME lower...): one folder, one static library, one line of the floor plan.
#
# NAME.c files that hold a main() are programs, not part of the room: they are
# listed in cmake/programs.cmake and left out here (main.c, shim.c).
set_property(GLOBAL PROPERTY FLOORS "")

set(HYPERTUNE_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wstrict-prototypes
    -Wmissing-prototypes -Wformat=2 -Wundef -Wno-format-nonliteral)
if(HYPERTUNE_WERROR)
  list(APPEND HYPERTUNE_WARNINGS -Werror)
endif()
if(HYPERTUNE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(HYPERTUNE_TSAN)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()

# house(TARGET): our language, our warnings, includes from the root.
function(house target)
  set_target_properties(${target} PROPERTIES C_STANDARD 17
    C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${HYPERTUNE_WARNINGS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE
    HYPERTUNE_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR})
endfunction()

function(room name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "/(main|shim)\\.c$")
  if(NOT sources) # a room still being built
    add_library(${name} INTERFACE)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  house(${name})
  foreach(lower ${ARGN})
    target_link_libraries(${name} PUBLIC ${lower})
  endforeach()
  target_link_libraries(${name} PUBLIC ${FOREIGN_${name}})
  string(JOIN " " line ${name} ${ARGN})
  set_property(GLOBAL APPEND_STRING PROPERTY FLOORS "${line}\n")
endfunction()

function(floors_write)
  get_property(floors GLOBAL PROPERTY FLOORS)
  file(WRITE ${PROJECT_BINARY_DIR}/floors.txt "${floors}")
endfunction()
