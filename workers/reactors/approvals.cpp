// Events of approvals to work, and work to operations.
#include "workers/reactors/reactors.hpp"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/json_values.hpp"
#include "events/approval.hpp"
#include "events/event.hpp"
#include "events/notification.hpp"

namespace workforce::workers {
namespace {

constexpr std::string_view kApprovals = "approvals";
constexpr std::string_view kExecute = "execute";
constexpr std::string_view kTellApprovers = "tell_approvers";
constexpr std::string_view kTellRequester = "tell_requester";

constexpr core::Statement kAddApprovalWork{"approval_add_work", R"(
INSERT INTO approval_work (id, partition, position, organization_id, is_sandbox, approval_id, task, correlation_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING)"};

/// What is to be done of an event, if anything.
std::optional<std::string_view> approval_task_of(events::AnyEvent const& event) {
    if (events::is<events::ApprovalRequested>(event)) return kTellApprovers;
    if (auto const* approved = events::get_if<events::ApprovalApproved>(event)) {
        return approved->outside ? kExecute : kTellRequester;
    }
    auto const* rejected = events::get_if<events::ApprovalRejected>(event);
    bool const told = rejected != nullptr && rejected->cause == events::RejectionCause::rejected;
    if (told || events::is<events::ApprovalExpired>(event)) return kTellRequester;
    return std::nullopt;
}

/// One batch of a partition's events, folded within a transaction.
struct ApprovalBatch {
    core::Connection& connection;
    events::Keyring& keyring;
    int partition;

    void fold(std::span<events::Event const> events) {
        std::optional<std::int64_t> acts_from;
        for (auto const& [meta, data] : events) {
            auto const task = approval_task_of(data);
            if (!task) continue;
            if (!acts_from) acts_from = acts_after(connection, kApprovals, partition);
            if (meta.position <= *acts_from) continue;
            connection.execute(kAddApprovalWork, meta.id, partition, meta.position, meta.organization, meta.sandbox,
                               meta.subject.id, *task, meta.correlation());
        }
    }
};

OperationRequest operation_request_of(pqxx::row const& row, std::string verb) {
    return {.verb = std::move(verb),
            .organization = core::read<core::Id>(row["organization_id"]),
            .sandbox = core::read<bool>(row["is_sandbox"]),
            .id = core::read<core::Id>(row["approval_id"]),
            .key = {},
            .correlation_id = core::read<std::string>(row["correlation_id"]),
            .event_id = core::read<std::string>(row["id"])};
}

void execute(pqxx::row const& row, Effects const& effects) {
    auto request = operation_request_of(row, "approvals.execute");
    auto const attempt = core::read<int>(row["attempts"]);
    request.body = fmt::format(R"({{"attempt":{}}})", attempt);
    request.key = fmt::format("approval/{}/{}", request.id, attempt);
    submit_or_throw(effects, std::move(request));
}

/// What people are told of an approval.
events::NotificationDetails news_of(core::Id approval, std::string_view tool, std::string_view status) {
    bool const waits = status == "pending";
    events::NotificationDetails details;
    details.type = waits ? events::NotificationType::approval_requested : events::NotificationType::approval_resolved;
    details.title = waits ? "A call waits for your approval" : fmt::format("A call of yours is {}", status);
    details.body = waits ? fmt::format("{} is to be carried out: approve or reject it.", tool)
                         : fmt::format("The approval of {} is {}.", tool, status);
    details.resource = fmt::format("approval:{}", approval);
    return details;
}

/// Each user once: under keys of the event and theirs.
void tell_people(pqxx::row const& row, Effects const& effects, bool requested) {
    auto asked = operation_request_of(row, "approvals.audience");
    auto const event = asked.event_id;
    auto const id = asked.id;
    asked.body = requested ? R"({"requested":true})" : R"({"requested":false})";
    auto const answer = submit_or_throw(effects, std::move(asked));
    auto const audience = core::parse_json(answer.body);
    if (!audience) throw std::runtime_error("no audience");
    auto const text = [&](char const* name) { return (*audience)[name].GetString(); };
    for (auto const& user : (*audience)["users"].GetArray()) {
        auto details = news_of(id, text("tool"), text("status"));
        details.userId = user["userId"].GetInt64();
        auto told = operation_request_of(row, "notifications.create");
        told.id = 0;
        told.organization = user["organizationId"].GetInt64();
        told.body = core::to_json(details);
        told.key = fmt::format("{}/{}/{}", kApprovals, event, details.userId);
        submit_or_throw(effects, std::move(told));
    }
}

void do_work(std::span<pqxx::row const> rows, Effects const& effects) {
    auto const& row = rows.front();  // it takes one at a time
    auto const task = core::read<std::string>(row["task"]);
    if (task == kExecute) {
        execute(row, effects);
        tell_people(row, effects, false);
    } else {
        tell_people(row, effects, task == kTellApprovers);
    }
}

}  // namespace

ReactorType approvals() {
    static WorkTable const work(kApprovals, "approval_work");
    return {.name = kApprovals,
            .revision = 1,
            .kinds = {events::Kind::approval},
            .make = fold_by<ApprovalBatch>,
            .work = &work,
            .perform = do_work,
            .asks_outside = true};
}

}  // namespace workforce::workers
