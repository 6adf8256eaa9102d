// Events to markers, and markers to rows for the billing meter.
#include "workers/reactors/usage.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/crypto.hpp"
#include "events/organization.hpp"
#include "events/outcomes.hpp"
#include "events/payroll_run.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/reactors/reactors.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kUsageReactor = "usage";
constexpr std::chrono::hours kDedupeLife{24};  // domain 8.3

constexpr core::Statement kKeepMarkers{"usage_keep_markers", sql::reactors_usage_keep_markers};
constexpr core::Statement kKnownCalls{"usage_known_calls", sql::reactors_usage_known_calls};
constexpr core::Statement kAddBills{"usage_add_bills", sql::reactors_usage_add_bills};

/// What usage knows of an organization: whom the meter knows it as, and how long its rows are kept.
struct BillingAccount {
    static constexpr std::string_view kTable = "usage_organization";
    std::optional<std::string> customerRef;
    std::int64_t retentionDays = events::OrganizationSettings().usageRetentionDays.value;
};
BOOST_DESCRIBE_STRUCT(BillingAccount, (), (customerRef, retentionDays))

/// Of a payroll run that was approved: the request by which it was, whose outcome the submission is.
struct PayrollApproval {
    static constexpr std::string_view kTable = "usage_payroll_run";
    std::string request;
};
BOOST_DESCRIBE_STRUCT(PayrollApproval, (), (request))

std::optional<std::string> ref_of(core::Nullable<core::ShortText> const& ref) {
    if (!ref.value || ref.value->value.empty()) return std::nullopt;
    return ref.value->value;
}

/// The request that an outcome counts for: of what the installation did on somebody's behalf, the first cause.
std::string const& request_of(events::Envelope const& meta) {
    bool const on_behalf = meta.actor.type == events::ActorType::system && !meta.correlation_id.empty();
    return on_behalf ? meta.correlation_id : meta.request_id;
}

/// How the request came, as usage says it: a person who is signed in has a channel of their own.
std::string_view channel_of(events::Envelope const& meta) {
    bool const session = meta.actor.type == events::ActorType::user && meta.channel == "rest";
    return session ? std::string_view("session") : std::string_view(meta.channel);
}

/// What an older envelope leaves out, as far as the event tells it.
std::string_view credential_type_of(events::Envelope const& meta) {
    if (!meta.credential_type.empty()) return meta.credential_type;
    switch (meta.actor.type) {
        case events::ActorType::user:
            return "session";
        case events::ActorType::api_key:
            return "live";
        default:
            return core::enum_name(meta.actor.type);
    }
}

/// One batch of a partition's events, folded within a transaction.
class UsageBatch {
   public:
    UsageBatch(core::Connection& connection, events::Keyring&, int partition)
        : connection_(connection), partition_(partition) {}

    void fold(std::span<events::Event const> events) {
        load(events);
        for (auto const& event : events) {
            if (auto const* change = events::get_if<events::OrganizationEvent>(event.data)) fold(event.meta, *change);
            if (auto const* run = events::get_if<events::PayrollRunEvent>(event.data)) fold(event.meta, *run);
            if (auto const* rule = events::recorded_outcome(event)) mark(event.meta, *rule);
        }
        accounts_.keep(connection_);
        approvals_.keep(connection_);
        if (!marked_.empty()) write();
    }

   private:
    struct Marked {
        events::Envelope const* meta;
        events::OutcomeRule const* rule;
        std::string request;
        std::string uuid;  ///< of the request
        std::optional<std::string> subject;
    };
    using CallKey = std::pair<core::Id, std::string>;

    /// Reads the rows that the events look at.
    void load(std::span<events::Event const> events) {
        std::set<core::Id> organizations, runs;
        std::set<CallKey> calls;
        core::Timestamp first{std::numeric_limits<std::int64_t>::max()};
        for (auto const& event : events) {
            if (events::is<events::OrganizationUpdated>(event.data)) organizations.insert(event.meta.subject.id);
            if (events::recorded_outcome(event) == nullptr) continue;
            organizations.insert(event.meta.organization);
            if (events::is<events::PayrollRunSubmitted>(event.data)) runs.insert(event.meta.subject.id);
            if (event.meta.dedupe_key.empty()) continue;
            calls.emplace(event.meta.organization, event.meta.dedupe_key);
            first.ms = std::min(first.ms, event.meta.time.ms);
        }
        accounts_.load(connection_, organizations);
        approvals_.load(connection_, runs);
        if (calls.empty()) return;
        std::vector<core::Id> of;
        std::vector<std::string_view> keys;
        for (auto const& [organization, key] : calls) {
            of.push_back(organization);
            keys.push_back(key);
        }
        auto const since = core::Timestamp{first.ms - std::chrono::milliseconds(kDedupeLife).count()};
        for (auto const& row : connection_.execute(kKnownCalls, of, keys, since)) {
            calls_[{core::read<core::Id>(row[0]), core::read<std::string>(row[1])}] =
                core::read<core::Timestamp>(row[2]);
        }
    }

    void fold(events::Envelope const& meta, events::OrganizationEvent const& event) {
        auto const id = meta.subject.id;
        if (auto const* created = std::get_if<events::OrganizationCreated>(&event)) {
            accounts_.put(
                id, id,
                BillingAccount{ref_of(created->billingCustomerRef), created->settings.usageRetentionDays.value});
        } else if (auto const* updated = std::get_if<events::OrganizationUpdated>(&event)) {
            accounts_.change(id, id, [&](BillingAccount& account) {
                if (updated->billingCustomerRef) account.customerRef = ref_of(*updated->billingCustomerRef);
                if (updated->settings && updated->settings->usageRetentionDays)
                    account.retentionDays = updated->settings->usageRetentionDays->value;
            });
        }
    }

