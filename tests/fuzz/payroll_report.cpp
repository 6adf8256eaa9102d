// What a payroll provider sends: a report that is read comes back as it is, within its bounds; nobody guesses a
// signature; and the answers to submissions and refusals have an id or a reason that is text.
#include "workers/payroll/report.hpp"

#include "core/json_io.hpp"
#include "core/utf8.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "workers/webhooks/signature.hpp"

namespace workforce::tests {
namespace {

constexpr std::string_view kSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

void check_signature(std::string_view input) {
    auto rest = input;
    workers::ReceivedSignature sent;
    sent.id = take_until(rest, '|');
    sent.timestamp = take_until(rest, '|');
    sent.signatures = take_until(rest, '|');
    auto const check = workers::check_signature(kSecret, sent, rest, {1'784'887'200'999});
    require(check == workers::SignatureCheck::forged, "nobody guesses a signature");
}

}  // namespace

void fuzz(std::string_view input) {
    check_signature(input);
    auto const id = workers::read_submission_answer(input);
    require(!id || (!id->value.empty() && core::to_valid_utf8(id->value) == id->value), "an id is text");
    auto const reason = workers::read_refusal(input);
    require(core::to_valid_utf8(reason) == reason, "a reason is text");
    auto const report = workers::read_report(input);
    if (!report) return;
    require(report->payments.value.size() <= workers::kMostReported, "there are no more payments than may be");
    require(!report->externalPayrollId.value.empty(), "it says of which run it is");
    auto const written = core::to_json(*report);
    auto const again = workers::read_report(written);
    require(again && core::to_json(*again) == written, "what is written comes back");
}

}  // namespace workforce::tests
