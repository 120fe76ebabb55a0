// The station's rules, with clients that have no sockets: who comes in, who operates, what each is
// sent, and that nothing of what is refused has an effect.
#include "station/hub.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "station/station_support.hpp"
#include "support/alloc.hpp"

namespace handspan {
namespace hub_test {

using test::FakeConnection;
using test::HubTest;
using test::Json;

TEST_F(HubTest, WelcomeTellsWhatIsThere) {
  FakeConnection page;
  const int client = join(page, "Ann", "operator");
  const Json welcome = page.last("welcome");
  ASSERT_FALSE(welcome.is_null()) << page.reason;
  EXPECT_EQ(welcome["protocol"], 1);
  EXPECT_EQ(welcome["you"], client);
  EXPECT_EQ(welcome["session"], "life");
  EXPECT_EQ(welcome["app"], "test");
  EXPECT_EQ(welcome["base_period"], 0.001);
  EXPECT_EQ(welcome["clock"]["server"], 5000.0);
  const auto& bodies = welcome["scene"]["bodies"];
  ASSERT_EQ(bodies.size(), loop.session.world()->bodies().size());
  EXPECT_EQ(bodies[0]["kind"], "ground");
  const auto body = [&](const std::string& name) {
    return bodies[static_cast<std::size_t>(loop.session.world()->body(name))];
  };
  EXPECT_EQ(body("parcel")["kind"], "object");
  EXPECT_EQ(body("parcel")["shapes"][0]["size"], Json({0.2, 0.2, 0.1}));
  EXPECT_EQ(body("post")["kind"], "fixture");
  EXPECT_EQ(body("left.link4")["robot"], "left");
  EXPECT_GT(body("left.link4")["shapes"].size(), 0U);
  EXPECT_EQ(welcome["channels"].size(), loop.session.channels().channels().size());
  EXPECT_EQ(welcome["devices"][0]["name"], "headset");
  EXPECT_EQ(welcome["devices"][0]["layout"]["poses"], Json({"left", "right", "head"}));
  EXPECT_TRUE(welcome["devices"][0]["takes_samples"]);
  EXPECT_EQ(welcome["references"][0],
            (Json{{"name", "hand"}, {"kind", "pose"}, {"frame", "left.tcp"}}));
  EXPECT_EQ(welcome["references"][2]["kind"], "joints");
  EXPECT_EQ(welcome["hands"], Json::array({{{"name", "person"},
                                            {"reference", "hand"},
                                            {"device", "headset"},
                                            {"pose", "left"},
                                            {"controls", {"left.squeeze", "left.trigger"}},
                                            {"space", {0.5, -0.5, -0.5, 0.5}}}}));
  EXPECT_EQ(welcome["jogs"], Json::array());
  EXPECT_EQ(welcome["devices"][0]["layout"]["outputs"][0],
            (Json{{"name", "left.rumble"}, {"size", 1}, {"unit", ""}}));
  EXPECT_EQ(welcome["machines"][0], (Json{{"name", "all"}, {"states", {"follow"}}}));
  EXPECT_EQ(welcome["parameters"][0], (Json{{"name", "task.hand.stiffness"},
                                            {"kind", "number"},
                                            {"unit", "1/s^2"},
                                            {"value", 100.0},
                                            {"min", 25.0},
                                            {"max", 200.0},
                                            {"doc", "how hard it pulls towards its reference"}}));
  EXPECT_EQ(welcome["parameters"][2]["name"], "task.hand.weight");
  EXPECT_EQ(welcome["parameters"][2]["min"], 0.0);
  EXPECT_EQ(welcome["parameters"][2]["max"], 2.0);
}

struct Hello {
  const char* text;
  int code;
  const char* reason;
};

TEST_F(HubTest, OtherBeginningsAreClosed) {
  const Hello kBad[] = {
      {R"({"type":"hello","protocol":2,"name":"a","role":"viewer"})", 4001,
       "protocol 2 was asked for and this server speaks 1; reload the page"},
      {R"({"type":"operate"})", 4002, "the first message must be a hello"},
      {R"({"type":"hello","protocol":1,"name":"","role":"viewer"})", 4002,
       "a hello without a name of 1 to 62 bytes or a role (operator, viewer)"},
      {R"({"type":"hello","protocol":1,"name":"a","role":"boss"})", 4002,
       "a hello without a name of 1 to 62 bytes or a role (operator, viewer)"},
      {R"({"type":"hello","protocol":"1","name":"a","role":"viewer"})", 4002,
       "'hello' with a key missing or of another type than it has"},
      {R"({"type":"hello","protocol":1})", 4002,
       "'hello' with a key missing or of another type than it has"},
      {R"([1])", 4002, "a text message that is not a JSON object with a type"},
      {R"({"type":)", 4002, "a text message that is not a JSON object with a type"},
      {"{\"type\":\"hello\xff\"}", 4002, "a text message that is not a JSON object with a type"},
  };
  for (const Hello& bad : kBad) {
    FakeConnection page;
    const int client = hub.add(page, Visitor(), now);
    hub.text(client, bad.text, now);
    EXPECT_EQ(page.code, bad.code) << bad.text;
    EXPECT_EQ(page.reason, bad.reason);
    EXPECT_EQ(hub.clients(), 0U);
  }
  FakeConnection long_one;
  hub.text(hub.add(long_one, Visitor(), now), std::string(kMostHelloBytes + 1, ' '), now);
  EXPECT_EQ(long_one.code, 4003);
  FakeConnection sampling;
  hub.bytes(hub.add(sampling, Visitor(), now), encode_sample(sample(false)), now);
  EXPECT_EQ(sampling.code, 4002);
  FakeConnection silent;
  hub.add(silent, Visitor(), now);
  tick(4990);
  EXPECT_EQ(silent.code, 0);
  tick(30);
  EXPECT_EQ(silent.code, 4006);
}

TEST_F(HubTest, SeventeenthClientIsSentAway) {
  std::deque<FakeConnection> pages(kMostClients + 1);
  for (auto& page : pages) join(page, "a", "viewer");
  EXPECT_EQ(pages[kMostClients - 1].code, 0);
  EXPECT_EQ(pages[kMostClients].code, 4007);
  EXPECT_EQ(hub.clients(), kMostClients);
}

TEST_F(HubTest, WhoSaysNoHelloTakesNobodysPlace) {
  std::deque<FakeConnection> silent(2 * kMostClients);
  for (auto& page : silent) hub.add(page, Visitor(), now);
  FakeConnection page;
  join(page, "Ann", "operator");
  EXPECT_EQ(page.code, 0);
  EXPECT_FALSE(page.last("welcome").is_null());
}

Visitor visitor(const std::string& address, int device = 1) {
  return {address, address, false, device};
}

TEST_F(HubTest, AnAddressHasItsPlacesAndOneIsKeptForThisMachine) {
  std::deque<FakeConnection> pages(30);
  for (int i = 0; i < 10; ++i) join(pages[i], "a", "viewer", visitor("10.0.0.7"));
  EXPECT_EQ(hub.clients(), 8U);
  EXPECT_EQ(pages[8].code, 4007);
  EXPECT_EQ(pages[8].reason,
            "8 clients of 10.0.0.7 are here, which is the most of one address; close another page");
  for (int i = 10; i < 20; ++i) join(pages[i], "b", "viewer", visitor(fmt::format("10.0.1.{}", i)));
  EXPECT_EQ(hub.clients(), kMostClients - 1);
  EXPECT_EQ(pages[17].reason,
            "15 clients of other machines are here, which is the most; close another page");
  join(pages[20], "Ann", "operator");
  EXPECT_EQ(pages[20].code, 0);
  EXPECT_EQ(hub.clients(), kMostClients);
}

TEST_F(HubTest, WhenAPairingIsEndedItsPagesAreClosedAndTheArmsHold) {
  FakeConnection ann, her_second, bob;
  const int a = join(ann, "Ann", "operator", visitor("10.0.0.7", 3));
  join(her_second, "Ann", "viewer", visitor("10.0.0.7", 3));
  join(bob, "Bob", "viewer", visitor("10.0.0.7", 4));
  ASSERT_EQ(ask(a, ann, {{"type", "operate"}}), "");
  hub.end_device(3);
  EXPECT_EQ(ann.code, 4005);
  EXPECT_EQ(ann.reason,
            "the pairing of this device was ended; pairing needs the code that the terminal shows");
  EXPECT_EQ(her_second.code, 4005);
  EXPECT_EQ(bob.code, 0);
  EXPECT_EQ(hub.operating(), 0);
}

TEST_F(HubTest, TheOperatorListsThePairedAndEndsThem) {
  services.paired = {{1, "Ann", "this machine", now - 3 * kSecond}, {2, "Bob", "10.0.0.7", now}};
  FakeConnection ann, eve;
  const int a = join(ann, "Ann", "operator", {"127.0.0.1", "this machine", true, 1});
  const int e = join(eve, "Eve", "viewer", visitor("10.0.0.8", 3));
  EXPECT_NE(ask(e, eve, {{"type", "devices"}}), "");
  EXPECT_NE(ask(e, eve, {{"type", "unpair"}, {"device", 1}}), "");
  EXPECT_TRUE(eve.last("devices").is_null());
  EXPECT_EQ(services.paired.size(), 2U);
  ASSERT_EQ(ask(a, ann, {{"type", "devices"}}), "");
  const Json devices = ann.last("devices")["devices"];
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0], (Json{{"id", 1},
                              {"name", "Ann"},
                              {"address", "this machine"},
                              {"silent", 3.0},
                              {"pages", 1},
                              {"you", true}}));
  EXPECT_EQ(devices[1]["pages"], 0);
  EXPECT_EQ(ask(a, ann, {{"type", "unpair"}, {"device", 2}}), "");
  EXPECT_EQ(services.paired.size(), 1U);
  EXPECT_EQ(ask(a, ann, {{"type", "unpair"}, {"device", 2}}), "there is no paired device 2");
}

