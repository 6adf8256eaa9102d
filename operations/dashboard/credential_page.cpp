// GET /credentials/{id}: a credential, its last check, and what may become of it.
#include <algorithm>
#include <array>

#include "core/json_values.hpp"
#include "operations/dashboard/credential_forms.hpp"
#include "operations/templates.hpp"

namespace workforce::operations {
namespace {

using boost::asio::awaitable;

constexpr std::string_view kCredentialPage = "pages.credential";
constexpr std::string_view kChangeCredential = "pages.change_credential";

/// A command that the page offers, and in which states (domain 2.2).
struct CredentialOffer {
    std::string_view member;
    std::string_view operation;
    std::array<std::string_view, 4> statuses;
};
constexpr std::array kCredentialOffers{
    CredentialOffer{"verifiable", "credentials.verify", {"pending", "rejected", "expired"}},
    CredentialOffer{"askable", "credentials.verify_external", {"pending", "verified", "rejected", "expired"}},
    CredentialOffer{"rejectable", "credentials.reject", {"pending"}},
    CredentialOffer{"expirable", "credentials.expire", {"pending", "verified"}},
    CredentialOffer{"revocable", "credentials.revoke", {"pending", "verified", "rejected", "expired"}}};

awaitable<void> fill_credential(Call& call, PageContent& content) {
    auto const id = call.input.path.id();
    content.add_text("credential_id", std::to_string(id));
    auto const found =
        co_await content.add_subject("credential", {.operation = "credentials.get", .path = path_of(id)});
    if (!found) co_return;
    auto const& credential = *found;
    RowNames names(call);
    auto const person = co_await names.person(credential["staffId"].GetInt64());
    content.set_title(fmt::format("{} of {}", credential["name"].GetString(), person));
    content.add_text("person", person);
    content.add_text("sort", spoken(credential["type"].GetString()));
    auto const& checked_by = credential["verification"]["verifiedBy"];
    if (checked_by.IsInt64())
        content.add_text("checked_by", co_await names.name(NamedMember::What::user, checked_by.GetInt64()));
    std::string_view const status = credential["status"].GetString();
    auto const& left = credential["daysUntilExpiry"];
    bool const past = left.IsInt64() && left.GetInt64() < 0;
    for (auto const& offer : kCredentialOffers) {
        bool offered = std::ranges::count(offer.statuses, status) > 0 && may_ask(*call.caller, offer.operation);
        if (offer.member == "verifiable") offered = offered && !past;
        content.add_json(offer.member, offered ? "true" : "false");
    }
    if (status == "revoked" || !may_ask(*call.caller, "credentials.update")) co_return;
    auto const shape = credential_form(kChangeCredential, true);
    content.add_json("change", shown_form(call, shape, held_fields(shape, credential)));
}

core::Result<Question> change_credential(Call const& call, FormFields const& fields) {
    return body_from(credential_form(kChangeCredential, true), fields).map([&](std::string body) {
        return Question{.operation = "credentials.update", .path = call.input.path, .body = std::move(body)};
    });
}

core::Result<Question> decide_credential(Call const& call, FormFields const& fields) {
    static constexpr std::array kChoices{
        Choice{"verify", "credentials.verify"}, Choice{"reject", "credentials.reject", true},
        Choice{"expire", "credentials.expire", true}, Choice{"revoke", "credentials.revoke", true}};
    return chosen_question(call, fields, kChoices);
}

}  // namespace

DashboardSection credential_section() {
    return {{.name = kCredentialPage,
             .path = "/credentials/{id:int}",
             .title = "Credential",
             .summary = "A credential and its last check",
             .needs = "credentials.get",
             .in_menu = false,
             .text = templates::dashboard_credential,
             .fill = fill_credential},
            {{.name = kChangeCredential,
              .path = "/credentials/{id:int}",
              .summary = "Change a credential by the form",
              .page = kCredentialPage,
              .done = "The credential is changed.",
              .of_version = true,
              .question = change_credential},
             {.name = "pages.decide_credential",
              .path = "/credentials/{id:int}/decide",
              .summary = "Verify, reject, expire or revoke a credential by the form",
              .page = kCredentialPage,
              .done = "It is decided.",
              .of_version = true,
              .question = decide_credential},
             {.name = "pages.ask_registry",
              .path = "/credentials/{id:int}/ask-registry",
              .summary = "Have a registry verify a credential by the form",
              .page = kCredentialPage,
              .done = "The registry answered.",
              .shows_answer = true,
              .of_version = true,
              .operation = "credentials.verify_external"}}};
}

}  // namespace workforce::operations
