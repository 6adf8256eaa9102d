// Requests to the operator's provider.
#include "workers/payroll/http_provider.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workers/webhooks/signature.hpp"

namespace workforce::workers {

using boost::asio::awaitable;

namespace {

/// The head of what is posted.
struct SubmissionHead : PayrollBrief {
    std::string key;
    std::string installation;
    core::Id payrollRunId = 0;
    std::int64_t attempt = 1;
    core::Id organizationId = 0;
};
BOOST_DESCRIBE_STRUCT(SubmissionHead, (PayrollBrief), (key, installation, payrollRunId, attempt, organizationId))

/// A payment as the provider is to make it.
struct SubmittedPayment : events::PaymentMade {
    events::PaymentMethod method = events::PaymentMethod::direct_deposit;
};
BOOST_DESCRIBE_STRUCT(SubmittedPayment, (events::PaymentMade), (method))

/// RFC 3986: all but what is unreserved.
std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~";
    std::string encoded;
    for (char const c : text) {
        if (kPlain.find(c) != std::string_view::npos) {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

/// For operators. What it says may be personal.
std::string shown(net::Reply const& reply) {
    return fmt::format("the provider answered {} with {} bytes that are no answer", reply.status, reply.body.size());
}

bool is_success(net::Reply const& reply) { return reply.status >= 200 && reply.status < 300; }

}  // namespace

std::string begin_submission(PayrollAttempt const& attempt, PayrollBrief const& brief, std::string_view installation) {
    SubmissionHead head;
    static_cast<PayrollBrief&>(head) = brief;
    head.key = payroll_key(attempt.run, attempt.attempt);
    head.installation = installation;
    head.payrollRunId = attempt.run;
    head.attempt = attempt.attempt;
    head.organizationId = attempt.organization;
    auto body = core::to_json(head);
    body.pop_back();
    return body + R"(,"payments":[)";
}

void add_payments(std::string& body, DuePayments const& due) {
    for (auto const& payment : due.payments) {
        if (!body.ends_with('[')) body += ',';
        SubmittedPayment submitted;
        static_cast<events::PaymentMade&>(submitted) = payment;
        body += core::to_json(submitted);
    }
}

SubmissionResult judge_submission(net::Reply const& reply) {
    using enum SubmissionResult::Kind;
    if (is_success(reply)) {
        auto const answer = read_submission_answer(reply.body);
        if (answer && !reply.truncated) return {accepted, answer->value};
        return {unknown, shown(reply)};
    }
    bool const for_good = reply.status == 400 || reply.status == 402 || reply.status == 413 || reply.status == 422;
    if (!for_good) return {unknown, shown(reply)};
    auto reason = read_refusal(reply.body);
    if (reason.empty()) reason = fmt::format("The provider answered {}.", reply.status);
    return {refused, std::move(reason)};
}

FindResult judge_search(net::Reply const& reply) {
    if (reply.status == 404) return std::nullopt;
    auto const answer = read_submission_answer(reply.body);
    if (!is_success(reply) || !answer || reply.truncated) return tl::unexpected(shown(reply));
    return answer->value;
}

awaitable<tl::expected<net::Reply, Unanswered>> HttpPayroll::send(std::string method, std::string below,
                                                                  std::string key, std::string body) const {
    net::ClientRequest request{.method = std::move(method), .target = {}, .headers = {}, .body = std::move(body)};
    request.target = (options_.url.target == "/" ? "" : options_.url.target) + below;
    if (!request.target.starts_with('/')) request.target.insert(0, 1, '/');
    request.headers = signature_headers({.current = options_.secret}, key, core::now(), request.body);
    if (!request.body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("User-Agent", "Service-Payroll/1");
    request.headers.emplace_back("Idempotency-Key", std::move(key));
    net::ClientLimits limits;
    limits.whole = kProviderTime;
    limits.most_body = kMostReport;
    limits.addresses = net::AddressPolicy::anything;  // whom the operator named
    auto reply = co_await client_.send(options_.url, std::move(request), limits);
    if (!reply) co_return tl::unexpected(unanswered(reply.error()));
    co_return *std::move(reply);
}

awaitable<SubmissionResult> HttpPayroll::submit(PayrollAttempt const& attempt, PayrollSource const& source) const {
    auto body = begin_submission(attempt, co_await source.brief(attempt.run), options_.installation);
    for (core::Id after = 0;;) {
        auto const due = co_await source.payments(attempt.run, after);
        if (due.payments.empty()) break;
        after = due.payments.back().paymentId;
        add_payments(body, due);
    }
    body += "]}";
    auto const reply = co_await send("POST", "", payroll_key(attempt.run, attempt.attempt), std::move(body));
    if (!reply) co_return SubmissionResult{SubmissionResult::Kind::unknown, reply.error().reason};
    co_return judge_submission(*reply);
}

awaitable<FindResult> HttpPayroll::find(PayrollAttempt const& attempt) const {
    auto const key = payroll_key(attempt.run, attempt.attempt);
    auto const reply = co_await send("GET", "?key=" + key, fmt::format("{}_find_{}", key, core::now().ms), "");
    if (!reply) co_return tl::unexpected(reply.error().reason);
    co_return judge_search(*reply);
}

awaitable<tl::expected<PayrollReport, std::string>> HttpPayroll::get(PayrollAttempt const& attempt,
                                                                     PayrollSource const&) const {
    auto const id = attempt.external_id.value_or("");
    auto key = fmt::format("{}_get_{}", payroll_key(attempt.run, attempt.attempt), core::now().ms);
    auto const reply = co_await send("GET", "/" + percent_encoded(id), std::move(key), "");
    if (!reply) co_return tl::unexpected(reply.error().reason);
    if (!is_success(*reply) || reply->truncated) co_return tl::unexpected(shown(*reply));
    auto report = read_report(reply->body);
    if (!report) co_return tl::unexpected(shown(*reply));
    if (report->externalPayrollId.value != id)
        co_return tl::unexpected(std::string("the provider answered of another run"));
    co_return *std::move(report);
}

awaitable<CancelResult> HttpPayroll::cancel(PayrollAttempt const& attempt) const {
    auto const id = attempt.external_id.value_or("");
    auto key = payroll_key(attempt.run, attempt.attempt) + "_cancel";
    auto const reply = co_await send("POST", "/" + percent_encoded(id) + "/cancel", std::move(key), "{}");
    if (!reply) co_return tl::unexpected(reply.error());
    if (is_success(*reply)) co_return true;
    if (reply->status == 409 || reply->status == 422) co_return false;
    co_return tl::unexpected(Unanswered{shown(*reply)});
}

std::chrono::milliseconds HttpPayroll::next_poll(int polls) const {
    return options_.poll * (std::int64_t{1} << std::clamp(polls, 0, 4));
}

}  // namespace workforce::workers
