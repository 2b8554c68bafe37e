// What is drawn of the game's models in a picture: those of poses, which the graphics card moves, and those on bones.

import type { Vector } from '../data/vector';
import { ModelBatches } from './batches';
import { Covers } from './covers';
import { ModelMeshes } from './meshes';
import type { SkinUnit } from './skinunit';

export class Models {
  private readonly covers: Covers;
  readonly meshes: ModelMeshes;
  readonly batches: ModelBatches;

  constructor(gl: WebGL2RenderingContext, unit: SkinUnit, other?: Models) {
    this.covers = other?.covers ?? new Covers(gl, unit);
    this.meshes = new ModelMeshes(gl, this.covers);
    this.batches = new ModelBatches(gl, this.covers);
  }

  /** Whether what comes is drawn, or only asked for. */
  only(drawn: boolean): void {
    this.meshes.isOn = this.batches.isOn = drawn;
  }

  /** `left` and `up` are those of who looks. */
  begin(left: Vector, up: Vector): void {
    this.meshes.begin();
    this.batches.begin(left, up);
  }
}
