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

inline void add_no_reason(rapidjson::Value& data, rapidjson::Document::AllocatorType& allocator) {
    if (!data.IsObject()) return;  // which reading it says
    data.AddMember("reason", rapidjson::Value(), allocator);
}
inline void drop_reason(rapidjson::Value& data, rapidjson::Document::AllocatorType&) { data.RemoveMember("reason"); }

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
/// Counts are by any kind from here on.
inline void keep_counts(rapidjson::Value& /*data*/, rapidjson::Document::AllocatorType& /*allocator*/) {}
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

/// All of them; a new version of an event adds its row here and a sample of the old one stays under schemas/events/.
inline constexpr std::array kUpcasters{Upcaster{"api_key.revoked", 1, &add_no_reason, &drop_reason},
                                       Upcaster{"user.created", 1, &add_active, &drop_status},
                                       Upcaster{"sandbox.reset", 1, &add_no_credentials, &drop_credentials},
                                       Upcaster{"sandbox.reset", 2, &keep_counts, &name_each_count},
                                       Upcaster{"approval.requested", 1, &drop_digest, &empty_digest}};

}  // namespace workforce::events
