// The keys that seal personal fields: one a person, destroyed to forget them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace workforce::events {

/// Gives keys by the person's name ("staff/42"; for answers that tell of no person, "organization/7"). Keys are 32
/// bytes. Thread-safe.
class Keyring {
   public:
    Keyring() = default;
    Keyring(Keyring const&) = delete;
    Keyring& operator=(Keyring const&) = delete;
    virtual ~Keyring() = default;

    /// The person's key, made when there is none yet. A new key counts only once `persist` has stored it, which must be
    /// before what it sealed is appended. Never blocks.
    /// Errors: std::runtime_error for a person whose key was destroyed.
    virtual std::string key_to_seal(std::string const& person) = 0;

    /// Whether key_to_seal would give what is stored, if anything is: else prefetch() comes first, for one who was
    /// sealed for before.
    [[nodiscard]] virtual bool holds(std::string const& /*person*/) const { return true; }

    /// The person's key, or nothing when it was destroyed (or never stored). May ask the database.
    virtual std::optional<std::string> key_to_open(std::string const& person) = 0;

    /// Fetches keys in one round trip, ahead of decoding a batch.
    virtual void prefetch(std::span<std::string const> persons) = 0;

    /// Stores all keys made since the last call, in one statement; returns once they are durable. Blocks.
    /// Errors: core::DatabaseUnavailable; the keys stay to be stored by the next call.
    virtual void persist() = 0;
    /// Whether persist has work: lets the append path skip it.
    [[nodiscard]] virtual bool has_unstored() const = 0;
    /// How many new keys turned out to have been made by another process, too. What was sealed before a rise of this
    /// number must not be appended after it, whoever's call of persist it was that met the conflict: it may be sealed
    /// under a key that is stored nowhere.
    [[nodiscard]] virtual std::uint64_t conflicts() const { return 0; }

    /// The person was erased: from here on their key counts as destroyed, whether it is yet or not. Decoding the event
    /// that says so calls it.
    virtual void forget(std::string const& person) = 0;

    /// Drops the person's key from memory, where it is stored: the next use asks for it anew.
    virtual void release(std::string const& /*person*/) {}
};

/// A keyring without keys, for those who read what nobody sealed: every sealed field reads as erased.
class ClosedKeyring final : public Keyring {
   public:
    std::string key_to_seal(std::string const& person) override {
        throw std::logic_error("nothing can be sealed for " + person + " here");
    }
    std::optional<std::string> key_to_open(std::string const& /*person*/) override { return std::nullopt; }
    void prefetch(std::span<std::string const> /*persons*/) override {}
    void persist() override {}
    [[nodiscard]] bool has_unstored() const override { return false; }
    void forget(std::string const& /*person*/) override {}
};

}  // namespace workforce::events