// what an attack was made of: the loop's thread stands beside them on two cores
TEST_F(HubTest, SubscriptionsAreBoundedByTheirWork) {
  FakeConnection page;
  const int client = join(page, "Eve", "viewer");
  Json stars = Json::array(), names = Json::array();
  for (int i = 0; i < 256; ++i) stars.push_back(std::string(200, '*'));
  EXPECT_EQ(
      ask(client, page, {{"type", "subscribe"}, {"channels", stars}}),
      "more patterns, or longer ones, than are compared in a second; give names in full, or ask "
      "again later");
  // names in full cost nothing, as many as there are
  for (const auto& info : loop.session.channels().channels()) names.push_back(info.name);
  EXPECT_EQ(ask(client, page, {{"type", "subscribe"}, {"channels", names}}), "");
  now += 2 * kSecond;
  EXPECT_EQ(ask(client, page, {{"type", "subscribe"}, {"channels", {"*"}}}), "");
  // and messages count by their length
  for (int i = 0; i < 20 && page.code == 0; ++i)
    ask(client, page, {{"type", "subscribe"}, {"channels", stars}});
  EXPECT_EQ(page.code, 4004);
}

TEST_F(HubTest, OneOperatesTheOthersWatchAndAreHandedOverTo) {
  FakeConnection ann, bob, eve;
  const int a = join(ann, "Ann", "operator"), b = join(bob, "Bob", "operator"),
            e = join(eve, "Eve", "viewer");
  EXPECT_TRUE(status(ann)["scripted"]);
  EXPECT_EQ(ask(e, eve, {{"type", "operate"}}), "you came as a viewer; connect as operator");
  EXPECT_EQ(ask(b, bob, {{"type", "ask"}}), "nobody operates; take over with 'operate'");
  EXPECT_EQ(ask(a, ann, {{"type", "operate"}}), "");
  Json now_ann = status(ann);
  EXPECT_FALSE(now_ann["scripted"]);
  EXPECT_TRUE(now_ann["you_operate"]);
  EXPECT_FALSE(status(bob)["you_operate"]);
  EXPECT_EQ(now_ann["operators"]["headset"], a);
  EXPECT_EQ(now_ann["clients"].size(), 3U);
  EXPECT_EQ(ask(b, bob, {{"type", "operate"}}), "Ann operates; ask for the hand-over");
  EXPECT_EQ(ask(b, bob, {{"type", "resume"}}),
            "'resume' is the operator's, and Ann operates; ask for the hand-over");
  EXPECT_EQ(ask(b, bob, {{"type", "ask"}}), "");
  EXPECT_EQ(ann.last("asked")["by"], (Json{{"id", b}, {"name", "Bob"}}));
  EXPECT_EQ(ask(b, bob, {{"type", "yield"}, {"to", b}}), "you do not operate");
  EXPECT_NE(ask(a, ann, {{"type", "yield"}, {"to", e}}), "");
  EXPECT_EQ(ask(a, ann, {{"type", "yield"}, {"to", b}}), "");
  EXPECT_EQ(hub.operating(), b);
  tick(20);
  // the log says who operates
  EXPECT_EQ(ann.last("event")["name"], "Bob");
  EXPECT_EQ(ask(a, ann, {{"type", "parameter"}, {"name", "task.hand.stiffness"}, {"value", 50}}),
            "'parameter' is the operator's, and Bob operates; ask for the hand-over");
  // Bob is gone: nobody operates, and the scripted person does not come back by itself
  hub.gone(b);
  tick(20);
  EXPECT_EQ(hub.operating(), 0);
  EXPECT_FALSE(status(ann)["scripted"]);
  EXPECT_EQ(ann.last("event")["name"], "nobody");
  EXPECT_EQ(ask(a, ann, {{"type", "operate"}}), "");
  EXPECT_EQ(ask(a, ann, {{"type", "yield"}, {"to", nullptr}}), "");
  EXPECT_FALSE(status(ann)["scripted"]);
  EXPECT_EQ(ask(a, ann, {{"type", "operate"}}), "");
  EXPECT_EQ(ask(a, ann, {{"type", "yield"}, {"to", "scripted"}}), "");
  EXPECT_TRUE(status(ann)["scripted"]);
}

