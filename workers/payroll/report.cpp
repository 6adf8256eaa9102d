// Reports, read as bodies of requests are.
#include "workers/payroll/report.hpp"

#include <fmt/format.h>

#include "core/json_io.hpp"
#include "workers/outside_json.hpp"

namespace workforce::workers {
namespace {

struct SubmissionAnswer {
    ExternalPayrollId externalPayrollId;
    static constexpr std::array<std::string_view, 1> kRequired{"externalPayrollId"};
};
BOOST_DESCRIBE_STRUCT(SubmissionAnswer, (), (externalPayrollId))

struct RefusalAnswer {
    core::LongText reason;
};
BOOST_DESCRIBE_STRUCT(RefusalAnswer, (), (reason))

}  // namespace

core::Result<PayrollReport> read_report(std::string_view json) { return read_from_outside<PayrollReport>(json); }

core::Result<ExternalPayrollId> read_submission_answer(std::string_view json) {
    return read_from_outside<SubmissionAnswer>(json).map(
        [](SubmissionAnswer const& answer) { return answer.externalPayrollId; });
}

std::string read_refusal(std::string_view json) {
    auto const answer = read_from_outside<RefusalAnswer>(json);
    return answer ? answer->reason.value : std::string();
}

}  // namespace workforce::workers

namespace workforce::core {

void JsonType<workers::ReportedPaymentStatus>::write(JsonWriter& w, workers::ReportedPaymentStatus const& v) {
    w.string(v.known ? enum_name(v.value) : "unknown");
}

void JsonType<workers::ReportedPaymentStatus>::read(JsonValue const& v, workers::ReportedPaymentStatus& out,
                                                    JsonReader& r) {
    if (!v.IsString()) return r.fail("type", "must be a string");
    auto const found = parse_enum<events::PaymentStatus>({v.GetString(), v.GetStringLength()});
    out = {found.value_or(events::PaymentStatus::processing), found.has_value()};
}

void JsonType<workers::ReportedPayments>::read(JsonValue const& v, workers::ReportedPayments& out, JsonReader& r) {
    if (!v.IsArray()) return r.fail("type", "must be an array");
    if (v.Size() > workers::kMostReported) {
        return r.fail("max_items", fmt::format("takes at most {} items", workers::kMostReported));
    }
    out.value.clear();
    out.value.reserve(v.Size());
    for (rapidjson::SizeType i = 0; i < v.Size(); ++i) {
        PathGuard const at(r.path(), i);
        JsonType<workers::ReportedPayment>::read(v[i], out.value.emplace_back(), r);
    }
}

}  // namespace workforce::core
