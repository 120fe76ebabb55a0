#!/usr/bin/env bash
# Installs BUILD into a folder, builds tests/package against it and runs it on an app of its own.
set -euo pipefail
build=$1 source=$2 deps=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log"
# a program outside the tree, against what was installed: SOURCE BUILD. Most of it is reading headers, so its files go together
program() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" -DHANDSPAN_DEPS="$deps" -DCMAKE_UNITY_BUILD=ON \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-}" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  cmake --build "$2" >>"$folder/log" 2>&1 || { tail -40 "$folder/log"; exit 1; }
}
program "$source/tests/package" "$folder/build"

cat >"$folder/app.yaml" <<YAML
name: sag
scene: $source/scenes/hold.yaml
duration: 0.5 s
controllers: {left.arm: {type: sag, factor: 0.9}, picker.arm: {type: zero_velocity}}
YAML
"$folder/build/example" run "$folder/app.yaml" --no-picture --json "$folder/summary.json"
# its own controller ran: the arm sags, visibly and not far
python3 - "$folder/summary.json" <<'PY'
import json, sys
moved = json.load(open(sys.argv[1]))["groups"][0]["worst_deviation"]
assert 0.001 < moved < 1.0, moved
print(f"the left arm sagged by {moved:.4f} rad")
PY
# its own source and mode: one round of the hand, recorded and run again bit for bit
cat >"$folder/circle.yaml" <<YAML
name: circle
scene: $source/scenes/lift.yaml
duration: 5 s
whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {hand: {type: pose, frame: left.tcp}}
sources: {round: {type: circle, radius: 0.05 m, period: 1 s}}
machines:
  left:
    start: greet
    states:
      greet: {do: [{type: greet, words: hello}], next: [{to: round, when: [{type: done}]}]}
      round: {do: [{type: follow, task: hand, sources: [{source: round}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
YAML
"$folder/build/example" check "$folder/circle.yaml" >"$folder/machine"
grep -q "says 'hello'" "$folder/machine"
"$folder/build/example" run "$folder/circle.yaml" --no-picture --record "$folder/circle.mcap" --json "$folder/summary.json"
"$folder/build/example" replay "$folder/circle.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
# the source's live parameter: another value from the first tick, which the log has
"$folder/build/example" run "$folder/circle.yaml" --param source.round.radius=0.08 --no-picture --record "$folder/wide.mcap"
"$folder/build/example" replay "$folder/wide.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
if "$folder/build/example" run "$folder/circle.yaml" --param source.round.radius=3 --no-picture 2>"$folder/refused"; then exit 1; fi
grep "source.round.radius is 3 m; it must be 0.01 to 0.2" "$folder/refused"
python3 - "$folder/summary.json" <<'PY'
import json, sys
summary = json.load(open(sys.argv[1]))
assert summary["machines"]["left"] == "end", summary["machines"]
assert 0.9 < summary["simulated"] < 1.5, summary["simulated"]
PY
# its own format of export: the hand is asked for one round of a circle of 0.05 m, a line of JSON for each of its instants
"$folder/build/example" export --help >"$folder/help"
grep -q "a line of JSON for each row of a demonstration" "$folder/help"
"$folder/build/example" export "$folder/circle.mcap" --to json_lines --rate 100 --set digits=12 --out "$folder/circle.jsonl" --json "$folder/made.json"
python3 - "$folder/circle.jsonl" "$folder/made.json" <<'PY'
import json, sys
head, *rows = [json.loads(line) for line in open(sys.argv[1])]
made = json.load(open(sys.argv[2]))
assert made["to"] == "json_lines" and made["demonstrations"] == 1 and made["rows"] == len(rows), made
assert 90 <= len(rows) <= 150, len(rows)
assert all(len(row["action"]) == len(head["action"]) for row in rows), head
z = [row["action"][head["action"].index("hand.z")] for row in rows]
assert 0.08 < max(z) - min(z) < 0.12, (min(z), max(z))
assert "left_arm_q" in head["observations"] and len(rows[0]["left_arm_q"]) == 7, head
print(f"{len(rows)} lines of JSON, {max(z) - min(z):.4f} m high")
PY
if "$folder/build/example" export "$folder/circle.mcap" --to json_line 2>"$folder/refused"; then exit 1; fi
grep "there is no format 'json_line'; did you mean 'json_lines'?" "$folder/refused"
if "$folder/build/example" export "$folder/circle.mcap" --to json_lines --set digits=0 2>"$folder/refused"; then exit 1; fi
grep "digits is 0" "$folder/refused"
# its own plant beside the simulation: a log of both runs again
cat >"$folder/mixed.yaml" <<YAML
name: mixed
scene: $source/scenes/hold.yaml
duration: 0.3 s
controllers: {left.arm: {type: sag, factor: 0.9}, picker.arm: {type: zero_velocity}}
clock: wall
plants:
  sim: {type: mujoco}
  away: {type: ideal, robots: [picker], start: -0.5 rad}
YAML
"$folder/build/example" check "$folder/mixed.yaml" >"$folder/plants"
grep -q "plant away: ideal, drives picker" "$folder/plants"
"$folder/build/example" run "$folder/mixed.yaml" --no-picture --record "$folder/mixed.mcap" --json "$folder/summary.json"
"$folder/build/example" replay "$folder/mixed.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
python3 - "$folder/summary.json" <<'PY'
import json, sys
plants = {plant["name"]: plant for plant in json.load(open(sys.argv[1]))["plants"]}
assert plants["sim"]["simulated"] and not plants["away"]["simulated"], plants
assert plants["away"]["status"] == "running", plants
PY
# its own kind of reference, with a task that follows it and a source that drives it, and its own whole-arm controller:
# the frame goes where the integral of the twist says
cat >"$folder/ur5.yaml" <<YAML
name: ur5
robots: {arm: {robot: ur5, pose: stance}}
YAML
cat >"$folder/twist.yaml" <<YAML
name: twist
scene: ur5.yaml
duration: 4 s
whole_arm:
  type: damped_least_squares
  arms: [arm.arm]
  tasks: {hand: {type: frame_velocity, frame: arm.flange}}
references: {hand: {type: frame_velocity, speed: 0.1 m/s}}
sources: {turn: {type: spin, linear: [0, 0.06, 0.04], angular: [0, 0, 0.3], time: 2 s}}
machines:
  arm:
    start: turn
    states:
      turn: {do: [{type: follow, task: hand, sources: [{source: turn}]}], next: [{to: rest, when: [{type: done}]}]}
      rest: {do: [{type: wait}], next: [{to: end, when: [{type: after, time: 0.5 s}]}]}
      end: {final: true}
YAML
"$folder/build/example" check "$folder/twist.yaml" --channels >"$folder/channels"
grep -q "reference.hand.twist" "$folder/channels"
# NAME and options of the run: recorded at every tick, run again bit for bit, and as tables
twist() {
  name=$1; shift
  "$folder/build/example" run "$folder/$name.yaml" --no-picture --full --record "$folder/$name.mcap" --json "$folder/$name.json" "$@"
  "$folder/build/example" replay "$folder/$name.mcap" --verify >"$folder/replay"
  grep "the same bits" "$folder/replay"
  "$folder/build/example" export "$folder/$name.mcap" --to csv --out "$folder/$name"
}
twist twist
# a reference no faster than its limits, and joints no faster than theirs: the arm turns about its last joint, which may do pi rad/s
sed 's/linear: .* time: 2 s/angular: [0, 0, 6], time: 0.5 s/; s/speed: 0.1 m.s/angular_speed: 4 rad\/s, angular_acceleration: 40 rad\/s^2/; s/name: twist/name: fast/' \
  "$folder/twist.yaml" >"$folder/fast.yaml"
twist fast
# the controller's live parameter: with so much damping the arm falls short
sed 's/name: twist/name: damped/' "$folder/twist.yaml" >"$folder/damped.yaml"
twist damped --param whole_arm.damping=0.5
python3 - "$folder" <<'PY'
import csv, json, math, sys

def rows(run, channel):  # time [s], values
    with open(f"{sys.argv[1]}/{run}/{channel}.csv") as file:
        return [(float(row[1]), [float(x) for x in row[4:]]) for row in list(csv.reader(file))[1:]]

def of(run):  # the integral of the twist [m, rad], and how far the frame went and turned
    twist, pose = rows(run, "reference.hand.twist"), rows(run, "reference.hand.pose")
    integral = [0.0] * 6
    for (t, V), (t_next, _) in zip(twist, twist[1:]):
        integral = [x + (t_next - t) * v for x, v in zip(integral, V)]
    first, last = pose[0][1], pose[-1][1]
    went = [b - a for a, b in zip(first[:3], last[:3])]
    # the rotation is about z: that of two quaternions x y z w which differ by it
    x0, y0, z0, w0 = first[3:]
    x1, y1, z1, w1 = last[3:]
    z, w = w0 * z1 - z0 * w1 + x0 * y1 - y0 * x1, w0 * w1 + x0 * x1 + y0 * y1 + z0 * z1
    return twist, integral, went, math.remainder(2.0 * math.atan2(z, w), 2.0 * math.pi)

def summary(run):
    return json.load(open(f"{sys.argv[1]}/{run}.json"))

twist, integral, went, turned = of("twist")
# it brakes as it accelerates: the integral is the twist that was asked for times its time
for x, asked in zip(integral, [0.0, 0.12, 0.08, 0.0, 0.0, 0.6]):
    assert abs(x - asked) < 1e-3, integral
assert math.dist(went, integral[:3]) < 0.004, (went, integral)
assert abs(turned - 0.6) < 0.01, turned
assert twist[-1][1] == [0.0] * 6, twist[-1]
print(f"the flange went {1e3 * math.dist(went, [0, 0, 0]):.1f} mm, {1e3 * math.dist(went, integral[:3]):.1f} mm beside the integral of its twist")
assert summary("twist")["tracking"][0]["of"] == "frame_velocity", summary("twist")["tracking"]
assert min(share for _, (share,) in rows("twist", "whole_arm.share")) == 1.0

twist, integral, went, turned = of("fast")
assert max(abs(V[5]) for _, V in twist) <= 4.0 + 1e-9, "beyond its angular_speed"
steepest = max(abs(b[1][5] - a[1][5]) / (b[0] - a[0]) for a, b in zip(twist, twist[1:]))
assert 39.0 < steepest < 41.0, steepest
assert 0.7 < min(share for _, (share,) in rows("fast", "whole_arm.share")) < 0.82
group = summary("fast")["groups"][0]
assert 3.0 < group["worst_velocity"] < 3.2, group
assert summary("fast")["faults"]["clamped"] == 0, "the plant had to cut the commands"

_, integral, went, _ = of("damped")
assert math.dist(went, integral[:3]) > 0.02, (went, integral)
PY
# what is not there is told with what is
refused() {  # KEY WRONG WORDS: the app with another type
  sed "s/type: $1\b/type: $2/" "$folder/twist.yaml" >"$folder/refused.yaml"
  if "$folder/build/example" check "$folder/refused.yaml" >"$folder/refused" 2>&1; then exit 1; fi
  grep -F "$3" "$folder/refused" || { cat "$folder/refused"; exit 1; }
}
refused damped_least_squares qp "type is 'qp'; it must be one of: damped_least_squares"
refused spin circel "type is 'circel'; did you mean 'circle'?"
refused spin wheel "circle, "
refused "spin, .* time: 2 s" circle "the source 'turn' moves references of the kind 'pose', and that of 'hand' is of the kind 'frame_velocity'"
refused frame_velocity pose "this controller follows frame velocities only; give it tasks of type frame_velocity"
# a skill of its own: its mode moves a hand, its judge sees it, its metric measures it
cat >"$folder/nod.yaml" <<YAML
name: nod
scene: $source/scenes/lift.yaml
duration: 8 s
whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks: {hand: {type: pose, frame: left.tcp, stiffness: 400}}
judges: {seen: {type: nodded, body: left.link7, depth: 4 cm, times: 2}}
machines:
  left:
    start: nod
    states:
      nod:
        do: [{type: nod, task: hand, depth: 6 cm, times: 2, period: 2 s}]
        next: [{to: end, when: [{type: done}, {type: judged, judge: seen, good: true}]}]
      end: {final: true}
YAML
"$folder/build/example" check "$folder/nod.yaml" >"$folder/machine"
grep -q "nods 2 times by 0.06 m" "$folder/machine"
grep -q "good when left.link7 has nodded 2 times by 0.04 m" "$folder/machine"
"$folder/build/example" run "$folder/nod.yaml" --no-picture --record "$folder/nod.mcap" --json "$folder/summary.json"
"$folder/build/example" replay "$folder/nod.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
python3 - "$folder/summary.json" <<'PY'
import json, sys
summary = json.load(open(sys.argv[1]))
assert summary["machines"]["left"] == "end", summary["machines"]
assert summary["judges"][0]["words"] == "good: it nodded 2 times", summary["judges"]
assert 3.9 < summary["simulated"] < 5.5, summary["simulated"]
PY
cat >"$folder/nods.yaml" <<YAML
title: nods
subject: {app: nod.yaml}
n: 2
cells:
  shallow: {set: {"machines.left.states.nod.do[0].depth": 0.06}}
  deep: {set: {"machines.left.states.nod.do[0].depth": 0.08}}
metrics: {nod: {type: nods, body: left.link7}}
expect:
  - {statistic: mean, of: nod.depth, cell: shallow, above: 5 cm}
  - {statistic: mean, of: nod.depth, cell: shallow, below: 7 cm}
  - {statistic: mean, of: nod.depth, cell: deep, above: 7 cm}
  - {statistic: mean, of: nod.depth, cell: deep, below: 9 cm}
  - {statistic: maximum, of: nod.left, below: 1 cm}
YAML
"$folder/build/example" study "$folder/nods.yaml" --out "$folder/nods"
# its own trial and metric in studies
cat >"$folder/dice.yaml" <<YAML
title: dice
subject: {trial: {type: dice}}
n: 200
vary: {sides: {grid: [6, 20], key: sides}}
expect: [{statistic: mean, of: eyes, above: 5}, {statistic: maximum, of: eyes, at_most: 20}]
YAML
"$folder/build/example" study "$folder/dice.yaml" --out "$folder/dice"
cat >"$folder/steps.yaml" <<YAML
title: steps
subject: {app: app.yaml}
n: 2
longest: 50 ms
metrics: {steps: {type: steps}}
expect: [{statistic: minimum, of: steps, at_least: 50}, {statistic: maximum, of: steps, at_most: 50}]
YAML
"$folder/build/example" study "$folder/steps.yaml" --out "$folder/steps"
# the parts that docs/parts.md shows, in the same kind of program: an arm goes to a height below a ceiling until it is still, and a box is judged
mkdir "$folder/parts_source"
cp "$source/tests/package/parts.cpp" "$folder/parts_source"
sed '/^add_executable/,/)$/c add_executable(parts parts.cpp)
  s/(example/(parts/' "$source/tests/package/CMakeLists.txt" >"$folder/parts_source/CMakeLists.txt"
program "$folder/parts_source" "$folder/parts_build"
cat >"$folder/parts.yaml" <<YAML
name: parts
scene: $source/scenes/lift.yaml
duration: 4 s
whole_arm:
  arms: {left.arm: {feedback: commanded}}
  tasks:
    level: {type: height, frame: left.tcp, height: 0.6 m, stiffness: 100}
    posture: {type: posture, robot: left, stiffness: 10, weight: 0.001}
  constraints: [{type: ceiling, frame: left.tcp, height: 0.5 m}]
devices: {swing: {driver: {type: wave, period: 3 s}}}
judges: {up: {type: lifted, object: box, height: 0.1 m}}
machines:
  left:
    start: go
    states:
      go: {do: [{type: wait}], next: [{to: rest, when: [{type: after, time: 0.5 s}]}]}
      rest: {do: [{type: wait}], next: [{to: end, when: [{type: still, group: left.arm}, {type: judged, judge: up, good: true}]}]}
      end: {final: true}
YAML
"$folder/parts_build/parts" run "$folder/parts.yaml" --no-picture --record "$folder/parts.mcap" --json "$folder/summary.json"
"$folder/parts_build/parts" replay "$folder/parts.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
"$folder/parts_build/parts" export "$folder/parts.mcap" --to csv --out "$folder/parts"
python3 - "$folder/summary.json" "$folder/parts" <<'PY'
import csv, json, sys
summary = json.load(open(sys.argv[1]))
assert summary["machines"]["left"] == "end", summary["machines"]
assert summary["judges"][0]["verdict"] == "good", summary["judges"]
assert summary["control"]["relaxed"] == 0, summary["control"]
# the task asks for 0.6 m, and the ceiling leaves it 0.1 m short of that
error = float(list(csv.reader(open(sys.argv[2] + "/task.level.error.csv")))[-1][-1])
assert 0.099 < error < 0.105, error
print(f"the ceiling keeps the hand {error:.4f} m below the height that its task asks for")
PY
"$folder/parts_build/parts" check --schema study >"$folder/schema"
grep -q "largest value of a column less the smallest" "$folder/schema"
# through a file: a pipe that grep -q leaves early would kill the program that still writes
"$folder/build/example" check --schema app >"$folder/schema"
grep -q "gravity compensation that is off by a factor" "$folder/schema"
grep -q "velocities by a damped inverse of the Jacobian" "$folder/schema"
# the installed program finds its robots beside itself, wherever its prefix was moved, and so does a scene outside any tree
mv "$folder/prefix" "$folder/moved"
if ldd "$folder/moved/bin/handspan" | grep -E "not found|$(realpath "$deps")"; then
  echo "the moved program needs what is not beside it"
  exit 1
fi
mv "$folder/moved/share/handspan/robots/fr3" "$folder/moved/share/handspan/robots/found_beside"
mkdir "$folder/lab"
printf 'name: lab\nrobots:\n  arm: {robot: found_beside, tool: plate}\n' >"$folder/lab/scene.yaml"
(cd "$folder/lab" && "$folder/moved/bin/handspan" check found_beside | tail -1 && "$folder/moved/bin/handspan" check scene.yaml | tail -1)
