import type { CloudflareProgress } from '../../contract/reach.ts';
import { PorchlightError } from '../../contract/error.ts';
import type { CloudflareApi } from './api.ts';
import type { EventHub } from '../../contract/contract.ts';
import type { ApiTokens } from './api-token.ts';
import {
  type CloudflareDocument,
  isEmpty,
  noteSetup,
  setupIn,
  type Step,
  type StepContext,
  type StepDeps,
} from './record.ts';
import { disconnectSteps, mailboxSteps, portSteps, setUpSteps } from './steps.ts';

interface TaskDeps {
  readonly document: CloudflareDocument;
  readonly tokens: ApiTokens;
  /**
   * The functions of this server that the steps use. The runner adds the client for Cloudflare's API and the record of
   * the setup.
   */
  readonly steps: StepDeps;
  readonly apiWith: (token: string) => CloudflareApi;
  readonly hub: Pick<EventHub, 'emit'>;
  /** Aborted when Porchlight quits. */
  readonly closing: AbortSignal;
}

type TaskName = CloudflareProgress['task'];

/**
 * Creates the runner for the tasks of the setup at Cloudflare. It runs one task at a time. A task that fails rejects
 * with a PorchlightError and can be repeated.
 */
export function createTasks({ document, tokens, steps: deps, apiWith, hub, closing }: TaskDeps) {
  /** A description of the running step, for the owner; null if no step is running. */
  let working: string | null = null;
  let running: Promise<unknown> = Promise.resolve();

  /**
   * Runs the steps one after the other. If a step fails, stores the reason in the record of the setup. If nothing was
   * created at Cloudflare, clears the record instead.
   */
  async function take(
    task: TaskName,
    token: string,
    stepsFor: (context: StepContext) => readonly Step[],
  ): Promise<void> {
    try {
      await tokens.keep(token);
      const steps = stepsFor({ ...deps, api: apiWith(token), document });
      for (const [done, { words, take: takeStep }] of steps.entries()) {
        working = words;
        hub.emit('cloudflare.progress', { task, words, done, total: steps.length });
        await takeStep();
        closing.throwIfAborted();
      }
    } catch (error) {
      if (closing.aborted) throw new PorchlightError('cancelled', 'Porchlight is quitting.');
      if (isEmpty(setupIn(document))) await forget(tokens.unstore);
      else await noteSetup(document, { trouble: inWords(error) });
      throw error;
    }
  }

  async function forget(discard: () => Promise<void>): Promise<void> {
    await discard();
    await document.update((data) => void (data.setup = null));
  }

  /** Records that a task is finished. Discards the API token unless the owner keeps it. */
  async function finish(): Promise<void> {
    await noteSetup(document, { task: null, trouble: '' });
    if (!setupIn(document).keepToken) await tokens.discard();
  }

  return {
    /** Returns a description of the running step; null if no step is running. */
    working: () => working,
    /** Resolves once no task is running. Never rejects. */
    ended: () => running,

    /** Runs `work` unless other work is running. @throws PorchlightError busy */
    async alone(work: () => Promise<void>): Promise<void> {
      if (working !== null)
        throw new PorchlightError(
          'busy',
          'Porchlight is already changing something at Cloudflare. Wait until it is done.',
        );
      working = 'Asking Cloudflare';
      const done = work().finally(() => (working = null));
      running = done.catch(() => undefined);
      await done;
    },

    /** Creates everything at Cloudflare, or only changes the mailbox, as specified in the record. */
    async setUp(task: 'setUp' | 'mailbox', token: string): Promise<void> {
      await take(task, token, task === 'setUp' ? setUpSteps : mailboxSteps);
      await finish();
    },

    /** Removes all recorded resources from Cloudflare, and then clears the record. */
    async disconnect(token: string): Promise<void> {
      await noteSetup(document, { task: 'disconnect', trouble: '' });
      await take('disconnect', token, disconnectSteps);
      await forget(tokens.discard);
    },

    /** Points the tunnel to this server's current port. */
    async followPort(token: string): Promise<void> {
      await take('setUp', token, portSteps);
      await finish();
    },
  };
}

function inWords(error: unknown): string {
  return error instanceof PorchlightError ? error.message : 'Something went wrong. Try again.';
}
