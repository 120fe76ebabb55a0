// Which pose of which device moves which reference: as the server says, else by their names.
import { Quaternion, Vector3 } from 'three';
import type { HandInfo, Welcome } from '../protocol.ts';

export interface Hand {
  name: string; // shown: "left"
  reference: number; // index
  referenceName: string;
  device: number; // index
  pose: string;
  controls: string[]; // that close its clutch
  R_WV: Quaternion; // the device's axes in W
  R_EC: Quaternion; // the controller's axes in the frame that it moves
  scale: Vector3;
  jog: [speed: number, turnRate: number]; // at first [m/s, rad/s]
}

// x right, y up, -z forward, and the operator's forward is W's x: webxr_mapping()
export const kWebXrSpace = [0.5, -0.5, -0.5, 0.5];

export function handsOf(welcome: Welcome): Hand[] {
  const infos = welcome.hands.length ? welcome.hands : guess(welcome);
  return infos.flatMap((info) => {
    const device = welcome.devices.findIndex((d) => d.name === info.device && d.takes_samples);
    const reference = welcome.references.findIndex((r) => r.name === info.reference);
    if (device < 0 || reference < 0 || welcome.references[reference]!.kind !== 'pose') return [];
    return [{
      name: info.pose, reference, referenceName: info.reference, device, pose: info.pose,
      controls: info.controls, R_WV: new Quaternion(...info.space as [number, number, number, number]),
      R_EC: new Quaternion(...info.axes as [number, number, number, number]),
      scale: new Vector3(...info.scale), jog: [info.jog[0]!, info.jog[1]!],
    }];
  });
}

function guess({ devices, references }: Welcome): HandInfo[] {
  const device = devices.find((d) => d.takes_samples && d.layout.poses.some((p) => p !== 'head'));
  const poses = device?.layout.poses.filter((pose) => pose !== 'head') ?? [];
  const wanted = references.filter((reference) => reference.kind === 'pose');
  return poses.flatMap((pose) => {
    const one = poses.length === 1 || wanted.length === 1;
    const reference = wanted.find((r) => r.name.includes(pose)) ?? (one ? wanted[0] : undefined);
    if (!reference) return [];
    const has = [...device!.layout.axes, ...device!.layout.buttons];
    return [{
      name: pose, reference: reference.name, device: device!.name, pose,
      controls: [`${pose}.squeeze`, `${pose}.trigger`].filter((control) => has.includes(control)),
      space: kWebXrSpace, axes: [0, 0, 0, 1], scale: [1, 1, 1], jog: [0.15, 0.7],
    }];
  });
}
