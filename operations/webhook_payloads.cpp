// The payloads: a row a type.
#include "operations/webhook_payloads.hpp"

#include <array>

#include "events/webhook_types.hpp"
#include "operations/declare.hpp"
#include "workers/webhooks/payload.hpp"
#include "workers/webhooks/payload_data.hpp"

namespace workforce::operations {

template <>
struct ApiExample<workers::CredentialExpiredData> {
    static void write(core::JsonWriter& w, Side, workers::CredentialExpiredData const&) {
        w.raw(R"({"credentialId":1,"staffId":1,"facilityIds":[1],"type":"license","name":"Registered Nurse",)"
              R"("expiresOn":"2026-07-23","expiredAt":"2026-07-24T10:00:00.000Z","reason":"date_passed"})");
    }
};

/// The one text that a body of this data has as its type.
template <class Data>
struct TypeOf {};

template <class Data>
struct ApiSchema<TypeOf<Data>> {
    static void write(core::JsonWriter& w, Side, Components&) {
        w.member("type", "string");
        w.key("enum");
        core::write_json(w, std::vector{std::string(Data::kType)});
    }
};

/// As workers/webhooks/payload.cpp writes it.
template <class Data>
struct WebhookBody {
    std::string id;
    TypeOf<Data> type;
    Data data;
    core::Timestamp occurredAt;
    BOOST_DESCRIBE_CLASS(WebhookBody, (), (id, type, data, occurredAt), (), ())
};

namespace {

/// ShiftPostedEvent, of ShiftPostedData.
template <class Data>
void write_body_schema(core::JsonWriter& w, Components& components) {
    constexpr std::string_view kName = type_name<Data>();
    static_assert(kName.ends_with("Data"));
    components.refer(w, std::string(kName.substr(0, kName.size() - 4)) + "Event",
                     [](core::JsonWriter& own, Components& others) {
                         define_object(own, Side::answer, others, kApiFields<WebhookBody<Data>>);
                     });
}

template <class Data>
void write_body_example(core::JsonWriter& w) {
    w.begin_object();
    w.member("id", "0198a3c2-0f5e-7c41-9d6b-2f1c0e8a7b35");
    w.member("type", Data::kType);
    w.key("data");
    ApiExample<Data>::write(w, Side::answer, {});
    w.member("occurredAt", "2026-07-24T10:00:00.000Z");
    w.end_object();
}

template <class Data>
constexpr WebhookPayload payload_of() {
    return {Data::kType, &write_body_schema<Data>, &write_body_example<Data>};
}

constexpr std::array kPayloads{
    payload_of<workers::ShiftPostedData>(),
    payload_of<workers::ShiftFilledData>(),
    payload_of<workers::CredentialExpiredData>(),
    payload_of<workers::TimesheetApprovedData>(),
    payload_of<workers::LeadQualifiedData>(),
    payload_of<workers::PayrollCompletedData>(),
    payload_of<workers::StaffOnboardedData>(),
    payload_of<workers::AgentRunPendingApprovalData>(),
    payload_of<workers::AgentRunCompletedData>(),
    payload_of<workers::AgentRunFailedData>(),
    payload_of<workers::TestData>(),
};

}  // namespace

std::span<WebhookPayload const> webhook_payloads() { return kPayloads; }

std::string_view trigger_of(std::string_view webhook_type) {
    if (webhook_type == events::kTestType) return "the test endpoint is called; nothing else sends it";
    if (webhook_type == events::kEveryType) return "any of these happens that the creator may read";
    auto const* const known = events::find_webhook_type(webhook_type);
    return known == nullptr ? std::string_view() : known->trigger;
}

}  // namespace workforce::operations