TEST_F(HubTest, ParametersAreWhatTheLoopHas) {
  FakeConnection ann, bob;
  const int a = join(ann, "Ann", "operator");
  join(bob, "Bob", "viewer");
  const std::string name = "task.hand.stiffness", other = "task.hand.damping";
  const Json before = status(bob)["parameters"];
  EXPECT_EQ(before, status(ann)["parameters"]);
  const auto value = before[name].get<double>();
  ask(a, ann, {{"type", "parameter"}, {"name", name}, {"value", 0.5 * value}});
  // along a ramp
  tick(1000);
  const Json after = status(bob)["parameters"];
  EXPECT_EQ(after[name], 0.5 * value);
  EXPECT_NEAR(after[other].get<double>(), 2.0 * std::sqrt(0.5 * value), 1e-9)
      << "damping that nobody gave goes with it";
  const auto changed = std::ranges::find_if(bob.texts, [](const Json& text) {
    return text["type"] == "event" && text["kind"] == "parameter";
  });
  ASSERT_NE(changed, bob.texts.end());
  EXPECT_EQ((*changed)["text"], fmt::format("{:.6g} → {:.6g}", value, 0.5 * value));
  FakeConnection eve;
  join(eve, "Eve", "viewer");
  EXPECT_EQ(eve.last("welcome")["parameters"][0]["name"], name);
  EXPECT_EQ(eve.last("welcome")["parameters"][0]["value"], 0.5 * value);
  // the next run has the app's again
  LiveLoop again(app);
  hub.set_loop(again);
  again.session.tick();
  now = next + kSecond;
  hub.poll(now);
  EXPECT_EQ(bob.last("status")["parameters"], before);
  hub.set_loop(loop);
}

