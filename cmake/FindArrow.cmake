# Arrow and Parquet as pyarrow's wheel ships them: headers and versioned libraries without a CMake package of use here.
find_path(Arrow_INCLUDE_DIR arrow/api.h HINTS ${HANDSPAN_SITE} PATH_SUFFIXES pyarrow/include)
file(GLOB Arrow_LIBRARY "${Arrow_INCLUDE_DIR}/../libarrow.so.*[0-9]")
file(GLOB Parquet_LIBRARY "${Arrow_INCLUDE_DIR}/../libparquet.so.*[0-9]")
foreach(library Arrow_LIBRARY Parquet_LIBRARY)
  if(${library})
    list(GET ${library} 0 ${library})
  endif()
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arrow REQUIRED_VARS Arrow_LIBRARY Parquet_LIBRARY Arrow_INCLUDE_DIR)
if(Arrow_FOUND AND NOT TARGET arrow::parquet)
  add_library(arrow::arrow SHARED IMPORTED)
  set_target_properties(arrow::arrow PROPERTIES
    IMPORTED_LOCATION "${Arrow_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Arrow_INCLUDE_DIR}")
  add_library(arrow::parquet SHARED IMPORTED)
  set_target_properties(arrow::parquet PROPERTIES
    IMPORTED_LOCATION "${Parquet_LIBRARY}"
    INTERFACE_LINK_LIBRARIES arrow::arrow)
endif()
