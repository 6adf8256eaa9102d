// What schemas of all types have in common.
#include "operations/schema/api_schema.hpp"

#include <fmt/format.h>

#include <map>

#include "core/json_values.hpp"
#include "operations/schema/named_values.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

std::string text_pattern(std::size_t min, bool multiline) {
    constexpr std::string_view kTrimmed = R"([ \t\r\n]*)";
    constexpr std::string_view kVisible = R"([^\u0000-\u0020\u007F-\u009F])";
    std::string_view const taken =
        multiline ? R"([^\u0000-\u0008\u000B-\u001F\u007F-\u009F])" : R"([^\u0000-\u001F\u007F-\u009F])";
    // What trimming leaves begins and ends with something visible.
    auto text = fmt::format("{}*", taken);
    if (min == 1) text = fmt::format("{}{}*", kVisible, taken);
    if (min > 1) text = fmt::format("{0}{1}{{{2},}}{0}", kVisible, taken, min - 2);
    return fmt::format("^{0}{1}{0}$", kTrimmed, text);
}

std::string schema_name(std::string_view type) {
    using namespace std::string_view_literals;
    static std::map<std::string_view, std::string_view> const better{
        {"ApiKeyRecord"sv, "ApiKey"sv},
        {"AssignAnswer"sv, "AssignResult"sv},
        {"ChangePasswordInput"sv, "ChangePassword"sv},
        {"CredentialType"sv, "CallerCredentialType"sv},
        {"CredentialView"sv, "Credential"sv},
        {"DashboardAnswer"sv, "DashboardStats"sv},
        {"ForgotInput"sv, "ForgotPassword"sv},
        {"NewUser"sv, "CreateUser"sv},
        {"RotatedSecret"sv, "WebhookSecret"sv},
        {"SandboxAnswer"sv, "Sandbox"sv},
        {"SandboxResetAnswer"sv, "SandboxResetResult"sv},
        {"ScopeRow"sv, "ScopeInfo"sv},
        {"ShiftAnswer"sv, "ShiftWithWarnings"sv},
        {"ShiftList"sv, "PostedShifts"sv},
        {"ShownApiKey"sv, "ApiKeyWithSecret"sv},
        {"ShownWebhook"sv, "WebhookWithSecret"sv},
        {"SignInInput"sv, "SignIn"sv},
        {"SignedIn"sv, "SignInResult"sv},
        {"StaffCredentialInput"sv, "AddStaffCredential"sv},
        {"SwapAnswer"sv, "SwapResult"sv},
        {"TokenAnswer"sv, "Token"sv},
        {"UseLinkInput"sv, "SetPassword"sv},
        {"VersionList"sv, "ApiVersionList"sv},
        {"VersionRow"sv, "ApiVersion"sv},
        {"WebhookDetail"sv, "WebhookWithDeliveries"sv},
        {"WebhookEventType"sv, "WebhookEventTypeInfo"sv},
        {"WebhookEventTypes"sv, "WebhookEventTypeList"sv},
        {"WebhookView"sv, "Webhook"sv},
    };
    auto const found = better.find(type);
    return std::string(found == better.end() ? type : found->second);
}

void write_nullable(core::JsonWriter& w, std::string_view schema) {
    rapidjson::Document document;
    document.Parse(schema.data(), schema.size());
    if (document.ObjectEmpty()) return;  // whatever it is, null too
    auto const* type = core::find_member(&document, "type");
    if (type == nullptr || !type->IsString()) {
        w.key("anyOf");
        return w.raw("[" + std::string(schema) + R"(,{"type":"null"}])");
    }
    for (auto const& member : document.GetObject()) {
        w.key(core::text_of(member.name));
        w.raw(&member.value == type ? "[" + core::json_of(*type) + R"(,"null"])" : core::json_of(member.value));
    }
}

std::string description_of(std::string_view declaring, std::string_view member, std::string_view note) {
    std::string text(words_of(declaring, member));
    if (!text.empty() && !note.empty()) text += ". ";
    return text.append(note);
}

void describe_type(core::JsonWriter& w, std::string_view type) {
    auto const words = words_of(type, "");
    if (!words.empty()) w.member("description", words);
}

void define_object(core::JsonWriter& w, Side side, Components& components, std::span<ApiField const> fields) {
    core::require_distinct_names(fields);
    std::vector<std::string> required;
    w.member("type", "object");
    w.key("properties");
    w.begin_object();
    for (auto const& field : fields) {
        w.key(field.name);
        w.begin_object();
        auto const* values = side == Side::request ? named_values(field.declaring, field.name) : nullptr;
        (values == nullptr ? field.write : values->write)(w, side, components);
        auto const description = description_of(field.declaring, field.name, field.note);
        if (!description.empty()) w.member("description", description);
        w.end_object();
        if (side == Side::answer ? field.in_answer : field.in_request) required.emplace_back(field.name);
    }
    w.end_object();
    if (required.empty()) return;
    w.key("required");
    core::write_json(w, required);
}

}  // namespace workforce::operations