TEST_F(HubTest, WhoOperatesIsToldAgainWhereALoopTookNothing) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  tick(1);
  std::string reason;
  for (int i = 0; i < 300 && reason.empty(); ++i) reason = ask(a, ann, {{"type", "stop"}});
  ASSERT_EQ(reason, "the loop takes no inputs now; try again");
  ASSERT_EQ(ask(a, ann, {{"type", "operate"}}), "");
  tick(50);
  EXPECT_TRUE(std::ranges::any_of(ann.texts, [](const Json& text) {
    return text["type"] == "event" && text["kind"] == "operator" && text["name"] == "Ann";
  }));
}

TEST_F(HubTest, ARecordingThatFailedIsNotOn) {
  FakeConnection page;
  join(page, "Ann", "viewer");
  services.status.on = true;
  services.status.file = "a.mcap";
  services.status.free = 3'000'000'000;
  services.status.left = 1200.0;
  Json recording = status(page)["recording"];
  EXPECT_EQ(recording["on"], true);
  EXPECT_EQ(recording["free"], 3'000'000'000);
  EXPECT_EQ(recording["left"], 1200.0);
  EXPECT_NE(page.frames.back()[1] & kRecordingFlag, 0);
  services.status.failed = true;
  services.status.message = "the disk is full";
  services.status.free.reset();
  services.status.left.reset();
  recording = status(page)["recording"];
  EXPECT_EQ(recording["on"], false);
  EXPECT_EQ(recording["message"], "the disk is full");
  EXPECT_TRUE(recording["free"].is_null());
  EXPECT_EQ(page.frames.back()[1] & kRecordingFlag, 0);
}

TEST_F(HubTest, AnybodyStopsAndTheOperatorGoesOn) {
  FakeConnection ann, eve;
  const int a = join(ann, "Ann", "operator"), e = join(eve, "Eve", "viewer");
  ask(a, ann, {{"type", "operate"}});
  EXPECT_EQ(ask(e, eve, {{"type", "stop"}}), "");
  Json s = status(eve);
  EXPECT_TRUE(s["stopped"]);
  EXPECT_EQ(s["reason"], "stopped by Eve");
  EXPECT_NE(ask(e, eve, {{"type", "resume"}}), "");
  EXPECT_TRUE(status(eve)["stopped"]);
  EXPECT_EQ(ask(a, ann, {{"type", "resume"}}), "");
  EXPECT_FALSE(status(eve)["stopped"]);
}

TEST_F(HubTest, SamplesOfTheOperatorMoveTheArmAndOthersDoNot) {
  FakeConnection ann, bob;
  const int a = join(ann, "Ann", "operator"), b = join(bob, "Bob", "operator");
  ask(a, ann, {{"type", "operate"}});
  const auto at = [&] { return test::reference_of(loop.session, "hand").motion().pose.X_WE.p; };
  const Eigen::Vector3d start = at();
  give(b, false, 5);
  EXPECT_EQ(hub.counts().not_operator, 5U);
  EXPECT_EQ(loop.session.devices().find("headset").samples(), 0U);
  give(a, false, 5);
  give(a, true, 60, 0.2);
  EXPECT_FALSE(holds());
  EXPECT_EQ(loop.session.devices().find("headset").samples(), 65U);
  EXPECT_EQ(loop.session.devices().find("headset").operator_name(), "Ann");
  EXPECT_GT((at() - start).norm(), 0.05);
  const Json s = ann.last("status");
  EXPECT_TRUE(s["devices"]["headset"]["present"]);
  EXPECT_LE(s["devices"]["headset"]["age"].get<double>(), 0.011);
  // the rumble of the arm's speed comes back to the operator who moves it, and to nobody else
  EXPECT_GT(ann.last("output")["values"][0].get<double>(), 0.0);
  EXPECT_EQ(ann.last("output")["output"], "left.rumble");
  EXPECT_TRUE(bob.last("output").is_null());
}

TEST_F(HubTest, WhenThePageIsGoneTheArmHoldsWithin150ms) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  ask(a, ann, {{"type", "operate"}});
  give(a, false, 5);
  give(a, true, 60, 0.2);
  ASSERT_FALSE(holds());
  hub.gone(a);
  tick(150);
  EXPECT_TRUE(holds());
  EXPECT_EQ(
      std::string(loop.session.arbiter().reason(loop.session.arbiter().find_reference("hand"))),
      "person: left hand: no sample came in time – switch the device on, then hold grip and "
      "trigger");
}

