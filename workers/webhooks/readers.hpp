// What the creators of subscriptions may read now, which narrows what they are sent (domain 11.10).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/connection.hpp"
#include "events/api_key.hpp"
#include "events/event.hpp"
#include "events/oauth_client.hpp"
#include "events/oauth_grant.hpp"
#include "events/user.hpp"
#include "events/webhook.hpp"

namespace workforce::workers {

/// What is known of the rights of a user or of an API key, or whether an OAuth grant or client stands. Of one that
/// changed before anything was recorded of it, only the change is known.
struct WebhookReader {
    core::Id organization = 0;  ///< to which it belongs, in a column of its own; 0: not known
    bool usable = true;         ///< neither deactivated, erased, revoked nor removed
    std::optional<events::Role> role{};
    std::optional<std::vector<std::string>> scopes{};
    std::optional<core::Timestamp> ends{};              ///< of a key
    std::optional<std::vector<core::Id>> facilities{};  ///< to which it is bound; none of them: to none
    std::optional<bool> across{};                       ///< of a key: whether it reaches all organizations
    bool operator==(WebhookReader const&) const = default;
};
BOOST_DESCRIBE_STRUCT(WebhookReader, (), (usable, role, scopes, ends, facilities, across))

/// Folds one event into it.
void fold(WebhookReader& reader, events::UserEvent const& event);
void fold(WebhookReader& reader, events::ApiKeyEvent const& event);
void fold(WebhookReader& reader, events::OAuthGrantEvent const& event);
void fold(WebhookReader& reader, events::OAuthClientEvent const& event);

/// Whether what happens to the kind may change what a subscription is sent.
bool is_reader(events::Kind kind);

/// What a subscription may be sent.
struct Readable {
    std::vector<std::string> types;          ///< as events::readable_types has them; none: nothing
    std::vector<core::Id> facilities{};      ///< of these alone; empty: of the whole organization
    std::optional<core::Timestamp> until{};  ///< from then on nothing, for the creator's key ends
    [[nodiscard]] bool holds(core::Timestamp at) const { return !until || at < *until; }
    /// Whether it may hear of what happened at these facilities (none: in the organization as a whole, which whoever is
    /// bound to facilities does not hear of).
    [[nodiscard]] bool reaches(std::vector<core::Id> const& places) const;
};

/// Those that a batch of events and its subscriptions are about, by "user/12", "api_key/7", "oauth_grant/3" and
/// "oauth_client/5". Functions that take a
/// connection block. Errors: pqxx's.
class WebhookReaders {
   public:
    /// Adds what is known of these.
    void load(core::Connection& connection, std::set<std::string> const& names);
    /// Adds to which facilities those of these users and keys are bound of whom that is not recorded, for they did not
    /// change since it is: as their read models have it. The session is of role workforce_projector.
    void add_shown(core::Connection& connection, std::set<std::string> const& names);
    /// Folds an event of one of them, of which what was known is loaded. Returns whether anything changed.
    bool fold(events::Event const& event);
    /// Writes what changed.
    void keep(core::Connection& connection) const;

    /// What the creator of the subscription may read: types, and at which facilities. Nobody reads anything behind whom
    /// a user is not active, nor in another organization than their own without being an operator, nor does a client
    /// whose grant has ended, or that has. Of whom nothing is known, what the subscription's events said counts.
    [[nodiscard]] Readable readable(events::WebhookRecord const& record) const;

   private:
    [[nodiscard]] WebhookReader const* find(std::string const& name) const;
    [[nodiscard]] bool stands(events::WebhookGrant const& grant) const;
    /// Empty: to none, or it is not known.
    [[nodiscard]] std::vector<core::Id> facilities_of(std::string const& name) const;
    [[nodiscard]] bool operates(events::WebhookCreator const& credential, WebhookReader const& reader) const;

    std::map<std::string, WebhookReader> known_;
    std::map<std::string, std::vector<core::Id>> shown_facilities_;
    std::map<std::string, core::Id> changed_;  // with their organizations
};

/// The names under which readers of a subscription are known: the credential whose rights count, its user, and the
/// grant by which a client acts.
std::set<std::string> reader_names(events::WebhookRecord const& record);
std::set<std::string> reader_names(events::WebhookGrant const& grant);
/// The same of a credential whose rights count.
std::set<std::string> reader_names(events::WebhookCreator const& credential);

/// A subscription as the fan-out has it, and what it may be sent now.
struct NarrowedWebhook {
    core::Timestamp updated_at{};
    Readable readable;
};
/// Those of these subscriptions that the fan-out knows. Blocks. Errors: pqxx's.
std::map<core::Id, NarrowedWebhook> narrowed_webhooks(core::Connection& connection,
                                                      std::vector<core::Id> const& webhooks, core::Timestamp now);

}  // namespace workforce::workers
