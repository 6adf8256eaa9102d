// What each billing meter is sent, and what its answers mean.
#include "workers/billing/meter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace workforce::tests {
namespace {

using nlohmann::json;
using workers::Bill;

std::array<Bill, 2> const kBills{
    Bill{1, "shift_filled", "cus_A & B", "ur_req_1", {1'784'880'000'123}, 7},
    Bill{2, "lead_qualified", "cus_\"quoted\"", "ur_req_2", {1'784'880'001'000}, 8},
};

std::string header_of(net::ClientRequest const& request, std::string_view name) {
    for (auto const& [key, value] : request.headers) {
        if (key == name) return value;
    }
    return "";
}

workers::MeterAnswer judged(std::string_view meter, unsigned status, std::string body = "", std::size_t bills = 1) {
    net::Reply reply;
    reply.status = static_cast<std::uint16_t>(status);
    reply.body = std::move(body);
    return workers::judge_meter(*workers::find_meter(meter), bills, std::move(reply));
}

TEST(Meter, NoneReportsNothing) { EXPECT_EQ(workers::find_meter("none"), nullptr); }

TEST(Meter, StripeGetsAForm) {
    auto const& meter = *workers::find_meter("stripe");
    EXPECT_EQ(meter.together, 1U);
    auto const request = meter.request({kBills.data(), 1}, "sk_test", "urn:workforce:local");
    EXPECT_EQ(header_of(request, "Content-Type"), "application/x-www-form-urlencoded");
    EXPECT_EQ(header_of(request, "Authorization"), "Bearer sk_test");
    EXPECT_EQ(request.body,
              "event_name=shift_filled&identifier=ur_req_1&timestamp=1784880000"
              "&payload%5Bstripe_customer_id%5D=cus_A%20%26%20B&payload%5Bvalue%5D=1");
    EXPECT_TRUE(judged("stripe", 200).taken);
    EXPECT_TRUE(
        judged("stripe", 400, R"({"error":{"message":"An event already exists with identifier ur_req_1."}})").taken);
    EXPECT_FALSE(judged("stripe", 400, R"({"error":{"message":"No such customer"}})").taken);
    EXPECT_FALSE(judged("stripe", 429).taken);
}

TEST(Meter, CloudEventsAreABatch) {
    auto const request = workers::find_meter("cloudevents")->request(kBills, "", "urn:workforce:local");
    EXPECT_EQ(header_of(request, "Content-Type"), "application/cloudevents-batch+json");
    EXPECT_EQ(header_of(request, "Authorization"), "");
    EXPECT_EQ(json::parse(request.body), json::parse(R"([
        {"specversion":"1.0","id":"ur_req_1","source":"urn:workforce:local","type":"shift_filled","subject":"cus_A & B",
         "time":"2026-07-24T08:00:00.123Z","datacontenttype":"application/json","data":{"value":"1","organizationId":7}},
        {"specversion":"1.0","id":"ur_req_2","source":"urn:workforce:local","type":"lead_qualified",
         "subject":"cus_\"quoted\"","time":"2026-07-24T08:00:01.000Z","datacontenttype":"application/json",
         "data":{"value":"1","organizationId":8}}])"));
    EXPECT_TRUE(judged("cloudevents", 204).taken);
    EXPECT_FALSE(judged("cloudevents", 500).taken);
}

TEST(Meter, LagoTakesABatchWholeOrNotAtAll) {
    auto const request = workers::find_meter("lago")->request(kBills, "key", "urn:workforce:local");
    EXPECT_EQ(json::parse(request.body), json::parse(R"({"events":[
        {"transaction_id":"ur_req_1","external_subscription_id":"cus_A & B","code":"shift_filled","timestamp":1784880000,
         "properties":{"value":"1"}},
        {"transaction_id":"ur_req_2","external_subscription_id":"cus_\"quoted\"","code":"lead_qualified",
         "timestamp":1784880001,"properties":{"value":"1"}}]})"));
    auto const known =
        R"({"status":422,"code":"validation_errors","error_details":{"transaction_id":["value_already_exist"]}})";
    EXPECT_TRUE(judged("lago", 422, known).taken);
    EXPECT_FALSE(judged("lago", 422, known, 2).taken) << "the other one was not taken";
    EXPECT_FALSE(judged("lago", 422, R"({"status":422,"error_details":{"subscription":["not_found"]}})").taken);
}

TEST(Meter, FailureToReachItIsNoAnswer) {
    auto const answer = workers::judge_meter(
        *workers::find_meter("stripe"), 1, tl::unexpected(net::ClientFailure{.sent = true, .reason = "it broke off"}));
    EXPECT_FALSE(answer.taken);
    EXPECT_EQ(answer.why, "it broke off");
    EXPECT_TRUE(answer.away);
    EXPECT_TRUE(judged("stripe", 503).away && judged("stripe", 429).away);
    EXPECT_FALSE(judged("stripe", 400).away) << "of that bill";
}

}  // namespace
}  // namespace workforce::tests
