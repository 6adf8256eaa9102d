// The table of events that triggers wait for, with what is told of each.
#include "events/trigger_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/json_values.hpp"
#include "events/credential.hpp"
#include "events/lead.hpp"
#include "events/shift.hpp"
#include "events/staff.hpp"

namespace workforce::events {
namespace {

using core::JsonValue;
using core::JsonWriter;

constexpr std::string_view kShiftFamily = "shift.*";
constexpr std::size_t kMostConditions = 20;
constexpr std::size_t kMostAlternatives = 100;

constexpr auto kTriggerTypes = std::to_array<std::string_view>(
    {kShiftFamily, "shift.posted", "shift.filled", "shift.updated", "shift.unassigned", "shift.started",
     "shift.completed", "shift.cancelled", "staff.onboarded", "lead.qualified", "credential.expired"});

/// `data` of those events whose own has personal fields, or says too little.
struct StaffOnboardedFields {
    Id staffId = 0;
    std::vector<Id> facilityIds;
    std::string specialty;
    EmploymentType employmentType = EmploymentType::full_time;
    Timestamp onboardedAt;
};
BOOST_DESCRIBE_STRUCT(StaffOnboardedFields, (), (staffId, facilityIds, specialty, employmentType, onboardedAt))

struct LeadQualifiedFields {
    Id leadId = 0;
    core::Nullable<Id> facilityId;
    Timestamp qualifiedAt;
};
BOOST_DESCRIBE_STRUCT(LeadQualifiedFields, (), (leadId, facilityId, qualifiedAt))

struct CredentialExpiredFields {
    Id credentialId = 0;
    Id staffId = 0;
    std::vector<Id> facilityIds;
    StaffCredentialType type = StaffCredentialType::license;
    std::string name;
    core::Nullable<Date> expiresOn;
    Timestamp expiredAt;
    ExpiredReason reason = ExpiredReason::api;
};
BOOST_DESCRIBE_STRUCT(CredentialExpiredFields, (),
                      (credentialId, staffId, facilityIds, type, name, expiresOn, expiredAt, reason))

/// Which shift it is: added to what each of its events says.
struct ShiftFields {
    Id shiftId = 0;
    core::Nullable<Id> facilityId;
};
BOOST_DESCRIBE_STRUCT(ShiftFields, (), (shiftId, facilityId))

core::Nullable<Id> facility_of(Event const& event) {
    return event.meta.facility == 0 ? core::Nullable<Id>() : core::Nullable<Id>(event.meta.facility);
}

StaffOnboardedFields told_of(StaffOnboarded const& person, Event const& event) {
    return {event.meta.subject.id, person.facilityIds, person.specialty.value, person.employmentType, event.meta.time};
}
LeadQualifiedFields told_of(LeadQualified const&, Event const& event) {
    return {event.meta.subject.id, facility_of(event), event.meta.time};
}
CredentialExpiredFields told_of(CredentialExpired const& expired, Event const& event) {
    return {event.meta.subject.id, expired.staffId,   event.meta.facilities, expired.type,
            expired.name.value,    expired.expiresOn, event.meta.time,       expired.reason};
}

/// The type of the values that a filter compares: of a member that may be absent or is a list, that of each value.
template <class T>
struct Compared {
    using type = T;
};
template <class T>
struct Compared<core::Nullable<T>> : Compared<T> {};
template <class T>
struct Compared<std::optional<T>> : Compared<T> {};
template <class T>
struct Compared<std::vector<T>> : Compared<T> {};

/// A member of what is told.
struct ToldField {
    std::string_view name;
    /// Reads a value that the member is to have; what it can never have is an error.
    void (*read)(JsonValue const& value, core::JsonReader& reader) = nullptr;
};

template <class T>
void read_value(JsonValue const& value, core::JsonReader& reader) {
    T read{};
    core::JsonType<T>::read(value, read, reader);
}

template <class T>
std::vector<ToldField> fields_of() {
    std::vector<ToldField> fields;
    boost::mp11::mp_for_each<core::Members<T>>([&](auto member) {
        using Member = std::remove_cvref_t<decltype(std::declval<T>().*member.pointer)>;
        fields.push_back({core::wire_name(member.name), &read_value<typename Compared<Member>::type>});
    });
    return fields;
}

/// What is told of events of one type.
struct ToldEvent {
    std::string_view type;
    std::vector<ToldField> (*fields)() = nullptr;
    void (*write)(JsonWriter& w, Event const& event) = nullptr;
};

template <class E>
constexpr ToldEvent told() {
    using Fields = decltype(told_of(std::declval<E const&>(), std::declval<Event const&>()));
    return {E::kType, &fields_of<Fields>,
            [](JsonWriter& w, Event const& event) { core::write_json(w, told_of(get<E>(event.data), event)); }};
}

template <class E>
constexpr ToldEvent told_shift() {
    return {E::kType,
            [] {
                auto fields = fields_of<ShiftFields>();
                for (auto const& field : fields_of<E>()) {
                    if (std::ranges::find(fields, field.name, &ToldField::name) == fields.end())
                        fields.push_back(field);
                }
                return fields;
            },
            [](JsonWriter& w, Event const& event) {
                w.begin_object();
                core::JsonType<E>::write_members(w, get<E>(event.data));
                w.member("shiftId", event.meta.subject.id);
                if constexpr (!requires(E data) { data.facilityId; }) {
                    w.key("facilityId");
                    core::write_json(w, facility_of(event));
                }
                w.end_object();
            }};
}

template <class... E>
constexpr auto told_shifts(std::variant<E...> const*) {
    return std::array{told_shift<E>()...};
}
constexpr auto kToldShifts = told_shifts(static_cast<ShiftEvent const*>(nullptr));
constexpr std::array kToldOthers{told<StaffOnboarded>(), told<LeadQualified>(), told<CredentialExpired>()};

/// Calls f(told) for each.
void for_each_told(auto f) {
    for (auto const& each : kToldShifts) f(each);
    for (auto const& each : kToldOthers) f(each);
}

ToldEvent const* find_told(std::string_view type) {
    ToldEvent const* found = nullptr;
    for_each_told([&](ToldEvent const& each) {
        if (each.type == type) found = &each;
    });
    return found;
}

bool is_value(JsonValue const& value) { return !value.IsObject() && !value.IsArray(); }

/// Whether the value is that one, or is a list that has it.
bool is_or_has(JsonValue const* value, JsonValue const& wanted) {
    if (value == nullptr) return wanted.IsNull();
    if (!value->IsArray()) return *value == wanted;
    return std::ranges::any_of(value->GetArray(), [&](JsonValue const& each) { return each == wanted; });
}

/// Checks a value of a condition over a member of that name, of which events of several types may tell: one of them has
/// to be able to have it.
void check_value(std::string const& field, JsonValue const& value, std::span<ToldField const> told,
                 std::vector<core::FieldError>& faults) {
    if (!is_value(value)) {
        faults.push_back({field, "type", "must be a value: no object and no list"});
        return;
    }
    if (value.IsNull()) return;  // what is not told is equal to it
    std::optional<core::FieldError> fault;
    for (auto const& each : told) {
        core::JsonReader reader;
        each.read(value, reader);
        if (reader.errors().empty()) return;
        fault = {field, reader.errors().front().rule, reader.errors().front().message};
    }
    if (fault) faults.push_back(*std::move(fault));
}

void check_condition(std::string const& field, JsonValue const& condition, std::span<ToldField const> told,
                     std::vector<core::FieldError>& faults) {
    if (condition.IsObject()) {
        faults.push_back({field, "type", "must be a value, or a list of values"});
    } else if (!condition.IsArray()) {
        check_value(field, condition, told, faults);
    } else if (condition.Empty() || condition.Size() > kMostAlternatives) {
        faults.push_back({field, "items", "takes from 1 to 100 values"});
    } else {
        for (rapidjson::SizeType i = 0; i < condition.Size(); ++i) {
            check_value(fmt::format("{}[{}]", field, i), condition[i], told, faults);
        }
    }
}

/// The members that events of a trigger's type tell, by name; a name comes once for each type that tells it.
std::vector<ToldField> told_fields(std::string_view event_type) {
    std::vector<ToldField> fields;
    for_each_told([&](ToldEvent const& each) {
        if (waits_for(event_type, each.type)) std::ranges::copy(each.fields(), std::back_inserter(fields));
    });
    std::ranges::stable_sort(fields, {}, &ToldField::name);
    return fields;
}

std::vector<Id> facilities_of(Event const& event) {
    if (!event.meta.facilities.empty()) return event.meta.facilities;
    if (auto const* onboarded = get_if<StaffOnboarded>(event.data)) return onboarded->facilityIds;
    if (event.meta.facility != 0) return {event.meta.facility};
    return {};
}

}  // namespace

std::span<std::string_view const> trigger_event_types() { return kTriggerTypes; }

bool waits_for(std::string_view event_type, std::string_view type) {
    return event_type == type || (event_type == kShiftFamily && type.starts_with("shift."));
}

std::vector<std::string_view> trigger_event_fields(std::string_view event_type) {
    std::vector<std::string_view> names;
    for (auto const& field : told_fields(event_type)) {
        if (names.empty() || names.back() != field.name) names.push_back(field.name);
    }
    return names;
}

std::vector<core::FieldError> faults_of_filter(std::string_view event_type, JsonValue const& filter) {
    if (!filter.IsObject()) return {{"filter", "type", "must be an object"}};
    std::vector<core::FieldError> faults;
    if (filter.MemberCount() > kMostConditions) {
        faults.push_back({"filter", "max_properties", "takes at most 20 members"});
        return faults;
    }
    auto const fields = told_fields(event_type);
    for (auto const& member : filter.GetObject()) {
        auto const name = core::text_of(member.name);
        auto const field = fmt::format("filter.{}", name);
        auto const told = std::ranges::equal_range(fields, name, {}, &ToldField::name);
        if (!fields.empty() && told.empty()) {
            faults.push_back({field, "known", fmt::format("is nothing that {} tells", event_type)});
        } else {
            check_condition(field, member.value, told, faults);
        }
    }
    return faults;
}

bool passes_filter(JsonValue const& filter, JsonValue const& data) {
    return std::ranges::all_of(filter.GetObject(), [&](auto const& member) {
        auto const* value = core::find_member(&data, core::text_of(member.name));
        if (!member.value.IsArray()) return is_or_has(value, member.value);
        return std::ranges::any_of(member.value.GetArray(),
                                   [&](JsonValue const& each) { return is_or_has(value, each); });
    });
}

std::optional<TriggerEvent> trigger_event(Event const& event) {
    auto const* told = find_told(event.meta.type);
    if (told == nullptr) return std::nullopt;
    JsonWriter w;
    w.leave_out_absent();
    told->write(w, event);
    return TriggerEvent{facilities_of(event), w.take()};
}

}  // namespace workforce::events
