// The declaration of read.approval.
#include "projections/approvals/approvals.hpp"

namespace workforce::projections {
namespace {

/// Of ApprovalBeside. An operator of the installation is of another organization, whose people no customer reads.
constexpr std::string_view kParties = R"((
        '{"internals":' || t.internals || ',"names":'
        || COALESCE((SELECT json_object_agg(u.id, u.name)::text
                     FROM read.user_account u
                     WHERE u.id IN (t.requested_by, t.resolved_by) AND NOT u.is_sandbox), '{}') || '}'))";

}  // namespace

ApprovalRows const& approvals() {
    static ApprovalRows const model =
        ApprovalRows::declare("approval")
            .revision(2)
            .beside(kParties)
            .seen_at("t.facility_id = ANY ($facilities)")
            .shown_if("NOT t.deleted")
            .column("facility_id", [](auto const& approval) { return approval.facilityId; })
            .column("deleted", [](auto const& approval) { return approval.deleted; })
            .column("status", [](auto const& approval) { return approval.status; })
            .column("agent_id", [](auto const& approval) { return approval.agentId; })
            .column("requested_by", [](auto const& approval) { return approval.requestedBy.userId; })
            .column("resolved_by",
                    [](auto const& approval) {
                        return approval.resolvedBy.value ? approval.resolvedBy.value->userId : Id{0};
                    })
            .column("lineage",
                    [](auto const& approval) -> auto const& { return approval.internals.requester.lineage.value; })
            .column("expires_at", [](auto const& approval) { return approval.expiresAt; })
            .column("named_staff_ids", [](auto const& approval) { return approval.namedStaffIds; })
            .column("named_user_ids", [](auto const& approval) { return approval.namedUserIds; })
            .column("named_lead_ids", [](auto const& approval) { return approval.namedLeadIds; })
            .json("internals", [](auto const& approval) -> auto const& { return approval.internals; })
            .filter<&SeenApprovalFilter::status>("t.status = ANY ($status)")
            .filter<&SeenApprovalFilter::agentId>("t.agent_id = $agentId")
            .filter<&SeenApprovalFilter::mine>("(NOT $mine OR t.lineage = $lineage OR t.requested_by = $ownUser)")
            .filter<&SeenApprovalFilter::visibleAt>(
                "(t.facility_id = ANY ($visibleAt) OR t.lineage = $lineage OR t.requested_by = $person)")
            .filter<&SeenApprovalFilter::lineage>("true")
            .filter<&SeenApprovalFilter::ownUser>("true")
            .filter<&SeenApprovalFilter::person>("true")
            .stamped()
            .sort("createdAt", "created_at");
    return model;
}

std::pair<events::Approval, ApprovalBeside> read_approval(core::JsonValue const& doc) {
    std::pair<events::Approval, ApprovalBeside> read;
    auto& [approval, beside] = read;
    core::JsonReader reader(core::JsonReader::Trust::stored);
    core::JsonType<events::Approval>::read(doc, approval, reader);
    core::JsonType<events::ApprovalCall>::read(doc["internals"], beside.call, reader);
    for (auto const& name : doc["names"].GetObject())
        beside.names.emplace(name.name.GetString(), name.value.GetString());
    return read;
}

}  // namespace workforce::projections
