// What providers answer, as it is judged; what they are sent; and the simulated one.
#include <gtest/gtest.h>

#include "tests/support/await.hpp"
#include "workers/payroll/http_provider.hpp"
#include "workers/payroll/simulated.hpp"

namespace workforce::workers {
namespace {

using Kind = SubmissionResult::Kind;

SubmissionResult judged(unsigned status, std::string body) {
    net::Reply reply;
    reply.status = status;
    reply.body = std::move(body);
    return judge_submission(reply);
}

TEST(PayrollSubmission, OnlyAnIdAccepts) {
    auto const accepted = judged(201, R"({"externalPayrollId":"ext_1","more":[1]})");
    EXPECT_EQ(accepted.kind, Kind::accepted);
    EXPECT_EQ(accepted.text, "ext_1");
    for (auto const* body :
         {"", "{}", "ok", R"({"externalPayrollId":7})", R"({"externalPayrollId":""})", R"({"externalPayrollId":null})",
          R"(["ext_1"])", R"({"externalPayrollId":"ext_1","externalPayrollId":"ext_2"})"}) {
        EXPECT_EQ(judged(200, body).kind, Kind::unknown) << body;
    }
    net::Reply cut;
    cut.body = R"({"externalPayrollId":"ext_1"})";
    cut.truncated = true;
    EXPECT_EQ(judge_submission(cut).kind, Kind::unknown);
}

TEST(PayrollSubmission, OnlyWhatIsForGoodRefuses) {
    for (unsigned const status : {400U, 402U, 413U, 422U}) {
        auto const refused = judged(status, R"({"reason":"No money."})");
        EXPECT_EQ(refused.kind, Kind::refused) << status;
        EXPECT_EQ(refused.text, "No money.");
    }
    EXPECT_EQ(judged(422, "<html>").text, "The provider answered 422.");
    EXPECT_EQ(judged(422, R"({"reason":"a\u0000b"})").text, "The provider answered 422.");
    for (unsigned const status : {100U, 301U, 401U, 403U, 404U, 408U, 409U, 425U, 429U, 500U, 502U, 503U}) {
        EXPECT_EQ(judged(status, R"({"reason":"No money."})").kind, Kind::unknown) << status;
    }
}

TEST(PayrollSearch, OnlyAnIdIsARunAndOnly404IsNone) {
    auto const searched = [](unsigned status, std::string body) {
        net::Reply reply;
        reply.status = status;
        reply.body = std::move(body);
        return judge_search(reply);
    };
    EXPECT_EQ(searched(200, R"({"externalPayrollId":"ext_1","status":"processing"})").value(), "ext_1");
    EXPECT_EQ(searched(404, "gone").value(), std::nullopt);
    for (auto const* body : {"", "{}", "[]", R"({"externalPayrollId":""})"}) EXPECT_FALSE(searched(200, body)) << body;
    for (unsigned const status : {302U, 400U, 401U, 405U, 422U, 500U, 503U}) {
        EXPECT_FALSE(searched(status, R"({"externalPayrollId":"ext_1"})")) << status;
    }
}

TEST(PayrollSubmission, WhatAProviderSaysIsNotShownToOperators) {
    EXPECT_EQ(judged(500, "Ada Byron has no account").text,
              "the provider answered 500 with 24 bytes that are no answer");
}

DuePayments due(core::Id run, std::size_t from, std::size_t count) {
    DuePayments all;
    for (std::size_t i = 0; i < count; ++i) {
        events::PaymentMade payment;
        payment.paymentId = events::payment_id(run, from + i);
        payment.staffId = static_cast<core::Id>(100 + from + i);
        payment.netAmount = {1250};
        all.payments.push_back(payment);
    }
    return all;
}

TEST(PayrollSubmission, HasAmountsAndIds) {
    PayrollBrief brief;
    brief.currency = "EUR";
    brief.periodStart = brief.periodEnd = brief.payDate = core::Date{20'000};
    auto body = begin_submission({.run = 7, .attempt = 2, .organization = 3}, brief, "local");
    add_payments(body, due(7, 1, 1));
    add_payments(body, due(7, 2, 1));
    body += "]}";
    EXPECT_EQ(
        body,
        R"({"facilityId":null,"currency":"EUR","periodStart":"2024-10-04","periodEnd":"2024-10-04","payDate":"2024-10-04","type":"regular",)"
        R"("key":"pr_7_2","installation":"local","payrollRunId":7,"attempt":2,"organizationId":3,"payments":[)"
        R"({"staffId":101,"grossAmount":0,"adjustmentAmount":0,"netAmount":12.5,"regularMinutes":0,"overtimeMinutes":0,)"
        R"("paymentId":700001,"method":"direct_deposit"},)"
        R"({"staffId":102,"grossAmount":0,"adjustmentAmount":0,"netAmount":12.5,"regularMinutes":0,"overtimeMinutes":0,)"
        R"("paymentId":700002,"method":"direct_deposit"}]})");
}

TEST(PayrollReport, IsReadWithAllThatARunMayHave) {
    std::string json = R"({"externalPayrollId":"x","status":"paid","payments":[)";
    for (std::size_t i = 1; i <= kMostReported; ++i) json += R"({"paymentId":1,"status":"paid"},)";
    json.back() = ']';
    auto const report = read_report(json + "}");
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->payments.value.size(), kMostReported);
    json.back() = ',';
    EXPECT_FALSE(read_report(json + R"({"paymentId":1,"status":"paid"}]})"));
}

TEST(PayrollReport, NamesWhatIsWrong) {
    auto const report =
        read_report(R"({"externalPayrollId":"","status":"maybe","payments":[{"paymentId":1,"status":"paid"},{}]})");
    ASSERT_FALSE(report);
    for (auto const* field : {"externalPayrollId", "status", "payments[1].paymentId", "payments[1].status"}) {
        EXPECT_NE(report.error().details.find(field), std::string::npos) << field << report.error().details;
    }
}

TEST(PayrollReport, AStatusThatNobodyKnowsTellsNothing) {
    auto const report = read_report(R"({"externalPayrollId":"x","status":"partially_paid","payments":[)"
                                    R"({"paymentId":1,"status":"returned"},{"paymentId":2,"status":"paid"}]})");
    ASSERT_TRUE(report) << report.error().details;
    auto const& payments = report->payments.value;
    EXPECT_EQ(payments.at(0).status, (ReportedPaymentStatus{events::PaymentStatus::processing, false}));
    EXPECT_EQ(payments.at(1).status, (ReportedPaymentStatus{events::PaymentStatus::paid, true}));
    auto const kept = core::from_stored_json<PayrollReport>(core::to_json(*report));
    EXPECT_FALSE(kept.payments.value.at(0).status.known) << "it is still unknown when the report is applied";
    EXPECT_FALSE(read_report(R"({"externalPayrollId":"x","status":"paid","payments":[{"paymentId":1,"status":7}]})"));
}

/// A source of two pages, and who fails.
PayrollSource two_pages(std::vector<core::Id> failing) {
    return {
        .brief = [](core::Id) -> boost::asio::awaitable<PayrollBrief> { co_return PayrollBrief{}; },
        .payments = [](core::Id run, core::Id after) -> boost::asio::awaitable<DuePayments> {
            if (after == 0) co_return due(run, 1, 2);
            if (after == events::payment_id(run, 2)) co_return due(run, 3, 1);
            co_return DuePayments{};
        },
        .last_payment = [](core::Id run) -> boost::asio::awaitable<core::Id> { co_return events::payment_id(run, 3); },
        .made_to_fail = [failing](core::Id, bool,
                                  std::vector<core::Id> staff) -> boost::asio::awaitable<std::vector<core::Id>> {
            std::vector<core::Id> found;
            for (auto const id : staff) {
                if (std::ranges::count(failing, id) > 0) found.push_back(id);
            }
            co_return found;
        }};
}

PayrollReport settled(std::vector<core::Id> failing) {
    SimulatedPayroll const provider(std::chrono::milliseconds(1000));
    PayrollAttempt attempt{.run = 7, .external_id = "sim_pr_7", .submitted_at = core::Timestamp{core::now().ms - 2000}};
    auto const source = two_pages(std::move(failing));
    return tests::await(provider.get(attempt, source)).value();
}

TEST(SimulatedPayroll, PaysAllButThoseWhoAreMadeToFail) {
    auto const all = settled({});
    EXPECT_EQ(all.status, ReportedStatus::paid);
    ASSERT_EQ(all.payments.value.size(), 3U);
    EXPECT_EQ(all.payments.value.back().externalPaymentId.value->value, "sim_pp_700003");
    auto const some = settled({103});
    EXPECT_EQ(some.status, ReportedStatus::partially_paid);
    EXPECT_EQ(some.payments.value.back().status.value, events::PaymentStatus::failed);
    EXPECT_FALSE(some.payments.value.back().failureReason.value.empty());
    EXPECT_EQ(settled({101, 102, 103}).status, ReportedStatus::failed);
}

TEST(SimulatedPayroll, CanBeCancelledUntilItSettles) {
    SimulatedPayroll const provider(std::chrono::hours(1));
    PayrollAttempt attempt{.run = 7, .external_id = "sim_pr_7", .submitted_at = core::now()};
    EXPECT_TRUE(tests::await(provider.cancel(attempt)).value());
    EXPECT_EQ(tests::await(provider.get(attempt, two_pages({}))).value().status, ReportedStatus::processing);
    attempt.submitted_at = core::Timestamp{core::now().ms - 3'600'001};
    EXPECT_FALSE(tests::await(provider.cancel(attempt)).value());
}

TEST(HttpPayroll, IsAskedLessAndLessOften) {
    net::HttpClient client;
    HttpPayroll const provider(client, {.url = {}, .secret = {}, .installation = {}, .poll = std::chrono::seconds(60)});
    EXPECT_EQ(provider.next_poll(0), std::chrono::seconds(60));
    EXPECT_EQ(provider.next_poll(2), std::chrono::seconds(240));
    EXPECT_EQ(provider.next_poll(99), std::chrono::seconds(960));
}

}  // namespace
}  // namespace workforce::workers
