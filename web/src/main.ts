// The page of the operator station: puts its parts together.
import { Quaternion, Vector3 } from 'three';
import { now } from './clock.ts';
import { h, kept } from './dom.ts';
import { Pairing } from './pairing.ts';
import { asking, onAsking } from './panel/ask.ts';
import { Bar } from './panel/bar.ts';
import { Board } from './panel/board.ts';
import { BodyList } from './panel/bodies.ts';
import { Devices } from './panel/devices.ts';
import { Events } from './panel/events.ts';
import { HeadsetControls } from './panel/headset_controls.ts';
import { Operate } from './panel/operate.ts';
import { Records } from './panel/records.ts';
import { Stop } from './panel/stop.ts';
import { Tune } from './panel/tune.ts';
import { Watch } from './panel/watch.ts';
import { Plots } from './plots/plots.ts';
import type { Frame, Welcome } from './protocol.ts';
import { Interpolator } from './scene/interpolate.ts';
import { View } from './scene/view.ts';
import { Station } from './station.ts';
import './style.css';
import { type Asked, Drive, looks } from './teleop/drive.ts';
import { Pad } from './teleop/gamepad.ts';
import { Gizmo } from './teleop/gizmo.ts';
import { type Hand, handsOf, jogsOf, kWebXrSpace, type Place } from './teleop/hands.ts';
import { Headset } from './teleop/headset.ts';
import { directlyFed, Inputs, keysOf } from './teleop/inputs.ts';
import { Keyboard } from './teleop/keyboard.ts';
import { Pads } from './teleop/pads.ts';
import { Sender } from './teleop/sender.ts';
import { usualStand } from './teleop/stand.ts';
import { Stylus } from './teleop/stylus.ts';

// a headset's frame is sent again for so long when the next one is late [s]
const kRepeat = 0.1;

const query = new URLSearchParams(location.search);
const url = new URL('ws', location.href);
url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
url.search = url.hash = '';
const station = new Station(url.href, {
  name: query.get('name') || kept('name') || 'guest',
  role: query.has('view') ? 'viewer' : 'operator',
});

// ---- the page ------------------------------------------------------------------------------

const bar = new Bar();
const stage = h('div', { class: 'stage' });
const views = h('nav', { class: 'views', 'aria-label': 'views' });
const watch = new Watch();
const pads = new Pads();
const plots = new Plots();
const records = new Records(station);
const tune = new Tune(station);
const bodyList = new BodyList();
const events = new Events(station);
const operate = new Operate(station);
const stop = new Stop(station, () => release());
const devices = new Devices(station);
const pairing = new Pairing(station);
const veil = h('div', { class: 'veil', role: 'alert' });

const sections: [string, HTMLElement][] = [['Operate', operate.element],
  ['Records', records.element], ['Tune', tune.element], ['Bodies', bodyList.element],
  ['Events', events.element]];
const tabs = sections.map(([name], i) =>
  h('button', { role: 'tab', id: `tab-${i}`, onclick: () => open(i) }, name));
function open(chosen: number): void {
  sections.forEach(([, element], i) => {
    element.hidden = i !== chosen;
    tabs[i]!.setAttribute('aria-selected', String(i === chosen));
  });
}
for (const [i, [, element]] of sections.entries()) {
  element.setAttribute('role', 'tabpanel');
  element.setAttribute('aria-labelledby', `tab-${i}`);
}
open(0);

// Without 3D nobody sees what the arms do. Then the page says so and has no controls: a stop that is not connected would be
// worse than none.
function viewOrWords(): View {
  try {
    return new View(stage, query.has('full'));
  } catch (error) {
    veil.replaceChildren(h('p', {}, 'This browser draws no 3D (WebGL), so the arms cannot be shown, operated or stopped from here. ' +
      'Close other pages that draw, allow hardware acceleration in its settings, or take another browser; then load this page again.'));
    document.body.replaceChildren(h('main', {}, h('section', { class: 'scene' }, veil)));
    throw error;
  }
}

document.body.append(
  bar.element,
  h('main', {}, h('section', { class: 'scene', 'aria-label': 'scene' }, stage, views,
    watch.element, pads.element, records.player, veil), plots.element),
  h('aside', {}, stop.element, h('div', { class: 'tabs', role: 'tablist' }, ...tabs),
    h('div', { class: 'panes' }, ...sections.map(([, element]) => element))));

