import type { Common } from '../http/common.ts';
import type { TunnelControl } from '../address/tunnel/control.ts';
import type { Handlers } from '../contract/contract.ts';
import type { TunnelMode } from '../contract/settings.ts';
import type { Problem, Status } from '../contract/status.ts';
import type { TunnelStatus } from '../contract/reach.ts';
import type { Listener } from '../http/listener.ts';
import { type ClockWatch, clockWords } from '../platform/fetch-watch.ts';
import type { Unsaved } from '../sign-in/unsaved.ts';
import type { WaitingRoom } from '../sign-in/waiting-room.ts';
import type { DiskWatch, UnreadableFiles } from '../storage/storage-watch.ts';
import type { Activity } from '../storage/records/activity.ts';
import type { FilesFound } from '../posts/file-differences.ts';
import type { OwnerNews } from './news.ts';

interface StatusDeps extends Pick<Common, 'base' | 'profile' | 'version'> {
  readonly listener: Listener;
  readonly tunnel: () => TunnelStatus;
  /** Returns the kind of tunnel that the owner wants. */
  readonly tunnelMode: () => TunnelMode;
  readonly secrets: Status['secrets'];
  readonly flags: Status['flags'];
  readonly waitingRoom: WaitingRoom;
  readonly problems: () => readonly Problem[];
  /** Returns how many posts have been read while the lists lack some; undefined otherwise. */
  readonly indexing: () => { readonly done: number; readonly total: number } | undefined;
  readonly demo: boolean;
}

/** Returns the state of the server, for the window, the tray and the sign-in prompt. */
export function statusOf(deps: StatusDeps): Status {
  const { secrets, flags, version, demo } = deps;
  const { state, port } = deps.listener;
  const [base, tunnel] = [deps.base(), deps.tunnel()];
  const isLost = state.kind === 'on' && tunnel.state === 'failed';
  return {
    server: isLost ? 'trouble' : state.kind,
    words: wordsOf(state, base, tunnel, deps.tunnelMode()) + indexingWords(deps.indexing()),
    baseUrl: base,
    port: state.kind === 'on' ? port : null,
    me: deps.profile().me,
    secrets,
    flags,
    waiting: deps.waitingRoom.waiting().length,
    version,
    problems: [...deps.problems()],
    demo,
  };
}

function wordsOf(state: Listener['state'], base: string, tunnel: TunnelStatus, mode: TunnelMode): string {
  if (state.kind === 'off') return 'Off';
  if (state.kind === 'trouble') return `Not reachable: ${state.message}`;
  if (tunnel.state === 'failed') return `On, but not reachable: ${tunnel.words}`;
  if (tunnel.state === 'downloading' || tunnel.state === 'starting')
    return 'On, but the tunnel is still starting';
  if (tunnel.state === 'reconnecting') return 'On, but the tunnel is reconnecting';
  if (mode !== 'off' && tunnel.state === 'off') return 'On, but the tunnel is stopped';
  return base.startsWith('https:')
    ? `On, reachable at ${base}`
    : `On, reachable on this computer only, at ${base}`;
}

function indexingWords(progress: ReturnType<StatusDeps['indexing']>): string {
  if (progress === undefined) return '';
  const [done, total] = [progress.done, progress.total].map((count) => count.toLocaleString('en'));
  return `. Reading posts from their files: ${done} of ${total}`;
}

interface ServerDeps {
  readonly listener: Listener;
  readonly status: () => Status;
  readonly activity: Activity;
  readonly news: Pick<OwnerNews, 'dismiss'>;
  readonly tunnel: Pick<TunnelControl, 'start' | 'resume'>;
  /** Saves the port for the next start. */
  readonly keepPort: (port: number) => Promise<void>;
}

export function statusHandlers({ listener, status, activity, news, tunnel, keepPort }: ServerDeps) {
  const isOn = () => listener.state.kind === 'on';
  return {
    'status.get': () => status(),
    'status.dismiss': async ({ id }) => {
      await news.dismiss(id);
      return status();
    },
    'server.turnOn': async () => {
      const wasOn = isOn();
      await listener.start();
      // If the server is already on, turning it on again restarts the tunnel.
      await (wasOn ? tunnel.start() : tunnel.resume());
      if (!wasOn && isOn()) await activity.record('server.on', 'You turned Porchlight on.');
      return status();
    },
    'server.turnOff': async () => {
      const wasOn = isOn();
      // Keep the tunnel connected, so that visitors see that Porchlight is off, and so that a temporary address stays
      // valid.
      await listener.turnOff();
      if (wasOn) await activity.record('server.off', 'You turned Porchlight off.');
      return status();
    },
    'server.usePort': async ({ port }) => {
      await listener.usePort(port);
      if (listener.state.kind !== 'on') return status();
      await keepPort(listener.port);
      await activity.record('server.port', `You moved Porchlight to port ${listener.port}.`);
      await tunnel.start();
      return status();
    },
  } satisfies Partial<Handlers>;
}

