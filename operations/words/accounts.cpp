// Words for who signs in, and with what.
#include "operations/words/words.hpp"

namespace workforce::operations {

std::vector<StructWords> account_words() {
    return {
        {{"SignIn"},
         {{"email", "Address of the account; or username"},
          {"username", "User name of the account; or email"},
          {"password", "The account's password"},
          {"otp", "One-time code of six digits, or a recovery code, where the account needs one"}}},
        {{"SignedIn"}, {{"user", "Who signed in"}, {"session", "What was opened, and stands in the cookie"}}},
        {{"TokenAnswer"},
         {{"token", "Send it as `Authorization: Bearer`"},
          {"tokenType", "Always Bearer"},
          {"expiresIn", "Seconds until it ends"}}},
        {{"Forgot"}, {{"email", "Address of the account; whether it has one is not told"}}},
        {{"MfaSecret"},
         {{"secret", "What the program shares with this service, in base32; shown this once"},
          {"otpauthUrl", "The same for a program to scan or open"}}},
        {{"EnrolMfa"}, {{"password", "The account's password, where the sign-in is ten minutes ago or more"}}},
        {{"ConfirmMfa"},
         {{"otp", "The six digits that the program shows now"},
          {"password", "The account's password, where the sign-in is ten minutes ago or more"}}},
        {{"RecoveryCodes"}, {{"recoveryCodes", "Each stands for a one-time code once; shown this once"}}},
        {{"DisableMfa"},
         {{"otp", "The six digits of now, or a recovery code"}, {"password", "The account's password"}}},
        {{"UseLink"},
         {{"token", "What the link in the mail ends with; good once"},
          {"password", "The new one: at least 12 characters, and no common word"}}},
        {{"ChangePassword"},
         {{"currentPassword", "The one that holds until now"},
          {"newPassword", "At least 12 characters, and no common word"}}},
    };
}

std::vector<StructWords> session_words() {
    return {
        {{"grants/"}, {{"id", "The grant's id, from {oauth.grants}"}}},
        {{"ConnectedClient"},
         {{"id", "Names what you let the program do"},
          {"client_id", "The program, as it names itself to this service"},
          {"client_name", "What it calls itself; nobody has verified that"},
          {"scopes", "All that you allowed it"},
          {"createdAt", "When you allowed it first (UTC)"},
          {"lastUsedAt", "When it got a token last; null: not yet"}}},
        {{"sessions/"}, {{"id", "The session's id, from {auth.sessions}"}}},
        {{"Session"},
         {{"id", "Names the session, and opens nothing"},
          {"userId", "Whose session it is"},
          {"kind", "Whether a cookie or a token stands for it"},
          {"createdAt", "When the user signed in (UTC)"},
          {"lastSeenAt", "When it was last used, some seconds late"},
          {"expiresAt", "When it ends unless it is used before"},
          {"ip", "Address that it was opened from"},
          {"userAgent", "Program that opened it, as it says itself"},
          {"current", "Whether this request is by it"}}},
        {{"Me"},
         {{"user", "The user whom the credential stands for"},
          {"organization", "The user's or key's organization"},
          {"isInternal", "Whether that runs the installation"},
          {"facilityIds", "Facilities that the credential reaches; empty: all of the organization"},
          {"permissions", "All that it may do, rows of its own at least"},
          {"scopes", "Scopes of the key; empty for people"},
          {"credential", "What was sent with this request"}}},
        {{"MeUser"},
         {{"id", "The user; 0: a key that stands for nobody"},
          {"email", "The user's address; empty for such a key"},
          {"username", "The name to sign in by, or the key's"},
          {"firstName", "Given name"},
          {"lastName", "Family name"},
          {"role", "What the user may do; service for such a key"}}},
        {{"MeOrganization"},
         {{"id", "As `orgUnitId` names it"},
          {"name", "What the organization is called"},
          {"type", "Whether it runs the installation or is a customer"}}},
        {{"MeCredential"}, {{"type", "Sort of credential"}, {"id", "Id of the key or of the session"}}},
    };
}

std::vector<StructWords> account_value_words() {
    return {
        {{"Role"}, {{"", "Role of a user, the highest first; each is allowed less than the one before"}}},
        {{"MeRole"}, {{"", "Role of the user; service: a key that stands for nobody"}}},
        {{"UserStatus"}, {{"", "invited: has no password yet; locked: for a time, after failed attempts"}}},
        {{"SessionKind"}, {{"", "Whether a cookie or a token stands for a session"}}},
        {{"CredentialType"}, {{"", "Sort of credential: a key, or how a person signed in"}}},
        {{"ApiKeyType"}, {{"", "live: real rows; test: sandbox rows; pat: real rows, as the person who made it"}}},
        {{"ApiKeyStatus"}, {{"", "Whether a key opens anything"}}},
        {{"ModelTier"}, {{"", "Grade of models, the least first"}}},
        {{"Scope"}, {{"", "What a key may do; `*` after the colon means all actions of the resource"}}},
    };
}

}  // namespace workforce::operations
