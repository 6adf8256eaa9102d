// Events to notifications.
#include "workers/reactors/reactors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "events/credential.hpp"
#include "events/event.hpp"
#include "events/fold.hpp"
#include "events/message.hpp"
#include "events/notification.hpp"
#include "events/payroll_run.hpp"
#include "events/shift.hpp"
#include "events/trigger.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"
#include "workers/engine/folded_rows.hpp"
#include "workers/sql.hpp"

namespace workforce::workers {
namespace {

using events::NotificationType;
using events::Overloaded;

constexpr std::string_view kNotifications = "notifications";

constexpr core::Statement kUsersTold{"notification_users", sql::reactors_notifications_users};
constexpr core::Statement kKeepUsers{"notification_keep_users", sql::reactors_notifications_keep_users};
constexpr core::Statement kDropUsers{"notification_drop_users",
                                     "DELETE FROM notification_user WHERE user_id = ANY ($1::bigint[])"};
constexpr core::Statement kAddNotifications{"notification_add_work", sql::reactors_notifications_add_work};

/// A user, and the staff member whom they are.
struct ToldUser {
    core::Id organization = 0;
    core::Nullable<core::Id> staff{};
    bool active = true;
};

/// What notifications say of a shift, and whom its end is told.
struct ToldShift {
    static constexpr std::string_view kTable = "notification_shift";
    std::string title;
    core::Date date;
    core::TimeOfDay startTime;
    core::TimeOfDay endTime;
    std::vector<core::Id> assigned;
};
BOOST_DESCRIBE_STRUCT(ToldShift, (), (title, date, startTime, endTime, assigned))

struct ToldWebhook {
    static constexpr std::string_view kTable = "notification_webhook";
    std::string name;
};
BOOST_DESCRIBE_STRUCT(ToldWebhook, (), (name))

/// A payroll run, and who hears that it failed; 0: nobody stands behind the credential.
struct ToldPayrollRun : events::PayrollPeriod {
    static constexpr std::string_view kTable = "notification_payroll_run";
    core::Id creator = 0;
    core::Id approver = 0;
};
BOOST_DESCRIBE_STRUCT(ToldPayrollRun, (events::PayrollPeriod), (creator, approver))

/// Without the user.
events::NotificationDetails about(events::AggregateRef const& subject, NotificationType type, std::string_view title,
                                  std::string body) {
    events::NotificationDetails details;
    details.type = type;
    details.title = std::string(title);
    details.body = std::move(body);
    details.resource = fmt::format("{}:{}", core::enum_name(subject.kind), subject.id);
    return details;
}

std::string when_and_what(ToldShift const& shift) {
    return fmt::format("{} on {}, from {} to {}.", shift.title, core::to_string(shift.date),
                       core::to_string(shift.startTime), core::to_string(shift.endTime));
}

/// Whether somebody may be to hear of the event. Nobody signs in as a staff member of a sandbox (domain 9).
bool is_told(events::Event const& event) {
    auto const* trigger = events::get_if<events::TriggerDisabled>(event.data);
    if (trigger && trigger->createdBy.value) return true;
    if (events::is<events::WebhookDisabled>(event.data) || events::is<events::PayrollRunFailed>(event.data) ||
        events::is<events::PayrollRunPartiallyPaid>(event.data)) {
        return true;
    }
    bool const staff = events::is<events::ShiftStaffAssigned>(event.data) ||
                       events::is<events::MessageSent>(event.data) || events::is<events::ShiftCancelled>(event.data) ||
                       events::is<events::CredentialExpiring>(event.data);
    return staff && !event.meta.sandbox;
}

/// The recipients to whom a message is shown in the application.
std::vector<events::MessageDelivery> shown_to(events::MessageSent const& sent) {
    std::vector<events::MessageDelivery> shown;
    std::ranges::copy_if(sent.deliveries, std::back_inserter(shown), [](events::MessageDelivery const& each) {
        return each.channel == events::MessageChannel::in_app && each.status == events::DeliveryStatus::sent;
    });
    return shown;
}

/// One batch of a partition's events, folded within a transaction.
class ToldBatch {
   public:
    ToldBatch(core::Connection& connection, events::Keyring&, int partition)
        : connection_(connection), partition_(partition) {}