TEST_F(HubTest, StampsAreTurnedToTheServersClockAndOldOnesAreRefused) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  tick(1);
  ask(a, ann, {{"type", "operate"}});
  SampleMessage old = sample(false);
  old.stamp -= 1.1;
  give(a, old);
  SampleMessage ahead = sample(false);
  ahead.offset += 1.1;
  give(a, ahead);
  SampleMessage far = sample(false);
  far.stamp = 1e300;
  give(a, far);
  EXPECT_EQ(hub.counts().wrong_time, 3U);
  EXPECT_EQ(ann.code, 0);
  give(a, sample(false));
  loop.session.tick();
  ASSERT_EQ(loop.session.inputs().size(), 2U);  // who operates comes before
  EXPECT_EQ(loop.session.inputs()[1].stamp, now);
  EXPECT_EQ(std::string(loop.session.inputs()[1].text.view()), "Ann");
}

TEST_F(HubTest, MalformedSamplesCloseAndChangeNothing) {
  const auto closes = [&](const std::vector<std::uint8_t>& bytes, const std::string& reason) {
    FakeConnection page;
    const int client = join(page, "Ann", "operator");
    ask(client, page, {{"type", "operate"}});
    tick(2);
    hub.bytes(client, bytes, now);
    EXPECT_EQ(page.code, 4002);
    EXPECT_EQ(page.reason, reason);
    EXPECT_EQ(hub.operating(), 0);
    EXPECT_EQ(hub.counts().samples, 0U);
  };
  closes({}, "an empty binary message");
  closes({1, 2, 3}, "a binary message of kind 1; clients send samples (16)");
  closes({16, 0, 1, 0}, "a sample of 4 bytes; its head has 24");
  SampleMessage bad = sample(false);
  std::vector<std::uint8_t> cut = encode_sample(bad);
  cut.pop_back();
  closes(cut, "a sample of 327 bytes; with 38 numbers it has 328");
  bad.device = 1;
  closes(encode_sample(bad), "a sample of device 1, which takes none");
  bad = sample(false);
  bad.numbers.pop_back();
  closes(encode_sample(bad), "a sample of 'headset' with 37 numbers; it has 38");
  bad = sample(false);
  bad.offset = std::numeric_limits<double>::quiet_NaN();
  closes(encode_sample(bad), "a sample whose stamp or offset is not finite");
  bad.offset = 0.0;
  bad.numbers.resize(300);
  closes(encode_sample(bad), "a sample of 300 numbers; 256 are the most");
}

