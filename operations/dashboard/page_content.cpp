// Asking for other operations, and their answers as templates take them.
#include "operations/dashboard/page_content.hpp"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "core/json_values.hpp"
#include "operations/pages/template.hpp"
#include "operations/target.hpp"

namespace workforce::operations {
namespace {

/// Members whose values are shown as JSON.
constexpr std::array<std::string_view, 2> kShownAsJson{"arguments", "executionResult"};

Operation const& operation_named(std::string_view name) {
    auto const& all = operations();
    auto const found = std::ranges::find(all, name, &Operation::name);
    if (found == all.end())
        throw std::logic_error("a page asks for an operation that there is not: " + std::string(name));
    return *found;
}

/// "2026-07-24 10:00 UTC" of a moment's text; nothing of any other.
std::optional<std::string> moment_for_people(std::string_view text) {
    constexpr std::string_view kLike = "2026-07-24T10:00:00.000Z";
    bool const fits = text.size() == kLike.size() && text[10] == 'T' && text.back() == 'Z';
    if (!fits || !core::parse_timestamp(text)) return std::nullopt;
    return fmt::format("{} {} UTC", text.substr(0, 10), text.substr(11, 5));
}

std::string indented(core::JsonValue const& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    writer.SetIndent(' ', 2);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

using Allocator = rapidjson::Document::AllocatorType;

void make_readable(core::JsonValue& value, Allocator& allocator) {  // NOLINT(misc-no-recursion): as deep as our structs
    auto const set = [&](std::string const& text) { value.SetString(text.data(), text.size(), allocator); };
    if (value.IsString()) {
        if (auto const moment = moment_for_people({value.GetString(), value.GetStringLength()})) set(*moment);
    } else if (value.IsArray()) {
        for (auto& item : value.GetArray()) make_readable(item, allocator);
    } else if (value.IsObject()) {
        for (auto& [name, member] : value.GetObject()) {
            bool const as_json = !member.IsNull() && std::ranges::count(kShownAsJson, name.GetString()) > 0;
            if (!as_json) {
                make_readable(member, allocator);
                continue;
            }
            auto const text = indented(member);
            member.SetString(text.data(), text.size(), allocator);
        }
    }
}

}  // namespace

bool may_ask(Caller const& caller, std::string_view operation) { return !lacking(caller, operation_named(operation)); }

PathParameters path_of(Id id) {
    PathParameters path;
    path.add({.name = "id", .id = id});
    return path;
}

boost::asio::awaitable<Outcome> ask(Call& page, Question question, std::optional<commands::Idempotency> idempotency) {
    auto const& operation = operation_named(question.operation);
    Call call{page.services, operation, page.caller, page.meta, {}};
    call.meta.organization = 0;
    call.meta.sandbox = false;
    if (operation.appends) call.meta.idempotency = std::move(idempotency);
    call.input.path = std::move(question.path);
    call.input.parameters = std::move(question.parameters);
    if (operation.effect != Effect::read) call.input.body.emplace(core::parse_json(question.body));
    if (auto const problem = lacking(*call.caller, operation)) co_return refuse(call, *problem);
    if (auto const target = co_await resolve_target(call); !target) co_return refuse(call, target.error());
    auto const& perform = page.services.perform;
    auto outcome = co_await (perform ? perform(call) : operation.handler(call));
    page.stale = page.stale || call.stale;
    co_return outcome;
}

PageProblem problem_of(Outcome const& outcome) {
    PageProblem problem{"That could not be done.", "Try again in a moment."};
    auto const document = core::parse_json(outcome.body);
    if (!document || !document->IsObject()) return problem;
    auto const error = document->FindMember("error");
    if (error == document->MemberEnd() || !error->value.IsObject()) return problem;
    auto const text = [&](char const* name, std::string& into) {
        auto const member = error->value.FindMember(name);
        if (member != error->value.MemberEnd() && member->value.IsString()) into = member->value.GetString();
    };
    text("message", problem.message);
    text("suggestion", problem.hint);
    return problem;
}

PageContent::PageContent(Call& page) : page_(page) { values_.begin_object(); }

boost::asio::awaitable<bool> PageContent::add(std::string_view member, Question question) {
    auto const outcome = co_await ask(page_, std::move(question));
    if (outcome.status < 300) {
        add_json(member, outcome.body);
        co_return true;
    }
    add_json(std::string(member) + "_refused", core::to_json(problem_of(outcome)));
    co_return false;
}

void PageContent::add_json(std::string_view member, std::string_view json) {
    values_.key(member);
    values_.raw(json);
}

void PageContent::add_text(std::string_view member, std::string_view text) { values_.member(member, text); }

void PageContent::add_rights(std::initializer_list<std::string_view> operations) {
    for (auto const operation : operations) {
        auto name = "may_" + std::string(operation);
        std::ranges::replace(name, '.', '_');
        values_.member(name, may_ask(*page_.caller, operation));
    }
}

std::string PageContent::fill(std::string_view text) {
    values_.end_object();
    auto document = core::parse_json(values_.text());
    if (!document) throw std::logic_error("a page's values are no JSON: " + document.error().message);
    make_readable(*document, document->GetAllocator());
    return fill_template(text, *document);
}

}  // namespace workforce::operations