const view = viewOrWords();
const interpolator = new Interpolator();
const gizmo = new Gizmo(view);
const keyboard = new Keyboard();
const pad = new Pad();
const inputs = new Inputs(keyboard, pads, new Stylus(stage));
// devices with a thread of their own that were taken over: from when what feeds them is used
const taken = new Set<number>();
const headset = new Headset(view, {
  stop: () => stop.stop(),
  record: () => records.record(),
  press: (id) => board.press(id),
  ended: () => {
    sendUnknown();
    drive.open();
    headsetControls.labels();
  },
});
const headsetControls = new HeadsetControls(headset);
const board = new Board(station, headset.panel, () => stop.stop(), () =>
  [...document.querySelectorAll('.clutch')].map((element) =>
    `${element.textContent} ${element.classList.contains('closed') ? 'closed' : 'open'}`).join(', '));
stop.pause = () => records.toggle();
operate.element.append(headsetControls.element, devices.element);
bar.actions.append(...headsetControls.buttons);
operate.gizmoMode = (mode) => (gizmo.mode = mode);
operate.touch = (on) => (touch = on);
let touch = matchMedia('(pointer: coarse)').matches;
let drive = new Drive([]);
let hands: Hand[] = []; // that a headset moves
let newest: Frame | undefined;
let standing = false;

// ---- what the server says --------------------------------------------------------------------

station.on('link', ({ link, why }) => {
  bar.connected(link, why);
  veil.hidden = link === 'live';
  const words = link === 'connecting' ? 'Connecting…' : link === 'lost'
    ? 'No connection: the arms hold. It is tried again.' : why;
  veil.replaceChildren(h('p', {}, words));
  if (link === 'refused' && /pair|code/i.test(why)) veil.append(pairing.form);
  if (link === 'live') return;
  release();
  headset.clutched = false;
});

station.on('welcome', (welcome) => {
  newest = undefined;
  standing = false;
  interpolator.clear();
  hands = handsOf(welcome);
  drive = new Drive(jogsOf(welcome), hands, welcome.devices.map(directlyFed));
  keyboard.assigned = keysOf(welcome.devices.filter((device) => device.takes_samples));
  taken.clear();
  sender.load(welcome.devices);
  bar.load(welcome);
  view.load(welcome);
  tune.load(welcome);
  bodyList.load(welcome);
  watch.load(welcome);
  operate.load(drive);
  plots.load(welcome);
  views.replaceChildren(...view.views.map((one) =>
    h('button', { onclick: () => view.go(one) }, one.name.replaceAll('_', ' '))));
  subscribe(welcome);
});

function subscribe(welcome: Welcome): void {
  const channels = [...new Set([...plots.channels, ...bar.channels(welcome)])];
  void station.ask({ type: 'subscribe', channels, rate: 60 });
}
plots.changed = () => {
  if (station.welcome && station.link === 'live') subscribe(station.welcome);
};
bodyList.axes = (on) => view.bodies?.showAxes(on);
bodyList.point = (body) => view.bodies?.point(body);
tune.changed = (name, value) => {
  const belt = view.bodies?.belts.find((one) => name === `belt.${one.name}.speed`);
  if (belt) belt.speed = value;
};

station.on('frame', (frame) => {
  newest = frame;
  interpolator.add(frame, now() + station.clock.offset);
  plots.take(frame);
  bodyList.take(frame, performance.now());
  records.frame(frame);
  headset.clutched = bar.frame(frame);
  if (!standing && station.welcome) {
    standing = true;
    headset.R_WV = hands[0]?.R_WV ?? new Quaternion(...kWebXrSpace as [number, number, number, number]);
    headsetControls.load(
      station.welcome.app, usualStand(station.welcome, robotBases(station.welcome, frame), headset.R_WV));
  }
});

// of each robot its first body is its base
function robotBases({ scene }: Welcome, { poses }: Frame): Vector3[] {
  const seen = new Set<string>();
  return scene.bodies.flatMap(({ kind, robot }, i) => {
    if (kind !== 'robot' || seen.has(robot)) return [];
    seen.add(robot);
    return [new Vector3().fromArray(poses, 7 * i)];
  });
}

let stoppedBefore = false;
station.on('status', (status) => {
  bar.status(status, station);
  watch.status(status);
  if (status.stopped && !stoppedBefore) release();
  stoppedBefore = status.stopped;
});

station.on('output', ({ device, output, values }) => {
  watch.output(device, output, values);
  if (!/rumble$/.test(output)) return;
  if (headset.session) headset.output(output, values[0] ?? 0);
  else pad.rumble(Math.min(1, values[0] ?? 0), 0.06);
});

// ---- moving ------------------------------------------------------------------------------------

const placed = (i: number): Place | undefined => {
  const at = newest?.references.subarray(7 * i, 7 * i + 7);
  return at?.length === 7 && Math.hypot(...at.subarray(3)) > 0.5
    ? { p: new Vector3().fromArray(at), q: new Quaternion().fromArray(at, 3) } : undefined;
};
// what is held ends, and is pressed anew before it moves something
function release(): void {
  drive.open();
  keyboard.clear();
  pads.release();
  pad.release();
  inputs.release(station.welcome?.devices ?? []);
}
onAsking(release);