    void fold(std::span<events::Event const> events) {
        load(events);
        for (auto const& [meta, data] : events) {
            if (auto const* user = events::get_if<events::UserEvent>(data)) fold(meta, *user);
            if (auto const* webhook = events::get_if<events::WebhookEvent>(data)) fold(meta, *webhook);
            auto const* shift = events::get_if<events::ShiftEvent>(data);
            if (shift && !meta.sandbox) fold(meta, *shift);
            if (auto const* run = events::get_if<events::PayrollRunEvent>(data)) fold(meta, *run);
            auto const* expiring = events::get_if<events::CredentialExpiring>(data);
            if (expiring && !meta.sandbox && acts_on(meta)) tell_expiring(meta, *expiring);
            auto const* given_up = events::get_if<events::TriggerDisabled>(data);
            if (given_up && acts_on(meta)) tell_given_up(meta, *given_up);
            auto const* sent = events::get_if<events::MessageSent>(data);
            if (sent && !meta.sandbox && acts_on(meta)) tell_sent(meta, *sent);
        }
        keep_users();
        shifts_.keep(connection_);
        webhooks_.keep(connection_);
        runs_.keep(connection_);
        add_work();
    }

   private:
    struct Work {
        events::Envelope const* cause;
        core::Id organization;
        events::NotificationDetails details;
    };

    [[nodiscard]] bool acts_on(events::Envelope const& meta) const { return meta.position > acts_after_; }

    /// Reads the rows that the events look at.
    void load(std::span<events::Event const> events) {
        bool const any = std::ranges::any_of(events, is_told);
        acts_after_ =
            any ? acts_after(connection_, kNotifications, partition_) : std::numeric_limits<std::int64_t>::max();
        std::set<core::Id> users, staff, shifts, webhooks, cancelled, runs;
        for (auto const& [meta, data] : events) {
            auto const id = meta.subject.id;
            if (events::is<events::UserUpdated>(data) || events::is<events::UserDeactivated>(data) ||
                events::is<events::UserReactivated>(data)) {
                users.insert(id);
            }
            if (events::get_if<events::WebhookEvent>(data)) webhooks.insert(id);
            if (events::get_if<events::ShiftEvent>(data) && !meta.sandbox) shifts.insert(id);
            if (events::get_if<events::PayrollRunEvent>(data)) runs.insert(id);
            if (!any) continue;
            if (events::is<events::PayrollRunCreated>(data) || events::is<events::PayrollRunApproved>(data)) {
                users.insert(meta.actor.user);
            }
            if (auto const* disabled = events::get_if<events::WebhookDisabled>(data)) users.insert(disabled->creator);
            if (auto const* assigned = events::get_if<events::ShiftStaffAssigned>(data))
                staff.insert(assigned->staffId);
            if (auto const* expiring = events::get_if<events::CredentialExpiring>(data))
                staff.insert(expiring->staffId);
            if (events::is<events::ShiftCancelled>(data)) cancelled.insert(id);
            auto const* trigger = events::get_if<events::TriggerDisabled>(data);
            if (trigger) users.insert(trigger->createdBy.value.value_or(0));
            auto const* sent = events::get_if<events::MessageSent>(data);
            for (auto const& each : sent ? shown_to(*sent) : std::vector<events::MessageDelivery>{}) {
                (each.recipientType == events::ParticipantType::user ? users : staff).insert(each.recipientId);
            }
        }
        webhooks_.load(connection_, webhooks);
        shifts_.load(connection_, shifts);
        runs_.load(connection_, runs);
        for (auto const& [id, run] : runs_.rows) {
            if (any && run) users.insert({run->creator, run->approver});
        }
        for (auto const id : cancelled) {
            if (auto const& shift = shifts_.rows[id]) staff.insert(shift->assigned.begin(), shift->assigned.end());
        }
        load_users(users, staff);
    }

    void load_users(std::set<core::Id> const& ids, std::set<core::Id> const& staff) {
        if (ids.empty() && staff.empty()) return;
        for (auto const& row : connection_.execute(kUsersTold, core::array_literal(ids), core::array_literal(staff))) {
            auto& user = users_.rows[core::read<core::Id>(row["user_id"])].emplace();
            user.organization = core::read<core::Id>(row["organization_id"]);
            user.staff.value = core::read<std::optional<core::Id>>(row["staff_id"]);
            user.active = core::read<bool>(row["active"]);
        }
    }

    void fold(events::Envelope const& meta, events::UserEvent const& event) {
        auto const change = [&](auto how) { users_.change(meta.subject.id, meta.organization, how); };
        std::visit(
            Overloaded{[&](events::UserCreated const& e) {
                           users_.put(meta.subject.id, meta.organization, ToldUser{meta.organization, e.staffId});
                       },
                       [&](events::UserUpdated const& e) {
                           if (e.staffId) change([&](ToldUser& user) { user.staff = *e.staffId; });
                       },
                       [&](events::UserDeactivated const&) { change([](ToldUser& user) { user.active = false; }); },
                       [&](events::UserReactivated const&) { change([](ToldUser& user) { user.active = true; }); },
                       [&](events::UserErased const&) { users_.put(meta.subject.id, meta.organization, std::nullopt); },
                       [](auto const&) {}},
            event);
    }

