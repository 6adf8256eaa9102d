// The declaration of read.credential.
#include "projections/credentials/credentials.hpp"

#include "projections/staff/staff.hpp"

namespace workforce::projections {
namespace {

/// Of CredentialView.
constexpr std::string_view kDays =
    R"(('{"daysUntilExpiry":' || coalesce((t.expires_on - read.today_of(t.organization_id))::text, 'null') || '}'))";

/// First in terms that an index knows: no calendar is further than a day from UTC's.
constexpr std::string_view kExpiring =
    "t.due_on IS NOT NULL"
    " AND t.expires_on >= (now() AT TIME ZONE 'UTC')::date - 1"
    " AND t.expires_on <= (now() AT TIME ZONE 'UTC')::date + 1 + $expiringWithinDays::integer"
    " AND t.expires_on - read.today_of(t.organization_id) BETWEEN 0 AND $expiringWithinDays";

/// What a credential without an end is sorted by: it comes after all others.
constexpr core::Date kNoEnd{2932896};  // 9999-12-31

}  // namespace

CredentialRows const& credentials() {
    static CredentialRows const model =
        CredentialRows::declare("credential")
            .revision(2)
            .beside(kDays)
            .seen_at(kSeenWithHolder)
            .own_if("t.staff_id = $staff")
            .shown_if("NOT t.deleted")
            .column("staff_id", [](auto const& credential) { return credential.staffId; })
            .column("deleted", [](auto const& credential) { return credential.deleted; })
            .column("type", [](auto const& credential) { return credential.type; })
            .column("status", [](auto const& credential) { return credential.status; })
            .column("expires_on", [](auto const& credential) { return credential.expiresOn; })
            .column("end_key", [](auto const& credential) { return credential.expiresOn.value.value_or(kNoEnd); })
            .column("due_on", [](auto const& credential) { return due_on(credential); })
            .column("name_key", [](auto const& credential) { return core::fold_case(credential.name.value); })
            .json("internals", [](auto const& credential) -> auto const& { return credential.internals; })
            .filter<&CredentialFilter::staffId>("t.staff_id = $staffId")
            .filter<&CredentialFilter::status>("t.status = ANY ($status)")
            .filter<&CredentialFilter::type>("t.type = ANY ($type)")
            .filter<&CredentialFilter::expiringWithinDays>(kExpiring)
            .search([](auto const& credential) {
                return search_text(credential.name.value, credential.issuingAuthority.value);
            })
            .stamped()
            .sort("createdAt", "created_at")
            .sort("name", "name_key")
            .sort("expiresOn", "end_key");
    return model;
}

}  // namespace workforce::projections
