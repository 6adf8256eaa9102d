// What the billing meter has heard of, or is to hear (domain 8.6).
#include "projections/billing/billing.hpp"

#include <utility>

#include "operations/declare.hpp"
#include "operations/words/words.hpp"

namespace workforce::operations {

struct BillingQuery : projections::BillingFilter {
    std::optional<core::Int<1, core::kMaxId>> limit;
    std::optional<std::string> cursor;
    std::optional<Id> orgUnitId;
};
BOOST_DESCRIBE_STRUCT(BillingQuery, (projections::BillingFilter), (limit, cursor, orgUnitId))

namespace {

using projections::BillingRow;

boost::asio::awaitable<core::Result<projections::Page>> billing_page(core::Database& operators,
                                                                     projections::Scope scope,
                                                                     projections::PageRequest request,
                                                                     projections::BillingFilter filter) {
    std::optional<Id> before;
    if (request.after) {
        before = core::parse_integer(request.after->back());
        if (!before) co_return core::refuse(core::Code::invalid_cursor, "The cursor does not belong to this list.");
    }
    auto const limit = std::clamp(request.limit, 1, 200);
    auto rows = co_await projections::billing_rows(operators, std::move(scope), std::move(filter), before, limit + 1);
    projections::Page page;
    page.has_more = rows.size() > static_cast<std::size_t>(limit);
    if (page.has_more) {
        rows.pop_back();
        page.next = {"id", std::to_string(rows.back().id)};
    }
    page.rows = core::to_json(rows);
    co_return page;
}

boost::asio::awaitable<Outcome> list_billing(Call& call) {
    if (!call.caller->across_organizations) {
        co_return refuse(call, {core::Code::forbidden, "Only operators of the installation see what is billed.", {}});
    }
    auto const query = read_query<BillingQuery>(call.input.parameters);
    auto input = query.map([](BillingQuery const& asked) {
        PageQuery page;
        page.limit = asked.limit;
        page.cursor = asked.cursor;
        return ListInput{page, {}};
    });
    projections::BillingFilter filter;
    if (query) filter = *query;
    auto source = [&operators = call.services.operators, filter](core::Database&, projections::Scope scope,
                                                                 projections::PageRequest request,
                                                                 std::vector<core::Parameter>) {
        return billing_page(operators, std::move(scope), std::move(request), filter);
    };
    co_return co_await get_list(call, PageSource(source), std::move(input));
}

}  // namespace

std::vector<Operation> billing_operations() {
    auto listed = query_with<BillingRow, BillingQuery>(
        "billing.outbox", "List what the billing meter has heard of or is to hear, newest first", list_billing);
    listed.answer = &page_of<BillingRow>;
    listed.answer_example = &page_example<BillingRow>;
    return {
        std::move(listed)
            .says("Returns a page of outcomes that are billed, newest first, with what became of them. Only for "
                  "operators of the installation.")
            .needs("analytics.view")
            .of_live_data()
            .refuses({core::Code::forbidden})
            .at(net::Method::get, "/api/billing/outbox"),
    };
}

std::vector<StructWords> billing_words() {
    return {
        {{"BillingFilter"}, {{"status", "Only rows that stand so: pending, sent, dead, held or no_subject"}}},
        {{"BillingRow"},
         {{"id", "Newer rows have higher ids"},
          {"organizationId", "Whose outcome it is"},
          {"requestId", "Request that had the outcome"},
          {"eventName", "The outcome, by which the meter knows it"},
          {"subject", "The organization's billingCustomerRef when it happened; null: it had none"},
          {"value", "How much it counts for"},
          {"identifier", "The same on each attempt, so that the meter counts it once"},
          {"occurredAt", "When it happened (UTC)"},
          {"status",
           "pending: to be sent; sent; dead: given up; held: it may have been sent before; no_subject: nobody to bill"},
          {"attempts", "How often it was tried"},
          {"nextAttemptAt", "When it is tried next at the earliest; null: not by itself"},
          {"lastError", "Why the last attempt failed; null: it did not"}}},
        {{"BillingStatus"}, {{"", "What became of an outcome that is billed"}}},
    };
}

}  // namespace workforce::operations
