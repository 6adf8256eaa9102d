// Files to be imported: headers, rows, and cells as JSON.
#include "operations/import_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "commands/staff.hpp"
#include "core/json_values.hpp"
#include "events/shift.hpp"

namespace workforce::operations {
namespace {

ImportHeader const& staff_header() {
    static ImportHeader const header{columns_of<commands::CreateStaff>(), {"firstName", "email"}};
    return header;
}

/// The rows as JSON, each as `line json` or `line CODE message`; or the refusal of the file, by its details.
std::string imported(std::string_view text, ImportHeader const& header = staff_header()) {
    auto const file = read_import_file(text, header);
    if (!file) return std::string(core::info(file.error().code).name) + " " + file.error().details;
    std::string all;
    for (auto const& row : file->rows) {
        all += std::to_string(row.line) + " ";
        all += row.fault ? std::string(core::info(row.fault->code).name) + " " + row.fault->message
                         : core::json_of(object_of_row(row.cells, file->columns));
        all += '\n';
    }
    return all;
}

std::string fault(std::string_view field, std::string_view rule, std::string_view message) {
    std::string text = "VALIDATION_ERROR {\"fields\":[{\"field\":\"";
    return text.append(field)
        .append(R"(","rule":")")
        .append(rule)
        .append(R"(","message":")")
        .append(message)
        .append("\"}]}");
}

TEST(ImportFile, ColumnsAreTheFieldsNames) {
    std::vector<std::string> names;
    for (auto const& column : columns_of<commands::CreateStaff>()) names.push_back(column.name);
    for (auto const* name : {"firstName", "email", "hourlyRate", "certifications", "emergencyContact.phone",
                             "workHistory", "facilityIds", "maxWeeklyHours", "isActive"}) {
        EXPECT_EQ(std::ranges::count(names, name), 1) << name;
    }
    EXPECT_EQ(std::ranges::count(names, "emergencyContact"), 0);
    for (auto const& column : columns_of<events::ShiftDetails>()) {
        auto const is_breaks = column.name == "breaks";
        EXPECT_EQ(column.form == CellForm::json, is_breaks) << column.name;
    }
}

TEST(ImportFile, CellsAreWhatTheirColumnsHold) {
    EXPECT_EQ(imported("email,firstName,hourlyRate,isActive,skills,facilityIds,emergencyContact.name,"
                       "emergencyContact.phone,profilePhoto,maxWeeklyHours,education\r\n"
                       "a@x.org, Ada ,31.50,TRUE,triage| wound care ||,1|2,Bob,,https://x.org/a.png,40,"
                       "\"[{\"\"institution\"\":\"\"MIT\"\",\"\"degree\"\":\"\"BSc\"\"}]\"\r\n"),
              R"(2 {"email":"a@x.org","firstName":"Ada","hourlyRate":31.5,"isActive":true,)"
              R"("skills":["triage","wound care"],"facilityIds":[1,2],"emergencyContact":{"name":"Bob"},)"
              R"("profilePhoto":"https://x.org/a.png","maxWeeklyHours":40,)"
              R"("education":[{"institution":"MIT","degree":"BSc"}]})"
              "\n");
}

TEST(ImportFile, WhatIsWrittenOtherwiseStaysText) {
    EXPECT_EQ(imported("email,firstName,hourlyRate,isActive,facilityIds,education\n"
                       "1,2,\"12,50\",yes,1|x,MIT\n3,4,007,1,\" \",[\n"),
              R"(2 {"email":"1","firstName":"2","hourlyRate":"12,50","isActive":"yes","facilityIds":[1,"x"],)"
              R"("education":"MIT"})"
              "\n"
              R"(3 {"email":"3","firstName":"4","hourlyRate":"007","isActive":"1","education":"["})"
              "\n");
}

TEST(ImportFile, BlankCellsAndLinesSayNothing) {
    EXPECT_EQ(imported("email,firstName\n\n,\n  ,\"\"\na@x.org,\n"), "5 {\"email\":\"a@x.org\"}\n");
    EXPECT_EQ(imported("firstName,email"), "");
}

TEST(ImportFile, NamesTheColumnsThatAreWrong) {
    EXPECT_EQ(imported(""), fault("line 1", "required", "must name the columns: the file is empty"));
    EXPECT_EQ(imported("email,firstName,phonenumber\n"), fault("phonenumber", "column", "is no column of this import"));
    EXPECT_EQ(imported("email,firstName,Phone\n"), fault("Phone", "column", "is no column of this import"));
    EXPECT_EQ(imported("email,firstName,\n"), fault("(no name)", "column", "is no column of this import"));
    EXPECT_EQ(imported("email,firstName,email\n"), fault("email", "duplicate", "is given more than once"));
    EXPECT_EQ(imported("firstName\n"), fault("email", "required", "is a column that the file has to have"));
    auto const semicolons = imported("email;firstName\n");
    EXPECT_NE(semicolons.find(R"("message":"is no column: commas separate columns")"), std::string::npos) << semicolons;
    auto const many = imported("email,firstName" + std::string(10'000, ',') + "\n");
    EXPECT_NE(many.find("has more columns than there are"), std::string::npos);
}

TEST(ImportFile, ARowWithOtherCellsThanTheHeaderIsAlone) {
    EXPECT_EQ(imported("email,firstName\na\nb,c,d\ne,f\n"),
              "2 VALIDATION_ERROR The row has 1 cells, and the header 2.\n"
              "3 VALIDATION_ERROR The row has 3 cells, and the header 2.\n"
              "4 {\"email\":\"e\",\"firstName\":\"f\"}\n");
}

TEST(ImportFile, ARowIsNoLargerThanABody) {
    std::string const most(256 * 1024, 'x');
    EXPECT_EQ(imported("email,firstName\n" + most + ",a\nb,c\n"),
              "2 PAYLOAD_TOO_LARGE The row has more than 262144 bytes, which no body may have.\n"
              "3 {\"email\":\"b\",\"firstName\":\"c\"}\n");
}

TEST(ImportFile, TakesFiveThousandRows) {
    std::string text = "email,firstName\n";
    for (std::size_t i = 0; i < kMostImportRows; ++i) text += "a,b\n";
    EXPECT_EQ(read_import_file(text + "\n,\n", staff_header()).value().rows.size(), kMostImportRows);
    EXPECT_EQ(imported(text + "a,b\n"), R"(PAYLOAD_TOO_LARGE {"maxRows":5000})");
}

TEST(ImportFile, IsUtf8WithoutNul) {
    EXPECT_EQ(imported("email,firstName\na,b\nc,\xFC\n"), fault("line 3", "characters", "must be valid UTF-8"));
    EXPECT_EQ(imported(std::string_view("email\0", 6)), fault("line 1", "characters", "must be valid UTF-8"));
    EXPECT_EQ(imported("email,firstName\na,\"b\n"),
              fault("line 2", "csv", "begins a cell with a quote that nothing closes"));
}

}  // namespace
}  // namespace workforce::operations