// ../shared/cases/devices/clock_step.py: a page finds that its clock is off by 15 ms less
TEST_F(HubTest, AnOffsetThatIsToldOtherwiseStopsNoHonestOperator) {
  for (const double step : {-0.015, -0.03, 0.03}) {
    FakeConnection ann;
    const int a = join(ann, "Ann", "operator");
    ask(a, ann, {{"type", "operate"}});
    const auto go = [&](int times, bool clutched, double offset) {
      for (int i = 0; i < times; ++i) {
        SampleMessage message = sample(clutched, clutched ? forward += 0.001 : forward);
        message.offset += offset;
        give(a, message);
        tick(10);
      }
    };
    forward = 0.0;
    go(10, false, 0.0);
    go(30, true, 0.0);
    ASSERT_FALSE(holds()) << step;
    const auto breaks = [&] { return loop.session.devices().find("headset").pose(0).breaks(); };
    const std::uint32_t before = breaks();
    go(60, true, step);
    EXPECT_FALSE(holds()) << step << ": "
                          << loop.session.arbiter().reason(
                                 loop.session.arbiter().find_reference("hand"));
    EXPECT_EQ(breaks(), before) << step;
    hub.gone(a);
  }
}

TEST_F(HubTest, SamplesOutOfOrderClose) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  ask(a, ann, {{"type", "operate"}});
  const SampleMessage first = sample(false), second = sample(false);
  give(a, second);
  give(a, first);
  EXPECT_EQ(ann.code, 4002);
  EXPECT_EQ(ann.reason, "sample 1 of 'headset' after 2; they must rise");
  EXPECT_EQ(hub.counts().samples, 1U);
}

