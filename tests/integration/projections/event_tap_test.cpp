// Events as read.event_tap has them, and pages of these.
#include "projections/event_tap/event_tap.hpp"

#include "core/json.hpp"
#include "core/session_pool.hpp"
#include "events/lead.hpp"
#include "projections/engine/partition_folder.hpp"
#include "projections/engine/statements.hpp"
#include "projections/sql.hpp"
#include "tests/integration/projections/fixture.hpp"

namespace workforce::tests {
namespace {

using events::Kind;
using projections::TapPlace;
using std::chrono::hours;
using std::chrono::milliseconds;

class EventTapTest : public ProjectionsTest {
   protected:
    EventTapTest() {
        come_to(writer_, hours(2));
        come_to(other_, hours(2));
        writer_.meta.organization = 7;
        other_.meta.organization = 8;
    }

    /// The writer's next event is so old.
    static void come_to(EventWriter& writer, milliseconds age) {
        writer.wait(milliseconds(core::now().ms - age.count() - writer.now().ms));
    }
    /// A facility is made, and shifts at it, each of a few events.
    void work(core::Id facility, int shifts) {
        writer_.meta.facility = 0;
        writer_.append(Kind::facility, facility, facility_created("Ward"));
        writer_.meta.facility = facility;
        for (int i = 0; i < shifts; ++i) {
            writer_.append(Kind::shift, facility * 100 + i, shift_posted(facility, "Night", "2026-12-24T20:00:00Z"));
        }
        writer_.meta.facility = 0;
    }

    projections::TapQuery query(std::int64_t after = -1) const {
        return {.scope = {.organization = 7}, .after = TapPlace{after, {}}};
    }
    projections::TapPage read(projections::TapQuery const& query) {
        auto page = await(projections::read_events(reads_, query));
        EXPECT_TRUE(page) << page.error().message;
        return *std::move(page);
    }
    /// "3 shift.posted, 4 lead.created" of a page.
    static std::string told(projections::TapPage const& page) {
        std::string text;
        for (auto const& event : page.events) {
            auto const document = core::parse_json(event.doc).value();
            text +=
                fmt::format("{}{} {}", text.empty() ? "" : ", ", event.place.position, document["type"].GetString());
        }
        return text;
    }

