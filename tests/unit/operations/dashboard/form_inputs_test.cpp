// Inputs of forms: what is there is shown, and what was typed comes to be the body.
#include "operations/dashboard/form_inputs.hpp"

#include <gtest/gtest.h>

#include "core/json_values.hpp"

namespace workforce::operations {
namespace {

FormShape every_input(bool changes) {
    return {.form = "pages.test",
            .inputs = {{.name = "name", .label = "Name", .required = true},
                       {.name = "contact.phone", .label = "Phone"},
                       {.name = "contact.name", .label = "Whose"},
                       {.name = "rate", .label = "Rate", .kind = FieldKind::number, .nullable = true},
                       {.name = "until", .label = "Until", .kind = FieldKind::date, .nullable = true},
                       {.name = "skills", .label = "Skills", .kind = FieldKind::texts},
                       {.name = "facilityIds", .label = "Facilities", .kind = FieldKind::ids},
                       {.name = "began", .label = "Began", .kind = FieldKind::moment},
                       {.name = "paid", .label = "Paid", .kind = FieldKind::box}},
            .rows = {{.name = "breaks",
                      .legend = "Break",
                      .inputs = {{.name = "start", .label = "From", .kind = FieldKind::moment, .required = true},
                                 {.name = "sort", .label = "Sort", .kind = FieldKind::choice, .values = {"a", "b"}}}}},
            .changes = changes};
}

std::string made(FormShape const& shape, FormFields const& fields) {
    auto const body = body_from(shape, fields);
    return body ? *body : body.error().message;
}

TEST(FormInputs, WhatIsTypedIsTheBody) {
    EXPECT_EQ(made(every_input(false), {{"name", "Mary"},
                                        {"contact.phone", "1"},
                                        {"rate", "12.5"},
                                        {"skills", "triage, , wound care"},
                                        {"facilityIds:3", "on"},
                                        {"facilityIds:x", "on"},
                                        {"began", "2026-07-01T10:00"},
                                        {"timezone", "Europe/Rome"},
                                        {"paid", "on"},
                                        {"breaks.0.start", "2026-07-01T12:00"},
                                        {"breaks.0.sort", "b"},
                                        {"breaks.1.start", ""},
                                        {"breaks.1.sort", "a"}}),
              R"({"name":"Mary","contact":{"phone":"1"},"rate":12.5,"skills":["triage","wound care"],)"
              R"("facilityIds":[3,"x"],"began":"2026-07-01T08:00:00.000Z","paid":true,)"
              R"("breaks":[{"start":"2026-07-01T10:00:00.000Z","sort":"b"}]})");
}

TEST(FormInputs, NothingTypedIsNothingNewAndEmptiesWhatIsChanged) {
    EXPECT_EQ(made(every_input(false), {}),
              R"({"name":"","contact":{},"skills":[],"facilityIds":[],"paid":false,"breaks":[]})");
    EXPECT_EQ(made(every_input(true), {}),
              R"({"name":"","contact":{"phone":"","name":""},"rate":null,"until":null,"skills":[],)"
              R"("facilityIds":[],"paid":false,"breaks":[]})");
}

TEST(FormInputs, WhatIsNoNumberIsLeftToTheOperation) {
    EXPECT_NE(made(every_input(false), {{"rate", "a lot"}}).find(R"("rate":"a lot")"), std::string::npos);
    EXPECT_NE(made(every_input(false), {{"rate", "[1]"}}).find(R"("rate":"[1]")"), std::string::npos);
}

TEST(FormInputs, WhatIsNoMomentIsRefused) {
    for (auto const* text : {"tomorrow", "2026-07-01", "2026-07-01T", "2026-07-01T25:00", "2026-02-30T10:00"}) {
        auto const body = body_from(every_input(false), {{"began", text}});
        ASSERT_FALSE(body) << text;
        EXPECT_NE(body.error().message.find("began must be a date and a time"), std::string::npos);
    }
}

TEST(FormInputs, AMomentKeepsItsSecondsWhereItsMinuteStays) {
    auto const held = core::parse_json(R"({"began":"2026-07-01T08:00:17.250Z"})");
    auto fields = held_fields(every_input(true), *held, "Europe/Rome");
    EXPECT_EQ(fields.at("began"), "2026-07-01T10:00");
    fields.emplace("timezone", "Europe/Rome");
    EXPECT_NE(made(every_input(true), fields).find("08:00:17.250Z"), std::string::npos);
    fields.at("began") = "2026-07-01T10:01";
    EXPECT_NE(made(every_input(true), fields).find("08:01:00.000Z"), std::string::npos);
    for (auto const* exact : {"9223372036854775807", "-9223372036854775808", "x"}) {
        fields.at("began.exact") = exact;
        EXPECT_NE(made(every_input(true), fields).find("08:01:00.000Z"), std::string::npos) << exact;
    }
}

TEST(FormInputs, WhatIsHeldAndSentBackIsTheSame) {
    auto const text =
        R"({"name":"Mary","contact":{"phone":"1","name":"Ada"},"rate":12.5,"until":null,"skills":["a","b"],)"
        R"("facilityIds":[3,9],"began":"2026-07-01T08:00:00.001Z","paid":true,)"
        R"("breaks":[{"start":"2026-07-01T10:00:00.000Z","sort":"b"},{"start":"2026-07-01T11:00:00.000Z","sort":"a"}]})";
    auto const held = core::parse_json(text);
    EXPECT_EQ(made(every_input(true), held_fields(every_input(true), *held)), text);
}

TEST(FormInputs, WhatTheCallerDoesNotSeeStaysTicked) {
    FormFields const values{{"facilityIds:3", "on"}, {"facilityIds:9", "on"}};
    auto const shape = every_input(true);
    auto const shown = core::parse_json(shown_fields(shape.inputs, values, {{"facilityIds", {{"3", "Ward"}}}}, "in"));
    for (auto const& input : shown->GetArray()) {
        if (input["name"] != "facilityIds") continue;
        EXPECT_EQ(core::json_of(input["kept"]), R"(["facilityIds:9"])");
        EXPECT_EQ(core::json_of(input["boxes"]),
                  R"([{"value":"3","text":"Ward","chosen":true,"field":"facilityIds:3"}])");
    }
}

TEST(FormInputs, ChoicesAreCalledByWords) {
    std::vector<FormField> const inputs{{.name = "isActive",
                                         .label = "Status",
                                         .kind = FieldKind::choice,
                                         .values = {"true=active", "per_diem"},
                                         .blank = "any"}};
    auto const shown = core::parse_json(shown_fields(inputs, {{"isActive", "true"}}, {}, "in"));
    std::vector<std::string> options;
    for (auto const& option : (*shown)[0]["options"].GetArray()) {
        options.push_back(std::string(option["value"].GetString()) + ":" + option["text"].GetString() +
                          (option["chosen"].IsTrue() ? "!" : ""));
    }
    EXPECT_EQ(options, (std::vector<std::string>{":any", "true:active!", "per_diem:per diem"}));
}

TEST(FormInputs, TimesAreToldByTheClocksOfTheirPlace) {
    auto const moments = core::parse_json(R"(["2026-07-01T08:00:17.250Z","no",null,"2026-01-01T08:00:00Z"])");
    EXPECT_EQ(wall_clock((*moments)[0], "Europe/Rome"), "2026-07-01 10:00");
    EXPECT_EQ(wall_clock((*moments)[3], ""), "2026-01-01 08:00");
    EXPECT_EQ(wall_clock((*moments)[1], "UTC"), "");
    EXPECT_EQ(wall_clock((*moments)[2], "UTC"), "");
}

}  // namespace
}  // namespace workforce::operations
