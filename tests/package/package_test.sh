#!/usr/bin/env bash
# Installs BUILD into a folder, builds tests/package against it and runs it on an app of its own.
set -euo pipefail
build=$1 source=$2 deps=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log"
# a program outside the tree, against what was installed: SOURCE BUILD
program() {
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" -DHANDSPAN_DEPS="$deps" \
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
      round: {do: [{type: call, task: hand, sources: [{source: round}]}], next: [{to: end, when: [{type: done}]}]}
      end: {final: true}
YAML
"$folder/build/example" check "$folder/circle.yaml" >"$folder/machine"
grep -q "says 'hello'" "$folder/machine"
"$folder/build/example" run "$folder/circle.yaml" --no-picture --record "$folder/circle.mcap" --json "$folder/summary.json"
"$folder/build/example" replay "$folder/circle.mcap" --verify >"$folder/replay"
grep "the same bits" "$folder/replay"
python3 - "$folder/summary.json" <<'PY'
import json, sys
summary = json.load(open(sys.argv[1]))
assert summary["machines"]["left"] == "end", summary["machines"]
assert 0.9 < summary["simulated"] < 1.5, summary["simulated"]
PY
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
sed 's/(example/(parts/; s/main\.cpp/parts.cpp/' "$source/tests/package/CMakeLists.txt" >"$folder/parts_source/CMakeLists.txt"
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
