import { type ErrorCode, PorchlightError } from '../contract/error.ts';
import type { Problem } from '../contract/status.ts';
import { isDiskFailure } from './storage-error.ts';

/** Describes one kind of ending, such as the deletion of posts. `E` is what there is to know about one ending. */
interface EndingKind<E> {
  /** Writes an ending to disk. An earlier call may have written it, completely or in part. */
  readonly write: (id: string, ending: E) => Promise<unknown>;
  /** Called when an ending takes effect or is taken back, so that no cached answer shows the state before. */
  readonly changed?: (id: string, ending: E) => void;
  /** Called once an ending is on disk that could not be written at first. Must not throw. */
  readonly saved?: (id: string, ending: E) => void;
  /** Returns what has ended, for the owner: `Quill is signed out`. */
  readonly words: (id: string, ending: E) => string;
}

/** The endings of one kind that are not on disk yet. Whoever reads such a thing has to ask here too. */
interface Endings<E> {
  /** Returns the ending of a thing; undefined if the store tells its state. */
  get(id: string): E | undefined;
  /** The endings by id. */
  readonly all: ReadonlyMap<string, E>;
  /** Returns whether no ending of a thing waits for the disk. */
  isSaved(id: string): boolean;
  /**
   * Ends things. The endings take effect at once, before `work` writes them. Returns the result of `work`; undefined if
   * nothing can be written to the disk now. The endings then stay in effect, and are written later.
   * @throws the errors of `work` that are not the disk's. Nothing has ended in that case.
   */
  end<R>(endings: ReadonlyMap<string, E>, work: () => Promise<R>): Promise<R | undefined>;
  /**
   * Takes back the endings of things. `work` undoes what was already written of them.
   * @throws the errors of `work`. The endings then stay in effect.
   */
  takeBack<R>(ids: readonly string[], work: () => Promise<R>): Promise<R>;
}

export type EndingRegister = ReturnType<typeof createEndings>;

interface Held<E> {
  readonly ending: E;
  /** True once the disk has refused the ending. */
  isUnsaved: boolean;
  /** True while somebody takes the ending back. */
  isTakenBack: boolean;
}

/** How many endings of a kind are tried in vain before the others wait for the next attempt. */
const mostInVain = 20;
/** The names in a list for the owner. */
const mostNamed = 5;

/**
 * Creates the register of endings: revocations, blocks and deletions. They take effect in memory at once, even if the
 * disk is full, and are written as soon as there is room. Until then, only this process knows them. It lies above the
 * stores, and knows nothing of how they write. `changed`: called when the list of unsaved endings changes.
 */
