// The bodies that forms make, and how forms show what there is.
#include "operations/dashboard/form_view.hpp"

#include <gtest/gtest.h>

namespace workforce::operations {
namespace {

std::vector<FormInput> const kOfEachKind{
    {.member = "title", .label = "Title"},
    {.member = "bill", .label = "Bill", .kind = InputKind::name},
    {.member = "notes", .label = "Notes", .kind = InputKind::area},
    {.member = "limits/most", .label = "Most", .kind = InputKind::number},
    {.member = "ownerId", .label = "Owner", .kind = InputKind::id},
    {.member = "open", .label = "Open", .kind = InputKind::flag},
    {.member = "status", .label = "Status", .kind = InputKind::choice, .values = {"new", "old"}},
    {.member = "places", .label = "Places", .kind = InputKind::boxes},
    {.member = "tags", .label = "Tags", .kind = InputKind::lines},
    {.member = "plan", .label = "Plan", .kind = InputKind::json, .nothing = "[]"}};

TEST(FormBody, HasWhatWasFilledIn) {
    FormFields const fields{{"title", "Night"},       {"notes", "One\r\ntwo"}, {"limits/most", "7.5"},
                            {"ownerId", "12"},        {"open", "false"},       {"status", "new"},
                            {"places:3", "on"},       {"places:red", "on"},    {"tags", " a \r\n\r\nb"},
                            {"plan", "[{\"a\": 1}]"}, {"another", "field"},    {"bill", "42"}};
    EXPECT_EQ(body_of(kOfEachKind, fields, Emptied::left_out).value(),
              R"({"title":"Night","bill":"42","notes":"One\ntwo","limits":{"most":7.5},"ownerId":12,"open":false,)"
              R"("status":"new","places":[3,"red"],"tags":["a","b"],"plan":[{"a":1}]})");
}

TEST(FormBody, OfAnEmptyFieldSaysNothingOrThatItIsEmpty) {
    FormFields const fields{{"title", ""}, {"bill", ""},   {"notes", ""},    {"limits/most", ""}, {"ownerId", ""},
                            {"open", ""},  {"status", ""}, {"tags", "\r\n"}, {"plan", ""}};
    EXPECT_EQ(body_of(kOfEachKind, fields, Emptied::left_out).value(), R"({"tags":[]})");
    EXPECT_EQ(body_of(kOfEachKind, fields, Emptied::cleared).value(),
              R"({"title":"","bill":null,"notes":"","ownerId":null,"places":[],"tags":[],"plan":[]})");
    EXPECT_EQ(body_of(kOfEachKind, {}, Emptied::cleared).value(), R"({"places":[]})") << "of what was not sent";
}

TEST(FormBody, NamesTheFieldThatSaysNothing) {
    for (auto const& [member, text] : {std::pair("limits/most", "many"), std::pair("plan", "[{")}) {
        auto const body = body_of(kOfEachKind, {{member, text}}, Emptied::left_out);
        ASSERT_FALSE(body.has_value()) << member;
        EXPECT_EQ(body.error().code, core::Code::validation_error);
        EXPECT_NE(body.error().message.find(member), std::string::npos) << body.error().message;
    }
}

TEST(FormView, ShowsTheRecordAndKeepsWhatWasTyped) {
    auto const record = core::parse_json(
        R"({"title":"Night","limits":{"most":5},"ownerId":9,"status":"gone","places":[3],"tags":["a","b"],"plan":[]})");
    FormContent content{.record = &*record, .choices = {{"places", {{"3", "Three"}, {"4", "Four"}}}}};
    auto shown = core::parse_json(form_json("/x", "Save", kOfEachKind, content));
    auto const& inputs = (*shown)["inputs"];
    EXPECT_EQ(inputs[0]["value"], "Night");
    EXPECT_EQ(inputs[3]["value"], "5");
    EXPECT_EQ(inputs[4]["choices"][0]["value"], "9") << "what was chosen before stays on offer";
    EXPECT_EQ(inputs[6]["choices"][2]["value"], "gone");
    EXPECT_TRUE(inputs[6]["choices"][2]["chosen"].GetBool());
    EXPECT_TRUE(inputs[7]["choices"][0]["chosen"].GetBool());
    EXPECT_FALSE(inputs[7]["choices"][1]["chosen"].GetBool());
    EXPECT_EQ(inputs[8]["value"], "a\nb");
    content.typed = FormFields{{"title", "Day"}, {"places:4", "on"}, {"plan", "[{"}};
    shown = core::parse_json(form_json("/x", "Save", kOfEachKind, content));
    auto const& typed = (*shown)["inputs"];
    EXPECT_EQ(typed[0]["value"], "Day");
    EXPECT_EQ(typed[3]["value"], "");
    EXPECT_FALSE(typed[7]["choices"][0]["chosen"].GetBool());
    EXPECT_TRUE(typed[7]["choices"][1]["chosen"].GetBool());
    EXPECT_EQ(typed[9]["value"], "[{");
}

}  // namespace
}  // namespace workforce::operations
