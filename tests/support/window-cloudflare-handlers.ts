import type { CloudflareStatus, MailboxStatus, TunnelStatus } from '../../src-main/contract/reach.ts';
import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { type ErrorCode, PorchlightError } from '../../src-main/contract/error.ts';
import type { Settings } from '../../src-main/contract/settings.ts';
import { someTunnels } from './window-reach-handlers.ts';

type Handled = Pick<Handlers, Extract<keyof Handlers, `cloudflare.${string}` | `mailbox.${string}`>>;

/** What a house has at Cloudflare. */
export interface CloudflareHouse {
  status: CloudflareStatus;
  mailbox: MailboxStatus;
  /** True while Porchlight remembers a token. */
  remembers?: boolean;
  /** Fails the next setup or disconnect, and leaves it in this state. */
  failure?: { readonly code: ErrorCode; readonly words: string; readonly leaves: CloudflareStatus['state'] };
  /** What each task waits for. */
  gate?: Promise<unknown>;
}

/** What the answers of Cloudflare change. */
interface Reached {
  settings: Settings;
  status: Result<'status.get'>;
  tunnel: TunnelStatus;
  tunnelTokenKept: boolean;
  cloudflare?: CloudflareHouse;
}

const id = (digit: string) => digit.repeat(32);

/** The token of a test that has every permission, and one that lacks one. */
export const goodToken = 'v1.0-good-token';
export const weakToken = 'v1.0-weak-token';

export const someZones: Result<'cloudflare.connect'> = {
  accounts: [{ id: id('a'), name: 'Robin’s account' }],
  zones: [
    { id: id('0'), name: 'old.example', accountId: id('a'), active: false },
    { id: id('1'), name: 'marlow.example', accountId: id('a'), active: true },
    { id: id('2'), name: 'robin.example', accountId: id('a'), active: true },
  ],
};

const nothing: CloudflareStatus = {
  state: 'none',
  words: 'Nothing was set up at Cloudflare.',
  task: null,
  hostname: null,
  mailbox: false,
  created: [],
  tokenKept: false,
};

const mailboxOff: MailboxStatus = {
  state: 'off',
  words: 'There is no mailbox.',
  remedy: null,
  lastDrain: null,
  kept: 0,
  copies: 0,
  leftOut: 0,
  toCopy: 0,
  toRemove: 0,
};

/** Returns what a finished setup created. */
function createdFor(hostname: string, mailbox: boolean): CloudflareStatus['created'] {
  return [
    { what: 'tunnel', name: `porchlight ${hostname}` },
    { what: 'record', name: hostname },
    ...(mailbox
      ? ([
          { what: 'worker', name: 'porchlight-mailbox' },
          { what: 'route', name: `${hostname}/*` },
        ] as const)
      : []),
  ];
}

/** Returns a finished setup. */
export function readySetup(
  hostname = 'porch.marlow.example',
  part: Partial<CloudflareStatus> = {},
): CloudflareStatus {
  const mailbox = part.mailbox ?? true;
  return {
    state: 'ready',
    words: `${hostname} leads to this computer.`,
    task: null,
    hostname,
    mailbox,
    created: createdFor(hostname, mailbox),
    tokenKept: false,
    ...part,
  };
}

/** Returns a setup that stopped after its tunnel, or a removal that stopped before it. */
export function unfinishedSetup(task: 'setUp' | 'disconnect', tokenKept = false): CloudflareStatus {
  const words =
    task === 'setUp'
      ? 'Porchlight stopped before the DNS record was created.'
      : 'The tunnel porchlight porch.marlow.example couldn’t be removed yet.';
  return readySetup('porch.marlow.example', {
    state: 'unfinished',
    task,
    words,
    tokenKept,
    created: createdFor('porch.marlow.example', false).slice(0, 1),
  });
}

type MailboxName = 'awake' | 'ready' | 'full' | 'removing' | 'unreachable' | 'foreign' | 'outdated';

/** The states of the mailbox. `now` in ms. */
export const mailboxStates: Readonly<Record<MailboxName, (now: number) => MailboxStatus>> = {
  awake: (now) => ({
    state: 'awake',
    words: 'This computer answers. 96 pages and files are still to be copied.',
    remedy: null,
    kept: 0,
    copies: 214,
    leftOut: 0,
    toCopy: 96,
    toRemove: 0,
    lastDrain: drained(now, 0),
  }),
  ready: (now) => ({
    state: 'asleep-ready',
    words: 'Everything is copied. This computer may sleep.',
    remedy: null,
    kept: 0,
    copies: 310,
    leftOut: 0,
    toCopy: 0,
    toRemove: 0,
    lastDrain: drained(now, 14),
  }),
  full: (now) => ({ ...mailboxStates.ready(now), leftOut: 3 }),
  removing: (now) => ({ ...mailboxStates.ready(now), toRemove: 2 }),
  unreachable: (now) => ({
    state: 'trouble',
    words: 'Porchlight can’t reach the mailbox: Cloudflare didn’t answer in time.',
    remedy: 'retry',
    kept: 3,
    copies: 310,
    leftOut: 0,
    toCopy: 0,
    toRemove: 2,
    lastDrain: drained(now, 0),
  }),
  foreign: (now) => ({
    state: 'trouble',
    words: 'The mailbox belongs to another computer.',
    remedy: 'takeOver',
    kept: 0,
    copies: 310,
    leftOut: 0,
    toCopy: 0,
    toRemove: 0,
    lastDrain: drained(now, 0),
  }),
  outdated: () => ({
    state: 'trouble',
    words: 'The mailbox has version 1, and Porchlight needs version 2.',
    remedy: 'update',
    kept: 0,
    copies: 310,
    leftOut: 0,
    toCopy: 0,
    toRemove: 0,
    lastDrain: null,
  }),
};

