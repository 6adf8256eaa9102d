// Approvals as queries see them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "events/approval.hpp"
#include "projections/engine/read_model.hpp"

namespace workforce::projections {

/// What a list of approvals is narrowed to (domain 3.7).
struct ApprovalFilter : ChangeFilter {
    std::optional<std::vector<events::ApprovalStatus>> status{};
    std::optional<Id> agentId{};
    std::optional<bool> mine{};  ///< those alone that the caller asked for
};
BOOST_DESCRIBE_STRUCT(ApprovalFilter, (ChangeFilter), (status, agentId, mine))

/// With who asks, whom no caller names: what they asked for themselves they see wherever it lies.
struct SeenApprovalFilter : ApprovalFilter {
    std::string lineage{};
    std::optional<Id> ownUser{};                 ///< the user behind the credential
    std::optional<Id> person{};                  ///< the same where the credential is the person's own sign-in
    std::optional<std::vector<Id>> visibleAt{};  ///< facilities that bind the caller
};
BOOST_DESCRIBE_STRUCT(SeenApprovalFilter, (ApprovalFilter), (lineage, ownUser, person, visibleAt))

using ApprovalRows = ReadModel<events::ApprovalRecord, SeenApprovalFilter, events::Approval>;

/// read.approval. Its documents have ApprovalBeside besides.
ApprovalRows const& approvals();

/// What is shown of an approval besides, for those alone who make an answer of it.
struct ApprovalBeside {
    events::ApprovalCall call;                 ///< by what it is carried out
    std::map<std::string, std::string> names;  ///< by the id of who asked, and of who decided
};
/// An approval as queries give it, and what stands beside it. `doc` is of read.approval.
std::pair<events::Approval, ApprovalBeside> read_approval(core::JsonValue const& doc);

}  // namespace workforce::projections
