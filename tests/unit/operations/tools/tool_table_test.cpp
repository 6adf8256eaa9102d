// The tools: which there are, which operations are none and why, and what their definitions say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/json.hpp"
#include "operations/tools/tool.hpp"

namespace workforce::operations {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr char const* kPeopleAlone = "a person decides, or a credential made for it";
constexpr char const* kOfSignIn = "how a person signs in is nothing for a model";
constexpr char const* kOtherTool = "another tool has what a model needs of it";
constexpr char const* kFile = "a file is nothing for a model, which makes what it wants one by one";
constexpr char const* kNotCatalogued = "the catalogue of tools does not have it (domain 6.3)";

/// The operations that are deliberately no tool: a whole resource, or one verb.
std::map<std::string, char const*> const& no_tools() {
    static std::map<std::string, char const*> const reasons{
        {"api_keys", kPeopleAlone},
        {"webhooks", kPeopleAlone},
        {"organizations", kPeopleAlone},
        {"users", kPeopleAlone},
        {"sandbox", kPeopleAlone},
        {"audit_log", kPeopleAlone},
        {"events", "a stream is nothing for a model; activity_recent tells it what happened last"},
        {"guardrails", kPeopleAlone},
        {"billing", kPeopleAlone},
        {"signing_keys", kOfSignIn},
        {"auth", kOfSignIn},
        {"oauth", kOfSignIn},
        {"pages", kOfSignIn},
        {"facilities.create", kNotCatalogued},
        {"facilities.update", kNotCatalogued},
        {"facilities.deactivate", kNotCatalogued},
        {"staff.reactivate", kNotCatalogued},
        {"staff.import_csv", kFile},
        {"shifts.import_csv", kFile},
        {"staff.availability", kNotCatalogued},
        {"staff.set_availability", kNotCatalogued},
        {"messages.get", kNotCatalogued},
        {"time_off", kNotCatalogued},
        {"shift_claims", kNotCatalogued},
        {"shift_swaps", kNotCatalogued},
        {"shift_templates", kNotCatalogued},
        {"shift_offers", kNotCatalogued},
        {"credentials.get", kNotCatalogued},
        {"credentials.list_of_staff", kOtherTool},
        {"credentials.add_to_staff", kOtherTool},
        {"credentials.update", kNotCatalogued},
        {"credentials.delete", kNotCatalogued},
        {"credentials.verify", kNotCatalogued},
        {"credentials.reject", kNotCatalogued},
        {"credentials.revoke", kNotCatalogued},
        {"timesheets.get", kOtherTool},
        {"timesheets.list_of_staff", kOtherTool},
        {"timesheets.create", kNotCatalogued},
        {"timesheets.clock_in", kNotCatalogued},
        {"timesheets.clock_out", kNotCatalogued},
        {"timesheets.update", kNotCatalogued},
        {"timesheets.submit", kNotCatalogued},
        {"timesheets.approve", kOtherTool},
        {"timesheets.reject", kNotCatalogued},
        {"timesheets.unapprove", kNotCatalogued},
        {"timesheets.void", kNotCatalogued},
        {"payroll_runs.preview", kNotCatalogued},
        {"payroll_runs.update", kNotCatalogued},
        {"payroll_runs.delete", kNotCatalogued},
        {"payroll_runs.cancel", kNotCatalogued},
        {"payroll_payments.get", kOtherTool},
        {"shifts.assignments", kOtherTool},
        {"shifts.list_of_staff", kOtherTool},
        {"shifts.acknowledge", kNotCatalogued},
        {"shifts.delete", kNotCatalogued},
        {"shifts.start", kNotCatalogued},
        {"shifts.complete", kNotCatalogued},
        {"shifts.reopen", kNotCatalogued},
        {"leads.delete", kNotCatalogued},
        {"conversations.get", kOtherTool},
        {"conversations.create", kOtherTool},
        {"conversations.read", kNotCatalogued},
        {"messages.list", kNotCatalogued},
        {"messages.send", kNotCatalogued},
        {"messages.retract", kNotCatalogued},
        {"agents.get", kOtherTool},
        {"agents.model_tiers", kNotCatalogued},
        {"agent_builder", kPeopleAlone},
        {"triggers", kPeopleAlone},
        {"agent_runs.list", kNotCatalogued},
        {"agent_runs.list_of_agent", kNotCatalogued},
        {"agent_runs.get_of_agent", kOtherTool},
        {"agent_runs.cancel", kNotCatalogued},
        {"agent_runs.cancel_all", kNotCatalogued},
        {"apps.connect", kPeopleAlone},
        {"apps.get_connection", kOtherTool},
        {"apps.disconnect", kPeopleAlone},
        {"apps.executions", kNotCatalogued},
        {"usage.timeseries", kNotCatalogued},
        {"usage.by_agent", kNotCatalogued},
        {"usage.by_tool", kNotCatalogued},
        {"usage.by_key", kNotCatalogued},
        {"usage.export", kNotCatalogued},
        {"notifications.unread_count", kOtherTool},
        {"approvals.approve", kPeopleAlone},
        {"approvals.reject", kPeopleAlone},
        {"ai_actions", kPeopleAlone},
        {"calendars", kPeopleAlone},
        {"search", kNotCatalogued},
        {"notifications.read", kNotCatalogued},
        {"notifications.read_all", kNotCatalogued},
    };
    return reasons;
}

std::string resource_of(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

json definition_of(std::string_view name) { return json::parse(find_tool(name)->definition); }

TEST(ToolTable, HasEveryOperationOrSaysWhyNot) {
    std::set<std::string_view> offered;
    for (auto const& tool : tools()) offered.insert(tool.operation->name);
    for (auto const& operation : operations()) {
        if (operation.access == Access::installation || operation.access == Access::within)
            continue;  // no caller asks for it
        auto const& reasons = no_tools();
        bool const explained =
            reasons.contains(std::string(operation.name)) || reasons.contains(resource_of(operation.name));
        bool const is_tool = offered.contains(operation.name);
        EXPECT_TRUE(is_tool || explained) << operation.name << " is neither a tool nor on the list of what is none";
        EXPECT_FALSE(is_tool && reasons.contains(std::string(operation.name))) << operation.name;
    }
}

TEST(ToolTable, BeginsWithWhatAnybodyMayCall) {
    EXPECT_EQ(tools().front().name, "whoami");
    EXPECT_EQ(tools().front().scope, "");
    EXPECT_EQ(find_tool("nothing"), nullptr);
}

TEST(ToolTable, NamesScopesAsTheCatalogueDoes) {
    std::map<std::string, std::string> scopes;
    for (auto const& tool : tools()) scopes.emplace(tool.name, tool.scope);
    EXPECT_EQ(scopes["shifts_assign"], "shifts:assign");
    EXPECT_EQ(scopes["shifts_cancel"], "shifts:write");
    EXPECT_EQ(scopes["staff_create"], "staff:write");
    EXPECT_EQ(scopes["leads_list"], "crm:read");
    EXPECT_EQ(scopes["credentials_list"], "credentials:read");
    EXPECT_EQ(scopes["credentials_add"], "credentials:write");
    EXPECT_EQ(scopes["credentials_verify_external"], "credentials:verify");
    EXPECT_EQ(scopes["dashboard_stats"], "analytics:read");
}

TEST(ToolTable, WritesSelfContainedSchemas) {
    for (auto const& tool : tools()) {
        auto const definition = json::parse(tool.definition);
        for (auto const* side : {"inputSchema", "outputSchema"}) {
            auto const& schema = definition[side];
            EXPECT_EQ(schema["type"], "object") << tool.name;
            for (auto const& [name, property] : schema["properties"].items()) {
                EXPECT_TRUE(property.is_object()) << tool.name << ' ' << name;
            }
            auto const text = schema.dump();
            EXPECT_EQ(text.find("components"), std::string::npos) << tool.name;
            for (std::size_t at = 0; (at = text.find("#/$defs/", at)) != std::string::npos; ++at) {
                auto const name = text.substr(at + 8, text.find('"', at) - at - 8);
                EXPECT_TRUE(schema["$defs"].contains(name)) << tool.name << ' ' << name;
            }
        }
        EXPECT_EQ(definition["inputSchema"]["additionalProperties"], false) << tool.name;
        auto const definitions = definition["inputSchema"].value("$defs", json::object());
        for (auto const& [name, each] : definitions.items()) {
            if (each.contains("properties")) EXPECT_EQ(each["additionalProperties"], false) << tool.name << ' ' << name;
        }
        for (auto const* choice : {"oneOf", "anyOf", "allOf", "not"}) {
            EXPECT_FALSE(definition["inputSchema"].contains(choice)) << tool.name << " has a choice at its top";
        }
    }
}

TEST(ToolTable, RenamesAndRequiresWhatTheRowSays) {
    auto const assign = definition_of("shifts_assign");
    EXPECT_THAT(assign["inputSchema"]["required"], UnorderedElementsAre("shiftId", "staffIds"));
    EXPECT_TRUE(assign["inputSchema"]["properties"].contains("overrideComment"));
    EXPECT_FALSE(assign["inputSchema"]["properties"].contains("staffId"));
    EXPECT_FALSE(assign["inputSchema"]["properties"].contains("id"));
    EXPECT_EQ(assign["annotations"]["readOnlyHint"], false);
    EXPECT_EQ(assign["annotations"]["destructiveHint"], false);
    EXPECT_EQ(assign["_meta"], (json{{"svc/verb", "shifts.assign"},
                                     {"svc/scope", "shifts:assign"},
                                     {"svc/approval", "never"},
                                     {"svc/requiredTier", "standard"}}));
    auto const cancel = definition_of("shifts_cancel");
    EXPECT_EQ(cancel["annotations"]["destructiveHint"], true);
    EXPECT_EQ(cancel["_meta"]["svc/approval"], "headless");
    auto const expire = definition_of("credentials_expire");
    EXPECT_THAT(expire["inputSchema"]["required"], ElementsAre("credentialId"));
    EXPECT_EQ(expire["annotations"]["destructiveHint"], true);
    EXPECT_EQ(expire["_meta"], (json{{"svc/verb", "credentials.expire"},
                                     {"svc/scope", "credentials:write"},
                                     {"svc/otherScope", "staff:write"},
                                     {"svc/approval", "headless"},
                                     {"svc/requiredTier", "standard"}}));
    auto const create = definition_of("shifts_create");
    EXPECT_FALSE(create["inputSchema"].contains("required")) << "it takes a shift's own members, or several as shifts";
    EXPECT_THAT(create["inputSchema"]["properties"]["shifts"]["items"]["required"], Contains("facilityId"));
    EXPECT_EQ(definition_of("shifts_list")["annotations"]["readOnlyHint"], true);
}

TEST(ToolTable, SaysWhichToolsTakeATierThatFewKeysHave) {
    constexpr char const* kSaid = "Takes a key of the tier advanced.";
    for (auto const& tool : tools()) {
        auto const said = definition_of(tool.name)["description"].get<std::string>().find(kSaid) != std::string::npos;
        EXPECT_EQ(said, tool.binding().tier == events::ModelTier::advanced) << tool.name;
    }
    EXPECT_EQ(find_tool("payroll_runs_create")->binding().tier, events::ModelTier::advanced);
}

TEST(ToolTable, SaysWhatAFailureLooksLike) {
    auto const output = definition_of("shifts_get")["outputSchema"];
    EXPECT_TRUE(output["properties"].contains("error"));
    EXPECT_THAT(output["anyOf"][1]["required"], ElementsAre("error"));
    EXPECT_TRUE(output["properties"].contains("title"));
    EXPECT_THAT(output["anyOf"][0]["required"], ElementsAre("id"));
    EXPECT_THAT(definition_of("activity_recent")["outputSchema"]["anyOf"][0]["required"], ElementsAre("data"));
    auto const either = definition_of("shifts_create")["outputSchema"];
    EXPECT_TRUE(either["properties"].contains("warnings") && either["properties"].contains("data"));
    EXPECT_THAT(either["anyOf"][0]["required"], ElementsAre("id"));
    EXPECT_THAT(either["anyOf"][1]["required"], ElementsAre("data"));
    EXPECT_THAT(either["anyOf"][2]["required"], ElementsAre("error"));
}

TEST(ToolTable, TellsAResourceOnce) {
    EXPECT_TRUE(definition_of("shifts_get")["outputSchema"]["properties"].contains("openSpots"));
    auto const cancel = definition_of("shifts_cancel")["outputSchema"];
    EXPECT_EQ(cancel["description"], "As shifts_get returns it");
    EXPECT_FALSE(cancel["properties"].contains("openSpots"));
    auto const assign = definition_of("shifts_assign")["outputSchema"];
    EXPECT_EQ(assign["description"], "As shifts_get returns it");
    EXPECT_TRUE(assign["properties"].contains("filled") && !assign["properties"].contains("openSpots"));
    auto const list = definition_of("shifts_list")["outputSchema"];
    EXPECT_EQ(list["properties"]["data"]["items"]["description"], "As shifts_get returns it");
    auto const credentials = definition_of("credentials_list")["outputSchema"];
    EXPECT_TRUE(credentials["properties"]["data"]["items"]["properties"].contains("daysUntilExpiry"))
        << "no tool reads one alone";
}

TEST(ToolTable, IsShortEnoughForAModelToReadWhole) {
    std::size_t read = 0;
    std::size_t all = 0;
    for (auto const& tool : tools()) {
        auto const definition = json::parse(tool.definition);
        for (auto const* part : {"name", "description", "inputSchema"}) read += definition[part].dump().size();
        all += tool.definition.size();
    }
    EXPECT_LT(read, 1500 * tools().size()) << "on average " << read / tools().size();
    EXPECT_LT(all, 2400 * tools().size()) << "on average " << all / tools().size();
}

TEST(ToolTable, SaysHowATextOfAnArgumentReads) {
    auto const create = definition_of("shifts_create")["inputSchema"]["properties"];
    EXPECT_THAT(create["startTime"]["description"].get<std::string>(), testing::HasSubstr("HH:MM"));
    auto const list = definition_of("shifts_list")["inputSchema"]["properties"];
    EXPECT_EQ(list["status"]["type"], "array");
    EXPECT_THAT(list["status"]["items"]["enum"], Contains("open"));
    EXPECT_EQ(definition_of("staff_list")["inputSchema"]["properties"]["isActive"]["enum"],
              (json{"true", "false", "any"}));
}

/// Adds the formats that the schema names.
void collect_formats(json const& schema, std::set<std::string>& formats) {
    if (schema.is_object() && schema.contains("format") && schema["format"].is_string()) {
        formats.insert(schema["format"]);
    }
    if (schema.is_structured()) {
        for (auto const& each : schema) collect_formats(each, formats);
    }
}

TEST(ToolTable, NamesFormatsOfJsonSchemaAlone) {
    std::set<std::string> formats;
    for (auto const& tool : tools()) collect_formats(json::parse(tool.definition), formats);
    EXPECT_THAT(formats, ElementsAre("date", "date-time", "email"));
}

TEST(ToolTable, SaysWhichWritesMayBeRepeated) {
    std::set<std::string_view> repeatable, others;
    for (auto const& tool : tools()) {
        if (tool.operation->effect == Effect::read) continue;
        (json::parse(tool.definition)["annotations"]["idempotentHint"] ? repeatable : others).insert(tool.name);
    }
    EXPECT_THAT(repeatable,
                UnorderedElementsAre("staff_update", "shifts_update", "leads_update", "shifts_assign", "shifts_cancel",
                                     "credentials_expire", "staff_deactivate", "timesheets_approve"));
    EXPECT_THAT(others, UnorderedElementsAre("staff_create", "shifts_create", "leads_create", "credentials_add",
                                             "credentials_verify_external", "shifts_unassign", "shifts_swap",
                                             "shifts_offer", "payroll_runs_create", "payroll_runs_approve",
                                             "messages_send", "app_execute", "agent_run_start"))
        << "a repeat makes another one, asks a registry again, or is refused";
}

TEST(ToolTable, RefusesARowThatNamesWhatIsNotThere) {
    auto const row = [](ToolBinding binding) {
        Operation operation;
        operation.name = "things.get";
        operation.http.path = "/things/{id:int}";
        operation.tool = std::move(binding);
        return std::vector{operation};
    };
    EXPECT_EQ(tools_of(row({.name = "things_get", .renamed = {{"thingId", "id"}}})).front().arguments.front().name,
              "thingId");
    EXPECT_THROW(tools_of(row({.name = "things_get", .renamed = {{"thingId", "other"}}})), std::logic_error);
    EXPECT_THROW(tools_of(row({.name = "things_get", .required = {"other"}})), std::logic_error);
    EXPECT_TRUE(tools_of(row({})).empty());
}

core::JsonValue const& parsed(rapidjson::Document& document, std::string_view text) {
    document = core::parse_json(text).value();
    return document;
}

std::string faults_of(std::string_view tool, std::string_view arguments) {
    rapidjson::Document document;
    std::string all;
    auto const faults = check_arguments(*find_tool(tool), parsed(document, arguments));
    for (auto const& fault : faults.named()) {
        all.append(all.empty() ? "" : " ").append(fault.field).append(":").append(fault.rule);
    }
    return all;
}

TEST(ToolInput, TellsNamesAndTypes) {
    EXPECT_EQ(faults_of("shifts_assign", R"({"shiftId":1,"staffIds":[2]})"), "");
    EXPECT_EQ(faults_of("shifts_assign", R"({"shiftId":"1","staffIds":2,"id":3})"),
              "shiftId:type staffIds:type id:unknown");
    EXPECT_EQ(faults_of("shifts_assign", "{}"), "shiftId:required staffIds:required");
    EXPECT_EQ(faults_of("whoami", R"({"x":null})"), "x:unknown");
    EXPECT_EQ(faults_of("shifts_list", R"({"status":["open"],"limit":5,"q":"night"})"), "");
    EXPECT_EQ(faults_of("shifts_list", R"({"status":"open"})"), "");
    EXPECT_EQ(faults_of("shifts_list", R"({"status":5})"), "status:type");
    EXPECT_EQ(faults_of("shifts_list", R"({"status":"open,assigned"})"), "status:format") << "policies see one value";
    EXPECT_EQ(faults_of("shifts_list", R"({"status":["open","open,assigned"]})"), "status[1]:format");
    EXPECT_EQ(faults_of("shifts_list", R"({"q":"night, late"})"), "") << "a text is no list";
    for (auto const* active : {"true", R"("true")", R"("any")"}) {
        EXPECT_EQ(faults_of("staff_list", std::string(R"({"isActive":)") + active + "}"), "") << active;
    }
    EXPECT_EQ(faults_of("staff_list", R"({"isActive":1})"), "isActive:type");
}

TEST(ToolInput, TakesWholeNumbersWithoutAFraction) {
    for (auto const* whole : {"2", "2.0", "2e0", "20e-1"}) {
        EXPECT_EQ(faults_of("shifts_list", std::string(R"({"limit":)") + whole + "}"), "") << whole;
    }
    for (auto const* other : {"2.5", "2.0000001", R"("2")", "true", "[2]", "null"}) {
        EXPECT_EQ(faults_of("shifts_list", std::string(R"({"limit":)") + other + "}"), "limit:type") << other;
    }
    EXPECT_EQ(faults_of("shifts_get", R"({"shiftId":1.5})"), "shiftId:type");
    EXPECT_EQ(faults_of("shifts_assign", R"({"shiftId":1,"staffIds":[2,2.5]})"), "staffIds[1]:type");
    EXPECT_EQ(faults_of("shifts_update", R"({"shiftId":1,"breaks":[{"minutes":7.5,"paid":true}],"rate":7.5})"),
              "breaks[0].minutes:type");
    EXPECT_EQ(faults_of("shifts_create", R"({"shifts":[{"requiredWorkers":1.5}]})"), "shifts[0].requiredWorkers:type");
}

TEST(ToolInput, NamesTheFirstHundredFaultsAndCountsAll) {
    std::string deep = R"({"staffId":1,"education":[)";
    for (int i = 0; i < 300; ++i) deep += R"({"school":1},)";
    deep += "{\"" + std::string(1000, 's') + "\":1}]}";
    rapidjson::Document document;
    auto const faults = check_arguments(*find_tool("staff_update"), parsed(document, deep));
    EXPECT_EQ(faults.named().size(), 100U);
    EXPECT_EQ(faults.total(), 301U);
    EXPECT_EQ(faults.named().back().field, "education[99].school");
}

TEST(ToolInput, TellsNamesWithinValues) {
    auto const staff = [](std::string_view rest) {
        return faults_of("staff_update", std::string(R"({"staffId":1,)") + std::string(rest) + "}");
    };
    EXPECT_EQ(staff(R"("emergencyContact":{"name":"X","relationship":"mother"})"), "");
    EXPECT_EQ(staff(R"("emergencyContact":{"name":"X","relation":"mother"})"), "emergencyContact.relation:unknown");
    EXPECT_EQ(staff(R"("education":[{"degree":"D"},{"school":"S"}])"), "education[1].school:unknown");
    EXPECT_EQ(staff(R"("isActive":false)"), "isActive:unknown");
}

TEST(ToolInput, MakesWhatTheOperationReads) {
    rapidjson::Document document;
    auto assign =
        input_of(*find_tool("shifts_assign"), parsed(document, R"({"shiftId":7,"staffIds":[2,3],"orgUnitId":4})"));
    ASSERT_TRUE(assign);
    EXPECT_EQ(assign->path.id(), 7);
    EXPECT_EQ(assign->parameters, (QueryMap{{"orgUnitId", "4"}}));
    EXPECT_EQ((**assign->body)["staffIds"].Size(), 2U);
    auto list = input_of(*find_tool("shifts_list"), parsed(document, R"({"status":["open","assigned"],"limit":5})"));
    ASSERT_TRUE(list);
    EXPECT_EQ(list->parameters, (QueryMap{{"limit", "5"}, {"status", "open,assigned"}}));
    EXPECT_FALSE(list->body);
    for (auto const* id : {"0", "-1", "9007199254740992"}) {
        auto const bad = input_of(*find_tool("shifts_get"), parsed(document, std::string(R"({"shiftId":)") + id + "}"));
        EXPECT_FALSE(bad) << id;
    }
}

TEST(ToolInput, GivesObjectsAlone) {
    EXPECT_EQ(structured_content(*find_tool("activity_recent"), "[1]"), R"({"data":[1]})");
    EXPECT_EQ(structured_content(*find_tool("whoami"), R"({"a":1})"), R"({"a":1})");
    EXPECT_EQ(structured_content(*find_tool("whoami"), ""), "{}");
}

}  // namespace
}  // namespace workforce::operations
