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
                       {.name = "skills", .label = "Skills", .kind = FieldKind::lines},
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
                                        {"skills", "triage\r\n\r\nwound care"},
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
    EXPECT_EQ(made(every_input(false), {}), R"({"name":"","contact":{},"paid":false,"breaks":[]})");
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
    FormFields const values{{"facilityIds:3", "on"}, {"facilityIds:9", "2"}};
    auto const shape = every_input(true);
    auto const shown = core::parse_json(shown_fields(shape.inputs, values, {{"facilityIds", {{"3", "Ward"}}}}, "in"));
    for (auto const& input : shown->GetArray()) {
        if (input["name"] != "facilityIds") continue;
        EXPECT_EQ(core::json_of(input["kept"]), R"([{"name":"facilityIds:9","place":"2"}])");
        EXPECT_EQ(core::json_of(input["boxes"]),
                  R"([{"value":"3","text":"Ward","chosen":true,"field":"facilityIds:3","place":"on"}])");
    }
}

TEST(FormInputs, WhatStoodKeepsItsOrderAndWhatIsNewComesLast) {
    auto const shape = every_input(true);
    auto fields = held_fields(shape, *core::parse_json(R"({"facilityIds":[99,100,7]})"));
    auto const sent = [&] { return core::json_of((*core::parse_json(made(shape, fields)))["facilityIds"]); };
    EXPECT_EQ(sent(), "[99,100,7]");
    fields.erase("facilityIds:100");
    fields.emplace("facilityIds:1", "on");
    EXPECT_EQ(sent(), "[99,7,1]");
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

FormShape further_inputs(bool changes) {
    return {.form = "pages.test",
            .inputs = {{.name = "bill", .label = "Bill", .nullable = true},
                       {.name = "notes", .label = "Notes", .kind = FieldKind::area},
                       {.name = "ownerId", .label = "Owner", .kind = FieldKind::id, .nullable = true, .blank = "-"},
                       {.name = "open", .label = "Open", .kind = FieldKind::flag},
                       {.name = "status", .label = "Status", .kind = FieldKind::choice, .values = {"new", "old"}},
                       {.name = "places", .label = "Places", .kind = FieldKind::ids, .values = {"red", "blue"}},
                       {.name = "tags", .label = "Tags", .kind = FieldKind::lines},
                       {.name = "plan", .label = "Plan", .kind = FieldKind::jsons},
                       {.name = "window", .label = "Window", .kind = FieldKind::json, .nullable = true}},
            .changes = changes};
}

TEST(FormInputs, LinesAndJsonAreReadAsTheyAreMeant) {
    EXPECT_EQ(made(further_inputs(false), {{"bill", "42"},
                                           {"notes", "One\r\ntwo"},
                                           {"ownerId", "12"},
                                           {"open", "false"},
                                           {"status", "new"},
                                           {"places:red", "on"},
                                           {"tags", " a \r\n\r\nb"},
                                           {"plan", "[{\"a\": 1}]"},
                                           {"window", "{\r\n}"}}),
              R"({"bill":"42","notes":"One\ntwo","ownerId":12,"open":false,"status":"new","places":["red"],)"
              R"("tags":["a","b"],"plan":[{"a":1}],"window":{}})");
}

TEST(FormInputs, NothingInThemSaysNothingOrThatTheMemberIsEmpty) {
    FormFields const fields{{"bill", ""},   {"notes", ""},    {"ownerId", ""}, {"open", ""},
                            {"status", ""}, {"tags", "\r\n"}, {"plan", ""},    {"window", ""}};
    EXPECT_EQ(made(further_inputs(false), fields), "{}");
    EXPECT_EQ(made(further_inputs(true), fields),
              R"({"bill":null,"notes":"","ownerId":null,"places":[],"tags":[],"plan":[],"window":null})");
}

TEST(FormInputs, WhatIsNoJsonIsRefused) {
    for (auto const& text :
         {std::string("[{"), std::string("{} {}"), std::string("\xff"), std::string(32, '[') + std::string(32, ']')}) {
        auto const body = body_from(further_inputs(false), {{"plan", text}});
        ASSERT_FALSE(body) << text;
        EXPECT_EQ(body.error().code, core::Code::validation_error);
        EXPECT_NE(body.error().message.find("plan is no JSON"), std::string::npos) << body.error().message;
    }
}

TEST(FormInputs, WhatIsHeldIsShownAndStaysOnOffer) {
    auto const held = core::parse_json(
        R"({"ownerId":9,"open":false,"status":"long_gone","places":["red"],"tags":["a","b"],"plan":[{"a":1}],"window":null})");
    auto const shape = further_inputs(true);
    auto const fields = held_fields(shape, *held);
    auto const shown = core::parse_json(shown_fields(shape.inputs, fields, {}, "in"));
    auto const& inputs = *shown;
    auto const option = [&](int input, int place) { return core::json_of(inputs[input]["options"][place]); };
    EXPECT_EQ(option(2, 1), R"({"value":"9","text":"9","chosen":true,"field":"ownerId:9"})");
    EXPECT_EQ(option(3, 1), R"({"value":"false","text":"no","chosen":true,"field":"open:false"})");
    EXPECT_EQ(option(4, 2), R"({"value":"long_gone","text":"long gone","chosen":true,"field":"status:long_gone"})");
    EXPECT_TRUE(inputs[5]["boxes"][0]["chosen"].IsTrue());
    EXPECT_TRUE(inputs[5]["boxes"][1]["chosen"].IsFalse());
    EXPECT_TRUE(inputs[5]["kept"].Empty());
    EXPECT_EQ(inputs[6]["value"], "a\nb");
    EXPECT_EQ(inputs[8]["value"], "");
    EXPECT_EQ(made(shape, fields),
              R"({"bill":null,"notes":"","ownerId":9,"open":false,"status":"long_gone","places":["red"],)"
              R"("tags":["a","b"],"plan":[{"a":1}],"window":null})");
}

TEST(FormInputs, ManyBoxesAreFoldedUntilOneIsTicked) {
    std::vector<FormField> const inputs{
        {.name = "places", .label = "Places", .kind = FieldKind::ids, .values = {"a", "b", "c", "d", "e"}}};
    auto const opened = [&](FormFields const& fields) {
        return (*core::parse_json(shown_fields(inputs, fields, {}, "in")))[0]["opened"].IsTrue();
    };
    EXPECT_FALSE(opened({}));
    EXPECT_TRUE(opened({{"places:e", "on"}}));
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
