// One command for each organization that has something to settle.
#include "workers/jobs/settlement.hpp"

#include <map>

#include "commands/settlement.hpp"
#include "core/ids.hpp"
#include "core/run_on.hpp"

namespace workforce::workers {
namespace {

using boost::asio::awaitable;
using Claim = commands::Settle::Claim;

/// Which of these rows of one organization stand, by their place. Nothing: it could not be asked.
awaitable<std::optional<std::vector<bool>>> ask(commands::Processor& processor, commands::Reservations& reservations,
                                                core::Id organization, std::vector<Claim> claims) {
    std::vector<bool> stand(claims.size());
    commands::Context context;
    context.organization = organization;
    context.request_id = core::request_id();
    auto submission = commands::make_submission(
        commands::Settle{std::move(claims),
                         [&reservations](events::UniqueText const& text) { return reservations.digest(text); }},
        std::move(context));
    submission.render_problem = [](core::Problem const& problem) { return problem.message; };
    auto const reply = co_await processor.submit(std::move(submission));
    if (reply.refused) co_return std::nullopt;
    for (auto const place : core::from_stored_json<commands::Settle::Answer>(reply.body).stand) {
        stand.at(static_cast<std::size_t>(place)) = true;
    }
    co_return stand;
}

/// Asks for the rows of each organization, and hands over those that stand and those that don't.
template <class Row, class MakeClaim, class Done>
awaitable<void> settle_rows(commands::Processor& processor, commands::Reservations& reservations, std::vector<Row> rows,
                            MakeClaim make_claim, Done done) {
    std::map<core::Id, std::vector<Row>> by_organization;
    for (auto& row : rows) by_organization[row.organization].push_back(std::move(row));
    for (auto const& [organization, of_it] : by_organization) {
        std::vector<Claim> claims;
        for (auto const& row : of_it) claims.push_back(make_claim(row));
        auto const stand = co_await ask(processor, reservations, organization, std::move(claims));
        if (!stand) continue;
        std::vector<Row> standing, fallen;
        for (std::size_t i = 0; i < of_it.size(); ++i) ((*stand)[i] ? standing : fallen).push_back(of_it[i]);
        co_await done(std::move(standing), std::move(fallen));
    }
}

/// Runs what blocks among the look-ups, which may.
template <class F>
awaitable<void> block(commands::Processor& processor, F work) {
    return core::run_on(processor.blocking(), std::move(work));
}

}  // namespace

awaitable<void> settle(commands::Processor& processor, commands::Reservations& reservations, SecretStore& secrets,
                       SigningSecretStore& signing_secrets) {
    auto const served = processor.served();
    if (served.empty()) co_return;
    std::vector<commands::OpenReservation> open;
    co_await block(processor, [&] { open = reservations.open(served); });
    co_await settle_rows(
        processor, reservations, std::move(open),
        [](commands::OpenReservation const& row) { return Claim{Claim::Sort::reservation, row.subject, row.digest}; },
        [&](std::vector<commands::OpenReservation> standing,
            std::vector<commands::OpenReservation> fallen) -> awaitable<void> {
            co_await block(processor, [&] {
                reservations.settle(standing, true);
                reservations.settle(fallen, false);
            });
        });
    auto unsettled = co_await secrets.open(served);
    co_await settle_rows(
        processor, reservations, std::move(unsettled),
        [](OpenSecret const& row) { return Claim{Claim::Sort::secret, {events::Kind::api_key, row.key}, row.id}; },
        [&](std::vector<OpenSecret> standing, std::vector<OpenSecret> fallen) -> awaitable<void> {
            co_await secrets.settle(std::move(standing), true);
            co_await secrets.settle(std::move(fallen), false);
        });
    co_await secrets.purge();
    auto unsigned_yet = co_await signing_secrets.open(served);
    co_await settle_rows(
        processor, reservations, std::move(unsigned_yet),
        [](OpenSigningSecret const& row) {
            return Claim{Claim::Sort::secret, {events::Kind::webhook, row.webhook}, row.id};
        },
        [&](std::vector<OpenSigningSecret> standing, std::vector<OpenSigningSecret> fallen) -> awaitable<void> {
            co_await signing_secrets.settle(std::move(standing), true);
            co_await signing_secrets.settle(std::move(fallen), false);
        });
}

}  // namespace workforce::workers
