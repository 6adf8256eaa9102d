// How events of credentials fold: the one definition, for the write side's memory and for read models.
#include "events/credential.hpp"

#include "events/define_data_codec.hpp"
#include "events/fold.hpp"

namespace workforce::events {
namespace {

void move_to(CredentialRecord& credential, CredentialStatus status, core::ShortText reason = {}) {
    credential.status = status;
    credential.statusReason = std::move(reason);
    credential.expiredReason = {};
}

void add(CredentialRecord& credential, CredentialAdded const& added) {
    static_cast<CredentialKind&>(credential) = added;
    static_cast<CredentialDetails&>(credential) = added;
    move_to(credential, added.status);
    if (added.status == CredentialStatus::expired) credential.expiredReason = ExpiredReason::date_passed;
    credential.internals.holderErased = added.number.erased;
}

void update(CredentialRecord& credential, CredentialUpdated const& updated) {
    merge(credential, static_cast<CredentialChanges const&>(updated));
    if (updated.expiresOn) credential.internals.toldWithinDays = 0;
    if (updated.status != credential.status) move_to(credential, updated.status);
}

void expire(CredentialRecord& credential, CredentialExpired const& expired) {
    move_to(credential, CredentialStatus::expired, expired.note);
    credential.expiredReason = expired.reason;
    if (expired.verification) credential.verification = *expired.verification;
}

}  // namespace

core::Nullable<Date> due_on(CredentialRecord const& credential) {
    auto const& end = credential.expiresOn.value;
    bool const stands =
        credential.status == CredentialStatus::pending || credential.status == CredentialStatus::verified;
    if (!end || !stands || credential.deleted) return {};
    for (auto const days : kExpiryNoticeDays) {
        bool const told = credential.internals.toldWithinDays != 0 && credential.internals.toldWithinDays <= days;
        if (!told) return Date{static_cast<std::int32_t>(end->days - days)};
    }
    return Date{end->days + 1};
}

void evolve(CredentialRecord& credential, CredentialEvent const& event, Envelope const& meta) {
    std::visit(Overloaded{[&](CredentialAdded const& e) { add(credential, e); },
                          [&](CredentialUpdated const& e) { update(credential, e); },
                          [&](CredentialVerified const& e) {
                              move_to(credential, CredentialStatus::verified);
                              credential.verification = e.verification;
                          },
                          [&](CredentialRejected const& e) {
                              move_to(credential, CredentialStatus::rejected, e.reason);
                              if (e.verification) credential.verification = *e.verification;
                          },
                          [&](CredentialExpired const& e) { expire(credential, e); },
                          [&](CredentialExpiring const& e) { credential.internals.toldWithinDays = e.withinDays; },
                          [&](CredentialRevoked const& e) { move_to(credential, CredentialStatus::revoked, e.reason); },
                          [&](CredentialHolderErased const&) {
                              erase_personal(static_cast<CredentialDetails&>(credential));
                              credential.internals.holderErased = true;
                          },
                          [&](CredentialDeleted const&) { credential.deleted = true; }},
               event);
    stamp(credential, meta);
}

template struct DataCodec<CredentialEvent>;

}  // namespace workforce::events