export function createEndings({ changed }: { readonly changed: () => void }) {
  const kinds: { retry(): Promise<void>; words(): string[] }[] = [];
  let failed: (error: unknown) => void = () => undefined;
  /** Why the newest ending could not be written. */
  let reason: ErrorCode = 'storage_full';
  let retrying: Promise<void> | undefined;

  function refused(error: PorchlightError): void {
    reason = error.code;
    failed(error);
  }

  /** Declares a kind of ending. Call it once for each kind. */
  function kind<E>({ write, changed: shown, saved, words }: EndingKind<E>): Endings<E> {
    const held = new Map<string, Held<E>>();
    const all = new Map<string, E>();

    function put(id: string, one: Held<E> | undefined, reported: E): void {
      if (one) {
        held.set(id, one);
        all.set(id, one.ending);
      } else {
        held.delete(id);
        all.delete(id);
      }
      shown?.(id, reported);
    }

    /** Forgets an ending, because the store knows it now, or because it never was. */
    function release(id: string, one: Held<E>): void {
      if (held.get(id) !== one) return;
      put(id, undefined, one.ending);
      if (one.isUnsaved) changed();
    }

    /** Tries to write an ending. Returns whether it is still unsaved. */
    async function retryOne(id: string, one: Held<E>): Promise<boolean> {
      // Nothing runs between this check and the call of the store, so the store gets all calls in the right order.
      if (held.get(id) !== one || one.isTakenBack) return false;
      try {
        await write(id, one.ending);
        release(id, one);
        saved?.(id, one.ending);
        return false;
      } catch (error) {
        // The thing is gone, so there is nothing left to end.
        if (isAboutNothing(error)) release(id, one);
        else if (isDiskFailure(error)) refused(error);
        return held.get(id) === one;
      }
    }

    kinds.push({
      async retry() {
        let inVain = 0;
        for (const [id, one] of [...held]) {
          if (one.isUnsaved && (await retryOne(id, one))) inVain += 1;
          if (inVain === mostInVain) return;
        }
      },
      words: () => [...held].filter(([, one]) => one.isUnsaved).map(([id, { ending }]) => words(id, ending)),
    });

    return {
      all,
      get: (id) => all.get(id),
      isSaved: (id) => held.get(id)?.isUnsaved !== true,

      async end(endings, work) {
        const before = new Map([...endings.keys()].map((id) => [id, held.get(id)]));
        const mine = [...endings].map(([id, ending]) => {
          const one: Held<E> = { ending, isUnsaved: before.get(id)?.isUnsaved ?? false, isTakenBack: false };
          put(id, one, ending);
          return [id, one] as const;
        });
        try {
          const result = await work();
          for (const [id, one] of mine) release(id, one);
          return result;
        } catch (error) {
          if (!isDiskFailure(error)) {
            for (const [id, one] of mine) if (held.get(id) === one) put(id, before.get(id), one.ending);
            throw error;
          }
          for (const [, one] of mine) one.isUnsaved = true;
          refused(error);
          changed();
          return undefined;
        }
      },

      async takeBack(ids, work) {
        const mine = ids.flatMap((id) => {
          const one = held.get(id);
          return one ? [[id, one] as const] : [];
        });
        for (const [, one] of mine) one.isTakenBack = true;
        try {
          const result = await work();
          for (const [id, one] of mine) release(id, one);
          return result;
        } catch (error) {
          for (const [, one] of mine) one.isTakenBack = false;
          throw error;
        }
      },
    };
  }

  const words = () => kinds.flatMap((one) => one.words());

  async function retryAll(): Promise<void> {
    for (const one of kinds) await one.retry();
  }

  return {
    kind,
    /** Connects the watch of the disk. `whenFailed` is called with each error that kept an ending from the disk. */
    connect: (whenFailed: (error: unknown) => void) => void (failed = whenFailed),
    /** Tries to write all unsaved endings. Resolves with whether none is left. Never rejects. */
    async retry(): Promise<boolean> {
      retrying ??= retryAll().finally(() => (retrying = undefined));
      await retrying;
      return words().length === 0;
    },
    /** Returns the problem with endings that are not on disk yet; undefined if all are. */
    problem(): Problem | undefined {
      const found = words();
      if (found.length === 0) return undefined;
      const after = 'This already applies, but a crash of Porchlight or the computer would undo it.';
      const later = 'Porchlight saves it as soon as it can.';
      return {
        code: 'not_saved',
        message: `Not saved yet: ${reasonWords(reason)}. ${listed(found)}. ${after} ${later}`,
      };
    },
    /** Returns what is lost if the process ends now, for the owner; undefined if nothing is. */
    lossWords(): string | undefined {
      const found = words();
      if (found.length === 0) return undefined;
      return `Porchlight could not save this before it ended: ${listed(found)}. It no longer applies at the next start, so do it again then. The reason: ${reasonWords(reason)}.`;
    },
  };
}

/** Returns whether an error means that there is nothing left that could end. */
function isAboutNothing(error: unknown): boolean {
  const codes: readonly ErrorCode[] = ['not_found', 'invalid_request', 'removed_by_source'];
  return error instanceof PorchlightError && codes.includes(error.code);
}

function reasonWords(code: ErrorCode): string {
  switch (code) {
    case 'storage_gone':
      return 'the data folder is gone';
    case 'storage_unwritable':
      return 'the data folder can’t be written to';
    case 'storage_busy':
      return 'too many files are open on this computer';
    default:
      return 'the disk is full';
  }
}

/** Returns the first few of some sentences, and how many others there are. */
function listed(words: readonly string[]): string {
  const named = words.slice(0, mostNamed).join('; ');
  return words.length > mostNamed ? `${named}; and ${words.length - mostNamed} more` : named;
}

/** A page of a list, with the cursor of the page that follows it. */
interface ReadPage<T> {
  readonly items: readonly T[];
  readonly next?: string | undefined;
}

/** How many items to read at once to find out whether another item passes. */
const readAtOnce = 20;

/**
 * Returns a page with `limit` items that pass, as far as there are so many. `read` returns a page after a cursor, or
 * the first page. `next` is the cursor of the following page; undefined if no item that passes follows.
 */
export async function filledPage<T>(
  limit: number,
  read: (limit: number, cursor: string | undefined) => Promise<ReadPage<T>>,
  passes: (item: T) => boolean,
): Promise<{ items: T[]; next: string | undefined }> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await read(limit - items.length, next);
    items.push(...page.items.filter(passes));
    next = page.next;
  } while (next !== undefined && items.length < limit);
  for (let cursor = next; cursor !== undefined;) {
    const page = await read(readAtOnce, cursor);
    if (page.items.some(passes)) return { items, next };
    cursor = page.next;
  }
  return { items, next: undefined };
}
