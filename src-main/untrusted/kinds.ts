import { PorchlightError } from '../contract/error.ts';
import type { CauseLimits } from '../platform/cause.ts';

/** A kind of content that Porchlight didn't write, with the limits on reading it. */
export interface Kind {
  /** The program of its threads: a name in untrusted-worker.ts. */
  readonly program: 'pages' | 'documents' | 'pictures' | 'archives' | 'backups';
  /** The processor time that a job may take, in ms. After that, its thread is replaced. */
  readonly deadlineMs: number;
  /** The memory of a thread's JavaScript, in MB. WebAssembly has separate memory, up to 2 GB. */
  readonly memoryMb: number;
  /** How many quick threads try each job first, for `quickMs`. Only jobs that take longer get the patient thread. */
  readonly quickThreads?: number;
  /** How many jobs may wait: in total, and of one visitor or, if the visitor is unknown, of one site. */
  readonly mostWaiting: number;
  readonly mostWaitingPerParty: number;
  /** How much processor time (in ms) one visitor may cause, and one host. The owner's own work has no such limit. */
  readonly budget?: CauseLimits;
  /** What a job costs in addition, in ms, if its thread had to be replaced. */
  readonly fatalCost?: number;
}

const visitor = { burst: 5000, perMinute: 5000 };
const page = { program: 'pages', deadlineMs: 3000, memoryMb: 128, quickThreads: 2 } as const;
const picture = { program: 'pictures', memoryMb: 256, mostWaiting: 200 } as const;

/**
 * Each kind has threads of its own, so that no kind can delay another: neither a flood of mentions nor a hostile file
 * delays a sign-in.
 */
export const kinds = {
  /** Pages that a person waits for, such as apps' pages. Each waiting page takes up to 512 KB. */
  awaited: {
    ...page,
    mostWaiting: 64,
    mostWaitingPerParty: 8,
    budget: { visitor, host: { burst: 20_000, perMinute: 10_000 } },
  },
  /** Sources of mentions. A site that moves to Webmention may send a thousand mentions in an hour. */
  mentions: {
    ...page,
    mostWaiting: 200,
    mostWaitingPerParty: 25,
    budget: { visitor, host: { burst: 60_000, perMinute: 30_000 } },
  },
  /** Files of the owner's folder, and long Markdown. Each waiting document takes up to 1 MB. */
  documents: { ...page, program: 'documents', mostWaiting: 256, mostWaitingPerParty: 32 },
  /** The owner's pictures that somebody waits for. */
  ownPictures: { ...picture, deadlineMs: 10_000, mostWaiting: 400, mostWaitingPerParty: 200 },
  /** Smaller versions of the owner's pictures. Nobody waits for them. */
  versions: { ...picture, deadlineMs: 30_000, mostWaitingPerParty: 200 },
  /** Pictures of strangers. A visitor whose picture ended its thread then waits for several minutes. */
  strangersPictures: {
    ...picture,
    deadlineMs: 4000,
    mostWaitingPerParty: 20,
    fatalCost: 20_000,
    budget: { visitor, host: { burst: 15_000, perMinute: 10_000 } },
  },
  /** An archive of posts, which one thread reads from its start to its end. */
  archive: { program: 'archives', deadlineMs: 5000, memoryMb: 256, mostWaiting: 1, mostWaitingPerParty: 1 },
  /** A backup that is checked or was just made. The deadline is for each step between two waits. */
  backups: { program: 'backups', deadlineMs: 30_000, memoryMb: 512, mostWaiting: 4, mostWaitingPerParty: 4 },
} as const satisfies Readonly<Record<string, Kind>>;

const reasons: Readonly<Record<string, string>> = {
  page_too_slow: 'takes too long to read.',
  page_too_large: 'takes too much memory to read.',
  page_unreadable: 'can’t be read.',
};

/**
 * Returns why a page or a document can't be read within the limits of its thread, as the rest of a sentence that begins
 * with its name. Returns undefined for any other error: another attempt may then succeed.
 */
export function overLimit(error: unknown): string | undefined {
  return error instanceof PorchlightError ? reasons[error.code] : undefined;
}
