import { isWrittenTime } from '../storage/records/record-table.ts';
import { cleanFacts, webAddress } from './clean-facts.ts';
import { storableRecords } from './import/raw-mention.ts';
import { cleanLine, cleanText, mostBytes } from './mention-limits.ts';
import type { Mention } from './mention.ts';

const longestTitle = 500;
const mostEvents = 100;

/**
 * Returns a mention from a backup or an export, cleaned like one that was received: anybody can write such a file. Cleaning
 * twice changes nothing. The source and the target have to be web addresses.
 */
export function cleanMention(mention: Mention): Mention {
  const { readAt, takenBack, snapshot, imported, ...rest } = mention;
  const received = new Date(mention.received).toISOString();
  return {
    ...rest,
    ...(webAddress(readAt) !== undefined && { readAt }),
    received,
    parsed: isWrittenTime(mention.parsed) ? mention.parsed : received,
    facts: cleanFacts(mention.facts, mention.source),
    ...(takenBack !== undefined && isWrittenTime(takenBack) && { takenBack }),
    ...(snapshot && { snapshot: cleanSnapshot(snapshot) }),
    ...(imported && {
      imported: {
        ...storableRecords(imported),
        ...(imported.shortened === true && { shortened: true as const }),
      },
    }),
    history: mention.history.filter(({ at }) => isWrittenTime(at)).slice(-mostEvents),
  };
}

function cleanSnapshot({ title, text, shortened }: NonNullable<Mention['snapshot']>) {
  return {
    ...(title !== undefined && { title: cleanLine(title, longestTitle) }),
    text: cleanText(text, mostBytes),
    ...(shortened === true && { shortened }),
  };
}