TEST_F(HubTest, FloodsClose) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  ask(a, ann, {{"type", "operate"}});
  for (int i = 0; i < 500 && ann.code == 0; ++i) give(a, sample(false));
  EXPECT_EQ(ann.code, 4004);
  EXPECT_LE(hub.counts().samples + hub.counts().lost, 400U);
  // as many as are allowed go on for ever
  FakeConnection bob;
  const int b = join(bob, "Bob", "viewer");
  for (int i = 0; i < 2000; ++i) {
    say(b, {{"type", "ping"}, {"t", 1.0}});
    tick(3);
  }
  EXPECT_EQ(bob.code, 0) << bob.reason;
}

TEST_F(HubTest, MalformedRequestsCloseAndChangeNothing) {
  const Json kBad[] = {
      {{"type", "nothing"}},
      {{"type", "event"}},
      {{"type", "event"}, {"name", 1}},
      {{"type", "parameter"}, {"name", "task.hand.stiffness"}},
      {{"type", "parameter"}, {"name", "task.hand.stiffness"}, {"value", "1"}},
      {{"type", "record"}, {"on", 1}},
      {{"type", "yield"}},
      {{"type", "yield"}, {"to", "Bob"}},
      {{"type", "subscribe"}, {"channels", {1}}},
      {{"type", "subscribe"}, {"rate", "60"}},
      {{"type", "ping"}},
      {{"type", "stop"}, {"id", {1, 2}}},
      {{"type", "stop"}, {"id", std::string(65, 'x')}},
      {{"type", "hello"}},
  };
  for (const Json& bad : kBad) {
    FakeConnection page;
    const int client = join(page, "Ann", "operator");
    ask(client, page, {{"type", "operate"}});
    say(client, bad);
    EXPECT_EQ(page.code, 4002) << bad << page.texts.back();
    EXPECT_EQ(hub.operating(), 0);
    tick(3);
  }
  EXPECT_TRUE(services.asked.empty());
  EXPECT_FALSE(loop.session.arbiter().stopped());
}

TEST_F(HubTest, RequestsThatCannotBeDoneSayWhy) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  EXPECT_EQ(ask(a, ann, {{"type", "parameter"}, {"name", "task.hand.stifness"}, {"value", 50}}),
            "there is no parameter 'task.hand.stifness'; did you mean 'task.hand.stiffness'?");
  EXPECT_EQ(ask(a, ann, {{"type", "parameter"}, {"name", "task.hand.stiffness"}, {"value", 1}}),
            "task.hand.stiffness is 1 1/s^2; it must be 25 to 200");
  EXPECT_EQ(ask(a, ann, {{"type", "parameter"}, {"name", "task.hand.stiffness"}, {"value", 50}}),
            "");
  EXPECT_EQ(ask(a, ann, {{"type", "episode"}, {"mark", "start"}, {"text", "grab"}}), "");
  EXPECT_EQ(status(ann)["episode"], (Json{{"on", true}, {"task", "grab"}}));
  EXPECT_EQ(ask(a, ann, {{"type", "episode"}, {"mark", "end"}}),
            "'end' is not a mark of an episode; there are start, success, failure, discard, stop");
  EXPECT_EQ(ask(a, ann, {{"type", "event"}, {"name", std::string(63, 'x')}}),
            "the event's name has 63 bytes; 62 are the most");
  EXPECT_EQ(ask(a, ann, {{"type", "subscribe"}, {"channels", {"task.hand.eror"}}}),
            "there is no channel 'task.hand.eror'; did you mean 'task.hand.error'?");
  EXPECT_EQ(ask(a, ann, {{"type", "subscribe"}, {"rate", 91}}),
            "a rate of 91 Hz; it must be 1 to 90");
  EXPECT_EQ(ask(a, ann, {{"type", "seek"}, {"time", 1}}),
            "nothing is being replayed; ask for 'replay' before");
  EXPECT_EQ(ask(a, ann, {{"type", "delete"}, {"name", "x.mcap"}}), "there is none");
  EXPECT_EQ(ask(a, ann, {{"type", "record"}, {"on", true}, {"name", "x"}}), "");
  EXPECT_TRUE(status(ann)["recording"]["on"]);
  EXPECT_EQ(ask(a, ann, {{"type", "restart"}}), "");
  EXPECT_EQ(services.asked, (std::vector<std::string>{"delete x.mcap", "record x", "restart"}));
  // the new value is what the next page is told
  FakeConnection bob;
  join(bob, "Bob", "viewer");
  EXPECT_EQ(bob.last("welcome")["parameters"][0]["value"], 50.0);
}

