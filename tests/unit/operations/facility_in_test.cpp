// Where a resource is, by its text.
#include <gtest/gtest.h>

#include <string>

#include "operations/reads.hpp"

namespace workforce::operations {
namespace {

TEST(FacilityIn, IsTheOneThatAResourceNames) {
    for (auto const& [text, facility] :
         {std::pair(R"({"id":1,"facilityId":7,"other":{"facilityId":8}})", 7),
          std::pair(R"({"id":1,"other":{"facilityId":8},"facilityId":7})", 7),
          std::pair(R"({"facilityId":null,"facilityIds":[7]})", 0), std::pair(R"({"facilityIds":[7]})", 7),
          std::pair(R"({"facilityIds":[7,8]})", 0), std::pair(R"({"facilityIds":[],"id":9})", 0),
          std::pair(R"([{"facilityId":7}])", 0), std::pair(R"({"name":"facilityId"})", 0), std::pair("", 0),
          std::pair("no JSON", 0)}) {
        EXPECT_EQ(facility_in(text), facility) << text;
    }
}

}  // namespace
}  // namespace workforce::operations
