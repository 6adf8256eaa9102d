// The master key of an installation, what is derived from it, and both keys while one replaces the other.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace workforce::events {

/// Names a master key without telling it: 16 hexadecimal digits of an HMAC under it.
std::string master_key_id(std::string_view key);

/// Purposes whose derived keys outlive the master key that they came from, for nobody could make anew what they made:
/// fingerprints in the log, digests of what is reserved (by events::UniqueText::name), cursors that clients hold, links
/// in mails.
inline constexpr auto kKeptPurposes =
    std::to_array<std::string_view>({"cursors", "idempotency", "links", "user e-mail"});
/// The name under which the public keys of former signers are kept, with a space between them.
inline constexpr std::string_view kFormerPublicKeys = "former public keys";
/// In the place of a purpose: the master key itself.
inline constexpr std::string_view kMasterItself;
/// Of what seals secrets that are shown once more, private keys that sign tokens, and what signs webhooks.
inline constexpr std::string_view kShownSecrets = "shown secrets";
inline constexpr std::string_view kSigningKeys = "signing keys";
inline constexpr std::string_view kSigningSecrets = "signing secrets";

/// The master keys that a process knows: one, or two while one replaces the other. A handle: copies share one state.
/// Thread-safe.
class MasterKeys {
   public:
    /// One key. Errors: std::invalid_argument unless it has 32 bytes.
    MasterKeys(std::string const& key);  // NOLINT(google-explicit-constructor): a key is a set of one
    /// Some, of which the first is in use. Errors: as above, and for none.
    explicit MasterKeys(std::vector<std::string> keys);

    /// The key that new texts are sealed under.
    [[nodiscard]] std::string in_use() const;
    /// All, the one in use first.
    [[nodiscard]] std::vector<std::string> all() const;
    /// Their ids, in that order.
    [[nodiscard]] std::vector<std::string> ids() const;
    /// Makes the key of that id the one in use, what is kept staying as it is; false where it is not known.
    [[nodiscard]] bool use(std::string_view id) const;

    /// A key for one purpose from each master key (HMAC-SHA256 of the purpose), that of the one in use first.
    [[nodiscard]] std::vector<std::string> derive_all(std::string_view purpose) const;
    /// AES-GCM by the key in use, or what is derived from it.
    [[nodiscard]] std::string seal(std::string_view purpose, std::string_view text, std::string_view aad) const;
    /// Opens what was sealed so by any key of these; nothing where none opens it.
    [[nodiscard]] std::optional<std::string> open(std::string_view purpose, std::string_view sealed,
                                                  std::string_view aad) const;

    /// The key of one of kKeptPurposes, the same whatever master key is in use. Errors: std::logic_error for another
    /// purpose, whose key a replacement of the master key would change.
    [[nodiscard]] std::string kept(std::string_view purpose) const;
    /// What is kept from a former master key under this name, of kKeptPurposes or kFormerPublicKeys.
    void keep(std::string_view name, std::string text) const;

    /// Who signs heads and mends (hexadecimal): the public keys of all, that of the one in use first, then those of
    /// former ones that are kept.
    [[nodiscard]] std::vector<std::string> public_keys() const;

   private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace workforce::events
