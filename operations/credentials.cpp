// What people have to show to work. A list shows the end of a number alone, one credential all of it.
#include "commands/credential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "core/logging.hpp"
#include "operations/declare.hpp"
#include "operations/provider_call.hpp"
#include "operations/words/words.hpp"
#include "projections/credentials/credentials.hpp"
#include "projections/staff/staff.hpp"
#include "workers/registries/http_registry.hpp"

namespace workforce::operations {

/// The body of POST /api/staff/{id}/credentials.
struct StaffCredential : events::CredentialDetails {
    events::StaffCredentialType type = events::StaffCredentialType::license;

    static constexpr std::array<std::string_view, 2> kRequired{"name", "type"};
    void check(core::FieldCheck& fields) const {
        commands::AddCredential whole;
        static_cast<events::CredentialDetails&>(whole) = *this;
        whole.check(fields);
    }
};
BOOST_DESCRIBE_STRUCT(StaffCredential, (events::CredentialDetails), (type))

/// Of GET /api/staff/{id}/credentials, which names the person in its path.
struct HeldFilter : projections::ListFilter {
    std::optional<std::vector<events::CredentialStatus>> status{};
    std::optional<std::vector<events::StaffCredentialType>> type{};
    std::optional<core::Int<0, 3650>> expiringWithinDays{};
};
BOOST_DESCRIBE_STRUCT(HeldFilter, (projections::ListFilter), (status, type, expiringWithinDays))

namespace {

using boost::asio::awaitable;
using events::CredentialView;
using events::Kind;
using projections::credentials;

using CredentialQuery = ListQuery<projections::CredentialFilter>;
using HeldQuery = ListQuery<HeldFilter>;

constexpr std::size_t kShownOfNumber = 4;
/// A registry has so long at most.
constexpr std::chrono::milliseconds kRegistryTime{20'000};

/// The last characters of a number, as lists show it.
std::string end_of(std::string const& number) {
    auto at = number.size();
    for (std::size_t left = kShownOfNumber; at > 0 && left > 0; --left) {
        do {
            --at;
        } while (at > 0 && (static_cast<unsigned char>(number[at]) & 0xC0) == 0x80);  // within a character
    }
    return number.substr(at);
}

awaitable<core::Result<projections::Page>> shortened(awaitable<core::Result<projections::Page>> listing) {
    auto page = co_await std::move(listing);
    if (!page) co_return page;
    auto views = core::from_stored_json<std::vector<CredentialView>>(page->rows);
    for (auto& view : views) view.number.value = end_of(view.number.value.value);
    page->rows = core::to_json(views);
    co_return page;
}

awaitable<Outcome> get_page(Call& call, core::Result<CredentialQuery> query) {
    auto input = std::move(query).map(
        [](CredentialQuery const& asked) { return ListInput{asked, credentials().filters(asked)}; });
    auto source = [](core::Database& database, projections::Scope scope, projections::PageRequest request,
                     std::vector<core::Parameter> filters) {
        return shortened(credentials().lists().run(database, std::move(scope), std::move(request), std::move(filters)));
    };
    co_return co_await get_list(call, PageSource(source), std::move(input));
}

awaitable<Outcome> list_credentials(Call& call) {
    return get_page(call, read_query<CredentialQuery>(call.input.parameters));
}

/// Errors: NOT_FOUND for a person whom the caller does not see.
awaitable<Outcome> list_held(Call& call) {
    auto const held = read_query<HeldQuery>(call.input.parameters);
    if (!held) co_return refuse(call, held.error());
    auto const staff = call.input.path.id();
    if (auto const seen = co_await require_seen(call, projections::staff(), staff); !seen) {
        co_return refuse(call, seen.error());
    }
    CredentialQuery query;
    static_cast<PageQuery&>(query) = *held;
    static_cast<projections::ListFilter&>(query) = *held;
    query.staffId = staff;
    query.status = held->status;
    query.type = held->type;
    query.expiringWithinDays = held->expiringWithinDays;
    co_return co_await get_page(call, std::move(query));
}

/// Adds a credential to the person whom the path names.
awaitable<Outcome> add_to_staff(Call& call) {
    auto command = read_command<StaffCredential>(call).map([&](StaffCredential const& given) {
        commands::AddCredential add;
        static_cast<events::CredentialDetails&>(add) = given;
        add.staffId = call.input.path.id();
        add.type = given.type;
        return add;
    });
    std::size_t const new_ids = command ? 1 : 0;
    return submit(call, submission_of(call, std::move(command)), new_ids);
}

/// Asks the registry. Errors: unanswered_problem() where it gives no finding.
awaitable<core::Result<commands::RegistryFinding>> ask_registry(Call& call, commands::RegistryQuestion const& asked) {
    auto const& registry = call.services.registries->registries.of(call.meta.sandbox);
    workers::RegistryCall question{.question = asked, .organization = call.meta.organization, .key = {}};
    // A registry that knows keys must not tell of another number what it found of this one.
    question.key = provider_key(call, "cv_", workers::registry_body(question, ""));
    question.patience = provider_patience(call, kRegistryTime);
    auto finding = co_await registry.ask(std::move(question));
    if (finding) co_return *std::move(finding);
    core::log(core::Level::warn, "a registry of credentials gave no answer",
              {{"registry", registry.name()}, {"request_id", call.meta.request_id}, {"error", finding.error().reason}});
    co_return tl::unexpected(unanswered_problem(fmt::format("The registry {}", registry.name()), finding.error()));
}

/// Looks whether a check may be asked for, asks the registry, and records what it says.
awaitable<Outcome> verify_external(Call& call) {
    commands::RecordVerification record;
    record.id = call.input.path.id();
    KeyHold const hold(call.services.registries->under_way, provider_key(call, "cv_"));
    if (!hold.held()) co_return refuse(call, provider_in_progress());
    auto asked = std::make_shared<std::optional<commands::RegistryQuestion>>();
    auto answered = co_await look_ahead(
        call, [asked, id = record.id](commands::View const& view, commands::Context const& context) {
            auto question = commands::registry_question(view, id, context);
            if (question) *asked = *std::move(question);
            return asked->has_value();
        });
    if (answered) co_return *std::move(answered);
    if (*asked) {
        record.asked = **asked;
        auto finding = co_await ask_registry(call, record.asked);
        if (!finding) co_return co_await refuse_asked(call, finding.error());
        record.finding = *std::move(finding);
    }
    // Otherwise the decision says what is wrong.
    co_return co_await submit(call, submission_of(call, core::Result<commands::RecordVerification>(std::move(record))),
                              0);
}

template <class Command>
Operation credential_command(std::string_view name, std::string_view summary) {
    return command<Command>(name, summary).on(Kind::credential);
}

Operation held_list() {
    auto row = list<credentials>("credentials.list_of_staff", "List the credentials of a staff member");
    row.description = "Returns a page of one person's credentials; of numbers the last 4 characters.";
    row.parameters = parameters_of<HeldQuery>();
    for (auto& parameter : row.parameters) {
        if (parameter.name == "sort") parameter.values = credentials().sort_names();
    }
    row.reads.push_back(projections::staff().spec().name);
    row.handler = list_held;
    return row;
}

Operation added_to_staff() {
    auto row = command<commands::AddCredential>("credentials.add_to_staff", "Add a credential to a staff member");
    row.description = "Adds a license or the like to the person whom the path names, as {credentials.add} does.";
    row.body = &request_of<StaffCredential>;
    row.body_example = &example<StaffCredential, Side::request>;
    row.handler = add_to_staff;
    return row;
}

Operation external_verification() {
    auto row = credential_command<commands::RecordVerification>("credentials.verify_external",
                                                                "Have a registry verify a credential");
    row.description =
        "Asks the issuing registry about a credential, and records its word: verified, rejected or expired. Returns "
        "the finding and the credential. A registry that does not answer changes nothing.";
    row.handler = verify_external;
    return row;
}

/// What tools call the id.
std::vector<RenamedField> credential_id() { return {{"credentialId", "id"}}; }

std::vector<Operation> credential_reads() {
    using enum net::Method;
    // Who sees a person sees what is theirs.
    auto const staff = projections::staff().spec().name;
    auto listed = list<credentials>("credentials.list", "List credentials of staff");
    listed.description =
        "Returns a page of licenses, certificates and checks, with staffId of the person, whom {staff.list} names; of "
        "numbers the last 4 characters. All that has ended or ends by a day: status pending, verified and expired, "
        "sort "
        "expiresOn, up to that day. What ends turns expired by itself the day after. q looks at name and issuer.";
    listed.reads.push_back(staff);
    listed.handler = list_credentials;
    auto read = one<credentials>("credentials.get", "Read a credential");
    read.description = "Returns one credential with its whole number and its last check.";
    read.reads.push_back(staff);
    return {
        std::move(listed)
            .needs("credentials.view")
            .or_needs("staff.view_credentials")
            .reaches_own_rows()
            .at(get, "/api/credentials")
            .as_tool({.name = "credentials_list"}),
        std::move(read)
            .needs("credentials.view")
            .or_needs("staff.view_credentials")
            .reaches_own_rows()
            .at(get, "/api/credentials/{id:int}"),
        held_list()
            .needs("credentials.view")
            .or_needs("staff.view_credentials")
            .reaches_own_rows()
            .at(get, "/api/staff/{id:int}/credentials"),
    };
}

std::vector<Operation> credential_changes() {
    using enum net::Method;
    using enum events::ModelTier;
    return {
        command<commands::AddCredential>("credentials.add", "Add a credential")
            .says("Adds a license or the like to a person and returns it: pending, or expired where its last day is "
                  "past. It counts for shifts once it is verified: {credentials.verify_external} asks a registry.")
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .creates(Kind::credential)
            .about_named(Kind::staff, "staffId")
            .at(post, "/api/credentials")
            .as_tool({.name = "credentials_add", .tier = standard}),
        added_to_staff()
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .creates(Kind::credential, "/api/credentials")
            .on(Kind::staff)
            .at(post, "/api/staff/{id:int}/credentials"),
        credential_command<commands::UpdateCredential>("credentials.update", "Change a credential")
            .says("Changes the fields that are given; others stay. A new number or name, or a later last day of an "
                  "expired one, makes it pending again. Refused for a revoked one.")
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .at(patch, "/api/credentials/{id:int}")
            .also_put("credentials.put"),
        credential_command<commands::DeleteCredential>("credentials.delete", "Revoke a credential as deleted")
            .says("Revokes a credential for good, for the reason `deleted`; it stays readable.")
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .destroys()
            .at(del, "/api/credentials/{id:int}"),
        credential_command<commands::ExpireCredential>("credentials.expire", "Mark a credential as expired")
            .says("Marks a pending or verified credential as expired, so that it counts for shifts no more. Returns "
                  "it. Subscribers hear of it as credential_expired.")
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .at(post, "/api/credentials/{id:int}/expire")
            .as_tool({.name = "credentials_expire",
                      .tier = standard,
                      .approval = Approval::headless,
                      .destructive = true,
                      .idempotent = true,
                      .renamed = credential_id()}),
        credential_command<commands::RevokeCredential>("credentials.revoke", "Revoke a credential for good")
            .says("Takes a credential back for good: nothing changes it any more. Shifts that the person is on stay.")
            .needs("credentials.edit")
            .or_needs("staff.manage_credentials")
            .at(post, "/api/credentials/{id:int}/revoke"),
    };
}

std::vector<Operation> credential_checks() {
    using enum net::Method;
    using enum events::ModelTier;
    return {
        credential_command<commands::VerifyCredential>("credentials.verify", "Mark a credential as verified")
            .says("Says that somebody looked at a credential and that it is good; it counts for shifts from then on. "
                  "Refused where its last day is past, and for a revoked one.")
            .refuses({core::Code::credential_expired})
            .needs("credentials.verify")
            .at(post, "/api/credentials/{id:int}/verify"),
        external_verification()
            .needs("credentials.verify")
            .with_provider()
            .at(post, "/api/credentials/{id:int}/verify-external")
            .as_tool({.name = "credentials_verify_external", .tier = standard, .renamed = credential_id()}),
        credential_command<commands::RejectCredential>("credentials.reject", "Reject a pending credential")
            .says("Says that a pending credential is not good, and why. It counts for no shift.")
            .needs("credentials.verify")
            .at(post, "/api/credentials/{id:int}/reject"),
    };
}

}  // namespace

std::vector<Operation> credential_operations() {
    auto all = credential_reads();
    std::ranges::move(credential_changes(), std::back_inserter(all));
    std::ranges::move(credential_checks(), std::back_inserter(all));
    return all;
}

std::vector<StructWords> credential_words() {
    return {
        {{"credentials/"}, {{"id", "The credential's id, from {credentials.list}"}}},
        {{"CredentialKind", "UpdateCredential"},
         {{"staffId", "Whose it is, an id from {staff.list}; fixed"}, {"type", "Sort of document; fixed"}}},
        {{"StaffCredential"}, {{"type", "Sort of document; fixed"}}},
        {{"CredentialDetails", "CredentialChanges"},
         {{"name", "What it certifies, such as Registered Nurse"},
          {"number", "Number on the document; lists show its last 4 characters"},
          {"issuingAuthority", "Who issued it"},
          {"jurisdiction", "Where it holds, such as a state"},
          {"issuedOn", "Day of issue; null: unknown"},
          {"expiresOn", "Last day that it holds; null: no end"},
          {"documentUrl", "Address of a copy; null: none"}}},
        {{"CredentialStanding"},
         {{"status", "Where it stands; only verified counts for work"},
          {"verification", "The last check"},
          {"expiredReason", "Why it is expired; null unless it is"},
          {"statusReason", "What was said when it was rejected, revoked or expired"}}},
        {{"CredentialView"},
         {{"daysUntilExpiry", "Days to its last day: 0 on that day, negative after; null: no end"}}},
        {{"Verification"},
         {{"method", "By a person, or by asking a registry; null: never checked"},
          {"provider", "Registry that was asked"},
          {"reference", "The registry's own id of the check"},
          {"checkedAt", "When; null: never"},
          {"verifiedBy", "User who had it checked; null: a key without one"},
          {"result", "What the check found; null: nothing yet"}}},
        {{"CredentialFilter"}, {{"staffId", "Only of this person, an id from {staff.list}"}}},
        {{"CredentialFilter", "HeldFilter"},
         {{"status", "Only those that stand so"},
          {"type", "Only these sorts"},
          {"expiringWithinDays",
           "Only pending and verified ones, none that has expired, whose last day is at most so many days ahead; 0: "
           "today"}}},
        {{"RejectCredential"}, {{"reason", "Why it does not count"}}},
        {{"ExpireCredential"}, {{"reason", "Why it counts no more"}}},
        {{"RevokeCredential"}, {{"reason", "Why it is taken back"}}},
        {{"ExternalVerification"},
         {{"credential", "As it stands now"},
          {"verified", "Whether this check vouches for it"},
          {"provider", "Registry that was asked"},
          {"reference", "The registry's own id of the check; null: it has none"},
          {"checkedAt", "When the registry answered"},
          {"outcome", "What the registry found"},
          {"details", "The finding in a sentence"}}},
        {{"StaffCredentialType"}, {{"", "Sort of document"}}},
        {{"CredentialStatus"},
         {{"",
           "pending: not checked yet; verified: checked and good; rejected: checked and not good; revoked: for good"}}},
        {{"ExpiredReason"}, {{"", "By a request, by its date, or by a registry's word"}}},
        {{"VerificationMethod"}, {{"", "By a person, or by a registry"}}},
        {{"VerificationResult", "RegistryOutcome"}, {{"", "Whether the registry knows it, and as good"}}},
    };
}

}  // namespace workforce::operations
