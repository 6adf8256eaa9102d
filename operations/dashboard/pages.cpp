// What all pages of the dashboard do: the menu, forms and what becomes of them.
#include "operations/dashboard/pages.hpp"

#include <fmt/format.h>
#include <rapidjson/pointer.h>

#include <algorithm>
#include <utility>

#include "core/crypto.hpp"
#include "core/json_values.hpp"
#include "operations/oauth/form_seal.hpp"
#include "operations/oauth/redirect_uri.hpp"
#include "operations/pages/page.hpp"
#include "operations/pages/template.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {

struct MenuEntry {
    std::string path;
    std::string title;
    std::string current;  ///< as aria-current has it: the page itself, or one of its section; empty: neither
};
BOOST_DESCRIBE_STRUCT(MenuEntry, (), (path, title, current))

struct DashboardHeader {
    std::vector<MenuEntry> menu;
    std::string name;
    std::string organization;
    HiddenFields fields;
};
BOOST_DESCRIBE_STRUCT(DashboardHeader, (), (menu, name, organization, fields))

namespace {

using boost::asio::awaitable;

/// The matter of the seals: forms of the dashboard show nothing that people agree to, and are only to be ours.
constexpr std::string_view kMatter = "dashboard";
constexpr std::string_view kDone = "done";        // parameter that names the form which was sent
constexpr std::string_view kVersion = "version";  // of the page's subject, as its forms tell it
constexpr std::string_view kChanged =
    "This was changed since the page was loaded, and nothing was done. Look at it again, then send the form once more.";
constexpr std::string_view kOnce = "once";  // field by which a form that is sent twice is one request
constexpr std::size_t kOnceLength = 22;

std::vector<DashboardSection> const& sections() {
    static std::vector<DashboardSection> const all{
        overview_section(),     schedule_section(),     shift_section(),       requests_section(),
        staff_section(),        staff_member_section(), credentials_section(), credential_section(),
        timesheets_section(),   timesheet_section(),    payroll_section(),     payroll_run_section(),
        leads_section(),        lead_section(),         messages_section(),    conversation_section(),
        approvals_section(),    agents_section(),       agent_section(),       agent_runs_section(),
        agent_run_section(),    guardrails_section(),   guardrail_section(),   admin_section(),
        organization_section(), facilities_section(),   facility_section(),    users_section(),
        user_section(),         audit_section(),        billing_section(),     developers_section(),
        webhook_section(),      usage_section(),        events_section(),      sandbox_section(),
        own_section()};
    return all;
}

DashboardPage const& page_named(std::string_view name) {
    auto const found =
        std::ranges::find(sections(), name, [](DashboardSection const& section) { return section.page.name; });
    if (found == sections().end()) throw std::logic_error("there is no such page: " + std::string(name));
    return found->page;
}

DashboardForm const* find_form(std::string_view name) {
    for (auto const& section : sections()) {
        auto const found = std::ranges::find(section.forms, name, &DashboardForm::name);
        if (found != section.forms.end()) return &*found;
    }
    return nullptr;
}

/// The page that tells of what the form did.
std::string_view shown_on(DashboardForm const& form) { return form.leads_to.empty() ? form.page : form.leads_to; }

bool may_see(Caller const& caller, DashboardPage const& page) {
    return page.needs.empty() || may_ask(caller, page.needs);
}

/// The fields that each form of the dashboard has.
HiddenFields form_fields(Call const& call) {
    HiddenFields fields;
    add_seal(call, kMatter, fields);
    fields.push_back({std::string(kOnce), core::random_base62(kOnceLength)});
    return fields;
}

/// How the entry of `entry` is marked on a page: "page" on its own, "true" on those below its address, "" elsewhere.
std::string_view mark_of(DashboardPage const& entry, DashboardPage const& current) {
    if (entry.name == current.name) return "page";
    auto const below = current.path.starts_with(entry.path) && current.path.substr(entry.path.size()).starts_with('/');
    return below ? "true" : "";
}

std::string header_of(Call const& call, DashboardPage const& current, HiddenFields fields) {
    DashboardHeader header{
        {}, person_name(call.caller->user), call.caller->organization_record.name.value, std::move(fields)};
    for (auto const& [page, forms] : sections()) {
        if (!page.in_menu || !may_see(*call.caller, page)) continue;
        header.menu.push_back({std::string(page.path), std::string(page.title), std::string(mark_of(page, current))});
    }
    return fill_template(templates::dashboard_header, header);
}

/// The lines that a page begins with.
struct PageNotice {
    std::string_view done{};
    std::string problem{};  ///< why a form's question was not answered; empty: there was none
    std::string made{};     ///< JSON of what a form made; empty: nothing
};

core::Problem no_page() {
    return {core::Code::forbidden,
            "Your role does not include this page.",
            {},
            "Go back, or ask an administrator for the role."};
}

/// The page, which tells of `done` things and problems; of what it is about and can't be had, with that one's status.
awaitable<Outcome> render(Call& call, DashboardPage const& page, PageNotice notice, std::uint16_t status) {
    if (!may_see(*call.caller, page)) co_return refuse(call, no_page());
    auto const fields = form_fields(call);
    PageContent content(call);
    content.add_json("fields", core::to_json(fields));
    content.add_text("done", notice.done);
    if (!notice.problem.empty()) content.add_text("problem", notice.problem);
    if (!notice.made.empty()) content.add_json("made", notice.made);
    co_await page.fill(call, content);
    auto const title = content.title().empty() ? std::string(page.title) : content.title();
    content.add_text("title", title);
    auto body = content.fill(std::string(templates::dashboard_notice) + std::string(page.text));
    auto outcome = page_outcome(framed_page(title, std::move(body), header_of(call, page, fields)), status);
    if (auto const* const refused = content.refusal(); refused != nullptr && status < 300) {
        outcome.status = refused->status;
        outcome.refused = refused->refused;
        outcome.retry_after = refused->retry_after;
    }
    co_return outcome;
}

std::string digest_for(Call const& call, std::string_view purpose, std::string_view text) {
    auto const& caller = *call.caller;
    auto const whole = fmt::format("dashboard {}\n{}\n{}\n{}\n{}", purpose, caller.organization, caller.user.id,
                                   call.meta.session, text);
    return core::base64url_encode(core::bytes(core::hmac_sha256(call.services.cursor_secret, whole)));
}

/// The parameter by which a page says, to the one who sent the form alone, that it is done.
std::string done_value(Call const& call, DashboardForm const& form) {
    return fmt::format("{}.{}", form.name, digest_for(call, "done", form.name));
}

awaitable<Outcome> show_page(Call& call) {
    auto const& page = page_named(call.operation.name);
    PageNotice notice;
    auto const done = parameter_of(call, kDone);
    auto const* const form = find_form(std::string_view(done).substr(0, done.rfind('.')));
    bool const is_told = form != nullptr && shown_on(*form) == page.name;
    if (is_told && core::constant_time_equal(done, done_value(call, *form))) notice.done = form->done;
    co_return co_await render(call, page, std::move(notice), 200);
}

/// The id that the page which tells of the form is about: the form's own, or that of what it made.
Id subject_of(Call const& call, DashboardForm const& form, Outcome const& outcome) {
    if (form.made.empty()) return call.input.path.id();
    auto const answer = core::parse_json(outcome.body);
    auto const* const id = rapidjson::Pointer(form.made.data(), form.made.size()).Get(*answer);
    if (id == nullptr || !id->IsInt64()) throw std::logic_error("no such id in the answer: " + std::string(form.made));
    return id->GetInt64();
}

/// The page's address, with the id that it is about.
std::string address_of(Call const& call, DashboardForm const& form, Outcome const& outcome) {
    auto const& page = page_named(shown_on(form));
    constexpr std::string_view kId = "{id:int}";
    std::string path(page.path);
    if (auto const at = path.find(kId); at != std::string::npos) {
        path.replace(at, kId.size(), std::to_string(subject_of(call, form, outcome)));
    }
    return fmt::format("{}?{}={}", path, kDone, done_value(call, form));
}

/// A form that its browser sends twice is one request: all that it says is its key.
commands::Idempotency form_key(Call const& call, FormFields const& fields) {
    std::string text(call.operation.name);
    for (auto const& parameter : call.input.path) text += fmt::format("\n{}", parameter.id);
    for (auto const& [name, value] : fields) text += fmt::format("\n{}={}", form_encoded(name), form_encoded(value));
    return commands::key_that_names(digest_for(call, "form", text));
}

awaitable<Outcome> take_form(Call& call) {
    auto const* const form = find_form(call.operation.name);
    if (form == nullptr) throw std::logic_error("there is no such form: " + std::string(call.operation.name));
    auto const& page = page_named(form->page);
    auto const& body = *call.input.body;
    if (!body) co_return refuse(call, body.error());
    auto const fields = fields_of(*body);
    if (!is_sealed(call, kMatter, fields)) {
        constexpr auto kRefused = core::Code::csrf_rejected;
        PageNotice notice{.problem = "The page was open for too long, and nothing was done. Send the form once more."};
        auto shown = co_await render(call, page, std::move(notice), core::info(kRefused).status);
        shown.refused = kRefused;
        co_return shown;
    }
    auto question = form->question == nullptr ? Question{.operation = form->operation, .path = call.input.path}
                                              : form->question(call, fields);
    if (question && form->of_version) question->version = core::parse_integer(field(fields, kVersion)).value_or(0);
    Outcome outcome = question ? co_await ask_by_form(call, *std::move(question), form_key(call, fields))
                               : refusal(question.error(), call.meta.request_id);
    if (outcome.status >= 300) {
        auto problem = outcome.refused == core::Code::precondition_failed ? std::string(kChanged) : problem_of(outcome);
        auto shown = co_await render(call, page, {.problem = std::move(problem)}, outcome.status);
        shown.refused = outcome.refused;
        shown.retry_after = outcome.retry_after;
        co_return shown;
    }
    Outcome answer{.status = 303, .location = address_of(call, *form, outcome)};
    if (form->shows_answer) answer = co_await render(call, page, {.done = form->done, .made = outcome.body}, 200);
    answer.marker = outcome.marker;
    answer.facility = outcome.facility;
    answer.organization = outcome.organization;
    answer.replayed = outcome.replayed;
    co_return answer;
}

/// Ends the session, and shows the form to sign in by. However long the page was open: nobody is kept signed in.
awaitable<Outcome> sign_out(Call& call) {
    auto outcome = co_await ask(call, {.operation = "auth.logout"});
    if (outcome.status >= 300) co_return refuse(call, {*outcome.refused, problem_of(outcome)});
    co_return Outcome{.status = 303, .location = "/login", .session_cookie = std::move(outcome.session_cookie)};
}

}  // namespace

