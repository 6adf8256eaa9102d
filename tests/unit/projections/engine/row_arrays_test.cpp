// The arrays in which rows travel to Postgres.
#include "projections/engine/row_arrays.hpp"

#include <gtest/gtest.h>

namespace workforce::projections {
namespace {

TEST(ArrayColumn, HasElementsOfAllSorts) {
    ArrayColumn column;
    column.add(std::string_view("a"));
    column.add_null();
    column.add(std::string_view("\"\\,{}"));
    column.add(true);
    column.add(core::Id{7});
    EXPECT_EQ(column.take(), R"({"a",NULL,"\"\\,{}",t,7})");
}

TEST(ArrayColumn, ANulOfAnEventStopsNothing) {
    ArrayColumn column;
    column.add(std::string_view("a\0b", 3));
    column.add(std::string_view("\0", 1));
    EXPECT_EQ(column.take(),
              "{\"a\xEF\xBF\xBD"
              "b\",\"\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace workforce::projections
