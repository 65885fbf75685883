import { Type, type Static } from 'typebox';
import { choice, closed, Id, Moment, orNull } from '../../contract/shapes.ts';
import { readRow, recordTable, type Row, withTimes } from '../../storage/records/record-table.ts';
import { webAddress } from '../clean-facts.ts';

/** The longest text in `words`. */
const mostWords = 500;

/**
 * The mentions that were sent to this server, with what became of them. `token`: identifies the mention's status page.
 * `state`: `waiting`: still to be checked; `success`: accepted; `removed`: its source removed the link; `failed`: not
 * accepted. `tried`: the time of the last attempt. `words`: why the mention failed, or why it will be tried again.
 */
export const receivedTable = recordTable({
  name: 'received_mentions',
  row: closed({
    token: Id,
    source: Type.String({ maxLength: 2048 }),
    target: Type.String({ maxLength: 2048 }),
    received: Moment,
    state: choice('waiting', 'success', 'removed', 'failed'),
    tried: orNull(Moment),
    words: orNull(Type.String({ maxLength: mostWords })),
  }),
  isSound: ({ source, target }) => webAddress(source) !== undefined && webAddress(target) !== undefined,
  // A source can mention a target only once (WR-5).
  create: `CREATE TABLE IF NOT EXISTS received_mentions (
      token TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, received TEXT NOT NULL, state TEXT NOT NULL,
      tried TEXT, words TEXT, UNIQUE (source, target)
    ) STRICT;
    CREATE INDEX IF NOT EXISTS received_mentions_state ON received_mentions (state, tried)`,
  format: 1,
  cleaned: withTimes('received', 'tried'),
});

type ReceivedRow = Static<(typeof receivedTable)['row']>;

/** A mention that was sent to this server, and its current state. */
export interface ReceivedMention extends Omit<ReceivedRow, 'tried' | 'words'> {
  readonly tried: string | undefined;
  readonly words: string | undefined;
}

export function receivedInRow(row: Row): ReceivedMention {
  const { tried, words, ...rest } = readRow(receivedTable, row);
  return { ...rest, tried: tried ?? undefined, words: words ?? undefined };
}

/** Shortens a message so that it fits into `words`. */
export const cutWords = (words: string): string => words.slice(0, mostWords);

/**
 * Returns the key of a mention. The key consists of source and target, because a source can mention a target only once
 * (WR-5).
 */
export const pairOf = ({ source, target }: { source: string; target: string }) => `${source}\n${target}`;
