// A gizmo at the reference that is driven: dragged by mouse or finger, it says where the hand should
// go. Let go of, it lies where the reference is.
import * as three from 'three';
import { TransformControls } from 'three/addons/controls/TransformControls.js';
import type { View } from '../scene/view.ts';
import type { Place } from './hands.ts';

export class Gizmo {
  private readonly controls: TransformControls;
  private readonly proxy = new three.Object3D();
  private readonly helper: three.Object3D;

  constructor(view: View) {
    this.controls = new TransformControls(view.camera, view.renderer.domElement);
    this.controls.setSize(0.75);
    this.helper = this.controls.getHelper();
    this.helper.visible = false;
    this.controls.enabled = false;
    view.scene.add(this.proxy, this.helper);
    this.controls.attach(this.proxy);
    this.controls.addEventListener('dragging-changed', ({ value }) => {
      view.orbit.enabled = !value;
    });
  }

  set mode(mode: 'translate' | 'rotate') {
    this.controls.setMode(mode);
  }

  /// @param place of the reference; none: there is nothing to drag
  /// @return where it is dragged to
  update(place: Place | undefined): Place | undefined {
    this.helper.visible = this.controls.enabled = place !== undefined;
    if (!place) {
      if (this.controls.dragging) this.controls.pointerUp(null);
      return undefined;
    }
    if (this.controls.dragging)
      return { p: this.proxy.position.clone(), q: this.proxy.quaternion.clone() };
    this.proxy.position.copy(place.p);
    this.proxy.quaternion.copy(place.q);
    return undefined;
  }
}
