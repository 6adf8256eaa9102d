// What folds share.
#pragma once

#include "events/resource.hpp"

namespace workforce::events {

/// Sets the members that every resource has, from the event that was folded last.
template <class Resource>
void stamp(Resource& resource, Envelope const& meta) {
    if (meta.seq == 1) {
        resource.id = meta.subject.id;
        resource.createdAt = meta.time;
        if constexpr (requires { resource.organizationId; }) resource.organizationId = meta.organization;
    }
    resource.updatedAt = meta.time;
}

/// The user by whom an event came to be; null where none stands behind the credential.
inline core::Nullable<Id> acting_user(Envelope const& meta) {
    return meta.actor.user == 0 ? core::Nullable<Id>() : core::Nullable<Id>(meta.actor.user);
}

/// A visitor of a lambda a type.
template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

}  // namespace workforce::events
