// Words for what people have to show to work.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> credential_words() {
    return {
        {{"credentials/"}, {{"id", "The credential's id, from {credentials.list}"}}},
        {{"CredentialKind", "UpdateCredential"},
         {{"staffId", "Whose it is, an id from {staff.list}; fixed"}, {"type", "Sort of document; fixed"}}},
        {{"StaffCredential"}, {{"type", "Sort of document; fixed"}}},
        {{"CredentialDetails", "CredentialChanges"},
         {{"name", "What it certifies, such as Registered Nurse"},
          {"number", "Number on the document; lists show its last 4 characters"},
          {"issuingAuthority", "Who issued it"},
          {"jurisdiction", "Where it holds, such as a state"},
          {"issuedOn", "Day of issue; null: unknown"},
          {"expiresOn", "Last day that it holds; null: no end"},
          {"documentUrl", "Address of a copy; null: none"}}},
        {{"CredentialStanding"},
         {{"status", "Where it stands; only verified counts for work"},
          {"verification", "The last check"},
          {"expiredReason", "Why it is expired; null unless it is"},
          {"statusReason", "What was said when it was rejected, revoked or expired"}}},
        {{"CredentialView"},
         {{"daysUntilExpiry", "Days to its last day: 0 on that day, negative after; null: no end"}}},
        {{"Verification"},
         {{"method", "By a person, or by asking a registry; null: never checked"},
          {"provider", "Registry that was asked"},
          {"reference", "The registry's own id of the check"},
          {"checkedAt", "When; null: never"},
          {"verifiedBy", "User who had it checked; null: a key without one"},
          {"result", "What the check found; null: nothing yet"}}},
        {{"CredentialFilter"}, {{"staffId", "Only of this person, an id from {staff.list}"}}},
        {{"CredentialFilter", "HeldFilter"},
         {{"status", "Only those that stand so"},
          {"type", "Only these sorts"},
          {"expiringWithinDays",
           "Only pending and verified ones, none that has expired, whose last day is at most so many days ahead; 0: "
           "today"}}},
        {{"RejectCredential"}, {{"reason", "Why it does not count"}}},
        {{"ExpireCredential"}, {{"reason", "Why it counts no more"}}},
        {{"RevokeCredential"}, {{"reason", "Why it is taken back"}}},
        {{"ExternalVerification"},
         {{"credential", "As it stands now"},
          {"verified", "Whether this check vouches for it"},
          {"provider", "Registry that was asked"},
          {"reference", "The registry's own id of the check; null: it has none"},
          {"checkedAt", "When the registry answered"},
          {"outcome", "What the registry found"},
          {"details", "The finding in a sentence"}}},
        {{"StaffCredentialType"}, {{"", "Sort of document"}}},
        {{"CredentialStatus"},
         {{"",
           "pending: not checked yet; verified: checked and good; rejected: checked and not good; revoked: for good"}}},
        {{"ExpiredReason"}, {{"", "By a request, by its date, or by a registry's word"}}},
        {{"VerificationMethod"}, {{"", "By a person, or by a registry"}}},
        {{"VerificationResult", "RegistryOutcome"}, {{"", "Whether the registry knows it, and as good"}}},
    };
}

}  // namespace workforce::operations
