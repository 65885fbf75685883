import { useEffect, useRef } from 'react';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAnswer } from '../../client/queries.ts';
import type { ReachGoal } from './reach-choice.ts';

interface Options {
  readonly goal: ReachGoal;
  /** The public origin now, as the step knows it: what follows `onDone` uses it too. */
  readonly base: string;
  readonly now: TunnelStatus;
  readonly flags: Status['flags'];
  /** True once the goal is saved and the owner wants to continue. */
  readonly isWaiting: boolean;
  /** Called once the address works. */
  readonly onDone: () => void;
}

/** How far the public address is that the owner has chosen. */
interface Arrival {
  readonly isThere: boolean;
  /** True while the owner waits for it, and it may still come by itself. */
  readonly isOn: boolean;
  /** True if a new address doesn't answer after a minute. */
  readonly isLate: boolean;
}

/** Waits until the saved way has led to a public address, and then continues. */
export function useArrival({ goal, base, now, flags, isWaiting, onDone }: Options): Arrival {
  const { mode, url } = goal;
  const last = useAnswer('setup.lastCheck', {}).data;
  const isConnected = now.state === 'connected' && now.mode === mode && now.url === base;
  // Porchlight tests each new address until it answers, or for a minute.
  const test = mode === 'quick' && isConnected && last?.base === base ? last : undefined;
  const isLate = test?.findings.some(({ id, level }) => id === 'reach' && level === 'fail') === true;
  const isThere = flags.baseUrl || flags.tunnel !== null || isAtGoal();
  useOnceTrue(isWaiting && isThere, onDone);
  const mayCome = mode === 'off' || (now.state !== 'failed' && now.state !== 'off');
  const isMissing = isWaiting && !isThere;
  return { isThere, isOn: isMissing && !isLate && mayCome, isLate: isMissing && isLate };

  function isAtGoal(): boolean {
    if (mode === 'quick') return test !== undefined && !isLate;
    return mode === 'off' ? url === null || base === url : isConnected && base === url;
  }
}

/** Calls `act` when `isTrue` becomes true, and where it is true at first. */
function useOnceTrue(isTrue: boolean, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (isTrue) latest.current();
  }, [isTrue]);
}
