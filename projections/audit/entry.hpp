// An entry of the audit log as queries show it.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <concepts>
#include <string>

#include "core/json.hpp"
#include "core/text.hpp"
#include "events/envelope.hpp"

namespace workforce::projections {

using core::Id;

/// The text of a JSON object whose members depend on the entry.
struct EntryObject {
    std::string text = "{}";
};
struct AuditChanges : EntryObject {};   ///< {field: {from, to}}
struct AuditMetadata : EntryObject {};  ///< what else there is to tell

/// Who did it. The name is looked up when the entry is read, and is empty in what is stored.
struct AuditActor {
    events::ActorType type = events::ActorType::system;
    Id id = 0;  ///< of the key, or of the user who signed in; 0: nobody's
    std::string name;
};
BOOST_DESCRIBE_STRUCT(AuditActor, (), (type, id, name))

/// What is stored of an entry.
struct AuditRecord {
    Id id = 0;           ///< position × 1024 + partition of the event
    std::string action;  ///< `API_KEY_ROTATED`
    AuditActor actor;
    Id organizationId = 0;
    core::Nullable<Id> facilityId;
    std::string resource;  ///< `api_key:12`
    std::string requestId;
    AuditChanges changes;
    AuditMetadata metadata;
    core::Timestamp createdAt;
};
BOOST_DESCRIBE_STRUCT(AuditRecord, (),
                      (id, action, actor, organizationId, facilityId, resource, requestId, changes, metadata,
                       createdAt))

/// Where the request came from: beside the log, for both are personal. Null: not known, or not any more.
struct AuditOrigin {
    core::Nullable<std::string> ip;
    core::Nullable<std::string> userAgent;
};
BOOST_DESCRIBE_STRUCT(AuditOrigin, (), (ip, userAgent))

struct AuditEntry : AuditRecord, AuditOrigin {};
BOOST_DESCRIBE_STRUCT(AuditEntry, (AuditRecord, AuditOrigin), ())

}  // namespace workforce::projections

namespace workforce::core {

template <std::derived_from<projections::EntryObject> T>
struct JsonType<T> {
    static void write(JsonWriter& w, T const& v) { w.raw(v.text); }
    static void read(JsonValue const& v, T& out, JsonReader& r) {
        if (!v.IsObject()) return r.fail("type", "must be an object");
        rapidjson::StringBuffer buffer;
        rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
        v.Accept(writer);
        out.text.assign(buffer.GetString(), buffer.GetSize());
    }
    static void schema(JsonWriter& w) {
        w.member("type", "object");
        if constexpr (std::same_as<T, projections::AuditChanges>) {
            w.key("additionalProperties");
            w.raw(R"({"type":"object","properties":{"from":{},"to":{}},"required":["from","to"]})");
        }
    }
};

}  // namespace workforce::core
