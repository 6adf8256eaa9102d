// Asking for other operations, and their answers as templates take them.
#include "operations/dashboard/page_content.hpp"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "core/json_values.hpp"
#include "operations/pages/template.hpp"
#include "operations/target.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

/// Members whose values are shown as JSON.
constexpr std::array<std::string_view, 2> kShownAsJson{"arguments", "executionResult"};

/// Templates that others include.
constexpr std::array kParts{TemplatePart{"sealed_part", templates::dashboard_sealed},
                            TemplatePart{"inputs_part", templates::dashboard_inputs},
                            TemplatePart{"form_part", templates::dashboard_form},
                            TemplatePart{"table_part", templates::dashboard_table},
                            TemplatePart{"filters_part", templates::dashboard_filters},
                            TemplatePart{"no_enter_part", templates::dashboard_no_enter},
                            TemplatePart{"clock_part", templates::dashboard_clock},
                            TemplatePart{"availability_part", templates::dashboard_availability},
                            TemplatePart{"new_shift_part", templates::dashboard_new_shift},
                            TemplatePart{"own_notifications_part", templates::dashboard_own_notifications},
                            TemplatePart{"swap_part", templates::dashboard_swap},
                            TemplatePart{"list_part", templates::dashboard_list},
                            TemplatePart{"facts_part", templates::dashboard_facts},
                            TemplatePart{"tabs_part", templates::dashboard_tabs}};

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
            auto const text = indented_json(member);
            member.SetString(text.data(), text.size(), allocator);
        }
    }
}

/// The question as a call of its own. Errors: as lacking() and resolve_target().
boost::asio::awaitable<core::Result<Call>> prepared(Call& page, Question question) {
    auto const& operation = operation_named(question.operation);
    Call call{page.services, operation, page.caller, page.meta, {}};
    call.meta.organization = 0;
    call.meta.sandbox = false;
    call.input.path = std::move(question.path);
    call.input.parameters = std::move(question.parameters);
    if (operation.effect != Effect::read || operation.body != nullptr)
        call.input.body.emplace(core::parse_json(question.body));
    call.awaited = page.stale && operation.effect == Effect::read;
    call.stale = call.awaited;
    if (auto const problem = lacking(*call.caller, operation)) co_return tl::unexpected(*problem);
    if (auto const target = co_await resolve_target(call); !target) {
        co_return tl::unexpected(unless_behind(call, target.error()));
    }
    co_return call;
}

constexpr int kMostLooks = 84;  // as long as a provider may be asked, and a second
constexpr std::chrono::milliseconds kBetweenLooksAtForm{250};

}  // namespace

std::string indented_json(core::JsonValue const& value) {
    rapidjson::StringBuffer buffer;
    rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
    writer.SetIndent(' ', 2);
    value.Accept(writer);
    return {buffer.GetString(), buffer.GetSize()};
}

bool may_ask(Caller const& caller, std::string_view operation) { return !lacking(caller, operation_named(operation)); }

PathParameters path_of(Id id) {
    PathParameters path;
    path.add({.name = "id", .id = id});
    return path;
}

boost::asio::awaitable<Outcome> ask(Call& page, Question question) {
    auto call = co_await prepared(page, std::move(question));
    if (!call) co_return refusal(call.error(), page.meta.request_id);
    auto const& perform = page.services.perform;
    auto outcome = co_await (perform ? perform(*call) : call->operation.handler(*call));
    page.stale = page.stale || call->stale;
    co_return outcome;
}

boost::asio::awaitable<Outcome> ask_by_form(Call& page, Question question, commands::Idempotency idempotency) {
    for (int attempt = 1;; ++attempt) {
        auto call = co_await prepared(page, question);
        if (!call) co_return refusal(call.error(), page.meta.request_id);
        if (call->operation.appends) call->meta.idempotency = idempotency;
        if (question.version > 0) call->meta.expected_versions = {question.version};
        auto const& perform = page.services.perform_form;
        auto outcome = co_await (perform ? perform(*call) : call->operation.handler(*call));
        page.stale = page.stale || call->stale;
        outcome.organization = call->meta.organization;
        if (outcome.refused != core::Code::idempotency_in_progress || attempt == kMostLooks) co_return outcome;
        boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, kBetweenLooksAtForm);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

std::string problem_of(Outcome const& outcome) {
    std::string message = "That could not be done. Try again in a moment.";
    auto const document = core::parse_json(outcome.body);
    if (!document || !document->IsObject()) return message;
    auto const error = document->FindMember("error");
    if (error == document->MemberEnd() || !error->value.IsObject()) return message;
    auto const said = error->value.FindMember("message");
    bool const says = said != error->value.MemberEnd() && said->value.IsString();
    return says ? said->value.GetString() : message;
}

std::string parameter_of(Call const& page, std::string_view name) {
    auto const found = page.input.parameters.find(name);
    return found == page.input.parameters.end() ? std::string() : found->second;
}

PageContent::PageContent(Call& page) : page_(page) { values_.begin_object(); }

bool PageContent::take(std::string_view member, Outcome const& outcome) {
    auto what = std::string(member);
    std::ranges::replace(what, '_', ' ');
    bool const answered = outcome.status < 300;
    if (answered) {
        auto const document = core::parse_json(outcome.body);
        auto const* const pagination = document ? core::find_member(&*document, "pagination") : nullptr;
        auto const* const more = core::find_member(pagination, "hasMore");
        if (more != nullptr && more->IsTrue()) remark("There are more " + what + " than this page shows.");
        add_json(member, outcome.body);
    } else if (outcome.status != 403) {
        remark("The " + what + " can't be shown: " + problem_of(outcome));
    }
    return answered;
}

boost::asio::awaitable<bool> PageContent::add(std::string_view member, Question question) {
    co_return take(member, co_await ask(page_, std::move(question)));
}

boost::asio::awaitable<bool> PageContent::add_rows(std::string_view member, Question question, RowMark mark) {
    auto outcome = co_await ask(page_, std::move(question));
    if (outcome.status < 300) {
        auto document = core::parse_json(outcome.body);
        for (auto& row : (*document)["data"].GetArray()) mark(row, document->GetAllocator());
        outcome.body = core::json_of(*document);
    }
    co_return take(member, outcome);
}

boost::asio::awaitable<std::optional<rapidjson::Document>> PageContent::add_subject(std::string_view member,
                                                                                    Question question) {
    auto const outcome = co_await ask(page_, std::move(question));
    if (!take_subject(outcome)) co_return std::nullopt;
    version_ = outcome.version;
    add_json(member, outcome.body);
    co_return *core::parse_json(outcome.body);
}

bool PageContent::take_subject(Outcome const& outcome) {
    if (outcome.status < 300) return true;
    remark(problem_of(outcome));
    refusal_.emplace(Outcome{.status = outcome.status, .refused = outcome.refused, .retry_after = outcome.retry_after});
    return false;
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
    if (page_.stale) remark("This page may lack what you did last. Load it again.");
    add_json("remarks", core::to_json(remarks_));
    if (version_ > 0) add_text("subject_version", std::to_string(version_));
    values_.end_object();
    auto document = core::parse_json(values_.text());
    if (!document) throw std::logic_error("a page's values are no JSON: " + document.error().message);
    make_readable(*document, document->GetAllocator());
    return fill_template(text, *document, kParts);
}

}  // namespace workforce::operations