    void fold(events::Envelope const& meta, events::PayrollRunEvent const& event) {
        if (meta.sandbox) return;
        auto const id = meta.subject.id;
        if (std::holds_alternative<events::PayrollRunApproved>(event)) {
            approvals_.put(id, meta.organization, PayrollApproval{meta.request_id});
        } else if (std::holds_alternative<events::PayrollRunFailed>(event) ||
                   std::holds_alternative<events::PayrollRunCancelled>(event)) {
            approvals_.put(id, meta.organization, std::nullopt);
        }
    }

    /// A repeat of a call of a tool has no marker.
    void mark(events::Envelope const& meta, events::OutcomeRule const& rule) {
        if (!meta.dedupe_key.empty()) {
            auto const [known, is_new] = calls_.try_emplace({meta.organization, meta.dedupe_key}, meta.time);
            auto const age = std::chrono::milliseconds(meta.time.ms - known->second.ms);
            // The event itself, where a request has several, is refused by its request id.
            if (!is_new && age < kDedupeLife) return;
            known->second = meta.time;
        }
        auto const& account = accounts_.rows[meta.organization];
        auto request = request_with_outcome(meta);
        auto uuid = request_uuid(request);
        marked_.push_back({&meta, &rule, std::move(request), std::move(uuid),
                           account ? account->customerRef : std::optional<std::string>()});
    }

    /// A payroll run's is done with: it is looked for no more.
    std::string request_with_outcome(events::Envelope const& meta) {
        if (meta.subject.kind != events::Kind::payroll_run) return request_of(meta);
        auto const approval = approvals_.rows[meta.subject.id];
        if (!approval) return request_of(meta);
        approvals_.put(meta.subject.id, meta.organization, std::nullopt);
        return approval->request;
    }

    void write() {
        auto const values_of = [](Marked const& marked) {
            auto const& meta = *marked.meta;
            using Text = std::string_view;
            bool const by_key = meta.actor.type == events::ActorType::api_key;
            return std::tuple(Text(marked.uuid), meta.organization, meta.facility, meta.time, marked.rule->outcome,
                              channel_of(meta), credential_type_of(meta), by_key ? meta.credential : 0,
                              Text(meta.client_id), meta.actor.user,
                              meta.client_id.empty() ? Text("direct") : Text(meta.client_id), meta.run_id,
                              Text(meta.tool.empty() ? meta.verb : meta.tool),
                              meta.dedupe_key.empty() ? std::nullopt : std::optional(Text(meta.dedupe_key)));
        };
        std::set<std::string> added;
        for (auto const& row : core::execute_rows(connection_, kKeepMarkers, marked_, values_of)) {
            added.insert(core::read<std::string>(row[0]));
        }
        bill(std::move(added));
    }

    /// Has the meter hear of what was marked just now.
    void bill(std::set<std::string> added) {
        auto const after = acts_after(connection_, kUsageReactor, partition_);
        std::erase_if(marked_, [&](Marked const& marked) {
            return added.erase(marked.uuid) == 0 || !marked.rule->billed || marked.meta->position <= after;
        });
        auto const values_of = [](Marked const& marked) {
            return std::tuple(marked.meta->organization, std::string_view(marked.request), marked.rule->outcome,
                              marked.subject, "ur_" + marked.request, marked.meta->time);
        };
        core::execute_rows(connection_, kAddBills, marked_, values_of, std::chrono::hours(kBillingWindow).count());
    }

    core::Connection& connection_;
    int const partition_;
    FoldedRows<BillingAccount> accounts_;
    FoldedRows<PayrollApproval> approvals_;
    std::map<CallKey, core::Timestamp> calls_;  // when a call was marked last
    std::vector<Marked> marked_;
};

/// Of organizations, and of what has outcomes: the types of events begin with their kinds' names.
std::vector<events::Kind> kinds_with_outcomes() {
    std::vector<events::Kind> kinds{events::Kind::organization};
    for (auto const& rule : events::outcome_rules()) {
        auto const kind = core::parse_enum<events::Kind>(rule.type.substr(0, rule.type.find('.')));
        if (kind && std::ranges::find(kinds, *kind) == kinds.end()) kinds.push_back(*kind);
    }
    return kinds;
}

}  // namespace

std::string request_uuid(std::string_view request_id) {
    constexpr std::string_view kPrefix = "req_";
    constexpr std::size_t kUuid = 36;
    auto const is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-'; };
    if (request_id.size() == kPrefix.size() + kUuid && request_id.starts_with(kPrefix)) {
        auto const uuid = request_id.substr(kPrefix.size());
        bool dashed = std::ranges::all_of(uuid, is_digit);
        for (std::size_t i = 0; i < kUuid; ++i) {
            bool const dash = i == 8 || i == 13 || i == 18 || i == 23;
            dashed = dashed && (uuid[i] == '-') == dash;
        }
        if (dashed) return std::string(uuid);
    }
    auto digits = core::hex_encode(core::bytes(core::sha256(request_id))).substr(0, 32);
    for (std::size_t const place : {8, 13, 18, 23}) digits.insert(place, "-");
    return digits;
}

ReactorType usage() {
    return {.name = kUsageReactor, .revision = 1, .kinds = kinds_with_outcomes(), .make = fold_by<UsageBatch>};
}

}  // namespace workforce::workers