const mayMove = () => station.youOperate && !document.hidden && !newest?.replay;
keyboard.listen(() => mayMove() && !headset.session && !asking(), (digit) => {
  const word = (['left', 'right', 'together', 'mirror'] as const)[digit - 1]!;
  if (drive.hands.length >= 2) operate.choose(word);
});

let lastDrive = 0;
let lastSent = 0;
function move(time: number): void {
  const dt = Math.min(0.1, time - lastDrive);
  lastDrive = time;
  const asked: Asked[] = [{ by: 'key', jog: keyboard.read() }, {
    by: 'pad', jog: pad.read(() => {
      drive.next();
      operate.choose(drive.choice);
    }, () => stop.stop()),
  }, { by: 'touch', jog: pads.read() }];
  operate.gamepad(pad.name);
  const first = drive.driven[0];
  const may = mayMove() && !asking() && station.status?.stopped === false;
  const hand = first === undefined ? undefined : drive.hands[first];
  drive.drag = gizmo.update(may && hand ? placed(hand.reference) : undefined);
  pads.element.hidden = !touch || !may;
  if (view.ghosts) view.ghosts.selected = may ? drive.driven.map((i) => drive.hands[i]!.referenceName) : [];
  if (may) view.ghosts?.aim(drive.targets);
  else view.ghosts?.aim(new Map());
  if (!mayMove()) {
    taken.clear();
    return drive.open();
  }
  if (may) drive.update(dt, asked, placed, looks(view.camera));
  else drive.open();
  if (time - lastSent < sender.leastPeriod) return;
  lastSent = time;
  station.welcome?.devices.forEach((device, i) => {
    const sample = sender.writer(i);
    if (!sample) return;
    sample.rest();
    if (inputs.fill(device, sample) || drive.asks(i)) taken.add(i);
    drive.write(i, sample);
    if (!device.own || taken.has(i)) sender.send(i, time);
  });
}

// those that a headset moves something with, else the first that takes samples
function devicesOfHands(): Set<number> {
  if (!station.welcome) return new Set();
  const devices = new Set(hands.map((hand) => hand.device));
  const first = station.welcome.devices.findIndex((device) => device.takes_samples && !device.own);
  return devices.size === 0 && first >= 0 ? new Set([first]) : devices;
}

function sendUnknown(): void {
  if (!station.youOperate) return;
  station.welcome?.devices.forEach((device, i) => {
    if (device.own && !taken.has(i)) return;
    sender.writer(i)?.unknown();
    sender.send(i, now());
  });
}

const sender = new Sender(station, (time) => {
  if (!headset.session) return move(time);
  // between late frames of a headset: what the last one said, for a little while
  const late = time - headsetFrame;
  if (!station.youOperate || late > kRepeat) return;
  for (const device of devicesOfHands()) sender.send(device, headset.stamp + late);
});

let headsetFrame = 0;
function moveByHeadset(frame: XRFrame, time: number, dt: number): void {
  headsetFrame = now();
  for (const device of devicesOfHands()) {
    const sample = sender.writer(device);
    if (!sample) continue;
    headset.read(frame, time, dt, sample);
    if (station.youOperate && !newest?.replay) sender.send(device, headset.stamp);
  }
}

// a choice that was made has no further use for keys: space stops
document.addEventListener('change', ({ target }) => {
  if (target instanceof HTMLSelectElement) target.blur();
});

document.addEventListener('visibilitychange', () => {
  if (!document.hidden || headset.session) return;
  drive.open();
  sendUnknown();
});

let lastTime = 0;
let nextFigures = 0;
view.renderer.setAnimationLoop((time, frame) => {
  const dt = Math.min(0.1, (time - lastTime) / 1000);
  lastTime = time;
  if (frame && headset.session) moveByHeadset(frame, time, dt);
  else move(now());
  const shown = interpolator.show(now() + station.clock.offset);
  if (shown) {
    view.update(shown);
    if (!veil.hidden && station.link === 'live') veil.hidden = true;
  }
  view.draw(time);
  if (!frame) plots.draw(now());
  if (time > nextFigures) {
    nextFigures = time + 500;
    watch.drawn(view.fps, view.software);
    if (headset.session) headsetControls.show();
    if (station.link === 'live' && station.silence > 1) bar.silent(station.silence);
    else if (station.link === 'live') bar.connected(station.link, '');
    board.show();
  }
});

void pairing.enter().then(() => station.connect());

declare global {
  interface Window {
    handspan: { station: Station; view: View; headset: Headset; newest: () => Frame | undefined; drive: () => Drive };
  }
}
// for a look from the console, and for tests
window.handspan = { station, view, headset, newest: () => newest, drive: () => drive };
