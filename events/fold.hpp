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

/// A visitor of a lambda a type.
template <class... F>
struct Overloaded : F... {
    using F::operator()...;
};

}  // namespace workforce::events