const drained = (now: number, arrived: number) => ({ at: new Date(now - 60_000).toISOString(), arrived });

/** Gives a house a finished setup with a mailbox in this state. */
export function withMailbox<H extends Reached>(
  house: H,
  state: MailboxName | null,
  now: number,
  tokenKept = true,
): H {
  const mailbox = state === null ? mailboxOff : mailboxStates[state](now);
  const tunnel = { ...house.settings.tunnel, mode: 'named' as const, hostname: 'porch.marlow.example' };
  return {
    ...house,
    settings: { ...house.settings, tunnel },
    tunnel: someTunnels.connected,
    tunnelTokenKept: true,
    cloudflare: { status: readySetup(undefined, { mailbox: state !== null, tokenKept }), mailbox },
  };
}

/** Answers for Cloudflare and the mailbox: each task changes what is asked next. */
export function cloudflareHandlers(house: Reached): Handled {
  const at = () => (house.cloudflare ??= { status: nothing, mailbox: mailboxOff });
  const answer =
    <P, R>(from: (params: P) => R | Promise<R>) =>
    async (params: P) =>
      from(params);
  /** Refuses a task without a token, or with one that lacks a permission. */
  const authorize = (apiToken?: string) => {
    const { status, remembers } = at();
    if (apiToken === undefined && !status.tokenKept && remembers !== true)
      throw new PorchlightError('cloudflare_token_needed', 'Paste your Cloudflare API token again.');
    if (apiToken === weakToken)
      throw new PorchlightError(
        'cloudflare_token',
        'The token lacks the permission “Zone · DNS · Edit”. Add it at Cloudflare, then check the token again.',
      );
    if (apiToken !== undefined && apiToken !== goodToken)
      throw new PorchlightError('cloudflare_token', 'Cloudflare doesn’t know this token.');
  };
  const change = (status: Partial<CloudflareStatus>) => {
    at().status = { ...at().status, ...status };
    return at().status;
  };
  /** Runs a task: it waits for the gate, and fails once if it should. */
  const run = async (task: 'setUp' | 'disconnect', finish: () => CloudflareStatus) => {
    const before = at().status;
    change({ state: 'working', task });
    await at().gate;
    const { failure } = at();
    if (failure === undefined) return finish();
    delete at().failure;
    const left = failure.leaves === 'unfinished' ? unfinishedSetup(task, before.tokenKept) : before;
    change({ ...left, state: failure.leaves });
    throw new PorchlightError(failure.code, failure.words);
  };
  const finishSetup = (hostname: string, mailbox: boolean, tokenKept: boolean) => {
    const url = `https://${hostname}`;
    house.settings = { ...house.settings, tunnel: { ...house.settings.tunnel, mode: 'named', hostname } };
    house.tunnel = { ...someTunnels.connected, url };
    house.tunnelTokenKept = true;
    house.status = { ...house.status, baseUrl: url, words: `On, reachable at ${url}` };
    if (mailbox) at().mailbox = mailboxStates.awake(Date.now());
    return change(readySetup(hostname, { mailbox, tokenKept }));
  };
  const finishRemoval = () => {
    house.settings = { ...house.settings, tunnel: { ...house.settings.tunnel, mode: 'off', hostname: '' } };
    at().mailbox = mailboxOff;
    at().remembers = false;
    return change(nothing);
  };
  const setMailbox = (mailbox: MailboxStatus) => {
    at().mailbox = mailbox;
    const { hostname } = at().status;
    const isOn = mailbox.state !== 'off';
    change({ mailbox: isOn, created: createdFor(hostname ?? '', isOn) });
    return mailbox;
  };
  return {
    'cloudflare.status': answer(() => at().status),
    'cloudflare.connect': answer(({ apiToken }) => {
      authorize(apiToken);
      at().remembers = true;
      return someZones;
    }),
    'cloudflare.checkName': answer(({ hostname }) => {
      authorize();
      const available = !hostname.startsWith('taken.');
      return { available, words: available ? '' : `${hostname} is already used for something else.` };
    }),
    'cloudflare.setUp': answer(({ hostname, mailbox, keepToken = false }) => {
      authorize();
      return run('setUp', () => finishSetup(hostname, mailbox, keepToken));
    }),
    'cloudflare.resume': answer(({ apiToken }) => {
      authorize(apiToken);
      const { task, hostname, mailbox, tokenKept } = at().status;
      return task === 'disconnect'
        ? run('disconnect', finishRemoval)
        : run('setUp', () => finishSetup(hostname ?? '', mailbox, tokenKept));
    }),
    'cloudflare.disconnect': answer(({ apiToken }) => {
      authorize(apiToken);
      return run('disconnect', finishRemoval);
    }),
    'mailbox.status': answer(() => at().mailbox),
    'mailbox.turnOn': answer(async ({ apiToken, takeOver }) => {
      if (takeOver !== true) authorize(apiToken);
      await at().gate;
      return setMailbox(mailboxStates.awake(Date.now()));
    }),
    'mailbox.turnOff': answer(({ apiToken }) => {
      authorize(apiToken);
      return setMailbox(mailboxOff);
    }),
    'mailbox.rotateKeys': answer(({ apiToken }) => {
      authorize(apiToken);
      return at().mailbox;
    }),
    'mailbox.retry': answer(() => setMailbox(mailboxStates.ready(Date.now()))),
  };
}
