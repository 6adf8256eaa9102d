// E-mail addresses, bookings, credentials, and webhook subscriptions.
#include "commands/engine/indexes.hpp"

namespace workforce::commands {
namespace {

/// The address that nobody else may have.
std::string address_of(events::StaffRecord const& person) {
    return person.deleted ? std::string() : person.email.value.value;
}

/// The address is this person's no longer; it may be another's by now.
void free_email(OrganizationState& organization, bool sandbox, std::string const& address, Id person) {
    auto const found = organization.staff_emails.find({sandbox, address});
    if (found != organization.staff_emails.end() && found->second == person) organization.staff_emails.erase(found);
}

void book(OrganizationState& organization, events::Shift const& shift, Id staff) {
    organization.bookings[staff].known.insert({shift.startsAt, shift.id, shift.endsAt});
}

void unbook(OrganizationState& organization, events::Shift const& shift, Id staff) {
    auto const found = organization.bookings.find(staff);
    if (found == organization.bookings.end()) return;
    found->second.known.erase({shift.startsAt, shift.id, shift.endsAt});
    if (found->second.known.empty() && !found->second.complete_from) organization.bookings.erase(found);
}

}  // namespace

void fold_indexed(OrganizationState& organization, Held<events::StaffRecord>& row, events::StaffEvent const& group,
                  events::Envelope const& meta) {
    auto const id = meta.subject.id;
    auto const before = address_of(row.value);
    fold(row, group, meta);
    auto const after = address_of(row.value);
    if (before == after && meta.seq > 1) return;
    free_email(organization, meta.sandbox, before, id);
    if (!after.empty()) organization.staff_emails[{meta.sandbox, after}] = id;
}

void index(OrganizationState& organization, Held<events::StaffRecord> const& row, bool added) {
    auto const address = address_of(row.value);
    if (address.empty()) return;
    // Of who is here already the address may have been another's for a while, who gave it up.
    auto const [owner, free] = organization.staff_emails.try_emplace({row.sandbox, address}, row.value.id);
    if (added) owner->second = row.value.id;
}

void unindex(OrganizationState& organization, Held<events::StaffRecord> const& row) {
    free_email(organization, row.sandbox, address_of(row.value), row.value.id);
}

void fold_indexed(OrganizationState& organization, Held<events::ShiftRecord>& row, events::ShiftEvent const& group,
                  events::Envelope const& meta) {
    auto const& shift = row.value.shift;
    // Of one person alone: a shift of a hundred is not indexed a hundred times while it is staffed.
    if (auto const* assigned = std::get_if<events::ShiftStaffAssigned>(&group)) {
        fold(row, group, meta);
        book(organization, shift, assigned->staffId);
        return;
    }
    if (auto const* taken_off = std::get_if<events::ShiftUnassigned>(&group)) {
        unbook(organization, shift, taken_off->staffId);
        fold(row, group, meta);
        return;
    }
    for (Id const staff : shift.assignedStaffIds) unbook(organization, shift, staff);
    fold(row, group, meta);
    for (Id const staff : shift.assignedStaffIds) book(organization, shift, staff);
}

void index(OrganizationState& organization, Held<events::ShiftRecord> const& row, bool added) {
    if (!added) return;
    for (Id const staff : row.value.shift.assignedStaffIds) book(organization, row.value.shift, staff);
}

void unindex(OrganizationState& organization, Held<events::ShiftRecord> const& row) {
    auto const& shift = row.value.shift;
    for (Id const person : shift.assignedStaffIds) {
        auto const of_person = organization.bookings.find(person);
        if (of_person == organization.bookings.end()) continue;
        auto& bookings = of_person->second;
        // From there on it stays as one of those that were looked up.
        if (bookings.complete_from && shift.startsAt >= *bookings.complete_from) continue;
        bookings.known.erase({shift.startsAt, shift.id, shift.endsAt});
        if (bookings.known.empty() && !bookings.complete_from) organization.bookings.erase(of_person);
    }
}

void fold_indexed(OrganizationState& organization, Held<events::CredentialRecord>& row,
                  events::CredentialEvent const& group, events::Envelope const& meta) {
    fold(row, group, meta);
    if (meta.seq == 1) organization.credentials[row.value.staffId].insert(row.value.id);
}

void index(OrganizationState& organization, Held<events::CredentialRecord> const& row, bool added) {
    if (added) organization.credentials[row.value.staffId].insert(row.value.id);
}

void unindex(OrganizationState& organization, Held<events::CredentialRecord> const& row) {
    auto const found = organization.credentials.find(row.value.staffId);
    if (found == organization.credentials.end()) return;
    found->second.erase(row.value.id);
    if (found->second.empty()) organization.credentials.erase(found);
}

void fold_indexed(OrganizationState& organization, Held<events::WebhookRecord>& row, events::WebhookEvent const& group,
                  events::Envelope const& meta) {
    fold(row, group, meta);
    if (meta.seq == 1) organization.webhooks.insert(row.value.id);
    if (row.value.deleted) organization.webhooks.erase(row.value.id);
}

void index(OrganizationState& organization, Held<events::WebhookRecord> const& row, bool added) {
    if (added && !row.value.deleted) organization.webhooks.insert(row.value.id);
}

void unindex(OrganizationState& organization, Held<events::WebhookRecord> const& row) {
    organization.webhooks.erase(row.value.id);
}

}  // namespace workforce::commands