export interface ProblemSources {
  readonly clockWatch: Pick<ClockWatch, 'offset'>;
  /** Returns why the computer's clock is not trusted; null if the clock is trusted. */
  readonly clockJump: () => string | null;
  readonly disk: Pick<DiskWatch, 'trouble'>;
  readonly unsaved: Pick<Unsaved, 'problem'>;
  /** Returns how the files of posts differ from the posts. */
  readonly files: () => FilesFound;
  readonly unreadable: Pick<UnreadableFiles, 'list'>;
  /** Returns the problem with the folder of the owner's own site, if there is one. */
  readonly folder: () => Problem | undefined;
  /** Returns the problem with the mailbox, if there is one. */
  readonly mailbox: () => Problem | undefined;
  /** Returns problems with the weekly backup and with the task that is pending for the next start. */
  readonly keeping: () => readonly Problem[];
}

/**
 * Creates the list of problems that the owner should know about. Problems that stay until the next start come first, and
 * then those that stay until the owner dismisses them. `found`: the problems that were found before the service opened.
 */
export function createProblems(found: readonly Problem[], news: Pick<OwnerNews, 'list'>) {
  const known = [...found];
  let sources: ProblemSources | undefined;

  return {
    /** Adds a problem that stays until the next start. Returns false if there is one with this code. */
    add(problem: Problem): boolean {
      if (known.some(({ code }) => code === problem.code)) return false;
      known.push(problem);
      return true;
    },
    /** Connects the parts that report temporary problems. Call it once, when all parts are open. */
    connect: (all: ProblemSources) => void (sources = all),
    list: (): Problem[] => [...known, ...news.list(), ...(sources ? passingProblems(sources) : [])],
  };
}

function passingProblems(sources: ProblemSources): Problem[] {
  const { clockWatch, clockJump, disk, unreadable, keeping } = sources;
  const [folder, mailbox, unsaved] = [sources.folder(), sources.mailbox(), sources.unsaved.problem()];
  const offset = clockWatch.offset();
  const clock = clockJump() ?? (offset === 0 ? null : clockWords(offset));
  const { trouble } = disk;
  const problems: Problem[] = [
    ...keeping(),
    ...unreadable.list().map(({ code, words }) => ({ code, message: words })),
  ];
  const edited = editedWords(sources.files());
  if (edited !== undefined) problems.push({ code: 'edited_files', message: edited });
  const { conflicts } = sources.files();
  if (conflicts.length > 0) problems.push({ code: 'conflicted_copies', message: conflictWords(conflicts) });
  if (folder) problems.push(folder);
  if (mailbox) problems.push(mailbox);
  if (trouble) problems.push({ code: trouble.code, message: trouble.words });
  if (unsaved) problems.push(unsaved);
  if (clock !== null) problems.push({ code: 'clock', message: clock });
  return problems;
}

const mostNamed = 3;

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** Returns what to tell about files of posts that somebody edited or removed; undefined if there are none. */
function editedWords({ changed, added, ended, missing, unreadable }: FilesFound): string | undefined {
  const edited = changed.length + added.length + ended.length;
  const parts = [
    edited > 0 && `${counted(edited, 'file')} of posts ${edited === 1 ? 'was' : 'were'} edited`,
    missing.length > 0 &&
      `${counted(missing.length, 'file')} of posts ${missing.length === 1 ? 'is' : 'are'} gone`,
    unreadable.length > 0 && `${counted(unreadable.length, 'file')} of posts can’t be read`,
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${parts.join(', ')}. The posts are as they were. Look at the files under Posts.`;
}

function conflictWords(paths: readonly string[]): string {
  const named = paths.slice(0, mostNamed).map((path) => `“posts/${path}”`);
  const more = paths.length > mostNamed ? ` and ${(paths.length - mostNamed).toLocaleString('en')} more` : '';
  return `A program that synchronizes your data folder kept other versions of posts: ${named.join(', ')}${more}. Porchlight doesn’t show these files. Compare each one with its post, and then delete it.`;
}
