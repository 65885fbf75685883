import { PorchlightError } from '../../src-main/contract/error.ts';
import {
  joinCopies,
  mostCallBytes,
  mostCopiesBytes,
  type Copy,
} from '../../src-main/platform/mailbox-protocol.ts';
import type { CopierOptions } from '../../src-main/mailbox/copies/copier.ts';

/** A mailbox for copies that lives in this process. */
export interface FakeCopyStore {
  /** Returns a way to call the mailbox. Calls fail once it is cut off. */
  connect(): { readonly store: CopierOptions['store']; cutOff(): void };
  readonly copies: Map<string, Copy>;
  readonly gone: Set<string>;
  /** Everything that was ever sent, as text. */
  sent(): string;
  /** The name and the size of each call, in bytes or addresses. */
  readonly calls: { readonly name: 'copies' | 'store' | 'remove'; readonly size: number }[];
  /** The most bytes of all copies. */
  mostBytes: number;
  /** Called before each call; true if it fails before it does anything, or `late` if it fails afterwards. */
  fails: (name: 'copies' | 'store' | 'remove') => boolean | 'late';
  /** Called before each call, which waits for it, unless its signal ends it. */
  before: (name: 'copies' | 'store' | 'remove') => Promise<void>;
}

export function fakeCopyStore(): FakeCopyStore {
  const copies = new Map<string, Copy>();
  const gone = new Set<string>();
  const recorded: Buffer[] = [];
  const failure = () => new PorchlightError('mailbox_failed', 'The mailbox can’t be reached.', 502);

  const full = () => new PorchlightError('mailbox_failed', 'The mailbox has no room for more copies.', 502);
  const bytesIn = (all: ReadonlyMap<string, Copy>) =>
    [...all.values()].reduce((sum, { body }) => sum + body.length, 0);

  const fake: FakeCopyStore = {
    copies,
    gone,
    calls: [],
    mostBytes: mostCopiesBytes,
    fails: () => false,
    before: () => Promise.resolve(),
    sent: () => Buffer.concat(recorded).toString('utf8'),
    connect() {
      let isCutOff = false;

      async function call(
        name: 'copies' | 'store' | 'remove',
        size: number,
        work: () => void,
        signal?: AbortSignal,
      ): Promise<void> {
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.race([fake.before(name), endOf(signal)]);
        const fails = fake.fails(name);
        if (isCutOff || fails === true) throw failure();
        fake.calls.push({ name, size });
        work();
        if (fails === 'late') throw failure();
      }

      return {
        cutOff: () => void (isCutOff = true),
        store: {
          async copies(after, limit, options) {
            const all = [...copies.values()]
              .filter(({ address }) => after === undefined || address > after)
              .sort((a, b) => (a.address < b.address ? -1 : 1));
            const found = all.slice(0, limit);
            await call('copies', found.length, () => undefined, options?.signal);
            const next = all.length > limit ? (found.at(-1)?.address ?? null) : null;
            return {
              copies: found.map(({ address, hash, body }) => ({ address, hash, bytes: body.length })),
              next,
            };
          },
          async store(sent, options) {
            const body = joinCopies(sent);
            if (body.length > mostCallBytes) throw new Error('The call is too large.');
            recorded.push(Buffer.from(body));
            const work = () => {
              const after = new Map([...copies, ...sent.map((copy) => [copy.address, copy] as const)]);
              if (bytesIn(after) > fake.mostBytes) throw full();
              for (const copy of sent) {
                copies.set(copy.address, { ...copy, body: Uint8Array.from(copy.body) });
                gone.delete(copy.address);
              }
            };
            await call('store', body.length, work, options?.signal);
          },
          async remove(addresses, isGone, options) {
            recorded.push(Buffer.from(JSON.stringify(addresses)));
            const work = () => {
              for (const address of addresses) {
                copies.delete(address);
                if (isGone) gone.add(address);
                else gone.delete(address);
              }
            };
            await call('remove', addresses.length, work, options?.signal);
          },
        },
      };
    },
  };
  return fake;
}

/** Rejects once the signal of a call ends it. */
const endOf = (signal: AbortSignal | undefined) =>
  new Promise<never>((_resolve, reject) => {
    const end = () => reject(new PorchlightError('cancelled', 'The call was interrupted.', 503));
    if (signal?.aborted === true) end();
    signal?.addEventListener('abort', end);
  });
