// Which pose of a headset moves which reference, and which axes of a device do: as the server says.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { BindingInfo, JogInfo, Numbers, Welcome } from '../protocol.ts';

export interface Place {
  p: Vector3;
  q: Quaternion;
}

export interface Hand {
  reference: number; // index
  device: number; // index
  pose: string;
  controls: string[]; // that close its clutch
  R_WV: Quaternion; // the device's axes in W
}

/// What keys, sticks, pads and the gizmo move: a reference that a jog of the server moves by rates.
export interface Jogged {
  name: string; // shown: "left"
  reference: number; // index
  referenceName: string;
  device: number; // index
  prefix: string; // of its controls in the device's layout: "left."
  rates: (BindingInfo | null)[]; // along x, y, z of O, then about them
  R_WO: Quaternion | undefined; // none: those of the frame that it moves
  R_WV: Quaternion; // x right, y up, z back of somebody who stands as it is meant
  deadMan: string | null;
  faster: string | null;
  slower: string | null;
  speed: number; // at full deflection [m/s]
  turnRate: number; // [rad/s]
  deadZone: number;
  exponent: number;
  hand: Hand | undefined; // that moves the same reference
}

// x right, y up, -z forward, and the operator's forward is W's x: webxr_mapping()
export const kWebXrSpace = [0.5, -0.5, -0.5, 0.5];

const quaternion = (q: Numbers) => new Quaternion(q[0], q[1], q[2], q[3]);

export function handsOf({ hands, devices, references }: Welcome): Hand[] {
  return hands.flatMap((info) => {
    const device = devices.findIndex((d) => d.name === info.device && d.takes_samples);
    const reference = references.findIndex((r) => r.name === info.reference);
    if (device < 0 || references[reference]?.kind !== 'pose') return [];
    return [{ reference, device, pose: info.pose, controls: info.controls, R_WV: quaternion(info.space) }];
  });
}

export function jogsOf(welcome: Welcome): Jogged[] {
  const hands = handsOf(welcome);
  const seen = new Set<number>();
  return welcome.jogs.flatMap((info) => {
    const device = welcome.devices.findIndex((d) => d.name === info.device && d.takes_samples);
    const reference = welcome.references.findIndex((r) => r.name === info.reference);
    const kind = welcome.references[reference]?.kind;
    if (device < 0 || (kind !== 'pose' && kind !== 'twist') || seen.has(reference)) return [];
    seen.add(reference);
    const hand = hands.find((one) => one.reference === reference);
    const bound = info.dead_man ?? info.rates.map((rate) =>
      rate && ('axis' in rate ? rate.axis : rate.plus || rate.minus)).find(Boolean) ?? '';
    return [{
      name: hand?.pose ?? info.name.replace(/_jog$/, ''), reference, referenceName: info.reference,
      device, prefix: bound.slice(0, bound.lastIndexOf('.') + 1), rates: info.rates,
      R_WO: info.frame === 'tool' ? undefined : quaternion(info.axes),
      R_WV: hand?.R_WV ?? stands(info), deadMan: info.dead_man, faster: info.faster,
      slower: info.slower, speed: info.speed[0]!, turnRate: info.speed[1]!,
      deadZone: info.response[0]!, exponent: info.response[1]!, hand,
    }];
  });
}

/// Of a jog that no hand stands beside: its x is forward and its z up, but those of a view are the
/// screen's.
function stands({ frame, axes }: JogInfo): Quaternion {
  const R_WO = frame === 'tool' ? new Quaternion() : quaternion(axes);
  if (frame === 'view') return R_WO;
  return R_WO.multiply(new Quaternion().setFromRotationMatrix(
    new Matrix4().makeBasis(new Vector3(0, -1, 0), new Vector3(0, 0, 1), new Vector3(-1, 0, 0))));
}
