// Which integers of a request are ids, and what these may be.
#include "operations/schema/ids.hpp"

#include <gtest/gtest.h>

#include "commands/shift.hpp"
#include "tests/support/given.hpp"

namespace workforce::tests {
namespace {

template <class T>
std::string faults_of_ids(std::string_view body) {
    auto const document = core::parse_json(body).value();
    T value;
    core::JsonReader reader;
    core::JsonType<T>::read(document, value, reader);
    operations::check_ids(value, reader);
    std::string faults;
    for (auto const& error : reader.errors()) faults += error.field + " " + error.rule + ", ";
    return faults;
}

TEST(Ids, ArePositiveAndBelow2To53) {
    using commands::AssignStaff;
    EXPECT_EQ(faults_of_ids<AssignStaff>(R"({"staffId":1})"), "");
    EXPECT_EQ(faults_of_ids<AssignStaff>(R"({"staffId":0})"), "staffId range, ");
    EXPECT_EQ(faults_of_ids<AssignStaff>(R"({"staffIds":[9007199254740991,9007199254740992,-1]})"),
              "staffIds[1] range, staffIds[2] range, ");
    EXPECT_EQ(faults_of_ids<AssignStaff>(R"({"staffId":"0"})"), "staffId type, ") << "told once";
}

TEST(Ids, AreFoundWithinAndToldOnce) {
    EXPECT_EQ(faults_of_ids<commands::CreateShifts>(
                  R"({"shifts":[{"title":"T","date":"2026-07-25","startTime":"08:00","endTime":"16:00"},)"
                  R"({"facilityId":0,"title":"T","date":"2026-07-25","startTime":"08:00","endTime":"16:00"}]})"),
              "shifts[0].facilityId required, shifts[1].facilityId range, ");
}

}  // namespace
}  // namespace workforce::tests
