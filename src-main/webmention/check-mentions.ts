import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { documentCodec } from '../storage/document-format.ts';
import { nodeOperations } from '../storage/file-operations.ts';
import { readJournal } from '../storage/journal.ts';
import { readJson } from '../storage/json-file.ts';
import { indexFile, partsIn } from './mention-index-files.ts';
import { foldedMarks } from './mention-index-marks.ts';
import { foldedPages, pageRowOf } from './mention-index-pages.ts';
import { foldedRows, rowsOf, type IndexRow } from './mention-index-row.ts';
import {
  pageFile,
  pageFormat,
  pageKeyOf,
  pageKeyOfId,
  pageKeysIn,
  type PageDocument,
} from './page-document.ts';
import { readQueue } from './queue-file.ts';
import { sequenceFormat } from './sequence.ts';

export interface MentionCheck {
  /** Mentions in documents, whatever their status. */
  mentions: number;
  /** What is not as it should be, in words. */
  problems: string[];
}

/**
 * Compares the index of a folder of webmentions with its documents, looks at the queue, and changes nothing. An index that differs does
 * no harm for long: it is derived, and mended when it is opened. Reads everything: for tests and for looking into a
 * folder, not for a running server.
 */
export async function checkMentions(dir: string): Promise<MentionCheck> {
  const check: MentionCheck = { mentions: 0, problems: [] };
  const documents = await readDocuments(dir, check);
  const highest = checkDocuments(documents, check);
  await checkPages(dir, documents, check);
  await checkParts(dir, documents, check);
  await checkSequence(dir, highest, check);
  const queue = await readQueue(join(dir, 'queue.jsonl'));
  if (queue.unread > 0) check.problems.push('The queue has lines that cannot be read.');
  return check;
}

type Documents = ReadonlyMap<string, PageDocument>;

const pageCodec = documentCodec(pageFormat);

async function readDocuments(dir: string, check: MentionCheck): Promise<Documents> {
  const documents = new Map<string, PageDocument>();
  for (const page of await pageKeysIn(dir)) {
    const file = pageFile(dir, page);
    const found = await readJson(file, nodeOperations);
    const decoded = found.state === 'whole' ? pageCodec.decode(found.value, file) : { broken: found.state };
    if ('data' in decoded) documents.set(page, decoded.data);
    else check.problems.push(`The document of ${page} cannot be used: ${decoded.broken}.`);
  }
  return documents;
}

/** Answers the highest number of a mention. */
function checkDocuments(documents: Documents, check: MentionCheck): number {
  let highest = 0;
  for (const [page, { target, mentions }] of documents) {
    check.mentions += mentions.length;
    if (mentions.length > 0 && pageKeyOf(target) !== page)
      check.problems.push(`${page} is not of ${target}.`);
    const pairs = mentions.map((one) => JSON.stringify([one.source, one.target]));
    if (new Set(pairs).size < pairs.length) check.problems.push(`${target} has a mention twice.`);
    const ids = mentions.map(({ id }) => id);
    if (new Set(ids).size < ids.length) check.problems.push(`${target} has an identifier twice.`);
    for (const mention of mentions) {
      highest = Math.max(highest, mention.wmId);
      if (pageKeyOfId(mention.id) !== page || pageKeyOf(mention.target) !== page) {
        check.problems.push(`${mention.id} is in the document of another page.`);
      }
    }
  }
  return highest;
}

async function checkPages(dir: string, documents: Documents, check: MentionCheck): Promise<void> {
  const marks = foldedMarks((await readJournal(indexFile(dir, 'dirty'))).lines);
  for (const page of marks.dirty) check.problems.push(`The index does not know what ${page} holds.`);
  const { rows, whole } = foldedPages(await readJournal(indexFile(dir, 'pages')));
  if (!whole || !marks.whole) check.problems.push('The index of pages has lines that cannot be read.');
  for (const page of new Set([...documents.keys(), ...rows.keys()])) {
    const data = documents.get(page);
    if (!isDeepStrictEqual(rows.get(page), data && pageRowOf(page, data))) {
      check.problems.push(`The index says something else of ${page} than its document.`);
    }
  }
}

async function checkParts(dir: string, documents: Documents, check: MentionCheck): Promise<void> {
  const wanted = new Map<string, Map<string, IndexRow>>();
  for (const [part, row] of [...documents.values()].flatMap(({ mentions }) => mentions.flatMap(rowsOf))) {
    wanted.set(part, (wanted.get(part) ?? new Map<string, IndexRow>()).set(row.id, row));
  }
  for (const part of new Set([...(await partsIn(dir)), ...wanted.keys()])) {
    const journal = await readJournal(indexFile(dir, part));
    const { rows, whole } = foldedRows(journal.lines);
    if (!whole || !journal.whole) check.problems.push(`The index of ${part} has lines that cannot be read.`);
    if (!isDeepStrictEqual(rows, wanted.get(part) ?? new Map())) {
      check.problems.push(`The index of ${part} says something else than the documents.`);
    }
  }
}

async function checkSequence(dir: string, highest: number, check: MentionCheck): Promise<void> {
  const file = join(dir, 'sequence.json');
  const found = await readJson(file, nodeOperations);
  const decoded =
    found.state === 'whole' ? documentCodec(sequenceFormat).decode(found.value, file) : undefined;
  const reserved = decoded && 'data' in decoded ? decoded.data.reserved : 0;
  if (reserved < highest) check.problems.push(`The next number would be below ${highest}, which is in use.`);
}