TEST_F(HubTest, FramesComeAtTheRateThatWasAskedFor) {
  FakeConnection fast, slow;
  const int f = join(fast, "a", "viewer"), s = join(slow, "b", "viewer");
  ask(f, fast, {{"type", "subscribe"}, {"rate", 90}, {"channels", {"task.hand.error", "mode.*"}}});
  ask(s, slow, {{"type", "subscribe"}, {"rate", 5}});
  tick(10);
  fast.frames.clear();
  slow.frames.clear();
  tick(2000);
  EXPECT_NEAR(static_cast<double>(fast.frames.size()), 180.0, 2.0);
  EXPECT_NEAR(static_cast<double>(slow.frames.size()), 10.0, 1.0);
  EXPECT_GT(fast.frames.back().size(), slow.frames.back().size());
}

TEST_F(HubTest, AStalledClientCostsNothingAndGetsTheNewest) {
  FakeConnection page, other;
  join(page, "a", "viewer");
  join(other, "b", "viewer");
  tick(20);
  page.stalled = true;
  tick(1);
  const std::size_t before = page.texts.size() + page.frames.size();
  tick(20000);
  // no frame while one message is on its way, and no more than a few messages of status
  EXPECT_LE(page.texts.size() + page.frames.size(), before + 5);
  EXPECT_GT(other.frames.size(), 1000U);
  page.stalled = false;
  page.frames.clear();
  tick(20);
  ASSERT_GE(page.frames.size(), 1U);
  std::int64_t tick_of_frame = 0;
  std::memcpy(&tick_of_frame, page.frames.front().data() + 8, sizeof tick_of_frame);
  EXPECT_GT(tick_of_frame, 20000);
}

TEST_F(HubTest, TheTickAllocatesNothingWithTwoClients) {
  FakeConnection ann, bob;
  const int a = join(ann, "Ann", "operator");
  join(bob, "Bob", "viewer");
  ask(a, ann, {{"type", "operate"}});
  give(a, false, 5);
  give(a, true, 20, 0.2);
  std::size_t allocations = 0;
  for (int i = 0; i < 300; ++i) {
    if (i % 10 == 0) give(a, sample(true, forward += 0.002));
    if (i == 150) ask(a, ann, {{"type", "stop"}});
    const test::AllocationCount count;
    loop.between_ticks({});
    loop.session.tick();
    allocations += count.count();
    now += loop.session.base_period();
    hub.poll(now);
  }
  EXPECT_EQ(allocations, 0U);
}

TEST_F(HubTest, ALoopThatStartsAgainKeepsItsClients) {
  FakeConnection ann;
  const int a = join(ann, "Ann", "operator");
  ask(a, ann, {{"type", "operate"}});
  give(a, false, 5);
  LiveLoop again(app);
  hub.set_loop(again);
  hub.poll(now);
  give(a, sample(false));
  again.session.tick();
  EXPECT_EQ(again.session.devices().find("headset").samples(), 1U);
  hub.set_loop(loop);
}

}  // namespace hub_test
}  // namespace handspan
