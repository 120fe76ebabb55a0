// The least of a welcome that has one of each.
const box = {
  type: 'box', size: [1, 1, 1], position: [0, 0, 0], quaternion: [0, 0, 0, 1],
  rgba: [1, 0, 0, 1], collides: true,
};

const kSides = ['left', 'right'];
const kRates = ['x', 'y', 'z', 'roll', 'pitch', 'yaw'];
const page = {
  name: 'page', driver: 'page', takes_samples: true, layout: {
    poses: [], axes: kSides.flatMap((side) => kRates.map((rate) => `${side}.${rate}`)),
    buttons: kSides.flatMap((side) => ['clutch', 'primary'].map((button) => `${side}.${button}`)),
    outputs: [{ name: 'force', size: 3, unit: 'N' }] },
};

export const MockWelcome = {
  type: 'welcome', protocol: 1, version: '0.1.0', session: 's', you: 1, app: 'grab',
  base_period: 0.001, clock: { server: 1 },
  scene: {
    bodies: [{ name: 'box', kind: 'object', shapes: [box] },
      { name: 'belt', kind: 'belt', shapes: [box], speed: [0.1, 0, 0] }],
    views: [{ name: 'front', eye: [1, 0, 1], target: [0, 0, 0] }],
    frames: [{ name: 'box_left', position: [0, 0, 0], quaternion: [0, 0, 0, 1] }],
    ground: 0,
  },
  channels: [{ name: 'left.wrist.wrench', type: 'wrench', unit: 'N, N m', size: 6,
    labels: ['fx', 'fy', 'fz', 'tx', 'ty', 'tz'], choices: [], rate: 1000, doc: '' }],
  devices: [{ name: 'headset', driver: 'headset', takes_samples: true, layout: {
    poses: ['left', 'right', 'head'],
    axes: ['left.trigger', 'left.squeeze', 'right.trigger', 'right.squeeze'],
    buttons: ['left.primary', 'right.primary'], outputs: [{ name: 'left.rumble', size: 1, unit: '' }] } }, page],
  references: [{ name: 'left_hand', kind: 'pose', frame: 'left.tcp' },
    { name: 'right_hand', kind: 'pose', frame: 'right.tcp' }],
  hands: kSides.map((side) => ({ name: `${side}_person`, reference: `${side}_hand`, device: 'headset', pose: side,
    controls: [`${side}.squeeze`, `${side}.trigger`], space: [0.5, -0.5, -0.5, 0.5] })),
  jogs: kSides.map((side) => ({ name: `${side}_jog`, reference: `${side}_hand`, device: 'page',
    rates: kRates.map((rate) => ({ axis: `${side}.${rate}`, sign: 1 })), frame: 'world', axes: [0, 0, 0, 1],
    dead_man: `${side}.clutch`, faster: null, slower: null, snap: null, speed: [0.3, 1.4], response: [0, 1] })),
  parameters: [{ name: 'belt.belt.speed', value: 0.1, unit: 'm/s', min: -1, max: 1 },
    { name: 'loop_closure.grasp.closed', kind: 'switch', value: 0, unit: '', min: 0, max: 1,
      doc: 'whether the controller takes its two frames for held together' }],
  machines: [{ name: 'both', states: ['rest'] }],
};