    EventWriter writer_{*log_, keyring_, 0};
    EventWriter other_{*log_, keyring_, 1};
    core::Database reads_{reader_options()};
};

TEST_F(EventTapTest, APageHasTheOrganizationsEventsInOrderWithoutPersonalFields) {
    writer_.meta.actor = {events::ActorType::api_key, 55, 0};
    writer_.meta.request_id = "req_one";
    work(3, 1);
    writer_.meta.facilities = {3, 4};
    writer_.append(Kind::staff, 5, staff_onboarded("Kunigunde", "Morgenroth"));
    other_.append(Kind::lead, 1, events::LeadCreated{});
    fold();
    auto const page = read(query());
    EXPECT_EQ(told(page), "0 facility.created, 1 shift.posted, 2 staff.onboarded");
    EXPECT_TRUE(page.whole);
    EXPECT_EQ(page.next.position, 2);
    EXPECT_GT(page.next.time, page.events.back().place.time) << "what comes now is younger than this";
    auto const& doc = page.events.back().doc;
    EXPECT_EQ(doc.find("Kunigunde"), std::string::npos) << doc;
    EXPECT_EQ(doc.find("sealed"), std::string::npos) << doc;
    auto const event = core::parse_json(doc).value();
    EXPECT_STREQ(event["resource"].GetString(), "staff:5");
    EXPECT_TRUE(event["facilityId"].IsNull());
    EXPECT_EQ(event["facilityIds"].Size(), 2U);
    EXPECT_STREQ(event["actor"]["type"].GetString(), "api_key");
    EXPECT_EQ(event["actor"]["id"].GetInt(), 55);
    EXPECT_STREQ(event["correlationId"].GetString(), "req_one");
    EXPECT_STREQ(event["data"]["specialty"].GetString(), "ICU");
}

TEST_F(EventTapTest, OfAnErasureAPageSaysThatItWas) {
    events::StaffErased erased;
    erased.reason = "asked by letter";
    erased.requestedBy = "root";
    writer_.append(Kind::staff, 5, staff_onboarded("Kunigunde", "Morgenroth"));
    writer_.append(Kind::staff, 5, erased);
    fold();
    auto const page = read(query());
    EXPECT_EQ(told(page), "0 staff.onboarded, 1 staff.erased");
    auto const event = core::parse_json(page.events.back().doc).value();
    EXPECT_TRUE(event["data"].ObjectEmpty()) << page.events.back().doc;
}

TEST_F(EventTapTest, APageGoesOnWhereTheLastOneEnded) {
    work(3, 4);
    fold();
    auto first = query();
    first.limit = 2;
    auto const page = read(first);
    EXPECT_EQ(told(page), "0 facility.created, 1 shift.posted");
    EXPECT_FALSE(page.whole);
    EXPECT_EQ(page.next.position, 1);
    EXPECT_EQ(told(read(query(page.next.position))), "2 shift.posted, 3 shift.posted, 4 shift.posted");
    auto end = query();
    end.after.reset();
    EXPECT_EQ(read(end).next.position, 4) << "where events end";
    EXPECT_EQ(told(read(end)), "");
    EXPECT_EQ(read(query(10)).next.position, 10) << "a place that a crash took back comes again";
}

TEST_F(EventTapTest, APageIsNarrowedByTypesFacilitiesAndBytes) {
    work(3, 1);
    work(4, 1);
    writer_.append(Kind::lead, 1, events::LeadCreated{});
    fold();
    auto typed = query();
    typed.types = {"shift.posted", "lead.created"};
    EXPECT_EQ(told(read(typed)), "1 shift.posted, 3 shift.posted, 4 lead.created");
    typed.types.emplace();
    EXPECT_EQ(told(read(typed)), "");
    auto placed = query();
    placed.scope.facilities = {4, 9};
    EXPECT_EQ(told(read(placed)), "2 facility.created, 3 shift.posted") << "what is at no facility they do not hear";
    EXPECT_EQ(read(placed).next.position, 4);
    auto small = query();
    small.room.most = 1;
    auto const page = read(small);
    EXPECT_EQ(told(page), "0 facility.created") << "the first one whatever its size";
    EXPECT_FALSE(page.whole);
    EXPECT_EQ(page.next.position, 0);
}

TEST_F(EventTapTest, AReadLooksAtSoManyEventsAtMost) {
    constexpr int kPassedOver = 1000;  // by a read of 50 events
    for (int i = 0; i <= kPassedOver; ++i) writer_.add(Kind::lead, 1 + i, events::LeadCreated{});
    writer_.append();
    work(3, 1);
    fold();
    auto sparse = query();
    sparse.limit = 50;
    sparse.types = {"shift.posted"};
    auto const page = read(sparse);
    EXPECT_EQ(told(page), "");
    EXPECT_FALSE(page.whole);
    EXPECT_EQ(page.next.position, kPassedOver);
    sparse.after = page.next;
    EXPECT_EQ(told(read(sparse)), fmt::format("{} shift.posted", kPassedOver + 2));
}

TEST_F(EventTapTest, SandboxAndLiveAreApart) {
    work(3, 1);
    writer_.meta.sandbox = true;
    work(3, 1);
    fold();
    EXPECT_EQ(told(read(query())), "0 facility.created, 1 shift.posted");
    auto practice = query();
    practice.scope.sandbox = true;
    EXPECT_EQ(told(read(practice)), "2 facility.created, 3 shift.posted");
}

TEST_F(EventTapTest, RowLevelSecurityHoldsWithoutThePagesOwnCondition) {
    work(3, 1);
    writer_.meta.sandbox = true;
    work(3, 2);
    fold();
    auto const text = projections::with_section(projections::sql::event_tap_page, "whose",
                                                "($1::bigint IS NOT NULL AND $2::boolean IS NOT NULL)");
    auto const seen = [&](core::TenantContext const& context) {
        core::Connection connection({.url = database_.url(), .role = "workforce_reader"});
        connection.use(context);
        std::vector<core::Parameter> const parameters{
            "7", "f", "-1", std::nullopt, std::nullopt, "2000-01-01T00:00:00Z", "100", "1000000", "0", "1000"};
        int events = 0;
        for (auto const& row : connection.execute_prepared({"unfiltered", text}, parameters)) {
            events += row["doc"].is_null() ? 0 : 1;
        }
        return events;
    };
    EXPECT_EQ(seen({}), 0) << "nobody";
    EXPECT_EQ(seen({.organization = 9}), 0) << "another organization";
    EXPECT_EQ(seen({.organization = 7}), 2) << "live";
    EXPECT_EQ(seen({.organization = 7, .sandbox = true}), 3) << "the sandbox";
}

TEST_F(EventTapTest, NewsAreTheOrganizationsOwn) {
    work(3, 1);
    other_.append(Kind::lead, 1, events::LeadCreated{});
    fold();
    core::Database operators({.connection = {.url = database_.url(), .role = "workforce_operator"}, .threads = 1});
    auto const news = await(projections::look_for_events(
        operators, {{7, false, 0, 0}, {7, false, 0, 1}, {8, false, 1, -1}, {7, true, 0, -1}, {9, false, 0, -1}}));
    ASSERT_EQ(news.size(), 5U);
    for (std::size_t i = 0; i < news.size(); ++i) EXPECT_EQ(news[i].any, i == 0 || i == 2) << i;
    EXPECT_EQ(news[1].position, 1);
    EXPECT_EQ(news[2].position, 0);
}

TEST_F(EventTapTest, OldEventsAreNeitherKeptNorMadeAnew) {
    EventWriter old(*log_, keyring_, 1);
    old.meta.organization = 8;
    come_to(old, hours(24 * 40));
    old.append(Kind::lead, 1, events::LeadCreated{});
    come_to(old, hours(24 * 10));
    old.append(Kind::lead, 2, events::LeadCreated{});
    old.append(Kind::lead, 3, events::LeadCreated{});
    fold();
    auto const rows = [&] { return ask("SELECT count(*) FROM read.event_tap"); };
    EXPECT_EQ(rows(), "2") << "thirty days where nobody says otherwise";
    core::SessionPool sessions(projections::projector_session(connection()), 1);
    projections::prune_event_tap(sessions, 30);
    EXPECT_EQ(rows(), "2");
    auto recent = query();
    recent.scope.organization = 8;
    recent.partition = 1;
    EXPECT_EQ(told(read(recent)), "1 lead.created, 2 lead.created");
    recent.oldest = {core::now().ms - milliseconds(hours(24 * 9)).count()};
    EXPECT_EQ(told(read(recent)), "") << "not shown, though not deleted yet";
    projections::prune_event_tap(sessions, 5);
    EXPECT_EQ(rows(), "0");
    projections::rebuild(*log_, keyring_, {.connection = projections::keep_events(connection(), 60)}, {"event_tap"},
                         {});
    EXPECT_EQ(rows(), "3");
    projections::rebuild(*log_, keyring_, {.connection = projections::keep_events(connection(), 5)}, {"event_tap"}, {});
    EXPECT_EQ(rows(), "0");
}

TEST_F(EventTapTest, ARebuildGivesTheSameRowsAlsoOfWhomIsErased) {
    work(3, 3);
    writer_.append(Kind::staff, 5, staff_onboarded("Kunigunde", "Morgenroth"));
    fold();
    auto const before = checksums();
    keyring_.destroy("staff/5");
    projections::rebuild(*log_, keyring_, {.connection = connection()}, {"event_tap"}, {});
    EXPECT_EQ(checksums(), before);
}

}  // namespace
}  // namespace workforce::tests
