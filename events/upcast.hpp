// Upcasters: how the data of an older event version becomes the next one's, and back for processes that read no more
// than the older one. What was written is never changed.
#pragma once

#include <rapidjson/document.h>
#include <array>
#include <string_view>
#include <utility>

namespace workforce::events {

/// Between version `from` and the next one of a type; both change `data` in place. Sealed fields stay where they are.
struct Upcaster {
    using Step = void (*)(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator);

    std::string_view type;
    int from = 1;
    Step apply = nullptr;   ///< from → from + 1
    Step revert = nullptr;  ///< from + 1 → from; what the older version can't say is left out
};

/// Names of members that a version added.
namespace added {
inline constexpr char kReason[] = "reason";
inline constexpr char kCause[] = "cause";
inline constexpr char kModel[] = "model";
inline constexpr char kAgentVersion[] = "agentVersion";
inline constexpr char kTemplateId[] = "templateId";
}  // namespace added

/// The older version does not say them: they are null.
template <auto const&... Names>
void add_null(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;  // which reading it says
    (data.AddMember(rapidjson::StringRef(Names), rapidjson::Value(), allocator), ...);
}
template <auto const&... Names>
void drop(rapidjson::Value& data, rapidjson::Document::AllocatorType& /*allocator*/) {
    if (data.IsObject()) (data.RemoveMember(Names), ...);
}
/// What the older version says the newer one says as well.
inline void keep(rapidjson::Value& /*data*/, rapidjson::Document::AllocatorType& /*allocator*/) {}

inline void add_active(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;
    data.AddMember("status", "active", allocator);
}
inline void drop_status(rapidjson::Value& data, rapidjson::Document::AllocatorType&) { data.RemoveMember("status"); }

/// Calls change(counts) for each of the two that a reset of a sandbox tells.
template <class F>
void for_each_count(rapidjson::Value& data, F change) {
    if (!data.IsObject()) return;
    for (char const* const name : {"cleared", "seeded"}) {
        auto const counts = data.FindMember(name);
        if (counts != data.MemberEnd() && counts->value.IsObject()) change(counts->value);
    }
}
inline void add_no_credentials(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    for_each_count(data, [&](rapidjson::Value& counts) { counts.AddMember("credential", 0, allocator); });
}
inline void drop_credentials(rapidjson::Value& data, rapidjson::Document::AllocatorType&) {
    for_each_count(data, [](rapidjson::Value& counts) { counts.RemoveMember("credential"); });
}
/// Counts are by any kind from version 3 on.
inline void name_each_count(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    static constexpr std::array<char const*, 4> kCounted{"staff", "shift", "lead", "credential"};
    for_each_count(data, [&](rapidjson::Value& counts) {
        rapidjson::Value named(rapidjson::kObjectType);
        for (char const* const kind : kCounted) {
            auto const found = counts.FindMember(kind);
            named.AddMember(
                rapidjson::StringRef(kind),
                found == counts.MemberEnd() ? rapidjson::Value(0) : rapidjson::Value(found->value, allocator),
                allocator);
        }
        counts = named;
    });
}

/// Renames a member, where there is one.
inline void rename(rapidjson::Value& data, char const* from, char const* to,
                   rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;
    auto const member = data.FindMember(from);
    if (member == data.MemberEnd()) return;
    rapidjson::Value value(std::move(member->value));
    data.RemoveMember(member);
    data.AddMember(rapidjson::StringRef(to), value, allocator);
}
/// The members of approval.requested that are called otherwise since version 2: calls the first, and `client` of the
/// requester, by the second.
struct Renamed {
    char const* before;
    char const* since;
};
inline constexpr std::array kRenamedOfApproval{Renamed{"requestId", "correlationId"}, Renamed{"stepId", "step"}};
inline constexpr Renamed kRenamedOfRequester{"client", "clientId"};

/// A digest of the arguments is kept no longer: whoever guesses them would know them by it.
inline void drop_digest(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;
    data.RemoveMember("digest");
    for (auto const& [before, since] : kRenamedOfApproval) rename(data, before, since, allocator);
    auto const requester = data.FindMember("requester");
    if (requester != data.MemberEnd()) {
        rename(requester->value, kRenamedOfRequester.before, kRenamedOfRequester.since, allocator);
    }
    data.AddMember("guardrailId", rapidjson::Value(), allocator);
}
/// A process of before then finds no digest, and refuses to approve for now.
inline void empty_digest(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    data.RemoveMember("guardrailId");
    data.AddMember("digest", "", allocator);
    for (auto const& [before, since] : kRenamedOfApproval) rename(data, since, before, allocator);
    rename(data["requester"], kRenamedOfRequester.since, kRenamedOfRequester.before, allocator);
}

/// The user who made a trigger; for nobody version 1 says 0, and version 2 null.
inline void name_created_by(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    rename(data, "creator", "createdBy", allocator);
    if (!data.IsObject()) return;
    auto const user = data.FindMember("createdBy");
    if (user != data.MemberEnd() && user->value == 0) user->value.SetNull();
}
inline void name_creator(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    auto const user = data.FindMember("createdBy");
    if (user != data.MemberEnd() && user->value.IsNull()) user->value.SetInt64(0);
    rename(data, "createdBy", "creator", allocator);
}

inline void call_a_full_queue_rate(rapidjson::Value& data, rapidjson::Document::AllocatorType& /*allocator*/) {
    auto const reason = data.FindMember("reason");
    if (reason != data.MemberEnd() && reason->value == "queue_full") reason->value = "rate";
}

/// All of them; a new version of an event adds its row here and a sample of the old one stays under schemas/events/.
inline constexpr std::array kUpcasters{
    Upcaster{"api_key.revoked", 1, &add_null<added::kReason>, &drop<added::kReason>},
    Upcaster{"user.created", 1, &add_active, &drop_status},
    Upcaster{"sandbox.reset", 1, &add_no_credentials, &drop_credentials},
    Upcaster{"sandbox.reset", 2, &keep, &name_each_count},
    Upcaster{"approval.requested", 1, &drop_digest, &empty_digest},
    Upcaster{"agent_run.queued", 1, &add_null<added::kAgentVersion>, &drop<added::kAgentVersion>},
    Upcaster{"agent_run.turn_finished", 1, &add_null<added::kModel, added::kAgentVersion>,
             &drop<added::kModel, added::kAgentVersion>},
    Upcaster{"agent_run.rejected", 1, &add_null<added::kCause>, &drop<added::kCause>},
    Upcaster{"agent_run.cancelled", 1, &add_null<added::kCause>, &drop<added::kCause>},
    Upcaster{"trigger.disabled", 1, &name_created_by, &name_creator},
    Upcaster{"trigger.skipped", 1, &keep, &call_a_full_queue_rate},
    Upcaster{"shift.posted", 1, &add_null<added::kTemplateId>, &drop<added::kTemplateId>},
};

}  // namespace workforce::events
