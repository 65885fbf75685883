import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { CloudflareProgress, CloudflareStatus } from '../../../src-main/contract/reach.ts';
import type { Params } from '../../../src-main/contract/contract.ts';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { useAction, useClient } from '../../client/queries.ts';

/** How often the window asks about work that another window may have started, in ms. */
const pollMs = 2000;

export type CloudflareState = CloudflareStatus['state'];

/** The setup at Cloudflare, and what the owner can do with it. */
export interface Cloudflare {
  readonly status: UseQueryResult<CloudflareStatus>;
  /** `working` as soon as a task starts here. Undefined while the state is unknown. */
  readonly state: CloudflareState | undefined;
  /** How far the running task is. */
  readonly progress: CloudflareProgress | null;
  /** Why the last task that was started here failed. */
  readonly failure: { readonly task: Task; readonly error: Error } | null;
  /** The last task that succeeded here. */
  readonly done: Task | null;
  /** True once the owner has started a task here. */
  readonly acted: boolean;
  readonly setUp: (params: Params<'cloudflare.setUp'>) => void;
  readonly resume: (params: TaskParams) => void;
  readonly disconnect: (params: TaskParams) => void;
}

type Task = 'setUp' | 'resume' | 'disconnect';

/** Returns the state of the setup at Cloudflare. It has no event, so the window asks again while work is running. */
export function useCloudflareStatus(): UseQueryResult<CloudflareStatus> {
  const client = useClient();
  return useQuery({
    queryKey: ['cloudflare.status', {}],
    queryFn: () => client.call('cloudflare.status', {}),
    refetchInterval: ({ state }) => (state.data?.state === 'working' ? pollMs : false),
  });
}

/** Returns the newest progress of some tasks while they are running. */
export function useProgress(
  tasks: readonly CloudflareProgress['task'][],
  isRunning: boolean,
): CloudflareProgress | null {
  const client = useClient();
  const [progress, setProgress] = useState<CloudflareProgress | null>(null);
  useEffect(
    () => client.subscribe((event) => event.name === 'cloudflare.progress' && setProgress(event.data)),
    [client],
  );
  if (!isRunning && progress !== null) setProgress(null);
  return isRunning && progress !== null && tasks.includes(progress.task) ? progress : null;
}

/** Returns whether a call failed because it needs a token, or another one. */
export function isTokenError(error: Error | null | undefined): boolean {
  return (
    error instanceof PorchlightError &&
    (error.code === 'cloudflare_token' || error.code === 'cloudflare_token_needed')
  );
}

/** What the owner said before a task: a pasted token, and that what the mailbox keeps may be deleted. */
export interface TaskParams {
  readonly apiToken?: string;
  readonly discardKept?: true;
}

/** Returns whether a task would have deleted things in the mailbox that can't be fetched. */
export function isKeptError(error: Error | null | undefined): boolean {
  return error instanceof PorchlightError && error.code === 'mailbox_not_empty';
}

/** Works with the setup at Cloudflare. It belongs to a component that stays while the tasks run. */
export function useCloudflare(): Cloudflare {
  const cache = useQueryClient();
  const status = useCloudflareStatus();
  const setUp = useAction('cloudflare.setUp');
  const resume = useAction('cloudflare.resume');
  const disconnect = useAction('cloudflare.disconnect');
  const [acted, setActed] = useState(false);
  const actions = { setUp, resume, disconnect };
  const tasks = ['setUp', 'resume', 'disconnect'] as const;
  const isPending = tasks.some((task) => actions[task].isPending);
  const state = isPending ? 'working' : status.data?.state;
  const progress = useProgress(['setUp', 'disconnect'], state === 'working');
  const failed = tasks.find((task) => actions[task].error !== null);
  const error = failed === undefined ? null : actions[failed].error;
  const start = () => {
    for (const task of tasks) actions[task].reset();
    setActed(true);
  };
  const options = { onError: () => void cache.invalidateQueries({ queryKey: ['cloudflare.status'] }) };
  return {
    status,
    state,
    progress,
    acted,
    failure: failed !== undefined && error !== null ? { task: failed, error } : null,
    done: tasks.find((task) => actions[task].isSuccess) ?? null,
    setUp: (params) => {
      start();
      setUp.mutate(params, options);
    },
    resume: (params) => {
      start();
      resume.mutate(params, options);
    },
    disconnect: (params) => {
      start();
      disconnect.mutate(params, options);
    },
  };
}
