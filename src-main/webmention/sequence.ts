import { Type } from 'typebox';
import { closed } from '../contract/shapes.ts';
import { oneAtATime } from '../platform/one-at-a-time.ts';
import { openDocument } from '../storage/document.ts';
import type { DurableFileOptions } from '../storage/durable-file.ts';

/** Numbers reserved by one write. */
const block = 100;

/** Every number up to this one, itself included, may have been given. */
const SequenceDocument = closed({ reserved: Type.Integer({ minimum: 0 }) });
export const sequenceFormat = { schema: SequenceDocument, format: 1, initial: { reserved: 0 } };

/** Numbers that are never given twice; some are never given. */
export interface Sequence {
  /** A number above all that were given or raised to. */
  next(): Promise<number>;
  /** Makes sure that every number given later is above `number`. */
  raise(number: number): Promise<void>;
}

export interface SequenceOptions extends Pick<DurableFileOptions<unknown>, 'file' | 'now' | 'operations'> {
  onRecovered?: DurableFileOptions<unknown>['onRecovered'];
  /** The highest number in use: asked where the file is missing or was not what was written last. */
  highest: () => Promise<number>;
}

/** Opens the sequence in `file`. Open it once in a process. */
export async function openSequence({ highest, onRecovered, ...options }: SequenceOptions): Promise<Sequence> {
  let recoveries = 0;
  const document = await openDocument({
    ...options,
    ...sequenceFormat,
    onRecovered:
      onRecovered &&
      ((recovery) => {
        recoveries += 1;
        return onRecovered(recovery);
      }),
  });
  const turn = oneAtATime();
  let last = document.data.reserved;
  if (recoveries > 0 || last === 0) last = Math.max(last, await highest());

  async function reserve(number: number): Promise<void> {
    if (number <= document.data.reserved) return;
    await document.update((draft) => {
      draft.reserved = number + block - 1;
    });
  }

  return {
    next: () =>
      turn(async () => {
        const number = last + 1;
        await reserve(number);
        last = number;
        return number;
      }),
    raise: (number) =>
      turn(async () => {
        if (number <= last) return;
        await reserve(number);
        last = number;
      }),
  };
}
