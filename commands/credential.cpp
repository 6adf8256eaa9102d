// Rules of credentials (domain 1.4, 2.2).
#include "commands/credential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "commands/staff.hpp"
#include "core/utf8.hpp"

namespace workforce::commands {
namespace {

using events::CredentialRecord;
using events::CredentialStatus;
using events::ExpiredReason;
using events::VerificationMethod;
using events::VerificationResult;

constexpr std::string_view kNoun = "credential";

core::Date today(View const& view, Timestamp now) { return core::local_date(now, view.organization().timezone.value); }

/// Whether its date has passed: on that day it is still good.
bool is_past(core::Nullable<core::Date> const& end, core::Date day) { return end.value && *end.value < day; }

/// The credential that a command is about. Errors: NOT_FOUND; INVALID_STATE_TRANSITION where its holder was erased.
Result<CredentialRecord const*> find_credential(View const& view, Id id, Context const& context) {
    std::ignore = view.organization();  // by whose calendar the answer counts
    auto const* record = view.get<CredentialRecord>(id);
    if (!record || record->deleted || !reached_person(view, record->staffId, context)) return not_found(kNoun, id);
    if (record->internals.holderErased) {
        auto refused = invalid_transition(kNoun, "erased", "change", {});
        refused.value().message = "The staff member was erased, and nothing more is kept about them.";
        refused.value().suggestion = "Leave the credential as it is.";
        return refused;
    }
    return record;
}

std::string sealed_for(Id staff) { return to_string(events::AggregateRef{events::Kind::staff, staff}); }

/// What the state permits, as details.allowed lists it.
std::vector<std::string> allowed(CredentialStatus status) {
    switch (status) {
        case CredentialStatus::pending:
            return {"update", "verify", "verify-external", "reject", "expire", "revoke"};
        case CredentialStatus::verified:
            return {"update", "verify-external", "expire", "revoke"};
        case CredentialStatus::expired:
        case CredentialStatus::rejected:
            return {"update", "verify", "verify-external", "revoke"};
        case CredentialStatus::revoked:
            return {};
    }
    return {};
}

tl::unexpected<core::Problem> refuse_credential_move(CredentialRecord const& record, std::string_view command) {
    return invalid_transition(kNoun, core::enum_name(record.status), command, allowed(record.status));
}

tl::unexpected<core::Problem> refuse_past() {
    return refuse(Code::credential_expired, "The credential's expiresOn has passed; change it first.");
}

bool is_in_order(core::Nullable<core::Date> const& issued, core::Nullable<core::Date> const& end) {
    return !issued.value || !end.value || *issued.value <= *end.value;
}
constexpr std::string_view kOrder = "must not be before issuedOn";

events::CredentialView shown(View const& view, Id id, Timestamp now) {
    events::CredentialView credential{*view.get<CredentialRecord>(id), {}};
    if (auto const& end = credential.expiresOn.value) {
        credential.daysUntilExpiry = std::int64_t{end->days} - today(view, now).days;
    }
    return credential;
}

events::CredentialExpired expired_event(CredentialRecord const& record, ExpiredReason reason, std::string note = {}) {
    events::CredentialExpired expired;
    static_cast<events::CredentialKind&>(expired) = record;
    expired.name = record.name;
    expired.expiresOn = record.expiresOn;
    expired.reason = reason;
    expired.note = std::move(note);
    return expired;
}

/// A check that the caller asked for.
events::Verification check_by(VerificationMethod method, VerificationResult result, Context const& context) {
    events::Verification check;
    check.method = method;
    check.checkedAt = context.now;
    if (context.actor.user != 0) check.verifiedBy = context.actor.user;
    check.result = result;
    return check;
}

VerificationResult result_of(RegistryOutcome outcome) {
    switch (outcome) {
        case RegistryOutcome::match:
            return VerificationResult::match;
        case RegistryOutcome::no_match:
            return VerificationResult::no_match;
        case RegistryOutcome::expired:
            return VerificationResult::expired;
    }
    return VerificationResult::error;
}

/// Whether what a check vouches for is still what the registry was asked about.
bool is_as_asked(CredentialRecord const& record, RegistryQuestion const& asked) {
    return record.name.value == asked.name && record.number.value.value == asked.number &&
           record.issuingAuthority.value == asked.issuing_authority && record.jurisdiction.value == asked.jurisdiction;
}

Decision one(Id id, events::CredentialEvent event) { return {{credential_event(id, std::move(event))}, {}}; }

/// Where the credential stands once it is changed like that.
CredentialStatus status_after(CredentialRecord const& record, events::CredentialChanges const& changes, bool past) {
    bool const other = changes.name || changes.number || changes.issuingAuthority || changes.jurisdiction;
    switch (record.status) {
        case CredentialStatus::expired:
            return !past && (other || changes.expiresOn) ? CredentialStatus::pending : record.status;
        case CredentialStatus::verified:
        case CredentialStatus::rejected:
            return other ? CredentialStatus::pending : record.status;
        case CredentialStatus::pending:
        case CredentialStatus::revoked:
            break;
    }
    return record.status;
}

/// Days before its end of which its holder is to be told now; 0 where of none.
std::int64_t notice_due(CredentialRecord const& record, core::Date day) {
    std::int64_t notice = 0;
    for (auto const days : events::kExpiryNoticeDays) {
        if (std::int64_t{record.expiresOn.value->days} - day.days <= days) notice = days;
    }
    auto const told = record.internals.toldWithinDays;
    return told == 0 || notice < told ? notice : 0;
}

/// What time has brought; nothing where it brought nothing.
std::optional<events::CredentialEvent> moved_by_time(CredentialRecord const& record, core::Date day) {
    auto const due = due_on(record);
    if (!due.value || *due.value > day) return std::nullopt;
    if (is_past(record.expiresOn, day)) return expired_event(record, ExpiredReason::date_passed);
    auto const notice = notice_due(record, day);
    if (notice == 0) return std::nullopt;
    events::CredentialExpiring expiring;
    static_cast<events::CredentialKind&>(expiring) = record;
    expiring.name = record.name;
    expiring.expiresOn = *record.expiresOn.value;
    expiring.withinDays = notice;
    return expiring;
}

}  // namespace

NewEvent credential_event(Id id, events::CredentialEvent event) {
    return {{events::Kind::credential, id}, 0, std::move(event)};
}

void AddCredential::check(core::FieldCheck& fields) const {
    if (!fields.sound("issuedOn") || !fields.sound("expiresOn")) return;
    if (!is_in_order(issuedOn, expiresOn)) fields.fail("expiresOn", "order", std::string(kOrder));
}

Result<Decision> decide(View const& view, AddCredential const& command, Context const& context) {
    if (!reached_person(view, command.staffId, context)) return not_found("staff member", command.staffId);
    if (view.by<events::CredentialsOfPerson>(command.staffId).size() >= kMostCredentials) {
        return invalid_field("staffId", "max_items",
                             fmt::format("names a person with {} credentials, and nobody has more", kMostCredentials));
    }
    bool const past = is_past(command.expiresOn, today(view, context.now));
    events::CredentialAdded added{
        command, command, {sealed_for(command.staffId)}, past ? CredentialStatus::expired : CredentialStatus::pending};
    return one(context.new_ids.at(0), std::move(added));
}
events::CredentialView answer(View const& view, AddCredential const&, Decision const& decision) {
    return shown(view, decision.events.at(0).subject.id, decision.at);
}

void UpdateCredential::check(core::FieldCheck& fields) const {
    if (!issuedOn || !expiresOn || !fields.sound("issuedOn") || !fields.sound("expiresOn")) return;
    if (!is_in_order(*issuedOn, *expiresOn)) fields.fail("expiresOn", "order", std::string(kOrder));
}

Result<Decision> decide(View const& view, UpdateCredential const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    std::vector<core::FieldError> faults;
    if (command.staffId && *command.staffId != record->staffId)
        faults.push_back({"staffId", "fixed", "can't be changed"});
    if (command.type && *command.type != record->type) faults.push_back({"type", "fixed", "can't be changed"});
    auto const& end = command.expiresOn ? *command.expiresOn : record->expiresOn;
    if (!is_in_order(command.issuedOn ? *command.issuedOn : record->issuedOn, end)) {
        faults.push_back({"expiresOn", "order", std::string(kOrder)});
    }
    if (!faults.empty()) return tl::unexpected(core::validation_problem(faults));
    events::CredentialUpdated updated{command, {sealed_for(record->staffId)}, record->status};
    if (!events::keep_changed(*record, static_cast<events::CredentialChanges&>(updated))) return Decision{};
    if (record->status == CredentialStatus::revoked) return refuse_credential_move(*record, "update");
    bool const past = is_past(end, today(view, context.now));
    updated.status = status_after(*record, updated, past);
    bool const ends =
        past && (updated.status == CredentialStatus::pending || updated.status == CredentialStatus::verified);
    auto expired = expired_event(*record, ExpiredReason::date_passed);
    if (updated.name) expired.name = *updated.name;
    expired.expiresOn = end;
    auto decision = one(command.id, std::move(updated));
    if (ends) decision.events.push_back(credential_event(command.id, std::move(expired)));
    return decision;
}
events::CredentialView answer(View const& view, UpdateCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<Decision> decide(View const& view, VerifyCredential const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::revoked) return refuse_credential_move(*record, "verify");
    if (is_past(record->expiresOn, today(view, context.now))) return refuse_past();
    if (record->status == CredentialStatus::verified) return Decision{};
    auto check = check_by(VerificationMethod::manual, VerificationResult::match, context);
    return one(command.id, events::CredentialVerified{record->status, std::move(check)});
}
events::CredentialView answer(View const& view, VerifyCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<Decision> decide(View const& view, RejectCredential const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::rejected) return Decision{};
    if (record->status != CredentialStatus::pending) return refuse_credential_move(*record, "reject");
    return one(command.id, events::CredentialRejected{command.reason.value, {}});
}
events::CredentialView answer(View const& view, RejectCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<Decision> decide(View const& view, ExpireCredential const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::expired) return Decision{};
    if (record->status != CredentialStatus::pending && record->status != CredentialStatus::verified) {
        return refuse_credential_move(*record, "expire");
    }
    auto const reason = command.reason.value_or(core::ShortText());
    return one(command.id, expired_event(*record, ExpiredReason::api, reason.value));
}
events::CredentialView answer(View const& view, ExpireCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<Decision> decide(View const& view, RevokeCredential const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::revoked) return Decision{};
    return one(command.id, events::CredentialRevoked{command.reason.value_or(core::ShortText())});
}
events::CredentialView answer(View const& view, RevokeCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<Decision> decide(View const& view, DeleteCredential const& command, Context const& context) {
    return decide(view, RevokeCredential{command.id, "deleted"}, context);
}
events::CredentialView answer(View const& view, DeleteCredential const& command, Decision const& decision) {
    return shown(view, command.id, decision.at);
}

Result<RegistryQuestion> registry_question(View const& view, Id id, Context const& context) {
    auto const found = find_credential(view, id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::revoked) return refuse_credential_move(*record, "verify-external");
    RegistryQuestion question;
    question.credential = id;
    question.type = record->type;
    question.name = record->name.value;
    question.number = record->number.value.value;
    question.issuing_authority = record->issuingAuthority.value;
    question.jurisdiction = record->jurisdiction.value;
    question.issued_on = record->issuedOn;
    question.expires_on = record->expiresOn;
    auto const* holder = view.get<events::StaffRecord>(record->staffId);
    question.first_name = holder->firstName.value.value;
    question.last_name = holder->lastName.value.value;
    return question;
}

Result<Decision> decide(View const& view, RecordVerification const& command, Context const& context) {
    auto const found = find_credential(view, command.id, context);
    if (!found) return tl::unexpected(found.error());
    auto const* record = *found;
    if (record->status == CredentialStatus::revoked) return refuse_credential_move(*record, "verify-external");
    if (!command.finding || !is_as_asked(*record, command.asked)) {
        return refuse(Code::concurrent_modification, "The credential changed while the registry was asked.");
    }
    auto const& finding = *command.finding;
    auto check = check_by(VerificationMethod::external, result_of(finding.outcome), context);
    check.provider = finding.provider;
    check.reference = finding.reference.value.value_or("");
    bool const past = is_past(record->expiresOn, today(view, context.now));
    if (finding.outcome == RegistryOutcome::match && !past) {
        return one(command.id, events::CredentialVerified{record->status, std::move(check)});
    }
    if (finding.outcome == RegistryOutcome::no_match) {
        return one(command.id, events::CredentialRejected{finding.details, std::move(check)});
    }
    if (record->status == CredentialStatus::expired) return Decision{};
    auto expired = expired_event(*record, ExpiredReason::external_verification, finding.details);
    expired.verification = std::move(check);
    return one(command.id, std::move(expired));
}
ExternalVerification answer(View const& view, RecordVerification const& command, Decision const& decision) {
    auto const& finding = *command.finding;
    auto credential = shown(view, command.id, decision.at);
    bool const verified = credential.status == CredentialStatus::verified;
    return {std::move(credential), verified,        finding.provider, finding.reference,
            decision.at,           finding.outcome, finding.details};
}

Result<Decision> decide(View const& view, MoveDueCredentials const& command, Context const& context) {
    Requirements(view).rows<CredentialRecord>(command.ids).require();
    Decision decision;
    auto const day = today(view, context.now);
    std::vector<Id> holders;
    for (Id const id : command.ids) {
        if (auto const* record = view.get<CredentialRecord>(id)) holders.push_back(record->staffId);
    }
    Requirements(view).rows<events::StaffRecord>(holders).require();  // their facilities are told with what happens
    for (Id const id : command.ids) {
        auto const* record = view.get<CredentialRecord>(id);
        if (!record || !view.get<events::StaffRecord>(record->staffId)) continue;
        if (auto event = moved_by_time(*record, day))
            decision.events.push_back(credential_event(id, *std::move(event)));
    }
    return decision;
}

bool is_met(events::RequiredCredential const& required, std::span<events::Credential const* const> held,
            core::Date day) {
    auto const name = core::fold_case(required.name.value);
    return std::ranges::any_of(held, [&](events::Credential const* credential) {
        return credential->status == CredentialStatus::verified &&
               core::enum_name(credential->type) == required.type.value &&
               (name.empty() || core::fold_case(credential->name.value) == name) &&
               !is_past(credential->expiresOn, day);
    });
}

}  // namespace workforce::commands
