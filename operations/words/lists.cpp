// Words for what lists and most requests have in common.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> list_words() {
    return {
        {{"Identified"},
         {{"id", "Assigned on creation; never reused"}, {"organizationId", "The organization that owns it"}}},
        {{"Stamped"}, {{"createdAt", "When it was made (UTC)"}, {"updatedAt", "When it last changed (UTC)"}}},
        {{"PageQuery"},
         {{"limit",
           "Items per page: 50 where it is not given; more than 200 counts as 200. Large items make shorter pages"},
          {"cursor", "nextCursor of the page before, with the same filters; absent: the first page"},
          {"sort", "Field to sort by; - before it reverses the order"}}},
        {{"PageQuery", "ScopeQuery"},
         {{"facilityId", "Only of this facility, an id from {facilities.list}; absent: all that you may see"}}},
        {{"UsageQuery"},
         {{"facilityId",
           "Only of this facility, an id from {facilities.list}; required where the organization has several. Calls "
           "about no facility count for none"}}},
        {{"PageQuery", "ScopeQuery", "TargetQuery", "ForceQuery", "ActivityQuery", "AvailableQuery", "DeliveryQuery",
          "UsageQuery", "BillingQuery"},
         {{"orgUnitId", "Organization to act on; only for callers that reach several"}}},
        {{"DeliveryQuery", "BillingQuery"},
         {{"limit", "Items per page: 50 where it is not given; more than 200 counts as 200"},
          {"cursor", "nextCursor of the page before; absent: the first page"}}},
        {{"ChangeFilter", "NotificationFilter"},
         {{"updatedSince", "Only what changed at or after this instant (RFC 3339)"}}},
        {{"ListFilter"}, {{"q", "Text that a name or the like contains, in any case; 2 to 100 characters"}}},
        {{"ActivityQuery"}, {{"limit", "Most items to return: 20 where it is not given; more than 100 counts as 100"}}},
        {{"Pagination"},
         {{"limit", "Items that the page may have"},
          {"hasMore", "Whether another page follows"},
          {"nextCursor", "Cursor of the next page; null on the last"}}},
        {{"ListScope"},
         {{"facilityId", "Set where all items are of one facility"},
          {"orgUnitId", "Set where they are of one organization, all facilities"},
          {"global", "true where they are of all organizations"}}},
        {{"Page"},
         {{"data", "The items of this page"},
          {"pagination", "Where the next page begins"},
          {"scope", "What the items were taken from"}}},
        {{"Violation", "RatedViolation"},
         {{"code", "The scheduling rule that was broken, such as STAFF_DOUBLE_BOOKED"},
          {"message", "The finding in a sentence"},
          {"staffId", "Person whom the finding is about"},
          {"shiftId", "Shift that is in the way; absent where none is"},
          {"level", "block: an assignment is refused; flag: it succeeds with a warning"}}},
    };
}

}  // namespace workforce::operations
