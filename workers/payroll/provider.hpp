// Who pays payroll runs: what is asked of a provider, and what it may answer.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "core/config.hpp"
#include "core/time.hpp"
#include "events/payroll_run.hpp"
#include "net/http_client.hpp"
#include "workers/payroll/report.hpp"
#include "workers/unanswered.hpp"

namespace workforce::workers {

/// An attempt to have a run paid.
struct PayrollAttempt {
    core::Id run = 0;
    std::int64_t attempt = 1;
    core::Id organization = 0;
    bool sandbox = false;
    std::optional<std::string> external_id{};  ///< the provider's, once it has the run
    std::optional<core::Timestamp> submitted_at{};
};

/// The key under which a provider pays a run once, however often it is asked: pr_<run>_<attempt>.
std::string payroll_key(core::Id run, std::int64_t attempt);

/// What a provider is told of a run besides its payments.
struct PayrollBrief : events::PayrollRunPlace, events::PayrollPeriod {
    events::PayrollRunType type = events::PayrollRunType::regular;
};
BOOST_DESCRIBE_STRUCT(PayrollBrief, (events::PayrollRunPlace, events::PayrollPeriod), (type))

/// Some of a run's payments.
struct DuePayments {
    std::vector<events::PaymentMade> payments;
};
BOOST_DESCRIBE_STRUCT(DuePayments, (), (payments))

/// Where a provider looks up what it is to pay; called on the caller's executor. Errors: core::DatabaseUnavailable.
struct PayrollSource {
    std::function<boost::asio::awaitable<PayrollBrief>(core::Id run)> brief;
    /// Payments past that id, some hundred, in their order; none where there are no more.
    std::function<boost::asio::awaitable<DuePayments>(core::Id run, core::Id after)> payments;
    /// The last of its payments; 0 where the run ended.
    std::function<boost::asio::awaitable<core::Id>(core::Id run)> last_payment;
    /// Those of these people whose e-mail address is made for failing (SimulatedPayroll).
    std::function<boost::asio::awaitable<std::vector<core::Id>>(core::Id organization, bool sandbox,
                                                                std::vector<core::Id> staff)>
        made_to_fail;
};

/// The result of a submission.
struct SubmissionResult {
    enum class Kind : std::uint8_t {
        accepted,  ///< the provider has the run, under the id `text`
        refused,   ///< it will never pay this attempt, for the reason `text`
        unknown,   ///< it may have it or not; it is to be asked again under the same key. `text` is for operators
    };
    Kind kind = Kind::unknown;
    std::string text;
};

/// The provider's id of the run that it has under an attempt's key; nothing: it has none, and takes none any more.
/// Errors: why that is not known, for operators.
using FindResult = tl::expected<std::optional<std::string>, std::string>;

/// Whether a run that is processing was cancelled. Errors: why that is not known.
using CancelResult = tl::expected<bool, Unanswered>;

/// A provider of payroll. Thread-safe; its coroutines run on their caller's executor, on an io_context of one thread.
/// What they refer to outlives them. They throw for their source alone.
class PayrollProvider {
   public:
    PayrollProvider() = default;
    PayrollProvider(PayrollProvider const&) = delete;
    PayrollProvider& operator=(PayrollProvider const&) = delete;
    virtual ~PayrollProvider() = default;

    /// Has the run paid, once for each key. Takes kProviderTime at most.
    virtual boost::asio::awaitable<SubmissionResult> submit(PayrollAttempt const& attempt,
                                                            PayrollSource const& source) const = 0;
    /// Whether it has the run of the attempt's key. To be asked where a refusal followed a try of unknown outcome,
    /// which it may have taken. Takes kProviderTime at most.
    virtual boost::asio::awaitable<FindResult> find(PayrollAttempt const& attempt) const = 0;
    /// How a run that it has stands. Errors: why that is not known, for operators.
    virtual boost::asio::awaitable<tl::expected<PayrollReport, std::string>> get(PayrollAttempt const& attempt,
                                                                                 PayrollSource const& source) const = 0;
    /// Takes a run back that it has, if it still can.
    virtual boost::asio::awaitable<CancelResult> cancel(PayrollAttempt const& attempt) const = 0;
    /// When to ask how it stands: so long after its submission, and after `polls` questions (0 or more).
    [[nodiscard]] virtual std::chrono::milliseconds next_poll(int polls) const = 0;
};

/// How long a provider has to answer.
inline constexpr std::chrono::seconds kProviderTime{10};

/// The providers of a process.
struct PayrollProviders {
    std::unique_ptr<PayrollProvider> simulated;
    std::unique_ptr<PayrollProvider> live;  ///< null: live runs are simulated, too
    std::string callback_secret{};          ///< that signs what the live provider calls back with; empty: it does not

    /// The sandbox's is always the simulated one.
    [[nodiscard]] PayrollProvider const& of(bool sandbox) const { return sandbox || !live ? *simulated : *live; }
};

/// Those that are configured. The client outlives them. Errors: std::runtime_error with one line for the operator.
PayrollProviders open_payroll(core::Config const& config, net::HttpClient& client);

}  // namespace workforce::workers
