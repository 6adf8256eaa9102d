// Looking into memory, and telling what it lacks.
#include "commands/view.hpp"

#include "events/api_key.hpp"
#include "events/oauth_grant.hpp"
#include "events/user.hpp"

namespace workforce::commands {
namespace {

/// Entries are looked up from so much earlier, for the next question.
constexpr std::int64_t kMarginMs = 7 * 24 * 3'600'000LL;

/// From where on an entry can start and still be there at the moment.
Timestamp reaching_into(Timestamp moment, std::int64_t longest_ms) {
    return moment == kEver ? kEver : Timestamp{moment.ms - longest_ms};
}

/// Whether the caller is a client that its user lets act no more.
bool has_grant_ended(View const& view, Context const& context) {
    bool const is_client = context.actor.type == events::ActorType::oauth && !context.cause.client_id.empty();
    if (!is_client) return false;
    return std::ranges::none_of(view.by<events::GrantsOfUser>(context.actor.user),
                                [&](auto const* grant) { return grant->clientId == context.cause.client_id; });
}

}  // namespace

bool View::unknown(Need const& need) const { return !state_.complete && !(absent_ && absent_->contains(need)); }

void View::require_organization() const {
    state_.used = true;
    auto need = organization_need(id_);
    if (!state_.resident && unknown(need)) throw NotResident{{std::move(need)}};
}

RowFacts const* View::find(events::AggregateRef const& ref) const {
    auto const residence = events::residence_of(ref.kind);
    if (residence == events::Residence::with_organization) require_organization();
    if (auto const* found = state_.find(ref)) {
        found->used = true;
        return found;
    }
    if (residence == events::Residence::alone) {
        auto need = aggregate_need(ref.kind, ref.id);
        if (unknown(need)) throw NotResident{{std::move(need)}};
    }
    return nullptr;
}

events::Organization const& View::organization() const {
    static events::Organization const none;
    auto const* found = get<events::Organization>(id_);
    return found ? *found : none;
}

bool View::knows(IndexKey const& key, Timestamp from) const {
    if (state_.complete) return true;
    auto const* found = state_.indexes.find(key);
    if (!found || !found->complete_from) return false;
    found->used = true;
    return *found->complete_from <= from;
}

Need View::key_need(IndexKey const& key, Timestamp from) const {
    return {.what = Need::What::index,
            .kind = traits_of(key).kind,
            .organization = id_,
            .sandbox = is_of_sandbox(key),
            .text = key,
            .from = from};
}

std::vector<IndexEntry> View::entries(IndexKey const& key, std::int64_t longest_ms, Timestamp starts,
                                      Timestamp ends) const {
    Requirements required(*this);
    required.add_key(key, longest_ms, starts);
    required.require();
    std::vector<IndexEntry> overlapping;
    auto const* found = state_.indexes.find(key);
    if (!found) return overlapping;
    auto const& all = found->entries;
    auto entry = all.lower_bound({.starts = reaching_into(starts, longest_ms)});
    for (; entry != all.end() && entry->starts < ends; ++entry) {
        if (entry->ends > starts) overlapping.push_back(*entry);
    }
    return overlapping;
}

std::optional<Id> View::any_entry(IndexKey const& key, std::int64_t longest_ms, Timestamp moment) const {
    auto const from = reaching_into(moment, longest_ms);
    if (auto const* found = state_.indexes.find(key)) {
        for (auto entry = found->entries.lower_bound({.starts = from}); entry != found->entries.end(); ++entry) {
            if (entry->ends > moment) return entry->id;
        }
    }
    if (!knows(key, from)) throw NotResident{{key_need(key, from)}};
    return std::nullopt;
}

void Requirements::add_key(IndexKey const& key, std::int64_t longest_ms, Timestamp from) {
    auto const starts = reaching_into(from, longest_ms);
    if (view_.knows(key, starts)) return;
    bool const all = from == kEver;
    needs_.insert(view_.key_need(key, all ? kEver : Timestamp{starts.ms - kMarginMs}));
}

bool View::reserve(events::AggregateRef const& ref, std::vector<events::UniqueText> const& texts) const {
    Needs needs;
    for (auto const& unique : texts) {
        auto need = reservation_need(id_, ref, unique);
        if (taken_ && taken_->contains(need)) return false;
        if (!absent_ || !absent_->contains(need)) needs.insert(std::move(need));
    }
    if (!needs.empty()) throw NotResident{std::move(needs)};
    return true;
}

std::int64_t View::version(events::AggregateRef const& ref) const {
    auto const* found = find(ref);
    return found ? found->version : 0;
}

std::int64_t View::position(events::AggregateRef const& ref) const {
    auto const* found = find(ref);
    return found ? found->position : -1;
}

bool View::erased(events::AggregateRef const& ref) const {
    if (!is_person(ref.kind)) return false;
    std::ignore = version(ref);  // which looks whether that can be told
    return state_.erased(ref);
}

std::string_view fault_of_credential(View const& view, Context const& context) {
    // Users are resident with their organization, and for them nothing is looked up: what is not in memory any more was
    // marked long ago (events/revocations.hpp).
    auto const type = context.actor.type;
    bool const is_key = type == events::ActorType::api_key;
    bool const here = view.state().resident || view.state().complete;
    if (!is_key && (type == events::ActorType::system || !here)) return {};
    auto const* key = is_key ? view.get<events::ApiKey>(context.credential) : nullptr;
    auto const* user = context.actor.user == 0 ? nullptr : view.get<events::User>(context.actor.user);
    if (key && key->status == events::ApiKeyStatus::revoked) return "The API key was revoked.";
    if (user && !events::is_usable(*user)) return "The user behind the credential is not active.";
    if (user && has_grant_ended(view, context)) return "The user lets the client act no more.";
    if ((key || user) && !view.organization().isActive) return "The organization is not active.";
    return {};
}

}  // namespace workforce::commands
