// The operator's own provider, by HTTP (docs/payroll.md).
#pragma once

#include "net/outbound_url.hpp"
#include "workers/payroll/provider.hpp"

namespace workforce::workers {

/// Where it is, and how it knows us.
struct HttpPayrollOptions {
    net::OutboundUrl url;
    std::string secret;        ///< is_signing_secret()
    std::string installation;  ///< that the runs are of
    std::chrono::seconds poll{60};
};

/// Posts runs as JSON, under their keys and signed as webhooks are. 2xx with an id accepts, 400, 402, 413 and 422
/// refuse for good; whatever else is no answer, and the run is posted again.
class HttpPayroll final : public PayrollProvider {
   public:
    HttpPayroll(net::HttpClient& client, HttpPayrollOptions options) : client_(client), options_(std::move(options)) {}

    boost::asio::awaitable<SubmissionResult> submit(PayrollAttempt const& attempt,
                                                    PayrollSource const& source) const override;
    boost::asio::awaitable<FindResult> find(PayrollAttempt const& attempt) const override;
    boost::asio::awaitable<tl::expected<PayrollReport, std::string>> get(PayrollAttempt const& attempt,
                                                                         PayrollSource const& source) const override;
    boost::asio::awaitable<CancelResult> cancel(PayrollAttempt const& attempt) const override;
    /// Twice as long each time, sixteen times at most.
    [[nodiscard]] std::chrono::milliseconds next_poll(int polls) const override;

   private:
    boost::asio::awaitable<tl::expected<net::Reply, Unanswered>> send(std::string method, std::string below,
                                                                      std::string key, std::string body) const;

    net::HttpClient& client_;
    HttpPayrollOptions const options_;
};

/// What an answer to a submission says. Pure.
SubmissionResult judge_submission(net::Reply const& reply);
/// What an answer to the question for a key says: 2xx with an id, or 404. Pure.
FindResult judge_search(net::Reply const& reply);

/// The body that submits a run; payments follow as add_payments() writes them, then "]}". Amounts and ids alone: no
/// name leaves.
std::string begin_submission(PayrollAttempt const& attempt, PayrollBrief const& brief, std::string_view installation);
void add_payments(std::string& body, DuePayments const& due);

}  // namespace workforce::workers
