import type { Log } from '../../platform/log.ts';
import { coalesced } from '../../storage/pacing.ts';
import type { PublishingOrder, PublishingQueue } from './publishing-queue.ts';

interface PlanningDeps {
  readonly queue: Pick<PublishingQueue, 'add' | 'has'>;
  /** Returns the paths of the posts whose publishing may be unfinished. */
  readonly behind: () => Promise<readonly string[]>;
  readonly isOn: () => boolean;
  /** Called when `trouble` has changed. */
  readonly changed: () => void;
  readonly log: Log;
}

/** If planning fails, how long to wait before the next attempt, in ms. */
const againMs = 60_000;

/** Creates the planner, which adds posts to the publishing queue. It also adds posts whose planning failed earlier. */
export function createPlanning({ queue, behind, isOn, changed, log }: PlanningDeps) {
  let trouble: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function report(words: string | undefined): void {
    clearTimeout(timer);
    if (words !== undefined && !isStopped) timer = setTimeout(() => void catchUp(), againMs).unref();
    if (words === trouble) return;
    trouble = words;
    changed();
  }

  /**
   * Adds requests to publish (orders) to the queue. Resolves once they are on disk. If this fails, the owner
   * sees the problem until a later attempt succeeds.
   * @throws PorchlightError `storage_…`
   */
  async function plan(orders: readonly PublishingOrder[]): Promise<void> {
    try {
      await queue.add(orders);
      report(undefined);
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /**
   * Plans the publishing of posts that were saved but not planned. This can happen if Porchlight was killed or the disk
   * was full. Doesn't notify subscribers (`quiet`), because it is unknown when the posts were saved.
   */
  const catchUp = coalesced(async () => {
    if (isStopped || !isOn()) return;
    try {
      const missed = [...new Set(await behind())].filter((key) => !queue.has('posts', key));
      if (missed.length > 0) log.info({ posts: missed.length }, 'publishing was not planned');
      if (missed.length > 0 || trouble !== undefined)
        await plan(missed.map((key) => ({ publisher: 'posts', key, quiet: true })));
    } catch (error) {
      log.warn({ err: error }, 'publishing could not be planned');
      report(error instanceof Error ? error.message : String(error));
    }
  });

  return {
    plan,
    catchUp,
    /** Returns why publishing couldn't be planned, as a message for the owner; undefined if there is no problem. */
    trouble: () => trouble,
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