    void fold(events::Envelope const& meta, events::ShiftEvent const& event) {
        auto const id = meta.subject.id;
        auto const change = [&](auto how) { shifts_.change(id, meta.organization, how); };
        auto const end = [&] { shifts_.put(id, meta.organization, std::nullopt); };
        std::visit(
            Overloaded{[&](events::ShiftPosted const& e) {
                           shifts_.put(id, meta.organization, ToldShift{e.title, e.date, e.startTime, e.endTime, {}});
                       },
                       [&](events::ShiftUpdated const& e) {
                           change([&](ToldShift& shift) {
                               events::merge(shift, static_cast<events::ShiftChanges const&>(e));
                           });
                       },
                       [&](events::ShiftStaffAssigned const& e) {
                           change([&](ToldShift& shift) { shift.assigned.push_back(e.staffId); });
                           if (acts_on(meta)) tell_assigned(meta, e.staffId);
                       },
                       [&](events::ShiftUnassigned const& e) {
                           change([&](ToldShift& shift) { std::erase(shift.assigned, e.staffId); });
                       },
                       [&](events::ShiftCancelled const&) {
                           if (acts_on(meta)) tell_cancelled(meta);
                           change([](ToldShift& shift) { shift.assigned.clear(); });
                       },
                       [&](events::ShiftCompleted const&) { end(); }, [&](events::ShiftDeleted const&) { end(); },
                       [](auto const&) {}},
            event);
    }

    void fold(events::Envelope const& meta, events::PayrollRunEvent const& event) {
        auto const id = meta.subject.id;
        auto const end = [&] { runs_.put(id, meta.organization, std::nullopt); };
        std::visit(
            Overloaded{
                [&](events::PayrollRunCreated const& e) {
                    runs_.put(id, meta.organization, ToldPayrollRun{e, meta.actor.user, 0});
                },
                [&](events::PayrollRunUpdated const& e) {
                    runs_.change(id, meta.organization,
                                 [&](ToldPayrollRun& run) { static_cast<events::PayrollPeriod&>(run) = e; });
                },
                [&](events::PayrollRunApproved const&) {
                    runs_.change(id, meta.organization, [&](ToldPayrollRun& run) { run.approver = meta.actor.user; });
                },
                [&](events::PayrollRunFailed const&) {
                    if (acts_on(meta)) {
                        tell_run(meta, "A payroll run failed", "Nobody was paid for {} to {}: the run says why.");
                    }
                },
                [&](events::PayrollRunPartiallyPaid const&) {
                    if (acts_on(meta)) {
                        tell_run(meta, "Payments of a payroll run failed",
                                 "Not everybody was paid for {} to {}: the payments that failed say why.");
                    }
                    end();
                },
                [&](events::PayrollRunPaid const&) { end(); }, [&](events::PayrollRunCancelled const&) { end(); },
                [&](events::PayrollRunDeleted const&) { end(); }, [](auto const&) {}},
            event);
    }

    void fold(events::Envelope const& meta, events::WebhookEvent const& event) {
        auto const id = meta.subject.id;
        std::visit(
            Overloaded{
                [&](events::WebhookCreated const& e) { webhooks_.put(id, meta.organization, ToldWebhook{e.name}); },
                [&](events::WebhookUpdated const& e) {
                    if (!e.name) return;
                    webhooks_.change(id, meta.organization, [&](ToldWebhook& webhook) { webhook.name = *e.name; });
                },
                [&](events::WebhookDisabled const& e) {
                    if (acts_on(meta)) tell_disabled(meta, e);
                },
                [&](events::WebhookDeleted const&) { webhooks_.put(id, meta.organization, std::nullopt); },
                [](auto const&) {}},
            event);
    }

    ToldShift const& shift_of(events::Envelope const& meta) {
        auto const& shift = shifts_.rows[meta.subject.id];
        if (!shift) throw std::runtime_error(fmt::format("{} of an unknown shift, {}", meta.type, meta.subject.id));
        return *shift;
    }

    void tell_assigned(events::Envelope const& meta, core::Id staff) {
        tell_staff(meta, staff,
                   about(meta.subject, NotificationType::shift_assigned, "You are assigned to a shift",
                         when_and_what(shift_of(meta))));
    }

    void tell_cancelled(events::Envelope const& meta) {
        auto const& shift = shift_of(meta);
        auto const details = about(meta.subject, NotificationType::shift_cancelled, "A shift of yours is cancelled",
                                   when_and_what(shift));
        for (auto const staff : shift.assigned) tell_staff(meta, staff, details);
    }