std::string kept_of(Call const& call, std::string_view name) {
    auto const& body = call.input.body;
    auto given = parameter_of(call, name);
    if (!given.empty() || !body || !*body) return given;
    return std::string(field(fields_of(**body), name));
}

core::Result<Id> id_field(FormFields const& fields, std::string_view name) {
    auto const id = core::parse_integer(field(fields, name));
    if (id && *id > 0 && *id <= core::kMaxId) return *id;
    return tl::unexpected(core::validation_problem({{std::string(name), "type", "must be an id"}}));
}

core::Result<Question> chosen_question(Call const& call, FormFields const& fields, std::span<Choice const> choices) {
    auto const found = std::ranges::find(choices, field(fields, "decision"), &Choice::decision);
    if (found == choices.end()) {
        return tl::unexpected(core::validation_problem({{"decision", "enum", "must be one of the form's"}}));
    }
    core::JsonWriter w;
    w.begin_object();
    auto const reason = field(fields, "reason");
    if (found->takes_reason && !reason.empty()) w.member("reason", reason);
    w.end_object();
    return Question{.operation = found->operation, .path = call.input.path, .body = w.take()};
}

std::vector<Operation> dashboard_page_operations() {
    std::vector<Operation> all;
    for (auto const& [page, forms] : sections()) {
        auto row = person_page_row(page.name, page.summary, show_page);
        for (auto const name : page.parameters) row.parameters.push_back({.name = name});
        row.parameters.push_back({.name = kDone});
        all.push_back(std::move(row).at(net::Method::get, page.path));
        for (auto const& form : forms) {
            auto taken = person_form_row(form.name, form.summary, take_form);
            if (!form.shows_answer) taken.success = 303;
            all.push_back(std::move(taken).at(net::Method::post, form.path));
        }
    }
    auto out = person_form_row("pages.sign_out", "Sign out by the form", sign_out);
    out.success = 303;
    all.push_back(std::move(out).at(net::Method::post, "/logout"));
    return all;
}

}  // namespace workforce::operations