    void tell_expiring(events::Envelope const& meta, events::CredentialExpiring const& expiring) {
        tell_staff(
            meta, expiring.staffId,
            about(meta.subject, NotificationType::credential_expiring, "A credential of yours expires",
                  fmt::format("{} is good until {}.", expiring.name.value, core::to_string(expiring.expiresOn))));
    }

    /// The user may be of another organization: an operator of the platform, whose own it lies in then.
    void tell_disabled(events::Envelope const& meta, events::WebhookDisabled const& disabled) {
        auto const& webhook = webhooks_.rows[meta.subject.id];
        if (!webhook) throw std::runtime_error(fmt::format("an unknown webhook is disabled, {}", meta.subject.id));
        tell(meta, disabled.creator,
             about(meta.subject, NotificationType::webhook_disabled, "A webhook is disabled",
                   fmt::format("Nothing is delivered to {} any more ({}).", webhook->name, disabled.reason)));
    }

    void tell_sent(events::Envelope const& meta, events::MessageSent const& sent) {
        auto const details = about({events::Kind::conversation, sent.conversationId}, NotificationType::message,
                                   "You have a message", "Somebody wrote in a conversation in which you take part.");
        for (auto const& each : shown_to(sent)) {
            if (each.recipientType == events::ParticipantType::user) {
                tell(meta, each.recipientId, details);
            } else {
                tell_staff(meta, each.recipientId, details);
            }
        }
    }

    void tell_given_up(events::Envelope const& meta, events::TriggerDisabled const& disabled) {
        tell(meta, disabled.createdBy.value.value_or(0),
             about(meta.subject, NotificationType::trigger_disabled, "A trigger is disabled",
                   fmt::format("{} failed too often in a row and starts no runs any more.", disabled.name)));
    }

    void tell_run(events::Envelope const& meta, std::string_view title, std::string_view body) {
        auto const& run = runs_.rows[meta.subject.id];
        if (!run) return;  // it began before this was folded
        auto const details =
            about(meta.subject, NotificationType::payroll_failed, title,
                  fmt::format(fmt::runtime(body), core::to_string(run->periodStart), core::to_string(run->periodEnd)));
        for (auto const user : std::set{run->creator, run->approver}) tell(meta, user, details);
    }

    void tell_staff(events::Envelope const& meta, core::Id staff, events::NotificationDetails const& details) {
        for (auto const& [id, user] : users_.rows) {
            if (user && user->staff.value == staff) tell(meta, id, details);
        }
    }

    void tell(events::Envelope const& meta, core::Id id, events::NotificationDetails details) {
        auto const found = users_.rows.find(id);
        if (found == users_.rows.end() || !found->second || !found->second->active) return;
        details.userId = id;
        work_.push_back({&meta, found->second->organization, std::move(details)});
    }

    void keep_users() {
        users_.keep(connection_, kKeepUsers, kDropUsers, [](core::Id id, core::Id organization, ToldUser const& user) {
            return std::optional(std::tuple(id, organization, user.staff.value, user.active));
        });
    }

    void add_work() {
        auto const values_of = [](Work const& work) {
            auto const& [cause, organization, details] = work;
            return std::tuple(std::string_view(cause->id), cause->position, details.userId, organization,
                              cause->sandbox, std::string_view(cause->correlation()), core::to_json(details));
        };
        core::execute_rows(connection_, kAddNotifications, work_, values_of, partition_);
    }

    core::Connection& connection_;
    int const partition_;
    std::int64_t acts_after_ = -1;
    FoldedRows<ToldUser> users_;
    FoldedRows<ToldShift> shifts_;
    FoldedRows<ToldWebhook> webhooks_;
    FoldedRows<ToldPayrollRun> runs_;
    std::vector<Work> work_;
};

void make_notification(std::span<pqxx::row const> rows, Effects const& effects) {
    auto const& row = rows.front();  // it takes one at a time
    submit_or_throw(effects, {.verb = "notifications.create",
                              .organization = core::read<core::Id>(row["organization_id"]),
                              .sandbox = core::read<bool>(row["is_sandbox"]),
                              .body = core::read<std::string>(row["doc"]),
                              .key = fmt::format("{}/{}", kNotifications, core::read<std::string>(row["id"])),
                              .correlation_id = core::read<std::string>(row["correlation_id"]),
                              .event_id = core::read<std::string>(row["event_id"])});
}

}  // namespace

ReactorType notifications() {
    static WorkTable const work(kNotifications, "notification_work");
    return {.name = kNotifications,
            .revision = 1,
            .kinds = {events::Kind::user, events::Kind::shift, events::Kind::webhook, events::Kind::credential,
                      events::Kind::payroll_run, events::Kind::trigger, events::Kind::message},
            .make = fold_by<ToldBatch>,
            .work = &work,
            .perform = make_notification};
}

}  // namespace workforce::workers
